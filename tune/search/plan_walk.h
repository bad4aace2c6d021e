/* tune/search/plan_walk.h - from plans for one graph to a better one, by small changes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_PLAN_WALK_H
#define TUNE_SEARCH_PLAN_WALK_H

#include <stddef.h>

#include "tune/search/plan_evolution.h"
#include "tune/search/searched_plan.h"

/*
 * From the `n` starts, best first, which have all their replications: owners of data, places and ranks of tasks, and
 * knobs change, mostly where it matters: along the chain of tasks, each begun as soon as the one before it let it, that
 * ends with the last one (blocking_chain.h), and for tasks that nobody waits for. Each round replays some changes, and
 * the best is gone on from if it is not much worse, which may be the less the later it is. The more replays, the more
 * starts it goes on from, each of another cut; half of those that are left, the better ones, stay after a half of the
 * replays, and after three quarters; then it goes on from the best plan with some changes at once, wherever nothing
 * better has been found for long.
 *
 * starts[0] is the best plan then; n is from 1 to PLAN_EVOLUTION_KEPT. The same input gives the same result, whatever
 * the number of threads, unless it is over before. -1: a replay failed.
 */
int plan_walk(struct plan_search *s, struct searched_plan *starts, int n, size_t replays, struct ht_err *err);

#endif
