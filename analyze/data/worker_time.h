/* analyze/data/worker_time.h - where the time of each worker went: executing, waiting for data, scheduling, idle and why. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_WORKER_TIME_H
#define ANALYZE_DATA_WORKER_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct dag;
struct timeline;
struct trace;

/*
 * From the first start to the last end of a run, a worker is at any time in one of these states: the first that
 * applies.
 *
 * EXECUTING   the body of a task, alone or with others.
 * WAITING     for data: it has popped the task that it executes next, and a copy of data that the task reads ends later
 *             (the last recorded copy to its memory), or it is fetching (StarPU's own state).
 * SCHEDULING  the runtime at work for it: from having task and data to the start, in the call of the scheduler that
 *             gave it a task, and in callbacks and outputs of tasks.
 * READY       idle, while a task that it could run was ready and not popped.
 * TAIL        nothing is left for it: after its last task, and after the last time at which as many tasks of its MPI
 *             rank were ready or running as the rank has workers. A run that was never so wide has no tail.
 * STARVED     idle otherwise: no task that it could run was ready.
 */
enum worker_state {
	WORKER_EXECUTING = 0,
	WORKER_WAITING,
	WORKER_SCHEDULING,
	WORKER_READY,
	WORKER_STARVED,
	WORKER_TAIL,
	WORKER_STATES,
	WORKER_IDLE = WORKER_STATES, /* of a segment: READY or STARVED, and of TAIL some may be READY */
};

extern const char *const worker_state_names[WORKER_STATES]; /* "executing", ... */

/* Times are those of the timeline. */
struct worker_segment {
	int64_t start_ns, end_ns;
	uint8_t state; /* enum worker_state */
};

/* The same in 8 bytes: a segment begins where the one before it ends. */
struct segment_end {
	int64_t ns : 56;
	uint64_t state : 8;
};

struct worker_time {
	int64_t ns[WORKER_STATES]; /* their sum is elapsed_ns, exactly */
	int64_t slower_ns;         /* of READY: while no ready task suited its architecture (ready_times_suits()) */
	uint32_t tasks;
};

/* Times at which some task that workers of one rank and architecture can run was ready and not popped. */
struct ready_spans {
	struct ready_span {
		int64_t start_ns, end_ns, before_ns; /* before_ns: length of the spans before this one */
	} * spans;
	size_t count, cap;
};

struct worker_times {
	struct worker_time *workers; /* as the trace has them */
	size_t nworkers;
	int64_t first_ns, elapsed_ns; /* of the timeline, and from there to its span_ns: the makespan */
	struct segment_end
		*segments; /* worker w: from first[w] to before first[w + 1], the first one begins at first_ns */
	size_t *first, nsegments, cap;
	struct worker_time arch[ARCH_COUNT]; /* sums over the workers */
	int arch_workers[ARCH_COUNT];
	int64_t tail_ns;            /* longest tail of a rank, from its beginning to the end of the run */
	struct ready_spans *ready;  /* [rank * ARCH_COUNT + arch] */
	struct ready_spans *suited; /* same, of tasks that suit the architecture */
	const struct trace *trace;
	int waits_recorded;   /* 0: neither copies nor fetches were: what waits for data counts as idle */
	int pops_recorded;    /* the times at which tasks were popped */
	int runtime_recorded; /* 0: neither that nor calls of the scheduler: the runtime counts as idle */
	int unknown;          /* tasks ran on several workers, and not all are known: all else is 0 */
};

/* `tl` is that of `t`, `d` the graph of it; t is borrowed. worker_times_fini() frees. */
void worker_times_init(struct worker_times *x, const struct timeline *tl, const struct trace *t, const struct dag *d);
void worker_times_fini(struct worker_times *x);

/* Segment i of the worker, which is one of its. */
struct worker_segment worker_segment(const struct worker_times *x, uint32_t worker, size_t i);

/* Whether segment i is idle time: its state is WORKER_IDLE or WORKER_TAIL. */
int worker_segment_is_gap(const struct worker_times *x, size_t i);

/*
 * The part of worker_times_init() in worker_segments.c: fills x->segments and x->first, idle time being WORKER_IDLE or, in
 * the last gap of a worker from tail_from_ns[its rank] on, WORKER_TAIL. Sets the counts of tasks and the *_recorded
 * members too.
 */
void worker_segments_build(struct worker_times *x, const struct timeline *tl, const struct trace *t,
                           const int64_t *tail_from_ns);

/* The part of [start_ns, end_ns) in which a task was ready that this worker could run. */
int64_t worker_times_ready_ns(const struct worker_times *x, uint32_t worker, int64_t start_ns, int64_t end_ns);

/* The part of it in which one was ready that suits its architecture. */
int64_t worker_times_suited_ns(const struct worker_times *x, uint32_t worker, int64_t start_ns, int64_t end_ns);

/* NULL when the states of each worker add up and its segments have lengths, else what is broken. */
const char *worker_times_check(const struct worker_times *x);

#endif
