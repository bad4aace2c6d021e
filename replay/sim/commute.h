/* replay/sim/commute.h - tasks that write the same data in any order, but one at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_COMMUTE_H
#define REPLAY_SIM_COMMUTE_H

#include <stdint.h>

struct dag;

/*
 * Tasks that access a datum with ACCESS_COMMUTE have no dependencies between them. StarPU 1.4.10 (data_concurrency.c)
 * acquires such data before it pushes a task: when the predecessors of the task have ended it acquires the data one by
 * one, in one order for all tasks, and waits at the first datum that another task holds, by the priority that it was
 * submitted with and then by age.
 * The task holds its data until its end. (StarPU's order is that of the addresses of handles, here it is that of their
 * registration; data with an arbiter is treated alike.)
 */
struct commute;

enum { COMMUTE_NONE = UINT32_MAX };

/*
 * NULL: no task of the graph has such accesses. With `turns`, one number per task, each datum is acquired in the order
 * of these numbers, whatever is ready first: where they are the places of tasks in a run, no task waits for ever. NULL:
 * as above. `d` has to stay, `turns` does not. commute_free() accepts NULL, the others do not.
 */
struct commute *commute_create(const struct dag *d, const uint32_t *turns);
void commute_free(struct commute *c);

/* The task's predecessors have ended. Returns 1 if it acquires all its data; else commute_release() gives it later. */
int commute_acquire(struct commute *c, uint32_t task, int32_t priority);

/*
 * The task has ended and releases its data. Returns the first of the tasks that now have all of theirs, in the order of
 * the data, or COMMUTE_NONE; commute_next() returns the next of them.
 */
uint32_t commute_release(struct commute *c, uint32_t task);
uint32_t commute_next(const struct commute *c, uint32_t task);

#endif
