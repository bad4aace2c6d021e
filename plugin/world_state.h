/* plugin/world_state.h - a context of StarPU as a policy of sched/ sees it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_WORLD_STATE_H
#define PLUGIN_WORLD_STATE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine/machine.h"
#include "plugin/starpu/copies.h"
#include "plugin/starpu/task_list.h"
#include "sched/policy.h"

enum { WORLD_MAX_WORKERS = 1024 };

/* A set of workers, by StarPU's numbers. */
struct world_workers {
	uint64_t bits[WORLD_MAX_WORKERS / 64];
};

/* A task of a context, by its index. */
struct world_item {
	uint32_t epoch;  /* of the state that it was pushed to */
	uint32_t added;  /* of the state that has learned of it by added(); 0: none */
	uint64_t number; /* of its push */
	uint32_t place;  /* buckets_place() */
	int worker;      /* of the state, that has taken it; -1: none */
	int id;          /* 1 + its number, by StarPU's, until it has begun it; 0: none */
	uint8_t is_waiting;
	uint8_t is_prefetched; /* StarPU takes that once a task */
};

struct world {
	unsigned ctx;
	const struct policy *policy;
	const struct world *first; /* that of the program's first context */
	struct policy_world asked;
	struct machine machine;
	void *state; /* NULL: not made yet */
	uint32_t epoch;
	uint32_t ntasks, nhandles; /* for which the state was made */
	struct world_item *items;
	size_t cap_items;
	uint64_t pushed;
	unsigned nworkers;            /* of the context, when `machine` was made */
	struct world_workers blocked; /* at the last push, and have not asked since: not in `machine` */
	int *worker_of;               /* StarPU's number */
	int *index_of;                /* by StarPU's number; -1: not in the context */
	int is_open, is_plain, workers_changed;
	unsigned nmixed; /* live_mixed_classes(), when the state was made */
	struct task_list plain;
	atomic_uchar asleep[WORLD_MAX_WORKERS]; /* by StarPU's number: asked in vain, and not woken since */
	uint8_t to_wake[WORLD_MAX_WORKERS];
	uint8_t is_called[WORLD_MAX_WORKERS];    /* the policy has woken it, and it has not asked the policy since */
	atomic_uchar is_away[WORLD_MAX_WORKERS]; /* it executes a task that the policy has not given it */
	int calls_all;                /* the policy has woken one that is away: another one may have to come */
	int ahead[WORLD_MAX_WORKERS]; /* by StarPU's number: items with that id */
	int nto_wake;
	struct copies copies; /* asked for since lock_take() */
};

#endif
