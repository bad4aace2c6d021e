/* sched/queue/scoreheap.c - tasks with a score, the one with the highest on top. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/scoreheap.h"

#include <stdlib.h>

#include "core/base/alloc.h"

static int is_before(const struct scoreheap_item *a, const struct scoreheap_item *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
}

void scoreheap_put(struct scoreheap *h, double score, uint32_t task)
{
	scoreheap_return(h, (struct scoreheap_item){.score = score, .number = h->put++, .task = task});
}

void scoreheap_return(struct scoreheap *h, struct scoreheap_item x)
{
	size_t i = h->count;

	VEC_PUSH(h->items, h->count, h->cap);
	for (; i && is_before(&x, &h->items[(i - 1) / 2]); i = (i - 1) / 2)
		h->items[i] = h->items[(i - 1) / 2];
	h->items[i] = x;
}

uint32_t scoreheap_take(struct scoreheap *h)
{
	uint32_t top = h->items[0].task;
	struct scoreheap_item last = h->items[--h->count];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < h->count; i = child) {
		if (child + 1 < h->count && is_before(&h->items[child + 1], &h->items[child]))
			child++;
		if (!is_before(&h->items[child], &last))
			break;
		h->items[i] = h->items[child];
	}
	h->items[i] = last;
	return top;
}

void scoreheap_fini(struct scoreheap *h)
{
	free(h->items);
}
