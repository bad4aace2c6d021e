/* sched/placement/place_queue.c - the ready tasks of a place, by rank. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/place_queue.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void place_queue_fini(struct place_queue *q)
{
	for (uint32_t g = 0; g < q->ngroups; g++)
		minmaxheap_fini(&q->groups[g]);
	free(q->groups);
}

void place_queue_add_group(struct place_queue *q)
{
	q->groups = ht_realloc(q->groups, q->ngroups + 1, sizeof(*q->groups));
	q->groups[q->ngroups++] = (struct minmaxheap){0};
}

static void put_back(struct place_queue *q, const struct place_queue_front *f)
{
	if (!q->best || minmaxheap_before(&f->item, minmaxheap_highest(&q->groups[q->best - 1])))
		q->best = f->group + 1;
	minmaxheap_put(&q->groups[f->group], f->item.score, f->item.number, f->item.task);
}

/* After a task was taken from the best group. */
static void find_best(struct place_queue *q)
{
	const struct minmaxheap *best = NULL;

	for (uint32_t g = 0; g < q->ngroups; g++) {
		const struct minmaxheap *h = &q->groups[g];

		if (h->count && (!best || minmaxheap_before(minmaxheap_highest(h), minmaxheap_highest(best))))
			best = h;
	}
	q->best = best ? (uint32_t)(best - q->groups) + 1 : 0;
}

/* The highest of all groups, of which one has a task. */
static uint32_t take_best(struct place_queue *q)
{
	uint32_t task = minmaxheap_take_highest(&q->groups[q->best - 1]);

	find_best(q);
	return task;
}

int place_queue_put(struct place_queue *q, uint32_t group, struct minmaxheap_item item, int64_t cost_ns)
{
	const struct place_queue_front put = {item, group, cost_ns};
	int i = q->nfront;

	q->count++;
	q->waiting_ns += cost_ns;
	while (i > 0 && minmaxheap_before(&item, &q->front[i - 1].item))
		i--;
	if (i == q->nfront) {
		put_back(q, &put);
		return 0;
	}
	if (q->nfront == PLACE_QUEUE_FRONT) {
		put_back(q, &q->front[--q->nfront]);
		q->front_ns -= q->front[q->nfront].cost_ns;
	}
	memmove(&q->front[i + 1], &q->front[i], (size_t)(q->nfront - i) * sizeof(*q->front));
	q->front[i] = put;
	q->nfront++;
	q->front_ns += cost_ns;
	return 1;
}

const struct minmaxheap_item *place_queue_highest(const struct place_queue *q)
{
	if (q->nfront)
		return &q->front[0].item;
	return q->best ? minmaxheap_highest(&q->groups[q->best - 1]) : NULL;
}

const struct minmaxheap_item *place_queue_next(const struct place_queue *q)
{
	if (!q->best || q->nfront == PLACE_QUEUE_FRONT)
		return NULL;
	return minmaxheap_highest(&q->groups[q->best - 1]);
}

void place_queue_advance(struct place_queue *q, int64_t cost_ns)
{
	uint32_t group = q->best - 1;

	q->front[q->nfront++] = (struct place_queue_front){*minmaxheap_highest(&q->groups[group]), group, cost_ns};
	q->front_ns += cost_ns;
	take_best(q);
}

uint32_t place_queue_take_highest(struct place_queue *q)
{
	uint32_t task;

	q->count--;
	if (!q->nfront)
		return take_best(q);
	task = q->front[0].item.task;
	q->front_ns -= q->front[0].cost_ns;
	memmove(&q->front[0], &q->front[1], (size_t)--q->nfront * sizeof(*q->front));
	return task;
}

uint32_t place_queue_take_fitting(struct place_queue *q, int (*fits)(void *ctx, uint32_t task), void *ctx)
{
	struct place_queue_front seen[PLACE_QUEUE_FRONT];
	int n = 0, taken = -1;

	if (q->nfront)
		return place_queue_take_highest(q);
	while (taken < 0 && q->best && n < PLACE_QUEUE_FRONT) {
		seen[n].group = q->best - 1;
		seen[n].item = *minmaxheap_highest(&q->groups[seen[n].group]);
		take_best(q);
		taken = fits(ctx, seen[n].item.task) ? n : -1;
		n++;
	}
	taken = taken < 0 ? 0 : taken;
	for (int i = 0; i < n; i++)
		if (i != taken)
			put_back(q, &seen[i]);
	q->count--;
	return seen[taken].item.task;
}

uint32_t place_queue_take_lowest(struct place_queue *q, uint32_t group)
{
	uint32_t task = minmaxheap_take_lowest(&q->groups[group]);

	q->count--;
	if (q->best == group + 1 && !q->groups[group].count)
		find_best(q);
	return task;
}

void place_queue_taken(struct place_queue *q, int64_t cost_ns)
{
	q->waiting_ns -= cost_ns;
	if (!q->count)
		q->waiting_ns = 0; /* costs may have changed since, where the graph grows */
}
