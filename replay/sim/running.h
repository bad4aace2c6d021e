/* replay/sim/running.h - the running tasks of a simulation, the first to end on top. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_RUNNING_H
#define REPLAY_SIM_RUNNING_H

#include <stdint.h>

#include "core/base/heap.h"

struct running {
	int64_t end_ns;
	uint32_t task;
	int32_t worker;
};

/* The tasks in a heap (core/base/heap.h). `items` is the caller's and has room for as many as are put. */
struct running_heap {
	struct running *items;
	int count;
};

/* By end, then by worker. */
static inline int running_before(const struct running *a, const struct running *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->worker < b->worker;
}

HEAP(running, struct running, running_before, HEAP_NO_PLACES)

static inline void running_put(struct running_heap *h, struct running r)
{
	running_up(h->items, (size_t)h->count++, &r, NULL);
}

/* The first task to end, of a heap that is not empty. */
static inline struct running running_take(struct running_heap *h)
{
	struct running top = h->items[0];

	running_drop(h->items, (size_t)--h->count, NULL);
	return top;
}

#endif
