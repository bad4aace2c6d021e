/* sched/placement/place_queue.h - the ready tasks of a place, by rank. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_PLACE_QUEUE_H
#define SCHED_PLACEMENT_PLACE_QUEUE_H

#include "sched/queue/minmaxheap.h"

enum { PLACE_QUEUE_FRONT = 16 };

/*
 * A heap for each group of tasks, and in front of all of them the first few tasks, whose data has been asked for: those
 * are for the workers of the place alone. The highest task is front[0], or, where there is no front, that of a heap.
 * All zeros is an empty queue.
 */
struct place_queue {
	struct minmaxheap *groups;
	uint32_t ngroups;
	/*
	 * A tournament of the groups, by their highest tasks: 1 + the group that wins among those below a node, 0 where
	 * they are empty. Leaf g is at nleaves + g, the root, which is the best of all, at 1.
	 */
	uint32_t *winner, nleaves;
	struct place_queue_front {
		struct minmaxheap_item item;
		uint32_t group;
		int64_t cost_ns;
	} front[PLACE_QUEUE_FRONT]; /* the highest first */
	int nfront;
	int64_t front_ns;   /* sum of costs in front, */
	uint32_t count;     /* and of all: tasks, */
	int64_t waiting_ns; /* and their costs here */
};

void place_queue_fini(struct place_queue *q);

/* Another group, the last. */
void place_queue_add_group(struct place_queue *q);

/* `number` grows from put to put. 1: the task comes before one of the front, and is there now. */
int place_queue_put(struct place_queue *q, uint32_t group, struct minmaxheap_item item, int64_t cost_ns);

/* NULL: it has none. */
const struct minmaxheap_item *place_queue_highest(const struct place_queue *q);

/* The lowest score; of a queue that is not empty. Linear in the groups. */
double place_queue_lowest_score(const struct place_queue *q);

/* The highest that is not in front. NULL: there is none, or the front is full. */
const struct minmaxheap_item *place_queue_next(const struct place_queue *q);

/* That task goes to the end of the front. */
void place_queue_advance(struct place_queue *q, int64_t cost_ns);

/* Of a queue that is not empty, the highest; of a group that is not empty, the lowest. Returns the task. */
uint32_t place_queue_take_highest(struct place_queue *q);
uint32_t place_queue_take_lowest(struct place_queue *q, uint32_t group);

/*
 * Of the first PLACE_QUEUE_FRONT tasks the one that lacks least, among equals the highest; the highest of all where
 * there is a front. Returns the task. lacks() is asked from the highest on, until it says 0.
 */
uint32_t place_queue_take_least(struct place_queue *q, uint64_t (*lacks)(void *ctx, uint32_t task), void *ctx);

/* A task that was taken was put with that cost. */
void place_queue_taken(struct place_queue *q, int64_t cost_ns);

#endif
