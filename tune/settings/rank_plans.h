/* tune/settings/rank_plans.h - plans for a graph of several MPI ranks: one for each, of the tasks that it executes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_RANK_PLANS_H
#define TUNE_SETTINGS_RANK_PLANS_H

struct config;
struct dag;
struct ht_err;
struct machine;
struct placement_knobs;

/*
 * A rank submits its own tasks, so that to its scheduler a task whose data another rank waits for looks like a last
 * one. A plan knows better: upward ranks are those in the graph of all ranks. Each rank cuts its own data.
 */
struct rank_plans;

/*
 * `d`, of several ranks, and `m`, that of all, have to stay. NULL with the sentence where a task can run nowhere; free
 * with rank_plans_free().
 */
struct rank_plans *rank_plans_create(const struct dag *d, const struct machine *m, int copies_take_time,
                                     struct ht_err *err);
void rank_plans_free(struct rank_plans *r);

/* Adds the plans that these knobs make to a config. Several threads may, each to its own. */
void rank_plans_add(const struct rank_plans *r, struct config *c, const struct placement_knobs *k);

#endif
