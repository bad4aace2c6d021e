/* sched/queue/priority_sums.h - how much there is of each priority and of higher ones, in queues. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_PRIORITY_SUMS_H
#define SCHED_QUEUE_PRIORITY_SUMS_H

#include <stdint.h>

struct dag;

/*
 * Binary indexed trees (Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and
 * Experience 24(3), 1994), one for each queue, over the priorities that tasks of a graph have, the highest first.
 */
struct priority_sums {
	int32_t *priorities; /* each once, the highest first */
	uint32_t n;
	struct priority_sum {
		int64_t ns;
		int64_t tasks;
	} * sums; /* [queue * (n + 1) + node] */
};

void priority_sums_init(struct priority_sums *s, const struct dag *d, int nqueues);
void priority_sums_fini(struct priority_sums *s);

/* A task of that priority, which one of the graph has, comes into the queue, tasks 1, or leaves it, -1, ns < 0. */
void priority_sums_add(struct priority_sums *s, int queue, int32_t priority, struct priority_sum x);

/* Of the tasks in the queue that have this priority or a higher one. Both in logarithmic time. */
struct priority_sum priority_sums_from(const struct priority_sums *s, int queue, int32_t priority);

#endif
