/* sched/placement/destination.h - whose queue a task goes to: that of the owner of what it writes, or the CPUs'. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_DESTINATION_H
#define SCHED_PLACEMENT_DESTINATION_H

#include <stdint.h>

struct placement;

/*
 * The place of a task, with what waits in queues now or, with waits = 0, as if nothing did. Where the graph grows, data
 * without an owner that the task is placed by gets one.
 */
int destination_of(struct placement *s, uint32_t task, int waits);

#endif
