/* replay/sim/simulate.h - discrete-event simulation of a task graph on a machine under a policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_SIMULATE_H
#define REPLAY_SIM_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/execution/execution.h"
#include "core/machine/arch.h"

struct conditions;
struct config;
struct dag;
struct ht_err;
struct jitter;
struct machine;
struct transfers_copy;
struct residency_use;
struct policy;
struct link_use;
struct window;

/* Zero is off: copies are counted, and neither they nor StarPU's threads take time. */
enum simulate_transfers { TRANSFERS_OFF = 0, TRANSFERS_ON = 1 };

struct simulate_options {
	const struct policy *policy;
	const char *policy_options;  /* "" for none */
	const struct config *config; /* NULL where the policy needs none */
	const void *policy_data;     /* policy_world.data */
	int keep_schedule;           /* fill in the per-task arrays, and copies */
	int ignore_submission;       /* all tasks are submitted at 0 instead of when the run submitted them */
	const struct window *window; /* replay/sim/window.h; NULL, or most 0: submitted as in the graph */
	enum simulate_transfers transfers;
	int no_prefetch; /* STARPU_PREFETCH=0: policies ask for no copies before a worker has the task */
	const struct conditions *conditions; /* those of the run; NULL: of a machine where nothing was measured */
	int pipeline;                        /* of all devices, PIPELINE_* of core/run/conditions.h */
	const struct jitter *jitter; /* durations, replay/sim/jitter.h; NULL: every task takes its class's mean */
	const uint32_t *turns; /* per task: the order of those that commute, replay/sim/commute.h; NULL: StarPU's */
};

/* Arrays are indexed by dag task; worker arrays by machine worker. */
struct simulation {
	int64_t makespan_ns;           /* last end; time 0 is the first submission */
	int64_t bytes_moved;           /* what the caches of the memory nodes (MSI) copied */
	int64_t busy_ns[ARCH_COUNT];   /* summed over workers */
	double idle_ratio[ARCH_COUNT]; /* 1 - busy / (workers * makespan) */
	uint64_t executed[ARCH_COUNT];
	struct execution_task *tasks; /* without jobs and lanes; NULL unless keep_schedule */
	int64_t *worker_busy_ns;
	int64_t wait_ns[ARCH_COUNT]; /* workers with a task and without its data, summed */
	struct link_use *links;      /* replay/memory/network.h, one a link; NULL with TRANSFERS_OFF */
	int nlinks;
	struct transfers_copy *copies; /* transfers.h, by end; NULL unless keep_schedule and TRANSFERS_ON */
	size_t ncopies;
	struct residency_use *memory; /* replay/memory/residency.h, one a node; NULL with TRANSFERS_OFF */
};

/* Whether data moves: there are messages, or links of the machine and data that some task reads. */
int simulate_has_transfers(const struct dag *d, const struct machine *m);

/*
 * Simulates execution and dependencies; with TRANSFERS_ON also the copies of data over the links of the machine
 * (replay/memory/) and the threads that drive workers (threads.h). A worker requests the data of a task when it
 * takes the task, and executes it when the data is there. NULL with the sentence when a task can run on no worker, its
 * data fits into no worker's memory, or the policy fails; the sentence names the task. Free with simulation_free().
 */
struct simulation *simulate(const struct dag *d, const struct machine *m, const struct simulate_options *o,
                            struct ht_err *err);
void simulation_free(struct simulation *s);

/*
 * policy->signature() of the state that simulate() would make: with the same options but for policy, its options and
 * config, the same signature means the same simulation. 0: it is not known.
 */
uint64_t simulate_signature(const struct dag *d, const struct machine *m, const struct simulate_options *o);

#endif
