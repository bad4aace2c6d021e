/* replay/sim/commute.c - tasks that write the same data in any order, but one at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per datum a binary heap of the tasks that wait for it; a task waits for one datum at a time. A task has acquired all
 * data up to the one it waits for.
 */
#include "replay/sim/commute.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

struct waiter {
	uint64_t age;
	uint32_t task;
	int32_t priority;
};

struct datum {
	struct waiter *waiters;
	size_t count, cap;
	int taken;
};

struct commute {
	const struct dag *d;
	struct datum *data; /* per handle */
	uint32_t *next;     /* per task: released by the same end */
	int32_t *priority;  /* per task that waits */
	uint64_t age;
};

struct commute *commute_create(const struct dag *d)
{
	struct commute *c;
	uint32_t i = 0;

	while (i < d->naccesses && !(d->accesses[i].mode & ACCESS_COMMUTE))
		i++;
	if (i == d->naccesses)
		return NULL;
	c = ht_alloc(1, sizeof(*c));
	c->d = d;
	c->data = ht_alloc(d->nhandles, sizeof(*c->data));
	c->next = ht_alloc(d->ntasks, sizeof(*c->next));
	c->priority = ht_alloc(d->ntasks, sizeof(*c->priority));
	return c;
}

void commute_free(struct commute *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->d->nhandles; i++)
		free(c->data[i].waiters);
	free(c->data);
	free(c->next);
	free(c->priority);
	free(c);
}

static int before(const struct waiter *a, const struct waiter *b)
{
	return a->priority != b->priority ? a->priority > b->priority : a->age < b->age;
}

HEAP(waiter, struct waiter, before, HEAP_NO_PLACES)

/* The task's next datum with ACCESS_COMMUTE after `handle`, in the order of all tasks; COMMUTE_NONE: no more. */
static uint32_t after(const struct commute *c, uint32_t task, uint32_t handle)
{
	const struct dag_task *t = &c->d->tasks[task];
	uint32_t first = COMMUTE_NONE;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct data_access *x = &c->d->accesses[i];

		if (x->mode & ACCESS_COMMUTE && x->handle + 1 > handle + 1 && x->handle < first)
			first = x->handle;
	}
	return first;
}

/* Acquires the task's data from `handle` on, which is free. Returns 1 if the task has all of it. */
static int go_on(struct commute *c, uint32_t task, uint32_t handle)
{
	for (; handle != COMMUTE_NONE; handle = after(c, task, handle)) {
		struct datum *x = &c->data[handle];

		if (x->taken) {
			struct waiter w = {.age = c->age++, .task = task, .priority = c->priority[task]};

			VEC_PUSH(x->waiters, x->count, x->cap);
			waiter_up(x->waiters, x->count - 1, &w, NULL);
			return 0;
		}
		x->taken = 1;
	}
	return 1;
}

int commute_acquire(struct commute *c, uint32_t task, int32_t priority)
{
	c->priority[task] = priority;
	return go_on(c, task, after(c, task, COMMUTE_NONE));
}

uint32_t commute_release(struct commute *c, uint32_t task)
{
	uint32_t first = COMMUTE_NONE, *last = &first;

	for (uint32_t handle = COMMUTE_NONE; (handle = after(c, task, handle)) != COMMUTE_NONE;) {
		struct datum *x = &c->data[handle];
		uint32_t other;

		x->taken = 0;
		if (!x->count)
			continue;
		other = x->waiters[0].task;
		waiter_drop(x->waiters, --x->count, NULL);
		if (!go_on(c, other, handle))
			continue;
		*last = other;
		last = &c->next[other];
		*last = COMMUTE_NONE;
	}
	return first;
}

uint32_t commute_next(const struct commute *c, uint32_t task)
{
	return c->next[task];
}
