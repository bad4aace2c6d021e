/* sched/queue/scoretree.c - tasks with a score in classes, and the best of some neighbouring classes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/scoretree.h"

#include <stdlib.h>

#include "core/base/alloc.h"

void scoretree_init(struct scoretree *t, uint32_t nclasses)
{
	*t = (struct scoretree){.nclasses = nclasses, .nleaves = 1};
	while (t->nleaves < nclasses)
		t->nleaves *= 2;
	t->heaps = ht_alloc(nclasses, sizeof(*t->heaps));
	t->best = ht_alloc((size_t)2 * t->nleaves, sizeof(*t->best));
	for (uint32_t i = 0; i < 2 * t->nleaves; i++)
		t->best[i] = SCORETREE_NONE;
}

void scoretree_fini(struct scoretree *t)
{
	for (uint32_t i = 0; i < t->nclasses; i++)
		scoreheap_fini(&t->heaps[i]);
	free(t->heaps);
	free(t->best);
}

uint32_t scoretree_better(const struct scoretree *t, uint32_t a, uint32_t b)
{
	const struct scoreheap_item *x, *y;

	if (a == SCORETREE_NONE || b == SCORETREE_NONE)
		return a == SCORETREE_NONE ? b : a;
	x = t->heaps[a].items;
	y = t->heaps[b].items;
	if (x->score != y->score)
		return x->score > y->score ? a : b;
	return x->number < y->number ? a : b;
}

static void update(struct scoretree *t, uint32_t class_id)
{
	uint32_t i = t->nleaves + class_id;

	t->best[i] = t->heaps[class_id].count ? class_id : SCORETREE_NONE;
	for (i /= 2; i; i /= 2)
		t->best[i] = scoretree_better(t, t->best[2 * i], t->best[2 * i + 1]);
}

void scoretree_put(struct scoretree *t, uint32_t class_id, double score, int64_t number, uint32_t task)
{
	t->heaps[class_id].put = number;
	scoreheap_put(&t->heaps[class_id], score, task);
	update(t, class_id);
}

uint32_t scoretree_best(const struct scoretree *t, uint32_t first, uint32_t end)
{
	uint32_t best = SCORETREE_NONE;

	for (uint32_t lo = first + t->nleaves, hi = end + t->nleaves; lo < hi; lo /= 2, hi /= 2) {
		if (lo & 1)
			best = scoretree_better(t, best, t->best[lo++]);
		if (hi & 1)
			best = scoretree_better(t, best, t->best[--hi]);
	}
	return best;
}

void scoretree_filter(struct scoretree *t, uint32_t class_id,
                      int (*keep)(const void *arg, const struct scoreheap_item *x), const void *arg)
{
	scoreheap_filter(&t->heaps[class_id], keep, arg);
	update(t, class_id);
}

uint32_t scoretree_take(struct scoretree *t, uint32_t class_id)
{
	uint32_t task = scoreheap_take(&t->heaps[class_id]);

	update(t, class_id);
	return task;
}
