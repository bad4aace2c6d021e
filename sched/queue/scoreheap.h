/* sched/queue/scoreheap.h - tasks with a score, the one with the highest on top. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_SCOREHEAP_H
#define SCHED_QUEUE_SCOREHEAP_H

#include <stddef.h>
#include <stdint.h>

/* Among equal scores the one that was put first. All zeros is an empty heap. */
struct scoreheap {
	struct scoreheap_item {
		double score;
		uint64_t number; /* the how-manieth put */
		uint32_t task;
	} * items;
	size_t count, cap;
	uint64_t put;
};

/* scoreheap_put() and scoreheap_take() take logarithmic time; the score is no NAN. */
void scoreheap_put(struct scoreheap *h, double score, uint32_t task);
uint32_t scoreheap_take(struct scoreheap *h);                        /* of a heap that is not empty */
void scoreheap_return(struct scoreheap *h, struct scoreheap_item x); /* what was items[0] and was taken, to its place */
void scoreheap_fini(struct scoreheap *h);

#endif
