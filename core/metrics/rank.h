/* core/metrics/rank.h - how far each task is from the ends of the graph: ranks, earliest and latest starts. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_RANK_H
#define CORE_METRICS_RANK_H

#include <stdint.h>

struct dag;
struct dag_send;
struct ht_err;
struct worker_kinds;
struct machine;

/* A graph to rank: that of the tasks, or of clusters of them. Nothing is owned. */
struct rank_graph {
	uint32_t n;
	const uint32_t *order;             /* topological; NULL: that of the indices */
	const uint32_t *succ_first, *succ; /* as in struct dag */
	const double *length_ns;           /* per node: w */
	const double *transfer_ns;         /* per edge, as succ: c; NULL: all 0 */
	const struct dag_send *sends;      /* as in struct dag */
	uint32_t nsends;
};

/*
 * Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for heterogeneous computing", IEEE
 * TPDS 13(3), 2002, equations 6 and 7:
 *
 *   up(t)   = w(t) + max over successors s of (c(t,s) + up(s))                        w(t) without successors
 *   down(t) =        max over predecessors p of (down(p) + w(p) + c(p,t))              0 without predecessors
 *
 * A send is one successor more of its task, without a length, whose rank is the highest of the tasks that are submitted
 * after it: all ranks of an MPI program submit the same graph, so what another one does with the data is as urgent as
 * the most urgent of what this one does then. rank[n] is written. Linear in nodes, edges and sends.
 */
void rank_upward(const struct rank_graph *g, double *rank);
void rank_downward(const struct rank_graph *g, double *rank);

/* The ranks of all tasks; arrays are indexed by task. */
struct ranks {
	double *length_ns;   /* w: mean duration over the machine's workers that can run the task */
	double *transfer_ns; /* per edge, as dag->succ: c */
	double *upward_ns, *downward_ns;
};

/*
 * w is the mean over workers, not over architectures (equation 5 of the same paper); workers that cannot run the task
 * do not count. c is the mean latency, for each piece of data that the successor reads and the predecessor wrote, and
 * their bytes times the mean time of a byte, means over pairs of memory nodes (route.h, flow.h); the paper
 * divides by the mean bandwidth, which a pair of nodes that is far from each other hardly changes. A task that no
 * worker can run is an error that names it; nothing is to be freed then. ranks_fini() frees.
 */
int ranks_init(struct ranks *r, const struct dag *d, const struct machine *m, struct ht_err *err);
void ranks_fini(struct ranks *r);

/* An upward rank as a priority of StarPU's: in whole microseconds, at most INT32_MAX. */
int32_t rank_priority(double upward_ns);

/*
 * `d`, which has to stay, with upward ranks as priorities, as the scheduler library gives them: a task is as long as
 * the geometric mean of its mean over workers and of its least, since the mean alone lets tasks of slow CPUs, which
 * fast GPUs execute, outweigh all others. Of several MPI ranks each knows what the others do (RANKS_TOGETHER), as by
 * the plan of a config, or only what it sends them. Free with dag_free(). NULL: as ranks_init().
 */
enum rank_scope { RANKS_TOGETHER, RANKS_ALONE };
struct dag *rank_dag(const struct dag *d, const struct machine *m, enum rank_scope scope, struct ht_err *err);

/*
 * When each task can start at the earliest, and has to start at the latest for the critical path to end in time, when
 * every task takes its best duration on those kinds of workers and there are workers and bandwidth for all. Slack,
 * latest - earliest, is 0 on critical paths. Forward and backward pass as in Tayeb et al., "MulTreePrio", COMPAS 2022,
 * section 3.3.
 */
struct start_times {
	int64_t *earliest_ns, *latest_ns; /* per task */
	int64_t length_ns; /* of the critical path; with the kinds of the machine, bound_critical_path_ns() */
};

int start_times_init(struct start_times *s, const struct dag *d, const struct worker_kinds *k, struct ht_err *err);
void start_times_fini(struct start_times *s);

/* Per class: the mean duration over the machine's workers that can run it, in ns; NAN: none can. free() it. */
double *rank_class_lengths(const struct dag *d, const struct machine *m);

#endif
