/* replay/sim/commute.c - tasks that write the same data in any order, but one at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per datum a binary heap of the tasks that wait for it; a task waits for one datum at a time. A task has acquired all
 * data up to the one it waits for. With turns the heap is in their order, and its first task waits on until it has the
 * turn.
 */
#include "replay/sim/commute.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"
#include "core/dag/csr.h"
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
	uint32_t *order, norder; /* with turns: the tasks that are to acquire it, in that order */
	uint32_t turn;           /* in order[]: of the task that has it or is the next to have it */
	int taken;
};

struct commute {
	const struct dag *d;
	struct datum *data; /* per handle */
	uint32_t *first;    /* per task: into handles[], its data in the order in which it acquires that */
	uint32_t *handles;
	uint32_t *next;    /* per task: released by the same end */
	int32_t *priority; /* per task that waits */
	uint32_t *turns;   /* per task; NULL */
	uint64_t age;
};

static int by_handle(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Each once. */
static void find_handles(struct commute *c)
{
	uint32_t n = 0;

	c->first = ht_alloc((size_t)c->d->ntasks + 1, sizeof(*c->first));
	c->handles = ht_alloc(c->d->naccesses, sizeof(*c->handles));
	for (uint32_t t = 0; t < c->d->ntasks; t++) {
		const struct dag_task *task = &c->d->tasks[t];
		uint32_t end = n;

		c->first[t] = n;
		for (uint32_t i = task->first_access; i < task->first_access + task->naccesses; i++)
			if (c->d->accesses[i].mode & ACCESS_COMMUTE)
				c->handles[end++] = c->d->accesses[i].handle;
		qsort(c->handles + n, end - n, sizeof(*c->handles), by_handle);
		for (uint32_t i = n; i < end; i++)
			if (n == c->first[t] || c->handles[i] != c->handles[n - 1])
				c->handles[n++] = c->handles[i];
	}
	c->first[c->d->ntasks] = n;
}

static int by_turn(const void *a, const void *b, void *turns)
{
	uint32_t x = ((const uint32_t *)turns)[*(const uint32_t *)a],
		 y = ((const uint32_t *)turns)[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

static void set_orders(struct commute *c)
{
	for (int fill = 0; fill <= 1; fill++) {
		for (uint32_t t = 0; t < c->d->ntasks; t++) {
			for (uint32_t k = c->first[t]; k < c->first[t + 1]; k++) {
				struct datum *x = &c->data[c->handles[k]];

				if (fill)
					x->order[x->turn++] = t;
				else
					x->norder++;
			}
		}
		for (uint32_t h = 0; !fill && h < c->d->nhandles; h++)
			if (c->data[h].norder)
				c->data[h].order = ht_alloc(c->data[h].norder, sizeof(*c->data[h].order));
	}
	for (uint32_t h = 0; h < c->d->nhandles; h++) {
		c->data[h].turn = 0;
		if (c->data[h].order)
			qsort_r(c->data[h].order, c->data[h].norder, sizeof(*c->data[h].order), by_turn, c->turns);
	}
}

struct commute *commute_create(const struct dag *d, const uint32_t *turns)
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
	find_handles(c);
	if (turns) {
		c->turns = ht_alloc(d->ntasks, sizeof(*c->turns));
		memcpy(c->turns, turns, d->ntasks * sizeof(*c->turns));
		set_orders(c);
	}
	return c;
}

void commute_free(struct commute *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->d->nhandles; i++) {
		free(c->data[i].waiters);
		free(c->data[i].order);
	}
	free(c->data);
	free(c->first);
	free(c->handles);
	free(c->next);
	free(c->priority);
	free(c->turns);
	free(c);
}

static int before(const struct waiter *a, const struct waiter *b)
{
	return a->priority != b->priority ? a->priority > b->priority : a->age < b->age;
}

HEAP(waiter, struct waiter, before, HEAP_NO_PLACES)

static int is_turn_of(const struct datum *x, uint32_t task)
{
	return !x->order || x->order[x->turn] == task;
}

/* Acquires the task's data from handles[k] on. Returns 1 if the task has all of it. */
static int go_on(struct commute *c, uint32_t task, uint32_t k)
{
	for (; k < c->first[task + 1]; k++) {
		struct datum *x = &c->data[c->handles[k]];

		if (x->taken || !is_turn_of(x, task)) {
			struct waiter w = {.age = c->age++, .task = task, .priority = c->priority[task]};

			if (c->turns)
				w = (struct waiter){.age = c->turns[task], .task = task};
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
	return go_on(c, task, c->first[task]);
}

/* Takes the waiting task that is to have the datum, which is free; COMMUTE_NONE: none waits. */
static uint32_t next_of(struct datum *x)
{
	uint32_t task = x->count ? x->waiters[0].task : COMMUTE_NONE;

	if (!x->count || !is_turn_of(x, task))
		return COMMUTE_NONE;
	waiter_drop(x->waiters, --x->count, NULL);
	return task;
}

uint32_t commute_release(struct commute *c, uint32_t task)
{
	uint32_t first = COMMUTE_NONE, *last = &first;

	for (uint32_t k = c->first[task]; k < c->first[task + 1]; k++) {
		struct datum *x = &c->data[c->handles[k]];
		uint32_t other;

		x->taken = 0;
		if (x->order)
			x->turn++;
		other = next_of(x);
		if (other == COMMUTE_NONE)
			continue;
		if (!go_on(c, other, csr_find(c->first, c->handles, other, c->handles[k])))
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
