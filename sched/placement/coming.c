/* sched/placement/coming.c - copies for tasks that have not begun, which later ones wait for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/coming.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "sched/placement/placement_state.h"

void coming_fini(struct coming *c)
{
	free(c->ns);
	free(c->of);
}

void coming_add(struct placement *s, uint32_t task, int place)
{
	struct coming *c = &s->coming;
	int64_t ns = (int64_t)task_copies_ns(&s->copies, task, place);

	coming_remove(s, task);
	if (!ns)
		return;
	if (!c->ns)
		c->ns = ht_alloc((size_t)s->base->places.n, sizeof(*c->ns));
	VEC_FIT(c->of, c->cap_of, task);
	c->of[task] = (struct coming_task){ns, place};
	c->ns[place] += ns;
}

int coming_remove(struct placement *s, uint32_t task)
{
	struct coming *c = &s->coming;

	if (task >= c->cap_of || !c->of[task].ns)
		return 0;
	c->ns[c->of[task].place] -= c->of[task].ns;
	c->of[task].ns = 0;
	s->changes++;
	return 1;
}

double coming_delay_ns(const struct placement *s, uint32_t task, int place)
{
	double delay = task_copies_delay_ns(&s->copies, task, place);

	if (delay <= 0 || !s->coming.ns)
		return delay;
	return delay + fmax((double)s->coming.ns[place] - placement_backlog(s, place), 0);
}
