/* sched/placement/work_left.c - whether what is left is bound by its longest path or by its work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/work_left.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "sched/placement/placement_state.h"

void work_left_fini(struct work_left *l)
{
	free(l->of);
}

/* How long the devices that can run the task would take if each did a share of it; 0: none can. */
static int64_t shared_ns(const struct placement *s, uint32_t task)
{
	double speed = 0;

	for (int i = 0; i < s->base->ndevices; i++) {
		int64_t cost = placement_cost(s, task, s->base->device[i]);

		if (cost == 0)
			return 0;
		speed += cost > 0 ? 1 / (double)cost : 0;
	}
	return speed > 0 ? (int64_t)(1 / speed) : 0;
}

void work_left_add(struct placement *s, uint32_t task)
{
	struct work_left *l = &s->left;

	VEC_FIT(l->of, l->cap_of, task);
	l->of[task] = shared_ns(s, task);
	l->ns += l->of[task];
}

void work_left_remove(struct placement *s, uint32_t task)
{
	struct work_left *l = &s->left;

	if (task >= l->cap_of)
		return;
	l->ns -= l->of[task];
	l->of[task] = 0;
}

int work_left_is_narrow(const struct placement *s, double highest)
{
	return highest >= (double)s->left.ns;
}
