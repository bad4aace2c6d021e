/* replay/sim/thread.h - a thread of the simulation: its state, when it takes its next step, and what wakes it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_THREAD_H
#define REPLAY_SIM_THREAD_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "replay/memory/transfers.h"
#include "replay/sim/events.h"
#include "replay/sim/sim.h"

/*
 * For the loop (threads.c) and the steps (thread_steps.c); all others know a thread by its worker (threads.h). A thread
 * is an index into sim.threads->threads.
 */

/* What a thread does at its next event: threads.h. */
enum step {
	STEP_CHECK,
	STEP_ENDED,
	STEP_PUSH,
	STEP_WRITE_BACK,
	STEP_WROTE_BACK,
	STEP_POLL,
	STEP_ALLOCATED,
	STEP_COPY,
	STEP_ASK,
	STEP_ASLEEP
};

struct thread {
	int *workers, nworkers;
	int node; /* the device's; -1: a CPU */
	const struct overheads *overheads;
	int64_t wake_ns; /* until it asks for a task, from when it is woken */
	enum step step;
	int worker;                 /* index in workers of the one it is at */
	int progressed;             /* this round has begun or completed a copy or a task */
	int rewake;                 /* woken while not asleep: another round */
	struct sim_ended ended;     /* the task that has ended, whose successors it pushes */
	uint32_t ready;             /* the successor that STEP_PUSH pushes */
	uint32_t wont_use;          /* the datum of that task that STEP_WRITE_BACK writes back */
	uint32_t written;           /* iterator of memory_next_wont_use() */
	struct pipelined_task next; /* of the worker's pipeline, when the task has ended */
	int delays;                 /* events of delay_ns each that are left before it takes the step */
	int64_t delay_ns;
	struct allocations_taken allocations; /* in main memory, until STEP_ALLOCATED */
};

struct threads {
	struct thread *threads;
	int nthreads;
	int *of;              /* per worker */
	int *drives;          /* per node: the thread; -1: none */
	struct events events; /* a step of each thread that is not asleep, and ends of kernels */
	const struct transfers_notifications *notifications;
	int64_t transfer_ns; /* what threads_next_ns() has seen of transfers_next_ns() */
	int64_t other_ns;    /* threads_next_other_ns(); -1: not known */
	int handled;         /* a device's thread that takes a step; -1: none */
	int64_t goes_on_ns;  /* it takes another then, without an event; -1: it has put one, or sleeps */
};

/* Whether one thread drives all workers of a device of that architecture. */
static inline int thread_is_device(enum arch a)
{
	return a == ARCH_CUDA || a == ARCH_OPENCL || a == ARCH_HIP || a == ARCH_SYCL;
}

/*
 * When a task is submitted or a copy ends next: known until one is, or a copy is begun. With a window also ends of
 * tasks change it, and an application that waits may request data by asking. INT64_MAX: never.
 */
int64_t threads_next_other_ns(struct sim *s);

/* The thread takes the step after some ns. */
void thread_go_on(struct sim *s, int thread, enum step step, int64_t ns);

/*
 * Waits before_ns and `times` x ns, in separate events: threads in between can wake this one or be served first. Where
 * nothing happens in between it waits once. Then it takes the step.
 */
void thread_delay(struct sim *s, int thread, enum step step, int times, int64_t ns, int64_t before_ns);

/* After before_ns it looks at the memory nodes one after the other, look_ns in all, and takes STEP_POLL. */
void thread_poll_copies(struct sim *s, int thread, int64_t look_ns, int64_t before_ns);

/* The event at which the thread goes on, after some ns: for its step, or the next of its delays. */
void thread_put_event(struct sim *s, int thread, int64_t ns);

/* Whether the thread waits for capacity in its memory; until then it only polls copies. */
int thread_is_blocked(const struct sim *s, const struct thread *th);

/* A thread that is not asleep makes another round. */
void thread_wake(struct sim *s, int thread);

static inline int threads_are_notified(const struct threads *t)
{
	return (t->notifications->drivers | t->notifications->nodes) != 0;
}

/* Wakes the drivers that the memory notifies, and all workers of a node where data has arrived. */
void threads_notify_all(struct sim *s);

static inline void threads_notify(struct sim *s)
{
	if (threads_are_notified(s->threads))
		threads_notify_all(s);
}

#endif
