/* sched/placement/plan_knobs.h - the knobs that a task has by the plan of its graph, where the graph grows. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_PLAN_KNOBS_H
#define SCHED_PLACEMENT_PLAN_KNOBS_H

#include <stddef.h>
#include <stdint.h>

#include "sched/placement/plan.h"

struct of_plan;

/* All 0: no task is of a plan. */
struct plan_knobs {
	struct of_plan *plans;
	size_t nplans, cap_plans;
	const char *last;  /* the options of the task that was submitted last; NULL: it is of no plan */
	unsigned char *of; /* per task: which of the plans is its own, from 1; 0: none */
	size_t cap_of;
};

void plan_knobs_fini(struct plan_knobs *p);

/*
 * A task is submitted, to a graph whose plan has these options, which have to stay and are known by their address;
 * NULL: it has no plan, and what is left of the one before has none any more. 1: it has turned out what plan it is of.
 */
int plan_knobs_added(struct plan_knobs *p, uint32_t task, const char *options);

/* NULL: it is of no plan. */
const struct placement_knobs *plan_knobs_of(const struct plan_knobs *p, uint32_t task);

#endif
