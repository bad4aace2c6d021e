/* sched/queue/scoreheap.h - tasks with a score, the one with the highest on top. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_SCOREHEAP_H
#define SCHED_QUEUE_SCOREHEAP_H

#include <stddef.h>
#include <stdint.h>

/* A heap that is all zeros is empty. items[0] is what scoreheap_take() gives next. */
struct scoreheap {
	struct scoreheap_item {
		double score;
		int64_t number; /* of its put: equal scores are taken in this order */
		uint32_t task;
	} * items;
	size_t count, cap;
	int64_t put, put_front;
};

/* Puts a task after, or in front of, those with its score, which is no NAN. Logarithmic time, as the next two. */
void scoreheap_put(struct scoreheap *h, double score, uint32_t task);
void scoreheap_put_front(struct scoreheap *h, double score, uint32_t task);

/* Removes the task with the highest score, of equal ones the first, from a heap that is not empty. */
uint32_t scoreheap_take(struct scoreheap *h);

/* Puts back what was items[0] when it was taken, with the number that it had. */
void scoreheap_return(struct scoreheap *h, struct scoreheap_item x);

/* Removes all items of which keep() returns 0, in linear time. */
void scoreheap_filter(struct scoreheap *h, int (*keep)(const void *arg, const struct scoreheap_item *x),
                      const void *arg);

void scoreheap_fini(struct scoreheap *h);

#endif
