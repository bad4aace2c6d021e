/* sched/static/heft.h - HEFT: by decreasing upward rank, each on the worker that ends it first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_HEFT_H
#define SCHED_STATIC_HEFT_H

#include "sched/static/planner.h"

struct clusters;
struct ht_err;
struct policy_world;
struct schedule;

/*
 * The schedule of the tasks (c NULL) or of the graph of clusters, whose clusters run on one worker without
 * interruption. Fails where no worker can run a group, which is named, and when the graph of the clusters has a cycle.
 */
struct schedule *heft_plan(const struct policy_world *w, const struct clusters *c, enum planner_links links,
                           struct ht_err *err);

#endif
