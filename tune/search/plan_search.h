/* tune/search/plan_search.h - a plan for one graph that is better than those that a cut gives. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_PLAN_SEARCH_H
#define TUNE_SEARCH_PLAN_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "sched/placement/plan.h"

struct evaluator;
struct ht_err;

enum { PLAN_SEARCH_STARTS = 24, PLAN_SEARCH_REPLICATIONS = 12 };

/* Where it is fixed, tasks have the places that they are executed at under these knobs: rules hardly move them then. */
struct plan_start {
	const struct placement_plan *plan;
	struct placement_knobs knobs;
	int fixed;
};

struct plan_found {
	struct placement_plan plan; /* placement_plan_fini() it */
	struct placement_knobs knobs;
	int64_t varied_ns;
};

/*
 * Under the policy placement, on graph 0 of the evaluator: from the best of the `n` starts, of one base, owners of
 * data, places and ranks of tasks, and knobs change, mostly where it matters: along the chain of tasks, each begun as
 * soon as the one before it let it, that ends with the last one (blocking_chain.h), and for tasks that nobody waits
 * for. Each round replays some changes, and the best is gone on from if it is not much worse, which may be the less
 * the later it is. The more replays, the more starts it goes on from, each with another rule for CPUs (q and b) or
 * else not fixed; half of those that are left, the better ones, stay after a half of the replays, and after three
 * quarters; then it goes on from the best plan with some changes at once, wherever nothing better has been found for
 * long.
 *
 * What counts is the mean of a plan over replications 1 to PLAN_SEARCH_REPLICATIONS, whose durations vary: what is best
 * for the mean durations alone brings nothing in the next run.
 *
 * 1: the first start, not fixed, is beaten, and *found is by what; 0: it is not, or `replays` allow no round, and
 * *found has its knobs and mean, 0 where that is not known, and no plan. The same input gives the same result, whatever
 * the number of threads, unless it is over before. -1: a replay failed.
 */
int plan_search(struct evaluator *e, const struct plan_start *starts, int n, uint64_t seed, size_t replays,
                struct plan_found *found, struct ht_err *err);

#endif
