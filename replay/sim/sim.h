/* replay/sim/sim.h - a simulation under way: what its two loops share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_SIM_H
#define REPLAY_SIM_SIM_H

#include <stdint.h>

#include "core/run/conditions.h"
#include "replay/sim/predict.h"
#include "replay/sim/running.h"
#include "replay/sim/simulate.h"

struct commute;
struct memory;
struct network;
struct threads;

struct taken {
	uint32_t task;     /* POLICY_NO_TASK: none */
	int64_t taken_ns;  /* when its data was asked for */
	int64_t launch_ns; /* with its data: it starts not before */
};

/* The tasks a worker has taken: it runs one, has some behind it, and waits for the data of one. */
struct slot {
	uint32_t running; /* POLICY_NO_TASK: none */
	struct taken fetching, queue[PIPELINE_MOST - 1];
	int nqueued;
	int64_t free_ns; /* the end of the one that runs, or of the last it ran */
};

struct sim {
	const struct dag *d;
	const struct machine *m;
	const struct jitter *jitter; /* NULL: mean durations */
	const struct policy *policy;
	void *state;
	int64_t now;
	uint32_t *pending;    /* per task: predecessors and the submission it waits for; SIM_STARTED */
	uint32_t *submission; /* tasks in the order of submission; NULL: in the order of their indices */
	uint32_t nsubmitted;
	int ignore_submission;
	const struct window *window; /* NULL: none */
	int64_t submit_ns;           /* with a window: the next submission, unless the application waits */
	int waits;
	struct running_heap heap; /* instants.c: the running tasks */
	uint64_t *asking;         /* instants.c: a bit a worker */
	int nasking;
	unsigned char *idle;      /* per worker: has asked in vain */
	struct slot *slots;       /* per worker */
	int *device;              /* per worker: in dag.devices; -1: none */
	int pipeline[ARCH_COUNT]; /* tasks a worker has at a time; 0: one, and its thread waits for it */
	struct commute *commute;  /* NULL: no task writes what others write in any order */
	struct memory *memory;
	struct network *network; /* NULL: copies take no time, and neither do threads */
	struct threads *threads; /* with a network */
	struct conditions conditions;
	struct predict predict;
	uint32_t executed;
	struct simulation *out;
};

#define SIM_STARTED     UINT32_MAX
#define SIM_END_OF_TIME (INT64_MAX / 2)

/* Without transfers: replay/sim/untimed.c. With them: replay/sim/threads.c. 0, or -1 with the sentence. */
int sim_run_instants(struct sim *s, struct ht_err *err);
int sim_run_threads(struct sim *s, struct ht_err *err);

/* An idle worker shall ask. */
void sim_wake_instants(struct sim *s, int worker);
void sim_wake_threads(struct sim *s, int worker);

/* One of what the task waits for has come: whether that was the last, and it is ready. */
int sim_release(struct sim *s, uint32_t task);

/* Whom the end of a task makes ready: those that waited for its data, then successors. sim_next_ready(): one by one. */
struct sim_ended {
	uint32_t task, succ, commuter;
};

struct sim_ended sim_end(struct sim *s, uint32_t task);
uint32_t sim_next_ready(struct sim *s, struct sim_ended *e); /* POLICY_NO_TASK: no more */

/* When the next task is submitted; INT64_MAX: all are. sim_submit(): that task. */
int64_t sim_next_submission_ns(struct sim *s);
uint32_t sim_submit(struct sim *s);

/* The priority by which copies of the task's data are requested. */
int32_t sim_priority(const struct sim *s, uint32_t task);

/* The policy has given `task` to `worker`: it is the one whose data the worker fetches. -1: that cannot be. */
int sim_take(struct sim *s, uint32_t task, int worker, struct ht_err *err);

/* It has its data and executes from launch_ns, or from when the worker is free. The policy is told by the caller. */
void sim_start(struct sim *s, const struct taken *x, int worker);

#endif
