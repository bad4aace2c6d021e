/* sched/placement/owners.h - which memory data belongs to, where the graph grows while it is executed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_OWNERS_H
#define SCHED_PLACEMENT_OWNERS_H

#include <stdint.h>

struct dag;
struct placement_base;
struct placement_knobs;
struct policy_world;

/*
 * Data has no owner at first. Once there are more than OWNERS_FEWEST live tasks what is live is cut as
 * placement_plan_init() does, and all that it writes gets an owner; again when the live tasks are twice as many as
 * at the last time, when more than half of them write data without an owner, or when the graph is whole and was not
 * the last time. So a graph that grows to n tasks is cut a number of times that is logarithmic in n, and one that
 * comes again on the same data is not cut again. Data that has an owner mostly stays there. Data that a task is
 * placed by before that belongs to where that task goes.
 */
struct owners;

enum { OWNERS_FEWEST = 32 };

/* All three have to stay. */
struct owners *owners_create(const struct policy_world *w, const struct placement_base *b,
                             const struct placement_knobs *k);
void owners_free(struct owners *o);

/* The place that owns the data, or PLACES_NONE. */
int owners_of(const struct owners *o, uint32_t handle);
void owners_set(struct owners *o, uint32_t handle, int place);

/*
 * A task is submitted, and what it is placed by gets the owner that a plan has for it: 1 if it had none before; else 0.
 */
int owners_added(struct owners *o, uint32_t task);

/* Data has the owners of another plan, where that knows it. */
void owners_plan_changed(struct owners *o);

/* A task is done. */
void owners_done(struct owners *o);

/*
 * Whether it is time to cut the graph, which has no plan. It is whole where the program waits for what it has
 * submitted.
 */
int owners_are_due(struct owners *o, int is_whole);

/*
 * Cuts what is live, and returns that, which dag_free() frees; task i of it is (*task)[i] of the graph. *fills_bus is
 * set as in struct placement_plan.
 */
struct dag *owners_cut(struct owners *o, const uint32_t **task, int *fills_bus);

#endif
