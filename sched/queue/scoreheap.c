/* sched/queue/scoreheap.c - tasks with a score, the one with the highest on top. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/scoreheap.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"

static int is_before(const struct scoreheap_item *a, const struct scoreheap_item *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
}

HEAP(item, struct scoreheap_item, is_before, HEAP_NO_PLACES)

void scoreheap_put(struct scoreheap *h, double score, uint32_t task)
{
	scoreheap_return(h, (struct scoreheap_item){.score = score, .number = h->put++, .task = task});
}

void scoreheap_put_front(struct scoreheap *h, double score, uint32_t task)
{
	scoreheap_return(h, (struct scoreheap_item){.score = score, .number = --h->put_front, .task = task});
}

void scoreheap_return(struct scoreheap *h, struct scoreheap_item x)
{
	VEC_PUSH(h->items, h->count, h->cap);
	item_up(h->items, h->count - 1, &x, NULL);
}

uint32_t scoreheap_take(struct scoreheap *h)
{
	uint32_t top = h->items[0].task;

	item_drop(h->items, --h->count, NULL);
	return top;
}

void scoreheap_filter(struct scoreheap *h, int (*keep)(const void *arg, const struct scoreheap_item *x),
                      const void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++)
		if (keep(arg, &h->items[i]))
			h->items[n++] = h->items[i];
	h->count = n;
	item_make(h->items, n, NULL);
}

void scoreheap_fini(struct scoreheap *h)
{
	free(h->items);
}
