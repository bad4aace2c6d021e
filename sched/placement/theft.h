/* sched/placement/theft.h - what a worker whose queue is empty takes from those of other places. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_THEFT_H
#define SCHED_PLACEMENT_THEFT_H

struct minmaxheap;
struct placement;

/* The group whose lowest task a worker of the place `thief` steals from a queue that is not empty; NULL: none. */
struct minmaxheap *theft_group(const struct placement *s, int thief, int from);

/* The place after `last` in the order of falling backlogs, the first of equals; PLACES_NONE: no other has a task. */
int theft_next_victim(const struct placement *s, int thief, int last);

#endif
