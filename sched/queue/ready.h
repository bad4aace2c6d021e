/* sched/queue/ready.h - ready tasks by priority; among equals the one whose data is nearest first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_READY_H
#define SCHED_QUEUE_READY_H

#include <stdint.h>

struct policy_missing;
struct policy_world;

/*
 * StarPU's "ready" order (1.4.10, fifo_queues.c and prio_deque.c): of the highest priority of a queue the task that
 * lacks least at the node of the queue's worker (ready_lacks_less()), the first such. StarPU looks at all tasks of that
 * priority whenever a worker asks; here what a task lacks is kept, and found anew where ready_moved() says that it may
 * be something else, so taking a task is logarithmic in the length of the queue.
 *
 * A task is in one queue at most. `world` is asked for what tasks lack; where it does not say, they lack nothing.
 */
struct ready;

/* `world` and `priority` (per task; NULL: the application's) have to stay, and so has that of a queued task. */
struct ready *ready_create(const struct policy_world *world, const int32_t *priority);
void ready_free(struct ready *r);

/* A new queue, for `worker`: its number, from 0. */
int ready_queue(struct ready *r, int worker);

uint32_t ready_waiting(const struct ready *r, int queue);

/* The task will be put soon: what that needs, which of a large graph is in no cache, is on its way. */
void ready_expect(const struct ready *r, uint32_t task);

/* Puts the task after, or in front of, those of its priority that lack as much. */
void ready_put(struct ready *r, int queue, uint32_t task);
void ready_put_front(struct ready *r, int queue, uint32_t task);

/* POLICY_NO_TASK: the queue is empty. */
uint32_t ready_take(struct ready *r, int queue);

/* What the nodes (a bit each) have of a handle has changed: policy.moved(). */
void ready_moved(struct ready *r, uint32_t handle, uint64_t nodes);

/* Bytes without a valid copy first, then those not on their way, then those without memory. */
int ready_lacks_less(const struct policy_missing *a, const struct policy_missing *b);

#endif
