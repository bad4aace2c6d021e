/* sched/placement/coming.h - copies for tasks that have not begun, which later ones wait for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_COMING_H
#define SCHED_PLACEMENT_COMING_H

#include <stddef.h>
#include <stdint.h>

struct placement;

/* All zeros: none. */
struct coming {
	int64_t *ns; /* per place, the sum over its tasks; NULL: none had any */
	struct coming_task {
		int64_t ns;
		int place;
	} * of; /* per task */
	size_t cap_of;
};

void coming_fini(struct coming *c);

/* The task goes to the place, no matter where it was before. */
void coming_add(struct placement *s, uint32_t task, int place);

/* It begins, or it is not known where it goes. 1: it had copies. */
int coming_remove(struct placement *s, uint32_t task);

/*
 * How much later the task ends at the place because of data that it lacks there, ns; 0 unless its copies are long
 * (task_copies.h). Copies of the tasks that went there before come first, while what waits there is executed.
 */
double coming_delay_ns(const struct placement *s, uint32_t task, int place);

#endif
