/* replay/sim/sim.h - a simulation under way: its state, and what happens to its tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_SIM_H
#define REPLAY_SIM_SIM_H

#include <stdint.h>

#include "core/run/conditions.h"
#include "replay/sim/predict.h"
#include "replay/sim/simulate.h"

struct commute;
struct policy_world;
struct memory;
struct transfers;
struct network;
struct threads;

struct pipelined_task {
	uint32_t task;     /* POLICY_NO_TASK: none */
	int overlaps;      /* with threads: threads_overlap() */
	int64_t cost_ns;   /* with jitter */
	int64_t popped_ns; /* its data was asked for then */
	int64_t launch_ns; /* its data is there: it starts not before */
};

/* The pipeline of a worker: the task that runs, those that have their data, and the one whose data is fetched. */
struct sim_worker {
	uint32_t running; /* POLICY_NO_TASK: none */
	struct pipelined_task fetching, queue[PIPELINE_MOST - 1];
	int nqueued;
	int64_t free_ns; /* end of the task that runs, or of the last that ran */
};

/* A task that runs, where nothing but execution takes time. */
struct running {
	int64_t end_ns;
	uint32_t task;
	int32_t worker;
};

struct sim {
	const struct dag *d;
	const struct machine *m;
	const struct jitter *jitter; /* NULL: mean durations */
	const struct policy *policy;
	void *state;
	struct policy_world *world; /* the policy's */
	int64_t now;
	uint32_t *pending;    /* per task: predecessors and the submission it waits for; SIM_STARTED, SIM_ENDED */
	uint32_t *submission; /* tasks in the order of submission; NULL: in the order of their indices */
	uint32_t nsubmitted;
	int ignore_submission;
	const struct window *window; /* NULL: none */
	int64_t submit_ns;           /* with a window: the next submission, unless the application waits */
	int waits;                   /* with a window: for tasks to complete */
	uint32_t wait, waited;       /* the next of dag.waits, and how many of its tasks have ended */
	struct running *running;     /* untimed.c: a heap (core/base/heap.h), the first to end on top */
	size_t nrunning;
	uint32_t taken[4]; /* untimed.c: the tasks that workers took last, the latest first */
	uint64_t *asking;  /* untimed.c: a bit a worker */
	int nasking;
	unsigned char *idle; /* per worker: its last pop() returned no task, and it has not been woken since */
	struct sim_worker *workers;
	int *device;              /* per worker: in dag.devices; -1: none */
	int pipeline[ARCH_COUNT]; /* tasks a worker has at a time; 0: one, and its thread waits for it */
	struct commute *commute;  /* NULL: no task writes what others write in any order */
	struct memory *memory;
	struct transfers *transfers; /* of `memory`; NULL: copies take no time */
	struct network *network;     /* NULL: copies take no time, and neither do threads */
	struct threads *threads;     /* with a network */
	uint8_t *warm; /* a bit for each class and worker: it has executed one; NULL: that makes no difference */
	struct conditions conditions;
	struct predict predict;
	uint32_t executed;
	struct simulation *out;
	const uint32_t *global; /* of one of several ranks: its tasks in the whole graph; NULL: the same */
	void (*ended)(void *ctx, uint32_t task); /* a task has ended; NULL: nothing has to know */
	void *ended_ctx;
};

#define SIM_STARTED     UINT32_MAX
#define SIM_ENDED       (UINT32_MAX - 1)
#define SIM_END_OF_TIME (INT64_MAX / 2) /* 146 years: no sum of two times overflows */

/*
 * A simulation, step by step: sim_open() makes it, and sim_begin() starts it. Then, again and again, sim_go_to() sets
 * the time, to at most sim_next_ns(), and sim_step() does what is due then; before sim_step() tasks may be released
 * from outside. It is over when all tasks are executed, or where nothing is left to happen: sim_next_ns() is INT64_MAX.
 * sim_finish() says why where tasks are left. -1 with the sentence: the policy or a time is wrong. sim_close() after
 * sim_open() has returned 0; sim_take_result() before it, simulation_free() what it returns.
 */
int sim_open(struct sim *s, const struct dag *d, const struct machine *m, const struct simulate_options *o,
             struct ht_err *err);
int sim_begin(struct sim *s, struct ht_err *err);
int64_t sim_next_ns(struct sim *s);
int sim_go_to(struct sim *s, int64_t now, struct ht_err *err);
int sim_step(struct sim *s, struct ht_err *err);
int sim_finish(struct sim *s, struct ht_err *err);
struct simulation *sim_take_result(struct sim *s);
void sim_close(struct sim *s);

/* A predecessor has ended, or the task was submitted. Returns 1 where that was the last it waited for: it is ready. */
int sim_release(struct sim *s, uint32_t task);

/* Iterates over the tasks that the end of `task` makes ready: those that waited for its data, then its successors. */
struct sim_ended {
	uint32_t task, succ, commuter;
};

struct sim_ended sim_end(struct sim *s, uint32_t task);
uint32_t sim_next_ready(struct sim *s, struct sim_ended *e); /* POLICY_NO_TASK: no more */

/* When the next task is submitted; INT64_MAX: all are, or the application waits. sim_submit(): submits that task. */
int64_t sim_next_submission_ns(struct sim *s);
uint32_t sim_submit(struct sim *s);
int sim_is_submitted(const struct sim *s, uint32_t task);

/* The priority by which copies of the task's data are requested. */
int32_t sim_priority(const struct sim *s, uint32_t task);

/* The policy has given `task` to `worker`, which begins to fetch its data. -1 with the sentence: that cannot be. */
int sim_take(struct sim *s, uint32_t task, int worker, struct ht_err *err);

/* `x` has its data and executes from launch_ns, or from when the worker is free. The caller notifies the policy. */
void sim_start(struct sim *s, const struct pipelined_task *x, int worker);

#endif
