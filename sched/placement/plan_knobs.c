/* sched/placement/plan_knobs.c - the knobs that a task has by the plan of its graph, where the graph grows. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/plan_knobs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

struct of_plan {
	const char *options;
	struct placement_knobs knobs;
};

void plan_knobs_fini(struct plan_knobs *p)
{
	free(p->plans);
	free(p->of);
}

int plan_knobs_added(struct plan_knobs *p, uint32_t task, const char *options)
{
	int is_found = options && options != p->last;
	size_t i = 0;

	if (!options && p->last)
		memset(p->of, 0, p->cap_of);
	p->last = options;
	if (!options && task >= p->cap_of)
		return 0;
	while (options && i < p->nplans && p->plans[i].options != options)
		i++;
	if (options && i == p->nplans && i < UCHAR_MAX) {
		struct of_plan *x = VEC_PUSH(p->plans, p->nplans, p->cap_plans);

		x->options = options;
		placement_knobs_read(&x->knobs, options, NULL);
	}
	VEC_FIT(p->of, p->cap_of, task);
	p->of[task] = options && i < UCHAR_MAX ? (unsigned char)(i + 1) : 0;
	return is_found;
}

const struct placement_knobs *plan_knobs_of(const struct plan_knobs *p, uint32_t task)
{
	return task < p->cap_of && p->of[task] ? &p->plans[p->of[task] - 1].knobs : NULL;
}
