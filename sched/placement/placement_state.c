/* sched/placement/placement_state.c - classes of tasks that the policy placement learns of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/placement_state.h"

/* Each queue has a heap for each group. */
void placement_add_class(struct placement *s, uint32_t class_id)
{
	uint32_t n = s->groups.n;

	class_groups_find(&s->groups, &s->base->places, class_id);
	for (int i = 0; n < s->groups.n && i < s->base->places.n; i++)
		place_queue_add_group(&s->queues[i]);
	s->changes++;
}

/* Where the graph grows: what a task of the class takes now. */
void placement_look_at_class(struct placement *s, uint32_t task)
{
	uint32_t c = s->world.dag->tasks[task].class_id;
	int is_other = places_find_costs(&s->own_base.places, s->world.dag, s->world.machine, c);

	if (is_other || !class_groups_has(&s->groups, c))
		placement_add_class(s, c);
}
