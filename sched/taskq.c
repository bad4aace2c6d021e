/* sched/taskq.c - queues of ready tasks: first in, first out, or sorted by priority. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/taskq.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "sched/policy.h"

void taskq_links_init(struct taskq_links *l, const struct dag *d)
{
	l->dag = d;
	l->priority = NULL;
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
	q->head = q->tail = POLICY_NO_TASK;
	q->count = 0;
}

static void put_behind(struct taskq_links *l, struct taskq *q, uint32_t task, uint32_t prev)
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
	put_behind(l, q, task, q->tail);
}

int32_t taskq_priority(const struct taskq_links *l, uint32_t task)
{
	return l->priority ? l->priority[task] : l->dag->tasks[task].priority;
}

void taskq_insert(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	int32_t priority = taskq_priority(l, task);
	uint32_t prev = q->tail;

	if (q->head != POLICY_NO_TASK && taskq_priority(l, q->head) < priority)
		prev = POLICY_NO_TASK;
	while (prev != POLICY_NO_TASK && taskq_priority(l, prev) < priority)
		prev = l->prev[prev];
	put_behind(l, q, task, prev);
}

void taskq_insert_front(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	int32_t priority = taskq_priority(l, task);
	uint32_t prev = POLICY_NO_TASK, next = q->head;

	while (next != POLICY_NO_TASK && taskq_priority(l, next) > priority) {
		prev = next;
		next = l->next[next];
	}
	put_behind(l, q, task, prev);
}

void taskq_remove(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	uint32_t prev = l->prev[task], next = l->next[task];

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
