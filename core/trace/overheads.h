/* core/trace/overheads.h - what the threads of StarPU take for their own work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_OVERHEADS_H
#define CORE_TRACE_OVERHEADS_H

#include <stdint.h>

#include "core/machine/arch.h"

struct machine;
struct trace;

enum overheads_direction { COPIES_IN, COPIES_OUT, COPIES_DIRECTIONS }; /* seen from the device */
enum { DELAY_SLICES = 32 };

/*
 * What copies to or from main memory take longer than the link's bandwidth says while the driver of their device has
 * nothing else to do: means of equal slices of what was measured, ascending. They stand for the link's latency, which
 * StarPU has measured by other means. If one direction has less samples than slices, either has those of both.
 */
struct overheads_delays {
	uint32_t samples; /* 0: none, all slices 0, and copies take the latency of the link */
	int64_t ns[DELAY_SLICES];
};

/* Of a thread that drives workers of one architecture, ns. */
struct overheads {
	int64_t end_ns;      /* from the end of a task to the first it makes ready, or to its being done */
	int64_t push_ns;     /* to push a task that has become ready */
	int64_t callback_ns; /* callbacks, a task */
	int64_t look_ns;     /* one iteration of the polling loop, which progresses copies */
	int nodes;           /* memory nodes that it polls, each for an equal part of look_ns; 0 is 1 */
	int64_t list_ns;     /* after so long it leaves the rest of a list of copies to the next iteration */
	int64_t ask_ns;      /* to ask for one datum of a task */
	int64_t queue_ns;    /* to start a kernel on a device */
	int64_t copy_ns;     /* to start a copy */
	/*
	 * To take memory of a device: a chunk, one device at a time; or each datum's own. Of CPUs: a chunk of main
	 * memory, and what is larger by its bytes; 0: no time.
	 */
	int64_t allocate_ns;
	int allocates_each; /* as over SimGrid all but CUDA devices do (StarPU 1.4.10, src/datawizard/malloc.c) */
	struct overheads_delays delays[COPIES_DIRECTIONS];
};

enum overheads_kind {
	OVERHEAD_END,
	OVERHEAD_PUSH,
	OVERHEAD_CALLBACK,
	OVERHEAD_LOOK,
	OVERHEAD_ASK,
	OVERHEAD_QUEUE,
	OVERHEAD_COPY,
	OVERHEAD_ALLOCATE,
	OVERHEAD_COUNT
};

struct overheads_all {
	struct overheads of[ARCH_COUNT];
	uint32_t samples[ARCH_COUNT][OVERHEAD_COUNT]; /* 0: a constant */
	/* What else a run shows, not simulated apart; -1: not known. */
	int64_t pop_ns[ARCH_COUNT];                     /* in the scheduler, a task taken, within look and ask */
	int64_t submit_ns;                              /* from one submission to the next, without waits: median */
	int64_t typical_ns[ARCH_COUNT][OVERHEAD_COUNT]; /* medians of what was measured for a worker's own work */
};

/*
 * Of a run over SimGrid. What StarPU 1.4.10's SimGrid flavour takes, and has measured on real machines:
 * src/core/sched_policy.c:520, src/datawizard/datawizard.c:96, src/datawizard/coherency.c:1211, src/core/simgrid.c:888
 * and :1271, src/drivers/cuda/driver_cuda.c:1185, src/datawizard/data_request.h:42. The thread of a device polls main
 * memory and its own memory. OVERHEADS_MACHINE: the same, but all device threads poll at the same rate, so that none is
 * favoured.
 */
enum overheads_source { OVERHEADS_SIMGRID, OVERHEADS_MACHINE };
void overheads_init(struct overheads_all *o, enum overheads_source source);

/* The same for all architectures. */
void overheads_set(struct overheads_all *o, const struct overheads *each);

/*
 * Puts in what a native trace shows, by architecture: means of at least OVERHEADS_ENOUGH samples, without the longest
 * tenth where they are less than OVERHEADS_MANY, and for callbacks that times their number over that of tasks. What it
 * shows less often stays as it is, except that devices poll as CPUs are seen to do, and so does everything for a
 * trace of StarPU over SimGrid. `m` is the machine of the trace; `synchronous`: devices that did nothing else while
 * they executed a task.
 */
enum { OVERHEADS_ENOUGH = 8, OVERHEADS_MANY = 100 };
void overheads_measure(struct overheads_all *o, const struct trace *t, const struct machine *m, arch_mask synchronous);

/*
 * What a chunk of main memory takes that StarPU pins for CUDA or HIP devices, of any trace that shows it: the time in
 * which threads allocate, by what had to be allocated then (core/machine/chunks.h).
 */
void overheads_measure_main_memory(struct overheads_all *o, const struct trace *t, const struct machine *m);

/* Of one architecture, takes from `other` what it has more samples of. */
void overheads_complete(struct overheads_all *o, const struct overheads_all *other, enum arch a);

/* overheads_copies.c: the part of it that is about copies and memory. */
void overheads_measure_copies(struct overheads_all *o, const struct trace *t, const struct machine *m,
                              arch_mask synchronous);

/*
 * From when a worker without a task is woken until it asks for one. A thread that waits in a native run does nothing
 * but ask: it needs what the scheduler takes from a CPU, where that is known; between two tasks it has more to do. A
 * device that was seen to poll does so as it was seen to: its thread executes tasks, on a core that it may share.
 */
int64_t overheads_wake_ns(const struct overheads_all *o, enum arch a);

/* Of a name as in tables and JSON, its value. */
const char *overheads_name(enum overheads_kind kind);
int64_t overheads_ns(const struct overheads *o, enum overheads_kind kind);

/* The median, where it is known: a thread that stood still for milliseconds counts no more than any other one. */
int64_t overheads_typical_ns(const struct overheads_all *o, enum arch a, enum overheads_kind kind);

#endif
