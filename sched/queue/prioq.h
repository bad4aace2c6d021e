/* sched/queue/prioq.h - queues by priority with two ends: of those that are equal, the first or the last. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_PRIOQ_H
#define SCHED_QUEUE_PRIOQ_H

#include <stdint.h>

/*
 * StarPU's starpu_task_prio_list, for queues that can become long: putting a task in is constant time, taking the first
 * one is logarithmic (a pairing heap). Where all of one priority have to be looked at, see taskq.h.
 *
 * A task is in one queue at most, so what all queues of a policy need are three arrays, indexed by task.
 */
struct prioq_links {
	const int32_t *priority; /* the caller's; that of a queued task stays */
	int64_t *place;          /* among those of its priority, smallest first */
	uint32_t *child, *next;  /* POLICY_NO_TASK: none */
};

struct prioq {
	uint32_t top; /* POLICY_NO_TASK: empty */
	uint32_t count;
	int64_t front, back; /* the places that were given at the ends */
};

/* `priority` has to stay. */
void prioq_links_init(struct prioq_links *l, uint32_t ntasks, const int32_t *priority);
void prioq_links_fini(struct prioq_links *l);

void prioq_init(struct prioq *q);

/* Puts the task after, or in front of, all of its priority. */
void prioq_push_back(struct prioq_links *l, struct prioq *q, uint32_t task);
void prioq_push_front(struct prioq_links *l, struct prioq *q, uint32_t task);

/* The first task of the highest priority; POLICY_NO_TASK: there is none. */
uint32_t prioq_pop(struct prioq_links *l, struct prioq *q);

#endif
