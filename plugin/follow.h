/* plugin/follow.h - whether the program submits a graph that the config has a plan for, and what the plan says. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_FOLLOW_H
#define PLUGIN_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"

struct data_access;

/*
 * A graph begins with the first task of a plan, and goes on as long as each task that is submitted has the hash of the
 * next one of the plan; so a program that submits a recorded graph again and again follows its plan each time. A task
 * that does not fit before the plan has ended shows that the graph is another one: parts of a larger graph can look
 * like a recorded one. Then nothing that is live follows a plan any more, since ranks of plans and of the live graph
 * say nothing of one another, and no graph begins until all tasks are executed. A plan was found for its graph alone:
 * where more than a few tasks are live when a graph begins, neither they nor it follow a plan, but it is an iteration
 * still.
 *
 * Of several plans that fit so far that one counts whose first task alone has the priority of the program's, as where
 * priorities say how much is left to do. Else the first one of the config counts for ranks and places, and none for
 * owners and knobs before UNDECIDED tasks: data that was sent to a wrong owner is not called back.
 *
 * Functions with "locked" in their comment are called between lock_take() and lock_release() (lock.h); those that need
 * memory are guarded by their callers (guard.h).
 */

/* What a plan says of a task. */
struct followed {
	uint32_t graph;            /* a number for each graph that has begun, from 1; 0: the task follows no plan */
	double rank_ns;            /* by the plan */
	struct config_place place; /* where it goes; arch is ARCH_NONE: by the owner of what it writes */
	uint32_t iteration;        /* how often a graph has begun, or, outside of graphs, a task was alone */
	uint32_t number;           /* the task's in the graph, from 0, whether that is followed or not */
	int lost;                  /* what is live has turned out to be no recorded graph */
	uint32_t changed;          /* the graph that has turned out to be that of another plan; 0: none */
};

/* Copies the config's plans, in place of those before. Needs memory. While there is no context of the library. */
void follow_set(const struct config *c);

/* The last context of the library has ended: what was followed is reported. */
void follow_end(void);

/* Locked. A task is submitted, of the application's priority, while `nlive` others are live. Needs memory. */
struct followed follow_submit(const char *name, const struct data_access *a, uint32_t n, int priority, size_t nlive);

/* Locked. What the plan of the graph that is being submitted says of a task of it that was submitted before. */
void follow_again(struct followed *f);

/* Locked. So many of the tasks that were said to have a plan have lost it before they were done. */
void follow_lost(unsigned long tasks);

/*
 * Locked. The knobs of the plan of the graph that is being submitted; NULL: it has none of its own, or several plans
 * still fit. For struct policy_world, whose context it has no use for.
 */
const char *follow_knobs(void *unused);

/* Locked. Whose the data is by the plan of the graph that is being submitted; arch is ARCH_NONE: nobody's yet. */
struct config_place follow_owner(uint32_t handle);

/* Locked. The index is given to other data. */
void follow_forget(uint32_t handle);

#endif
