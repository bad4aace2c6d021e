/* sched/queue/taskq.c - queues of ready tasks: first in, first out, or sorted by priority. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/taskq.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "sched/policy.h"

void taskq_links_init(struct taskq_links *l, const struct dag *d)
{
	l->dag = d;
	l->next = ht_alloc(d->ntasks, sizeof(*l->next));
	l->prev = ht_alloc(d->ntasks, sizeof(*l->prev));
}

void taskq_links_fini(struct taskq_links *l)
{
	free(l->next);
	free(l->prev);
}

void taskq_init(struct taskq *q)
{
	*q = (struct taskq){.head = POLICY_NO_TASK, .tail = POLICY_NO_TASK};
}

void taskq_fini(struct taskq *q)
{
	free(q->levels);
}

static void put_after(struct taskq_links *l, struct taskq *q, uint32_t task, uint32_t prev)
{
	uint32_t next = prev == POLICY_NO_TASK ? q->head : l->next[prev];

	l->prev[task] = prev;
	l->next[task] = next;
	if (prev == POLICY_NO_TASK)
		q->head = task;
	else
		l->next[prev] = task;
	if (next == POLICY_NO_TASK)
		q->tail = task;
	else
		l->prev[next] = task;
	q->count++;
}

void taskq_append(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	put_after(l, q, task, q->tail);
}

static int32_t priority_of(const struct taskq_links *l, uint32_t task)
{
	return l->dag->tasks[task].priority;
}

/* The first level that is not above the priority. */
static size_t find_level(const struct taskq *q, int32_t priority)
{
	size_t from = 0, to = q->nlevels;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (q->levels[middle].priority > priority)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static uint32_t last_above(const struct taskq *q, size_t level)
{
	return level ? q->levels[level - 1].last : POLICY_NO_TASK;
}

void taskq_insert(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	int32_t priority = priority_of(l, task);
	size_t at = find_level(q, priority);

	if (at < q->nlevels && q->levels[at].priority == priority) {
		put_after(l, q, task, q->levels[at].last);
	} else {
		put_after(l, q, task, last_above(q, at));
		VEC_PUSH(q->levels, q->nlevels, q->cap_levels);
		memmove(q->levels + at + 1, q->levels + at, (q->nlevels - 1 - at) * sizeof(*q->levels));
		q->levels[at].priority = priority;
	}
	q->levels[at].last = task;
}

/* The last of its priority leaves a sorted queue: another one is the last, or there is none. */
static void leave_level(const struct taskq_links *l, struct taskq *q, uint32_t task)
{
	size_t at = find_level(q, priority_of(l, task));
	uint32_t prev = l->prev[task];

	if (prev != last_above(q, at)) {
		q->levels[at].last = prev;
		return;
	}
	q->nlevels--;
	memmove(q->levels + at, q->levels + at + 1, (q->nlevels - at) * sizeof(*q->levels));
}

void taskq_remove(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	uint32_t prev = l->prev[task], next = l->next[task];

	if (q->nlevels && (next == POLICY_NO_TASK || priority_of(l, next) != priority_of(l, task)))
		leave_level(l, q, task);
	if (prev == POLICY_NO_TASK)
		q->head = next;
	else
		l->next[prev] = next;
	if (next == POLICY_NO_TASK)
		q->tail = prev;
	else
		l->prev[next] = prev;
	q->count--;
}
