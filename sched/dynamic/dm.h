/* sched/dynamic/dm.h - dmda's choice of workers, for policies that choose among a worker's tasks in their own way. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_DYNAMIC_DM_H
#define SCHED_DYNAMIC_DM_H

#include <stdint.h>

/*
 * `dm` is a state that policy_dmda.create() made; its started() and done() are to be called too. dm_give() is its
 * push() but that it tells the worker instead of waking it. A pop() is dm_first(), the first task that was given to the
 * worker, POLICY_NO_TASK where there is none, and dm_take(): the worker takes that one, or another one.
 */
int dm_give(void *dm, uint32_t task);
uint32_t dm_first(void *dm, int worker);
void dm_take(void *dm, uint32_t task, int worker);

#endif
