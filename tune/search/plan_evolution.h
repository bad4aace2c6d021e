/* tune/search/plan_evolution.h - plans for one graph by evolution of the knobs that it is cut by. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_PLAN_EVOLUTION_H
#define TUNE_SEARCH_PLAN_EVOLUTION_H

#include <stddef.h>

#include "tune/search/searched_plan.h"

enum { PLAN_EVOLUTION_KEPT = 24 };

/*
 * A population of plans, each made from knobs: the graph is cut by them and, but for some, replayed, and each task is
 * planned where that replay executes it, with the rank that it has by the cut or by these places. Of several MPI ranks
 * each is cut, and none is replayed for that. The first plan has the knobs' defaults, a share of the others random
 * ones, and all that follow come from one or two good ones, with some knobs changed. A plan that is better than the
 * worst of the population takes its place. Where nothing better comes for long, the population begins anew.
 *
 * The best of all, with different makespans and all of their replications, go to best[PLAN_EVOLUTION_KEPT], best first,
 * and *n says how many these are. Where it is over before any plan has all of them, there is one: that with the least
 * makespan for mean durations; none where no replay was allowed. searched_plan_fini() each. The same input gives the
 * same result, whatever the number of threads, unless it is over before. -1: a replay failed, and nothing is to be
 * freed.
 */
int plan_evolution(struct plan_search *s, size_t replays, struct searched_plan *best, int *n, struct ht_err *err);

#endif
