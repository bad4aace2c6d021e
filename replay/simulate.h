/* replay/simulate.h - discrete-event simulation of a task graph on a machine under a policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIMULATE_H
#define REPLAY_SIMULATE_H

#include <stdint.h>

#include "core/arch.h"

struct config;
struct dag;
struct ht_err;
struct machine;
struct policy;
struct run;

struct simulate_options {
	const struct policy *policy;
	const char *policy_options;    /* "" for none */
	const struct config *config;   /* NULL where the policy needs none */
	int keep_schedule;             /* fill in the per-task arrays */
	int ignore_submission;         /* all tasks are submitted at 0 instead of when the run submitted them */
};

struct simulated_task {
	int64_t ready_ns, start_ns, end_ns;
	int32_t worker;
};

/* Arrays are indexed by dag task; worker arrays by machine worker. */
struct simulation {
	int64_t makespan_ns;           /* last end; time 0 is the first submission */
	int64_t bytes_moved;           /* what an MSI cache per node would have to copy; not timed yet */
	int64_t busy_ns[ARCH_COUNT];   /* summed over workers */
	double idle_ratio[ARCH_COUNT]; /* 1 - busy / (workers * makespan) */
	uint64_t executed[ARCH_COUNT];
	struct simulated_task *tasks;  /* NULL unless keep_schedule */
	int64_t *worker_busy_ns;
};

/* Execution and dependencies. Fails when a task can run on no worker (names it). free with simulation_free(). */
struct simulation *simulate(const struct dag *d, const struct machine *m, const struct simulate_options *o,
                            struct ht_err *err);
void simulation_free(struct simulation *s);

#endif
