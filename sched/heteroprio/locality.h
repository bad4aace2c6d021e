/* sched/heteroprio/locality.h - LAHeteroprio's push formulas, distances and access orders. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_HETEROPRIO_LOCALITY_H
#define SCHED_HETEROPRIO_LOCALITY_H

#include <stdint.h>

#include "core/config/locality_formula.h"

struct machine;

/*
 * Bramas, "Impact study of data locality on task-based applications through the Heteroprio scheduler", PeerJ Computer
 * Science 5:e190 (2019), and what StarPU 1.4.10 makes of it (src/sched_policies/heteroprio.c). Everything here is a
 * function of its arguments. Node sets are masks, of 64 bits, a bit a node.
 */
enum { LOCALITY_MAX_NODES = 64 };

/*
 * LOCALITY_PAPER: the printed formulas. LOCALITY_STARPU: the code. They differ so: for LS_SDHB, which it calls LC_SMWB,
 * StarPU leaves out data that is on every node; its LS_SDH2 computes in 64 bits, which wrap above 4 GiB; the tie-breaks
 * of locality_node(); and locality_counts().
 */
enum locality_rules { LOCALITY_PAPER, LOCALITY_STARPU };

struct locality_datum {
	uint64_t bytes;
	uint64_t there; /* nodes with a valid copy; StarPU counts those one is on its way to, too */
	int written;    /* locality_is_write() */
};

/* The paper knows reads and writes, read-write counts as write; StarPU takes all that is not a plain read. */
int locality_is_write(uint32_t access_mode);

/* Whether the formulas are about it: the printed ones about what tasks share, StarPU's code about all that they use. */
int locality_counts(enum locality_rules rules, uint32_t access_mode);

struct locality_task {
	const struct locality_datum *data;
	uint32_t ndata;
	int nnodes; /* 1 .. LOCALITY_MAX_NODES */
	int pusher; /* node of the worker that pushes it; the main thread's is that of CPU worker 0 */
	/* Per node: time of the copies it would need there, any unit; NAN: no worker is there. Only for LOCALITY_MC. */
	const double *transfer;
};

/*
 * score[nnodes], bytes (or times for MC, 1 or 0 for LaRU). Larger is better, but for MC and LC_SMWB. A task without
 * data scores 0 everywhere.
 */
void locality_scores(enum locality_rules rules, enum locality_formula f, const struct locality_task *t, double *score);

/* All nodes with the best score; never 0, unless no node has a worker (MC). */
uint64_t locality_best(enum locality_rules rules, enum locality_formula f, const struct locality_task *t);

/*
 * One of them. LOCALITY_PAPER: the pusher's, else the lowest number (the paper leaves it open). LOCALITY_STARPU: as the
 * code: MC the lowest number; LS_SDH and LS_SDH2 the pusher's, else the one that was first to reach the best score as
 * the data were added up, and node 0 where no data is anywhere; the others the pusher's, else the lowest; node 0 for
 * LC_SMWB without data (0/0); -1 for MC without `transfer`.
 */
int locality_node(enum locality_rules rules, enum locality_formula f, const struct locality_task *t);

/* What every formula names: node[LOCALITY_FORMULAS]. */
void locality_nodes(enum locality_rules rules, const struct locality_task *t, int *node);

/*
 * The automatic choice. changed[f]: tasks popped so far for which f named another node at pop than at push (the
 * paper's BMD counters). The paper takes the lowest; on a tie the first of LS_SDH, LS_SDH2, LS_SDHB, LC_SMWB. StarPU
 * counts the opposite, takes the last of its names on a tie, and before the first pop what it calls LS_SDHB; but with
 * one scheduling context, which is the normal case, it never counts and stays with that (heteroprio.c, pop_task).
 */
enum locality_formula locality_automatic(enum locality_rules rules, const uint64_t *changed, uint64_t pops);

/* starpu_transfer_predict(): all CUDA and OpenCL devices use the bus at a time, both ways (transfer_cost.h). */
double locality_sharing(const struct machine *m);

/*
 * Matrices below are n * n: [i * n + j] is the distance of j as a worker on node i sees it.
 *
 * times: of a copy of 1 GiB from j to i, with locality_sharing(). distance: the same over the largest (eq 10); 0 where
 * all are.
 */
void locality_transfer_times(const struct machine *m, double *times_ns);
void locality_transfer_distance(const double *times_ns, int n, double *distance);

/*
 * 1 - sum over buckets |P(i,b) - P(j,b)| / ((k + 1)(k + 2) / 2) (eq 11): P is a bucket's 1-based place in the list of
 * a node's workers, 0 where it is not in it; k the longer list's length. Slots here are 0-based, -1: not in the list.
 * 1 for the same order; the paper's Table 2 fits no single reading of eq 11, this is StarPU's.
 */
double locality_priority_distance(const int *slot_i, const int *slot_j, int nbuckets);

/* alpha * priority + (1 - alpha) * transfer (eq 12); StarPU's alpha is 0.5. */
#define LOCALITY_ALPHA 0.5
void locality_distance(double alpha, const double *priority, const double *transfer, int n, double *distance);

/* nearest[n]: `node` itself, then the others by rising distance; ties as StarPU's stable sort leaves them. */
void locality_nearest(const double *distance, int n, int node, int *nearest);

struct locality_access {
	uint32_t slot; /* of the node's list of buckets */
	int32_t node;
};

/*
 * In what order a worker looks at the lists (slot, node): for each block of `step` slots (the paper's lambda, StarPU's
 * PRIO_STEP, at least 1) its own lists, then slot by slot those of its `close` (S) nearest nodes; at last, slot by
 * slot, the remaining nodes. order[nslots * n]; returns that number.
 */
int locality_access_order(const int *nearest, int n, int nslots, int step, int close, struct locality_access *order);

#endif
