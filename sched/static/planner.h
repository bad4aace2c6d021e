/* sched/static/planner.h - a static schedule in the making: when a group of tasks would end on each worker. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_PLANNER_H
#define SCHED_STATIC_PLANNER_H

#include <stdint.h>

#include "sched/knob.h"

struct clusters;
struct policy_world;
struct schedule;

/*
 * Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for heterogeneous computing", IEEE
 * TPDS 13(3), 2002, equations 3 to 6 with the insertion of section 4.1: a group of tasks is placed into the first idle
 * interval of a worker that is long enough, once its predecessors have ended and their data is there,
 *
 *   start(g,w) = the first time from which w is idle for length(g,w), not before
 *                max over predecessors p of end(p) and over data x that g reads of arrival(x, node of w)
 *   end(g,w)   = start(g,w) + length(g,w)
 *
 * The paper sends the data of each edge by itself. Here a copy that an earlier group has had made for a node stays
 * there until somebody writes the data, as StarPU's caches of memory nodes do, and data begins at its home. A copy
 * takes what transfer_cost.h says; copies do not wait for each other, but with LINKS_SHARED they do (copier.h),
 * and begin when a group's predecessors have ended, as the runtime asks for them. Where the world's copies take no
 * time, neither do these.
 *
 * A group is a task, or with clusters (clusters.h) one of those: it runs on one worker without interruption.
 */
struct planner;

enum planner_links { LINKS_FREE, LINKS_SHARED };

/* The knob of the policies that plan: an enum planner_links. */
#define PLANNER_LINKS_KNOB(owner, member) WORD_KNOB(owner, member, "links", "free|shared", LINKS_FREE)

struct planner_place {
	int worker; /* -1: no worker can run the whole group */
	double start_ns, end_ns;
};

/* `c` NULL: each task is a group. `w`, what it points to and `c` have to stay. planner_free() frees. */
struct planner *planner_create(const struct policy_world *w, const struct clusters *c, enum planner_links links);
void planner_free(struct planner *p);

/*
 * The worker that ends the group first, among equals the first one. Groups are placed after their predecessors were
 * taken.
 */
struct planner_place planner_best(struct planner *p, uint32_t group);

/* The place on that worker; `worker` is -1 where it cannot run the group. */
struct planner_place planner_on(struct planner *p, uint32_t group, int worker);

/* The group that planner_best() or planner_on() was last called with will run at `place`, which that call returned. */
void planner_take(struct planner *p, uint32_t group, struct planner_place place);

/* All groups have been taken: the schedule, which is the caller's. Once. */
struct schedule *planner_finish(struct planner *p);

/* Logarithms apart, the cost of a group is linear in workers, its predecessors, and its data times memory nodes. */

#endif
