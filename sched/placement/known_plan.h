/* sched/placement/known_plan.h - the plan that a config has for a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_KNOWN_PLAN_H
#define SCHED_PLACEMENT_KNOWN_PLAN_H

#include "core/metrics/rank.h"

struct config;
struct config_plan;
struct placement_base;
struct placement_plan;

/*
 * The first plan of `c` that is for the graph of the base, task by task, and whose owners the machine has, and
 * placement_plan_fini() frees `p`; NULL: there is none.
 */
const struct config_plan *known_plan_init(struct placement_plan *p, const struct placement_base *b,
                                          const struct config *c);

/* Whether ranks of `d`, if there are several, have upward ranks together: each has a plan in `c`. */
enum rank_scope known_plan_scope(const struct config *c, const struct dag *d);

#endif
