/* analyze/idle.h - why the workers of a run were idle: nothing ready, data on its way, or ready tasks not taken. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_IDLE_H
#define ANALYZE_IDLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/arch.h"

struct dag;
struct timeline;
struct trace;

/* A time in which a worker neither executed a task nor waited for the data of one that it had taken. */
struct idle_gap {
	int64_t start_ns, end_ns; /* as in the timeline */
	uint32_t worker;
};

/*
 * From the first start to the last end. A task suits an architecture on which it takes at most a fifth longer than on
 * its fastest; a worker is only said to miss tasks that suit it.
 *
 * Per architecture, in ns of its workers: span = busy + fetch + starved + missed + held.
 */
struct idle {
	struct {
		int nworkers;
		int64_t span_ns;
		int64_t busy_ns;    /* executing */
		int64_t fetch_ns;   /* between taking a task and starting it: data on its way */
		int64_t missed_ns;  /* not executing, a task that suits it being ready and taken by nobody */
		int64_t starved_ns; /* not executing, no task that can run here being ready */
		int64_t held_ns;    /* not executing; what is ready is faster elsewhere */
	} arch[ARCH_COUNT];
	double power[ARCH_COUNT];   /* share of the speed of all workers, on the tasks of this graph; sums to 1 */
	int64_t tail_ns;            /* from the last moment when all workers of `fastest` executed; -1: never all */
	enum arch fastest;          /* the architecture whose workers are fastest, by worker */
	struct idle_gap *gaps;      /* by worker, then by time */
	size_t ngaps, cap;
	int64_t origin_ns;          /* of the timeline, in times of the trace */
	int parallel;               /* some tasks ran on several workers: who was idle is not known, all above is 0 */
};

/* `tl` is that of `t`, `d` the graph of it. idle_fini() frees. */
void idle_init(struct idle *x, const struct timeline *tl, const struct trace *t, const struct dag *d);
void idle_fini(struct idle *x);

/* The share of the machine's speed that `ns` of worker time per architecture is. */
double idle_weighted(const struct idle *x, const int64_t ns[ARCH_COUNT]);

#endif
