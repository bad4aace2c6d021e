/* sched/heteroprio/heteroprio.h - the machinery that heteroprio, laheteroprio and autoheteroprio share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_HETEROPRIO_HETEROPRIO_H
#define SCHED_HETEROPRIO_HETEROPRIO_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/config/config_mapping.h"
#include "core/dag/dag.h"
#include "core/machine/arch.h"
#include "sched/heteroprio/nearby.h"
#include "sched/policy.h"
#include "sched/waiters.h"

struct ht_err;
struct nearby;

enum { HETEROPRIO_QUEUE = 2 }; /* STARPU_HETEROPRIO_MAX_PREFETCH */
enum { HETEROPRIO_NO_SLOT = UINT8_MAX };
enum heteroprio_variant { VARIANT_STARPU, VARIANT_PAPER };

/* Whether buckets are split by memory node: sched/heteroprio/nearby.h. */
enum heteroprio_locality { LOCALITY_NEVER, LOCALITY_AS_CONFIG, LOCALITY_ALWAYS };

struct bucket_tasks {
	uint32_t head, tail; /* POLICY_NO_TASK: empty */
};

struct bucket {
	uint32_t ntasks; /* on all nodes */
	int number;      /* StarPU's priority of its tasks */
	arch_mask archs; /* whose list it is in */
	enum arch base;  /* ARCH_NONE: no test */
	double slow[ARCH_COUNT];
	uint32_t least[ARCH_COUNT]; /* tasks from which on the architecture may take one: heteroprio_bucket_changed() */
};

struct queue {
	uint32_t tasks[HETEROPRIO_QUEUE];
	int ntasks;
};

struct heteroprio {
	struct policy_world world;
	struct waiters waiters;
	enum heteroprio_variant variant;
	int queue_size;
	struct bucket buckets[CONFIG_MAX_BUCKETS];
	struct config_list lists[ARCH_COUNT];
	uint8_t slots[ARCH_COUNT][CONFIG_MAX_BUCKETS]; /* of each bucket in lists; HETEROPRIO_NO_SLOT: not in it */
	uint8_t *bucket_of_task;                       /* NULL: the task's priority is the bucket */
	struct config_mapping *mapping; /* where the graph grows: the buckets are StarPU's numbers; else NULL */
	int task_priority;              /* queues are ordered by the tasks' own priorities, not by the buckets' */
	struct nearby *nearby;          /* NULL: one list of tasks a bucket */
	int ngroups;                    /* lists of tasks a bucket: memory nodes, or 1 */
	struct bucket_tasks *tasks;     /* [bucket * ngroups + group] */
	uint64_t (*filled)[2];          /* per group: a bit a bucket, whether it has tasks there */
	uint64_t open[ARCH_COUNT][2];   /* a bit a bucket, whether it has bucket.least tasks */
	uint32_t *next;                 /* per task, in its bucket */
	struct queue *queues;           /* per worker */
	uint32_t remaining[ARCH_COUNT]; /* in buckets, for an architecture */
	uint32_t queued[ARCH_COUNT];    /* in the queues of its workers */
	int nworkers[ARCH_COUNT];
};

/* What the knobs say; `nearby` is zero for a policy without those. */
struct heteroprio_knobs {
	int variant, drivers, prefetch; /* drivers, prefetch: -1 where they are not given */
	struct nearby_knobs nearby;
};

/* Rows of a policy's table; `owner` is a struct heteroprio_knobs or begins with one. */
#define HETEROPRIO_KNOBS \
	WORD_KNOB(heteroprio_knobs, variant, "variant", "starpu|paper", VARIANT_STARPU), \
		WAITERS_KNOB(heteroprio_knobs, drivers), \
		WORD_KNOB(heteroprio_knobs, prefetch, "prefetch", "none|one", -1)

/*
 * A state whose buckets and lists are empty; heteroprio_free() frees it. `policy` is its name in sentences. NULL, with
 * the sentence: prefetch= is not what variant=starpu does, or nearby_create() failed.
 */
struct heteroprio *heteroprio_open(const struct policy_world *w, const char *policy, const struct heteroprio_knobs *k,
                                   enum heteroprio_locality locality, struct ht_err *err);
void heteroprio_free(void *state);

/* With bucket_of_task in place, where there is one, or for a task that was pushed. */
static inline int heteroprio_bucket_of(const struct heteroprio *h, uint32_t task)
{
	return h->bucket_of_task ? h->bucket_of_task[task] : h->world.dag->tasks[task].priority;
}

/* To be called when `base` or `slow` of the bucket were set. */
void heteroprio_bucket_changed(struct heteroprio *h, int bucket);

/* To be called when the list of the architecture was set. */
void heteroprio_list_changed(struct heteroprio *h, enum arch a);

/* With buckets, lists and bucket_of_task in place. A bucket's `archs` are kept by the caller. */
void heteroprio_push(void *state, uint32_t task, int releaser);

/* What StarPU has as the priority of a task that was pushed: the number of its bucket, or its own. */
int32_t heteroprio_priority(void *state, uint32_t task);
uint32_t heteroprio_pop(void *state, int worker);

#endif
