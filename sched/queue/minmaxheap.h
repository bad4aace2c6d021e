/* sched/queue/minmaxheap.h - tasks with a score, of which both the highest and the lowest can be taken. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_MINMAXHEAP_H
#define SCHED_QUEUE_MINMAXHEAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Atkinson, Sack, Santoro, Strothotte, "Min-max heaps and generalized priority queues", CACM 29(10), 1986. Among equal
 * scores the task that was put first is the highest one. All zeros is an empty heap.
 */
struct minmaxheap {
	struct minmaxheap_item {
		double score;
		uint64_t number; /* of the put */
		uint32_t task;
	} * items;
	size_t count, cap;
};

/* Logarithmic time; the score is no NAN, and `number` grows from put to put. */
void minmaxheap_put(struct minmaxheap *h, double score, uint64_t number, uint32_t task);

/* Of a heap that is not empty, in constant time. */
const struct minmaxheap_item *minmaxheap_highest(const struct minmaxheap *h);
const struct minmaxheap_item *minmaxheap_lowest(const struct minmaxheap *h);

/* Of a heap that is not empty, in logarithmic time; returns the task. */
uint32_t minmaxheap_take_highest(struct minmaxheap *h);
uint32_t minmaxheap_take_lowest(struct minmaxheap *h);

/* Whether `a` comes before `b`: the higher score, then the earlier put. */
static inline int minmaxheap_before(const struct minmaxheap_item *a, const struct minmaxheap_item *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
}

void minmaxheap_fini(struct minmaxheap *h);

#endif
