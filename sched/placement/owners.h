/* sched/placement/owners.h - which memory data belongs to, where the graph grows while it is executed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_OWNERS_H
#define SCHED_PLACEMENT_OWNERS_H

#include <stdint.h>

struct placement_base;
struct placement_knobs;
struct policy_world;

/*
 * Data has no owner at first. Once the live tasks that write such data are more than OWNERS_FEWEST and more than half
 * of all live tasks, what is live is cut as placement_plan_init() does, and all that it writes gets an owner; so a
 * graph that grows to n tasks is cut a number of times that is logarithmic in n, and one that comes again on the same
 * data is not cut again. Parts go to the devices that own most of them already. Data that a task is placed by before
 * that belongs to where that task goes.
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

/* A task is submitted; one is done. */
void owners_added(struct owners *o, uint32_t task);
void owners_done(struct owners *o);

/* Cuts the graph if it is time to do so: 1; else 0. */
int owners_plan(struct owners *o);

#endif
