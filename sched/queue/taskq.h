/* sched/queue/taskq.h - queues of ready tasks: first in, first out, or sorted by priority. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_TASKQ_H
#define SCHED_QUEUE_TASKQ_H

#include <stddef.h>
#include <stdint.h>

struct dag;

/* A task is in one queue at most, so the links of all queues of a policy are two arrays. */
struct taskq_links {
	const struct dag *dag;
	uint32_t *next, *prev; /* per task; POLICY_NO_TASK: none */
};

enum { TASKQ_BLOCK = 128 };

/* The tasks of one priority in a sorted queue. */
struct taskq_level {
	int32_t priority;
	uint32_t last;
};

/* Some of the levels that follow each other, at least one. */
struct taskq_block {
	uint32_t n;
	struct taskq_level levels[TASKQ_BLOCK];
};

struct taskq {
	uint32_t head, tail; /* POLICY_NO_TASK: empty */
	uint32_t count;
	struct taskq_block **blocks; /* highest first; none where the queue is not sorted */
	size_t nblocks, cap_blocks;
	struct taskq_block *spare; /* one that has become empty; NULL: none has */
};

/* `d` has to stay. */
void taskq_links_init(struct taskq_links *l, const struct dag *d);
void taskq_links_fini(struct taskq_links *l);

void taskq_init(struct taskq *q);
void taskq_fini(struct taskq *q);

/* A queue is filled by taskq_append(), or it is sorted by the application's priority and filled by taskq_insert(). */
void taskq_append(struct taskq_links *l, struct taskq *q, uint32_t task);

/*
 * Puts the task after those of its own priority and of higher ones. A binary search among the priorities in the queue,
 * and a move of TASKQ_BLOCK of them at most; for as many new ones a move of one pointer a block.
 */
void taskq_insert(struct taskq_links *l, struct taskq *q, uint32_t task);

void taskq_remove(struct taskq_links *l, struct taskq *q, uint32_t task);

/* In a sorted queue, the last of the tasks with the priority of one that is in it. */
uint32_t taskq_last_alike(const struct taskq_links *l, const struct taskq *q, uint32_t task);

#endif
