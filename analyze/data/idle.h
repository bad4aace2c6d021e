/* analyze/data/idle.h - what idle workers cost a run, by architecture: nothing ready, or ready tasks not started. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_IDLE_H
#define ANALYZE_DATA_IDLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct dag;
struct timeline;
struct trace;
struct worker_times;

/*
 * From the first start to the last end. A task suits an architecture on which it takes at most a fifth longer than on
 * its fastest architecture. Ready tasks count for the workers of their MPI rank.
 *
 * Per architecture, in ns of its workers: the states of worker_time.h. READY, that is idle while tasks were ready, is
 * the sum of three. With i idle workers of the architecture and s ready tasks that suit it, min(i, s) of the workers
 * count as `suited`; the others as `faster_elsewhere` where more tasks are ready that can run on the architecture but
 * suit others, else as `surplus`: more workers are idle than tasks are ready.
 * span = busy + fetch + scheduling + starved + suited + faster_elsewhere + surplus + tail. Of starved, surplus and tail
 * the time in which the program was submitting tasks (submitting.h) is `late`: it had not got to those that the workers
 * lacked.
 */
struct idle {
	struct {
		int nworkers;
		int64_t span_ns;
		int64_t busy_ns;                                    /* EXECUTING */
		int64_t fetch_ns;                                   /* WAITING */
		int64_t scheduling_ns;                              /* SCHEDULING */
		int64_t suited_ns, faster_elsewhere_ns, surplus_ns; /* READY */
		int64_t starved_ns;                                 /* STARVED */
		int64_t tail_ns;                                    /* TAIL */
		int64_t late_ns;
	} arch[ARCH_COUNT];
	double power[ARCH_COUNT]; /* share of the speed of all workers, on the tasks of this graph; sums to 1 */
	int64_t tail_ns;          /* the length of the tail */
	int64_t submitting_ns;    /* how long the program was submitting, of all ranks; */
	size_t submitted;         /* and what: tasks, StarPU's own included */
	int64_t origin_ns;        /* of the timeline, in times of the trace */
	int parallel;             /* 1: tasks ran on several workers, not all of them known: all above is 0 */
};

/* `tl` is that of `t`, `d` the graph of it, `times` those of `tl`. Nothing is to be freed. */
void idle_init(struct idle *x, const struct worker_times *times, const struct timeline *tl, const struct trace *t,
               const struct dag *d);

/* The share of the machine's speed that ns[a] of worker time per architecture is. */
double idle_weighted(const struct idle *x, const int64_t ns[ARCH_COUNT]);

/* The architecture whose workers lost most of that; ARCH_NONE: none did. */
enum arch idle_most(const struct idle *x, const int64_t ns[ARCH_COUNT]);

#endif
