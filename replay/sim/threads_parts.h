/* replay/sim/threads_parts.h - what the files of the threads share: threads.c, threads_work.c. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_THREADS_PARTS_H
#define REPLAY_SIM_THREADS_PARTS_H

#include "core/machine/arch.h"
#include "replay/sim/events.h"
#include "replay/sim/sim.h"
#include "replay/sim/threads.h"

enum step {
	STEP_CHECK,
	STEP_ENDED,
	STEP_PUSH,
	STEP_SEND_HOME,
	STEP_SENT,
	STEP_PROGRESS,
	STEP_COPY,
	STEP_ASK,
	STEP_ASLEEP
};

struct thread {
	int *workers, nworkers;
	int node; /* the device's; -1: a CPU */
	const struct overheads *takes;
	enum step step;
	int worker;                 /* which of its workers it is at */
	int did, again;             /* this round has brought something; it was woken meanwhile */
	struct sim_ended ended;     /* the task whose end makes others ready, which it pushes */
	uint32_t ready;             /* the next of these */
	uint32_t unneeded, written; /* data of that task: the next to send home, and how far it has looked */
	struct taken behind;        /* what was behind it */
	int naps;                   /* before it takes the step, as many more of nap_ns */
	int64_t nap_ns;
};

struct threads {
	struct thread *threads;
	int nthreads;
	int *of;              /* per worker */
	int *drives;          /* per node: the thread; -1: none */
	struct events events; /* a step of each thread that is not asleep, and ends of kernels */
};

static inline int is_device(enum arch a)
{
	return a == ARCH_CUDA || a == ARCH_OPENCL || a == ARCH_HIP;
}

/* Whether the thread of the worker goes on while the task runs. */
int thread_overlaps(const struct sim *s, uint32_t task, int worker);

/* The thread takes a step after some ns; or after as many naps of ns. */
void thread_go_on(struct sim *s, int thread, enum step step, int64_t ns);
void thread_nap(struct sim *s, int thread, enum step step, int times, int64_t ns);

/* It looks after copies, which takes its time. */
void thread_look(struct sim *s, int thread);

/* What the memory has to say: to drivers, and to all workers of a node where data has come. */
void threads_tell(struct sim *s);

/* threads_work.c: STEP_CHECK and STEP_ENDED, STEP_PUSH, STEP_SEND_HOME, STEP_SENT. They give the next step. */
void thread_check(struct sim *s, int thread);
void thread_push(struct sim *s, int thread);
void thread_send_home(struct sim *s, int thread);
void thread_go_on_releasing(struct sim *s, int thread);

#endif
