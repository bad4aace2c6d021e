/* replay/sim/running.h - the running tasks of a simulation, the first to end on top. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_RUNNING_H
#define REPLAY_SIM_RUNNING_H

#include <stdint.h>

struct running {
	int64_t end_ns;
	uint32_t task;
	int32_t worker;
};

/* A binary heap: by end, then by worker. `items` has room for as many as are put, and is the caller's. */
struct running_heap {
	struct running *items;
	int count;
};

static inline int running_before(const struct running *a, const struct running *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->worker < b->worker;
}

static inline void running_put(struct running_heap *h, struct running r)
{
	int i = h->count++;

	for (; i && running_before(&r, &h->items[(i - 1) / 2]); i = (i - 1) / 2)
		h->items[i] = h->items[(i - 1) / 2];
	h->items[i] = r;
}

static inline struct running running_take(struct running_heap *h)
{
	struct running top = h->items[0], last = h->items[--h->count];
	int i = 0, child;

	for (; (child = 2 * i + 1) < h->count; i = child) {
		if (child + 1 < h->count && running_before(&h->items[child + 1], &h->items[child]))
			child++;
		if (!running_before(&h->items[child], &last))
			break;
		h->items[i] = h->items[child];
	}
	h->items[i] = last;
	return top;
}

#endif
