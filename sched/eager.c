/* sched/eager.c - StarPU's eager: one queue, every worker takes the first task that it can execute. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The queue is kept as one queue per set of architectures that tasks can run on, with the number of each push: the
 * first task for a worker is the smallest number at the heads of the queues that have its architecture, so that a long
 * row of tasks it cannot execute costs nothing.
 */
#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/machine.h"
#include "sched/policy.h"
#include "sched/waiters.h"

struct eager_queue {
	uint32_t head, tail; /* POLICY_NO_TASK: empty */
	arch_mask archs;
};

struct eager {
	struct policy_world world;
	struct waiters waiters;
	arch_mask archs; /* of the machine */
	struct eager_queue queues[1 << ARCH_COUNT];
	int nqueues;
	uint8_t *queue_of;   /* per class */
	uint32_t *next;      /* per task */
	uint64_t *number;    /* per task: the how-manieth push */
	uint64_t pushed;
	uint32_t waiting;    /* tasks in all queues */
};

static void eager_free(void *state)
{
	struct eager *e = state;

	if (!e)
		return;
	waiters_fini(&e->waiters);
	free(e->queue_of);
	free(e->next);
	free(e->number);
	free(e);
}

static void make_queues(struct eager *e)
{
	const struct dag *d = e->world.dag;

	for (uint32_t c = 0; c < d->nclasses; c++) {
		arch_mask archs = 0;
		int q = 0;

		for (int a = 0; a < ARCH_COUNT; a++) {
			if (d->classes[c].cost_ns[a] >= 0)
				archs |= (arch_mask)(1u << a);
		}
		while (q < e->nqueues && e->queues[q].archs != archs)
			q++;
		if (q == e->nqueues) {
			e->queues[q].archs = archs;
			e->queues[q].head = e->queues[q].tail = POLICY_NO_TASK;
			e->nqueues++;
		}
		e->queue_of[c] = (uint8_t)q;
	}
}

static void *eager_create(const struct policy_world *w, const char *options, struct ht_err *err)
{
	int mode;
	struct eager *e;

	if (policy_knobs_check("eager", options, "drivers", err) < 0)
		return NULL;
	mode = waiters_mode_of("eager", options, w, err);
	if (mode < 0)
		return NULL;
	e = ht_alloc(1, sizeof(*e));
	e->world = *w;
	e->archs = machine_archs(w->machine);
	waiters_init(&e->waiters, &e->world, (enum waiters_mode)mode);
	e->queue_of = ht_alloc(w->dag->nclasses, sizeof(*e->queue_of));
	e->next = ht_alloc(w->dag->ntasks, sizeof(*e->next));
	e->number = ht_alloc(w->dag->ntasks, sizeof(*e->number));
	make_queues(e);
	return e;
}

static void eager_push(void *state, uint32_t task, int releaser)
{
	struct eager *e = state;
	struct eager_queue *q = &e->queues[e->queue_of[e->world.dag->tasks[task].class_id]];

	e->next[task] = POLICY_NO_TASK;
	e->number[task] = e->pushed++;
	if (q->head == POLICY_NO_TASK)
		q->head = task;
	else
		e->next[q->tail] = task;
	q->tail = task;
	e->waiting++;
	/* The glance of StarPU's eager is at the whole queue: a worker looks even when it can execute nothing there. */
	waiters_notify(&e->waiters, q->archs, e->archs, releaser);
}

static uint32_t eager_pop(void *state, int worker)
{
	struct eager *e = state;
	enum arch arch = e->world.machine->workers[worker].arch;
	struct eager_queue *best = NULL;
	uint32_t task;

	waiters_asks(&e->waiters, worker);
	if (!e->waiting) {
		waiters_glanced(&e->waiters, worker);
		return POLICY_NO_TASK;
	}
	for (int i = 0; i < e->nqueues; i++) {
		struct eager_queue *q = &e->queues[i];

		if (!(q->archs >> arch & 1) || q->head == POLICY_NO_TASK)
			continue;
		if (!best || e->number[q->head] < e->number[best->head])
			best = q;
	}
	if (!best) {
		waiters_looked(&e->waiters, worker);
		return POLICY_NO_TASK;
	}
	task = best->head;
	best->head = e->next[task];
	e->waiting--;
	waiters_took(&e->waiters, worker);
	return task;
}

const struct policy policy_eager = {
	.name = "eager",
	.summary = "one queue, first come first served (StarPU 1.4.10)",
	.knobs = "drivers=polling|blocking",
	.create = eager_create,
	.free = eager_free,
	.push = eager_push,
	.pop = eager_pop,
	.priority = policy_no_priority,
};
