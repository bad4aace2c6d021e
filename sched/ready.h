/* sched/ready.h - of tasks that are as urgent, the one whose data is nearest. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_READY_H
#define SCHED_READY_H

#include <stdint.h>

struct policy_missing;
struct policy_world;
struct taskq;
struct taskq_links;

/*
 * StarPU's "ready" order (1.4.10, fifo_queues.c and prio_deque.c): of the first priority of a queue that is sorted the
 * task that lacks least at the worker's node, the first such; where the world does not say, the first. The queue has a
 * task.
 */
uint32_t ready_first(const struct policy_world *world, const struct taskq_links *l, const struct taskq *q, int worker);

/* Bytes without a valid copy first, then those not on their way, then those without memory. */
int ready_lacks_less(const struct policy_missing *a, const struct policy_missing *b);

#endif
