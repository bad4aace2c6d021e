/* sched/dynamic/dm.h - dmda's choice of workers, for policies that choose among a worker's tasks in their own way. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_DYNAMIC_DM_H
#define SCHED_DYNAMIC_DM_H

#include <stdint.h>

struct policy_world;

/*
 * A state of policy_dmda with these factors, for a policy that calls policy_dmda's started(), done() and free() with it
 * and the functions below in place of its push() and pop(). Unlike StarPU's dmda it knows what tasks without a model
 * take: the scheduler library has that from a config. What `w` points to has to stay.
 */
void *dm_open(const struct policy_world *w, double alpha, double beta);

/* Chooses a worker for a task that became ready and queues it there: the worker, which the caller has to wake. */
int dm_give(void *dm, uint32_t task);

/* The task of those queued for the worker that was given first, which stays; POLICY_NO_TASK: there is none. */
uint32_t dm_first(void *dm, int worker);

/* The worker takes this task, which is in its queue, from any place of it. */
void dm_take(void *dm, uint32_t task, int worker);

#endif
