/* tune/settings/plan_make.h - the plan of a config: ranks and owners for the graph of a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_PLAN_MAKE_H
#define TUNE_SETTINGS_PLAN_MAKE_H

#include "core/metrics/rank.h"
#include "sched/placement/plan.h"

struct config;
struct dag;
struct machine;

/*
 * Adds the plan, whose knobs are `k`, for the graph that it is of. A graph of more than CONFIG_PLAN_MAX_TASKS has none:
 * then the knobs, which cut it again, are the config's, for all graphs without a plan.
 */
void plan_add(struct config *c, const struct placement_plan *plan, const struct placement_knobs *k);

/*
 * Adds the plan by which replays of `d` on `m` under the config's policy order tasks and place data; copies take time
 * in them, or they do not, as in struct policy_world. Of several MPI ranks each gets one. Nothing is added for a policy
 * that takes neither, for a graph of more than CONFIG_PLAN_MAX_TASKS, nor where a task can run nowhere.
 */
void plan_make(struct config *c, const struct dag *d, const struct machine *m, int copies_take_time);

/* Whether the ranks of `d`, if there are several, have upward ranks together under a config that has such plans. */
enum rank_scope plan_scope(const struct dag *d);

#endif
