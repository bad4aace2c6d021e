/* sched/placement/place_queue.c - the ready tasks of a place, by rank. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/place_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void place_queue_fini(struct place_queue *q)
{
	for (uint32_t g = 0; g < q->ngroups; g++)
		minmaxheap_fini(&q->groups[g]);
	free(q->groups);
	free(q->winner);
}

/* 1 + the group with the highest task that is not in front; 0: there is none. */
static uint32_t best_group(const struct place_queue *q)
{
	return q->nleaves ? q->winner[1] : 0;
}

static const struct minmaxheap_item *highest_of(const struct place_queue *q, uint32_t winner)
{
	return minmaxheap_highest(&q->groups[winner - 1]);
}

static uint32_t better_of(const struct place_queue *q, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a ? a : b;
	return minmaxheap_before(highest_of(q, b), highest_of(q, a)) ? b : a;
}

/* The highest task of the group is another one. */
static void play_again(struct place_queue *q, uint32_t group)
{
	uint32_t i = q->nleaves + group;

	q->winner[i] = q->groups[group].count ? group + 1 : 0;
	while ((i /= 2))
		q->winner[i] = better_of(q, q->winner[2 * i], q->winner[2 * i + 1]);
}

void place_queue_add_group(struct place_queue *q)
{
	q->groups = ht_realloc(q->groups, q->ngroups + 1, sizeof(*q->groups));
	q->groups[q->ngroups++] = (struct minmaxheap){0};
	if (q->ngroups <= q->nleaves)
		return;
	q->nleaves = q->nleaves ? 2 * q->nleaves : 1;
	free(q->winner);
	q->winner = ht_alloc(2 * (size_t)q->nleaves, sizeof(*q->winner));
	for (uint32_t g = 0; g < q->ngroups; g++)
		play_again(q, g);
}

static void put_back(struct place_queue *q, const struct place_queue_front *f)
{
	struct minmaxheap *h = &q->groups[f->group];

	minmaxheap_put(h, f->item.score, f->item.number, f->item.task);
	if (minmaxheap_highest(h)->number == f->item.number)
		play_again(q, f->group);
}

/* The highest of all groups, of which one has a task. */
static uint32_t take_best(struct place_queue *q)
{
	uint32_t group = best_group(q) - 1, task = minmaxheap_take_highest(&q->groups[group]);

	play_again(q, group);
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
	return best_group(q) ? highest_of(q, best_group(q)) : NULL;
}

double place_queue_lowest_score(const struct place_queue *q)
{
	double lowest = q->nfront ? q->front[q->nfront - 1].item.score : INFINITY;

	for (uint32_t g = 0; g < q->ngroups; g++)
		if (q->groups[g].count)
			lowest = fmin(lowest, minmaxheap_lowest(&q->groups[g])->score);
	return lowest;
}

const struct minmaxheap_item *place_queue_next(const struct place_queue *q)
{
	if (!best_group(q) || q->nfront == PLACE_QUEUE_FRONT)
		return NULL;
	return highest_of(q, best_group(q));
}

void place_queue_advance(struct place_queue *q, int64_t cost_ns)
{
	uint32_t best = best_group(q);

	q->front[q->nfront++] = (struct place_queue_front){*highest_of(q, best), best - 1, cost_ns};
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

uint32_t place_queue_take_least(struct place_queue *q, uint64_t (*lacks)(void *ctx, uint32_t task), void *ctx)
{
	struct place_queue_front seen[PLACE_QUEUE_FRONT];
	uint64_t least = UINT64_MAX;
	int n = 0, taken = 0;

	if (q->nfront)
		return place_queue_take_highest(q);
	while (least && best_group(q) && n < PLACE_QUEUE_FRONT) {
		uint64_t lacking;

		seen[n].group = best_group(q) - 1;
		seen[n].item = *highest_of(q, best_group(q));
		lacking = lacks(ctx, seen[n].item.task);
		take_best(q);
		if (lacking < least) {
			least = lacking;
			taken = n;
		}
		n++;
	}
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
	if (!q->groups[group].count)
		play_again(q, group);
	return task;
}

void place_queue_taken(struct place_queue *q, int64_t cost_ns)
{
	q->waiting_ns -= cost_ns;
}
