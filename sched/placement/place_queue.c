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
	minmaxheap_put(&q->groups[f->group], f->item.score, f->item.number, f->item.task);
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

/* The group with the highest task that is not in front; NULL: there is none. */
static struct minmaxheap *highest_group(const struct place_queue *q)
{
	struct minmaxheap *best = NULL;

	for (uint32_t g = 0; q->count > (uint32_t)q->nfront && g < q->ngroups; g++) {
		struct minmaxheap *h = &q->groups[g];

		if (h->count && (!best || minmaxheap_before(minmaxheap_highest(h), minmaxheap_highest(best))))
			best = h;
	}
	return best;
}

const struct minmaxheap_item *place_queue_highest(const struct place_queue *q)
{
	const struct minmaxheap *h;

	if (q->nfront)
		return &q->front[0].item;
	h = highest_group(q);
	return h ? minmaxheap_highest(h) : NULL;
}

const struct minmaxheap_item *place_queue_next(const struct place_queue *q)
{
	const struct minmaxheap *h = q->nfront < PLACE_QUEUE_FRONT ? highest_group(q) : NULL;

	return h ? minmaxheap_highest(h) : NULL;
}

void place_queue_advance(struct place_queue *q, int64_t cost_ns)
{
	struct minmaxheap *h = highest_group(q);

	q->front[q->nfront++] = (struct place_queue_front){*minmaxheap_highest(h), (uint32_t)(h - q->groups), cost_ns};
	q->front_ns += cost_ns;
	minmaxheap_take_highest(h);
}

uint32_t place_queue_take_highest(struct place_queue *q)
{
	uint32_t task;

	if (!q->nfront) {
		task = minmaxheap_take_highest(highest_group(q));
		q->count--;
		return task;
	}
	q->count--;
	task = q->front[0].item.task;
	q->front_ns -= q->front[0].cost_ns;
	memmove(&q->front[0], &q->front[1], (size_t)--q->nfront * sizeof(*q->front));
	return task;
}

uint32_t place_queue_take_lowest(struct place_queue *q, uint32_t group)
{
	q->count--;
	return minmaxheap_take_lowest(&q->groups[group]);
}

void place_queue_taken(struct place_queue *q, int64_t cost_ns)
{
	q->waiting_ns -= cost_ns;
	if (!q->count)
		q->waiting_ns = 0; /* costs may have changed since, where the graph grows */
}
