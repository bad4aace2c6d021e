/* replay/sim/commute.h - tasks that write the same data in any order, but one at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_COMMUTE_H
#define REPLAY_SIM_COMMUTE_H

#include <stdint.h>

struct dag;

/*
 * Tasks that access a datum with ACCESS_COMMUTE have no dependencies between them. StarPU 1.4.10 (data_concurrency.c)
 * lets a task have its data before it pushes it: when its predecessors have ended it acquires them one by one, in one
 * order for all tasks, and waits at the first that another one has, by priority and then by age. It has them until its
 * end. (StarPU's order is that of its handles' addresses, here that of registration; data with an arbiter is treated
 * alike.)
 */
struct commute;

enum { COMMUTE_NONE = UINT32_MAX };

/* NULL: no task of the graph does. `d` has to stay. commute_free() accepts NULL, the others do not. */
struct commute *commute_create(const struct dag *d);
void commute_free(struct commute *c);

/* All that the task depends on has ended: whether it has its data, too. If not, it will be released by another one. */
int commute_acquire(struct commute *c, uint32_t task, int32_t priority);

/*
 * The task has ended: the first of those that have their data by that, in the order of its data, or COMMUTE_NONE;
 * commute_next() is the next one of them.
 */
uint32_t commute_release(struct commute *c, uint32_t task);
uint32_t commute_next(const struct commute *c, uint32_t task);

#endif
