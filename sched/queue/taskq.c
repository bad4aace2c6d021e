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
	for (size_t i = 0; i < q->nblocks; i++)
		free(q->blocks[i]);
	free(q->blocks);
	free(q->spare);
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

/* Of a level: the block, and where in it. */
struct place {
	size_t block;
	uint32_t at;
};

static struct taskq_level *level_at(const struct taskq *q, struct place p)
{
	return &q->blocks[p.block]->levels[p.at];
}

/* The first level that is not above the priority; block nblocks: there is none. */
static struct place find_level(const struct taskq *q, int32_t priority)
{
	size_t from = 0, to = q->nblocks;
	struct place p = {0};
	uint32_t end;

	while (from < to) {
		size_t middle = (from + to) / 2;
		const struct taskq_block *b = q->blocks[middle];

		if (b->levels[b->n - 1].priority > priority)
			from = middle + 1;
		else
			to = middle;
	}
	p.block = from;
	end = from < q->nblocks ? q->blocks[from]->n : 0;
	while (p.at < end) {
		uint32_t middle = (p.at + end) / 2;

		if (q->blocks[from]->levels[middle].priority > priority)
			p.at = middle + 1;
		else
			end = middle;
	}
	return p;
}

static uint32_t last_above(const struct taskq *q, struct place p)
{
	if (p.at)
		return q->blocks[p.block]->levels[p.at - 1].last;
	return p.block ? q->blocks[p.block - 1]->levels[q->blocks[p.block - 1]->n - 1].last : POLICY_NO_TASK;
}

/* An empty one at that place among the blocks. */
static struct taskq_block *add_block(struct taskq *q, size_t at)
{
	struct taskq_block *b = q->spare ? q->spare : ht_alloc(1, sizeof(*b));

	q->spare = NULL;
	VEC_PUSH(q->blocks, q->nblocks, q->cap_blocks);
	memmove(q->blocks + at + 1, q->blocks + at, (q->nblocks - 1 - at) * sizeof(*q->blocks));
	b->n = 0;
	return q->blocks[at] = b;
}

/* A new level, before the one that is there. */
static void add_level(struct taskq *q, struct place p, struct taskq_level level)
{
	struct taskq_block *b;

	if (p.block == q->nblocks && p.block) /* behind the last one */
		p = (struct place){p.block - 1, q->blocks[p.block - 1]->n};
	b = p.block == q->nblocks ? add_block(q, p.block) : q->blocks[p.block];
	if (b->n == TASKQ_BLOCK) {
		struct taskq_block *second = add_block(q, p.block + 1);

		second->n = TASKQ_BLOCK / 2;
		b->n -= second->n;
		memcpy(second->levels, b->levels + b->n, second->n * sizeof(*b->levels));
		if (p.at > b->n) {
			p.at -= b->n;
			b = second;
		}
	}
	memmove(b->levels + p.at + 1, b->levels + p.at, (b->n - p.at) * sizeof(*b->levels));
	b->levels[p.at] = level;
	b->n++;
}

static void drop_level(struct taskq *q, struct place p)
{
	struct taskq_block *b = q->blocks[p.block];

	b->n--;
	memmove(b->levels + p.at, b->levels + p.at + 1, (b->n - p.at) * sizeof(*b->levels));
	if (b->n)
		return;
	free(q->spare);
	q->spare = b;
	q->nblocks--;
	memmove(q->blocks + p.block, q->blocks + p.block + 1, (q->nblocks - p.block) * sizeof(*q->blocks));
}

void taskq_insert(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	int32_t priority = priority_of(l, task);
	struct place p = find_level(q, priority);

	if (p.block < q->nblocks && level_at(q, p)->priority == priority) {
		put_after(l, q, task, level_at(q, p)->last);
		level_at(q, p)->last = task;
	} else {
		put_after(l, q, task, last_above(q, p));
		add_level(q, p, (struct taskq_level){priority, task});
	}
}

uint32_t taskq_last_alike(const struct taskq_links *l, const struct taskq *q, uint32_t task)
{
	return level_at(q, find_level(q, priority_of(l, task)))->last;
}

/* The last of its priority leaves a sorted queue: another one is the last, or there is none. */
static void leave_level(const struct taskq_links *l, struct taskq *q, uint32_t task)
{
	struct place p = find_level(q, priority_of(l, task));
	uint32_t prev = l->prev[task];

	if (prev != last_above(q, p))
		level_at(q, p)->last = prev;
	else
		drop_level(q, p);
}

void taskq_remove(struct taskq_links *l, struct taskq *q, uint32_t task)
{
	uint32_t prev = l->prev[task], next = l->next[task];

	if (q->nblocks && (next == POLICY_NO_TASK || priority_of(l, next) != priority_of(l, task)))
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
