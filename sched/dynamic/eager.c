/* sched/dynamic/eager.c - StarPU's eager and prio: one queue, every worker takes the first task that it can execute. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The queue is kept as one queue per set of architectures that tasks can run on, with the number of each push: the
 * first task for a worker is the smallest number at the heads of the queues that have its architecture, so that a long
 * row of tasks it cannot execute costs nothing.
 *
 * prio (StarPU 1.4.10, eager_central_priority_policy.c) sorts by priority, and a worker that can execute nothing of
 * what is queued notifies all workers that can execute the last task of it.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/queue/taskq.h"
#include "sched/waiters.h"

enum eager_variant { BY_PUSH, BY_PRIORITY };

struct eager_queue {
	struct taskq tasks;
	arch_mask archs;
};

struct eager {
	struct policy_world world;
	struct waiters waiters;
	arch_mask archs; /* of the machine */
	struct eager_queue queues[1 << ARCH_COUNT];
	int nqueues;
	struct eager_queue *queue_of[1 << ARCH_COUNT]; /* per set of architectures; NULL: it has none yet */
	int by_priority;
	struct taskq_links links;
	uint64_t *number; /* per task: the number of its push */
	uint64_t pushed;
	uint32_t waiting; /* tasks in all queues */
};

static void eager_free(void *state)
{
	struct eager *e = state;

	if (!e)
		return;
	waiters_fini(&e->waiters);
	for (int q = 0; q < e->nqueues; q++)
		taskq_fini(&e->queues[q].tasks);
	taskq_links_fini(&e->links);
	free(e->number);
	free(e);
}

static struct eager_queue *queue_of(struct eager *e, uint32_t task)
{
	const struct dag *d = e->world.dag;
	arch_mask archs = dag_class_archs(&d->classes[d->tasks[task].class_id]);

	if (!e->queue_of[archs]) {
		e->queue_of[archs] = &e->queues[e->nqueues++];
		e->queue_of[archs]->archs = archs;
		taskq_init(&e->queue_of[archs]->tasks);
	}
	return e->queue_of[archs];
}

struct eager_knobs {
	int drivers;
};

static const struct knob knobs[] = {WAITERS_KNOB(eager_knobs, drivers), LAST_KNOB};

static void *eager_create(const struct policy *self, const struct policy_world *w, const char *options,
                          struct ht_err *err)
{
	struct eager_knobs k;
	struct eager *e;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	e = ht_alloc(1, sizeof(*e));
	e->world = *w;
	e->by_priority = self->variant == BY_PRIORITY;
	e->archs = machine_archs(w->machine);
	waiters_init(&e->waiters, &e->world, waiters_mode_of(k.drivers, w));
	taskq_links_init(&e->links, w->dag);
	e->number = ht_alloc(w->dag->ntasks, sizeof(*e->number));
	return e;
}

static void eager_push(void *state, uint32_t task, int releaser)
{
	struct eager *e = state;
	struct eager_queue *q = queue_of(e, task);

	e->number[task] = e->pushed++;
	if (e->by_priority)
		taskq_insert(&e->links, &q->tasks, task);
	else
		taskq_append(&e->links, &q->tasks, task);
	e->waiting++;
	/* StarPU's eager counts the whole queue: a worker takes the lock even when it can execute nothing there. */
	waiters_notify(&e->waiters, q->archs, e->archs, releaser);
}

static int is_before(const struct eager *e, uint32_t a, uint32_t b)
{
	const struct dag_task *tasks = e->world.dag->tasks;

	if (e->by_priority && tasks[a].priority != tasks[b].priority)
		return tasks[a].priority > tasks[b].priority;
	return e->number[a] < e->number[b];
}

static struct eager_queue *first_of(struct eager *e, enum arch arch)
{
	struct eager_queue *best = NULL;

	for (int i = 0; i < e->nqueues; i++) {
		struct eager_queue *q = &e->queues[i];

		if (!(q->archs >> arch & 1) || !q->tasks.count)
			continue;
		if (!best || is_before(e, q->tasks.head, best->tasks.head))
			best = q;
	}
	return best;
}

/* Of tasks that the worker cannot execute, which all are: a worker that can execute the last one looks. */
static void pass_on(struct eager *e, int worker)
{
	struct eager_queue *last = NULL;

	for (int i = 0; i < e->nqueues; i++) {
		struct eager_queue *q = &e->queues[i];

		if (q->tasks.count && (!last || is_before(e, last->tasks.tail, q->tasks.tail)))
			last = q;
	}
	if (last)
		waiters_pass_on(&e->waiters, last->archs, worker);
}

static uint32_t eager_pop(void *state, int worker)
{
	struct eager *e = state;
	struct eager_queue *best;
	uint32_t task;

	waiters_pop(&e->waiters, worker);
	if (!e->waiting) {
		waiters_found_empty(&e->waiters, worker);
		return POLICY_NO_TASK;
	}
	best = first_of(e, e->world.machine->workers[worker].arch);
	if (!best) {
		if (e->by_priority)
			pass_on(e, worker);
		waiters_searched(&e->waiters, worker);
		return POLICY_NO_TASK;
	}
	task = best->tasks.head;
	taskq_remove(&e->links, &best->tasks, task);
	e->waiting--;
	waiters_took(&e->waiters, worker);
	return task;
}

const struct policy policy_eager = {
	.name = "eager",
	.summary = "one queue, first come first served (StarPU 1.4.10)",
	.knobs = knobs,
	.variant = BY_PUSH,
	.create = eager_create,
	.free = eager_free,
	.push = eager_push,
	.pop = eager_pop,
	.priority = policy_no_priority,
};

const struct policy policy_prio = {
	.name = "prio",
	.summary = "eager by priority (StarPU 1.4.10)",
	.knobs = knobs,
	.variant = BY_PRIORITY,
	.create = eager_create,
	.free = eager_free,
	.push = eager_push,
	.pop = eager_pop,
};
