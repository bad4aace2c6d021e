/* sched/queue/minmaxheap.c - tasks with a score, of which both the highest and the lowest can be taken. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A binary tree in an array. An item on an even level (the root's is 0) comes before all items below it, one on an odd
 * level after all items below it: the highest item is the root, and the lowest is one of the root's children.
 */
#include "sched/queue/minmaxheap.h"

#include <stdlib.h>

#include "core/base/alloc.h"

/* The items of even levels are in the order of before(), those of odd levels in the opposite one. */
static int is_even_level(size_t i)
{
	return (63 - __builtin_clzll((unsigned long long)i + 1)) % 2 == 0;
}

static int in_order(int even, const struct minmaxheap_item *a, const struct minmaxheap_item *b)
{
	return even ? minmaxheap_before(a, b) : minmaxheap_before(b, a);
}

static void swap(struct minmaxheap *h, size_t a, size_t b)
{
	struct minmaxheap_item x = h->items[a];

	h->items[a] = h->items[b];
	h->items[b] = x;
}

static void rise(struct minmaxheap *h, size_t i)
{
	int even = is_even_level(i);

	if (i && in_order(!even, &h->items[i], &h->items[(i - 1) / 2])) {
		swap(h, i, (i - 1) / 2);
		i = (i - 1) / 2;
		even = !even;
	}
	while (i > 2 && in_order(even, &h->items[i], &h->items[(i - 3) / 4])) {
		swap(h, i, (i - 3) / 4);
		i = (i - 3) / 4;
	}
}

/* Of the children and grandchildren of i the one that i's level wants first; i itself: it has none. */
static size_t first_below(const struct minmaxheap *h, size_t i, int even)
{
	size_t best = 2 * i + 1, last = 2 * i + 2;

	if (best >= h->count)
		return i;
	if (last < h->count && in_order(even, &h->items[last], &h->items[best]))
		best = last;
	for (size_t k = 4 * i + 3; k < h->count && k < 4 * i + 7; k++)
		if (in_order(even, &h->items[k], &h->items[best]))
			best = k;
	return best;
}

static void sink(struct minmaxheap *h, size_t i)
{
	int even = is_even_level(i);

	for (;;) {
		size_t to = first_below(h, i, even);

		if (to == i || !in_order(even, &h->items[to], &h->items[i]))
			return;
		swap(h, to, i);
		if (to < 4 * i + 3)
			return;
		if (in_order(even, &h->items[(to - 1) / 2], &h->items[to]))
			swap(h, to, (to - 1) / 2);
		i = to;
	}
}

void minmaxheap_put(struct minmaxheap *h, double score, uint64_t number, uint32_t task)
{
	*VEC_PUSH(h->items, h->count, h->cap) = (struct minmaxheap_item){score, number, task};
	rise(h, h->count - 1);
}

static size_t lowest_at(const struct minmaxheap *h)
{
	if (h->count < 3)
		return h->count - 1;
	return minmaxheap_before(&h->items[1], &h->items[2]) ? 2 : 1;
}

const struct minmaxheap_item *minmaxheap_highest(const struct minmaxheap *h)
{
	return &h->items[0];
}

const struct minmaxheap_item *minmaxheap_lowest(const struct minmaxheap *h)
{
	return &h->items[lowest_at(h)];
}

static uint32_t take(struct minmaxheap *h, size_t i)
{
	uint32_t task = h->items[i].task;

	h->items[i] = h->items[--h->count];
	if (i < h->count)
		sink(h, i);
	return task;
}

uint32_t minmaxheap_take_highest(struct minmaxheap *h)
{
	return take(h, 0);
}

uint32_t minmaxheap_take_lowest(struct minmaxheap *h)
{
	return take(h, lowest_at(h));
}

void minmaxheap_fini(struct minmaxheap *h)
{
	free(h->items);
}
