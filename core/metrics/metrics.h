/* core/metrics/metrics.h - what AutoHeteroprio knows of each type of task: costs, differences, released work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_METRICS_H
#define CORE_METRICS_METRICS_H

#include <stdint.h>

#include "core/machine/arch.h"

struct arena;
struct dag;
struct dag_class;
struct ht_err;
struct machine;
struct trace;

/*
 * Formulas: Flint, Paillat, Bramas, "Automated prioritizing heuristics for parallel task graph scheduling in
 * heterogeneous computing", PeerJ CS 8:e969, 2022; "eq" below is an equation of it. heterotune-metrics(7) says the
 * same with words.
 */

/* What was executed where: the part of the metrics that is not in the graph. */
struct metrics_executed {
	uint64_t count;
	double mean_ns;      /* of the durations; 0 when count is 0 */
	double deviation_ns; /* population standard deviation of the durations */
};

struct metrics_input {
	uint32_t ntypes;
	struct metrics_executed (*executed)[ARCH_COUNT]; /* per type; metrics_input_fini() frees it */
	double idle[ARCH_COUNT];                         /* 0 to 1; 0 where the machine has no worker */
};

/* Nothing executed, nobody idle. */
void metrics_input_init(struct metrics_input *in, const struct dag *d);
void metrics_input_fini(struct metrics_input *in);

/*
 * From the recorded run. idle(a) = 1 - busy / (workers * makespan), busy is the time in codelets, the makespan that of
 * trace_makespan_ns(); a parallel task keeps all its workers busy. Fails when the graph is not that of the trace.
 */
int metrics_input_from_run(struct metrics_input *in, const struct trace *t, const struct dag *d,
                           const struct machine *m, struct ht_err *err);

/*
 * One type on one architecture. Where it cannot run (legal is 0) times are -1, its share 0, cost and differences NAN:
 * there is no cost there, neither 0 nor a large one. nrt is about its successors and is there on every architecture of
 * the machine.
 *
 * Normalised: divided by metrics.unit_ns, so that scaling all costs changes nothing (eq 17).
 */
struct metrics_arch {
	int legal;
	uint64_t executed;
	int64_t mean_ns;      /* of the run's durations where it ran there, else cost_ns */
	int64_t deviation_ns; /* of the run's durations; -1: it did not run there */
	int64_t cost_ns;      /* mean over its tasks of what the graph says they cost there */
	double share;         /* of its tasks that ran where this machine can run it, those there: P of eq 7 */
	double cost;          /* cost_ns, normalised: z of eq 17 */
	double nrt;           /* normalised released time, mean over its tasks (eq 7) */
	double diff;          /* other - this, normalised (eq 4) */
	double rel_diff;      /* other / this (eq 5) */
	enum arch other;      /* the worst other architecture; ARCH_NONE: none, diff and rel_diff are NAN */
};

struct metrics_type {
	const char *name; /* borrowed from the dag */
	uint32_t count;
	arch_mask where;     /* can run on, and the machine has workers of */
	double nod;          /* normalised out-degree, mean over its tasks (eq 6) */
	double urt;          /* useful released time: sum of nrt * idle (eq 8) */
	double released;     /* S: best times of the successors, summed, its tasks' mean, normalised (in eq 9) */
	int64_t released_ns; /* S in time */
	struct metrics_arch arch[ARCH_COUNT];
};

struct metrics {
	struct metrics_type *types; /* as dag->types */
	uint32_t ntypes;
	arch_mask archs; /* of the machine */
	double idle[ARCH_COUNT];
	double unit_ns; /* mean over the tasks of their best cost: 1 in normalised costs */
	struct arena *arena;
};

/*
 * The tasks of one cost class, whose numbers are all the same; those of a type are means of them. Here `other` is what
 * is slowest for this class.
 */
struct metrics_class {
	double cost[ARCH_COUNT], diff[ARCH_COUNT], rel_diff[ARCH_COUNT]; /* NAN where there is none */
	double freed[ARCH_COUNT]; /* P * z of eq 7: divided by its predecessors, its part of their NRT */
	double best_ns;           /* least cost; 0: it can run nowhere */
};

/*
 * `other` is the architecture with the largest cost among the others, as StarPU 1.4 has it (order_priorities() in
 * heteroprio.c). Differences are taken over the tasks that can run on both. P is limited to the architectures that a
 * successor can run on; a type that was never executed there is taken to run on its best one. Valid as long as the
 * dag; free with metrics_free().
 */
struct metrics *metrics_compute(const struct dag *d, const struct machine *m, const struct metrics_input *in);
void metrics_free(struct metrics *x);

void metrics_class_of(struct metrics_class *k, const struct metrics *x, const struct dag_class *c);

#endif
