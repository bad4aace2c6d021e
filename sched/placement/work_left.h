/* sched/placement/work_left.h - whether what is left is bound by its longest path or by its work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_WORK_LEFT_H
#define SCHED_PLACEMENT_WORK_LEFT_H

#include <stddef.h>
#include <stdint.h>

struct placement;

/* Of the tasks that are submitted and not done. All zeros: there are none. */
struct work_left {
	int64_t ns;  /* all of it, with the devices sharing each task */
	int64_t *of; /* per task */
	size_t cap_of;
};

void work_left_fini(struct work_left *l);

/* A task of a class that is known is submitted. */
void work_left_add(struct placement *s, uint32_t task);

/* It is done. */
void work_left_remove(struct placement *s, uint32_t task);

/*
 * Whether the devices could do all that is left before the longest path through it ends, which begins with a task of
 * upward rank `highest`, ns: then how long they take does not depend on how busy they are, but on what comes first.
 */
int work_left_is_narrow(const struct placement *s, double highest);

#endif
