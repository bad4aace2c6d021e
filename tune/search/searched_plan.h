/* tune/search/searched_plan.h - a plan that a search tries, and what its replications have reached. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_SEARCHED_PLAN_H
#define TUNE_SEARCH_SEARCHED_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/rng.h"
#include "sched/placement/plan.h"

struct config;
struct dag;
struct evaluator;
struct ht_err;
struct rank_plans;
struct trial;

enum { SEARCHED_PLAN_MOST_REPLICATIONS = 12, SEARCHED_PLANS_AT_ONCE = 24 };

/* A search for a plan of graph 0 of the evaluator: what its stages share. */
struct plan_search {
	struct evaluator *evaluator;
	const struct placement_base *base; /* of that graph, where it has one MPI rank */
	const struct rank_plans *ranks;    /* where it has several */
	int compared, replications;        /* of a plan: those that decide whether it gets the others, and all */
	struct rng rng;
	uint32_t nplans;  /* plans so far, each with a number of its own, from 1 */
	size_t schedules; /* replays whose schedule was looked at, which the evaluator does not count */
};

/* One that is all zero holds nothing. */
struct searched_plan {
	struct placement_plan plan;
	struct config *config;                       /* instead, with a plan for each of several MPI ranks */
	struct placement_knobs knobs;                /* knobs.plan: its number */
	char *text;                                  /* of the knobs */
	int64_t ns[SEARCHED_PLAN_MOST_REPLICATIONS]; /* of replications 0, 1, ... */
	int64_t mean_ns;                             /* of those so far; -1: it was over before */
};

/*
 * How many replications plans of a graph get. The makespan of a large graph, a sum of more durations, varies less with
 * them: fewer are enough, and the same number of replays tries more plans.
 */
void plan_search_set_replications(struct plan_search *s, const struct dag *d);

/* Arrays of the plan's own, for searched_plan_copy() to fill; searched_plan_fini() it. */
void searched_plan_init(struct searched_plan *x, const struct placement_base *b);
void searched_plan_fini(struct searched_plan *x);

/* All but the base, which both have, into arrays that are there. */
void searched_plan_copy(struct searched_plan *to, const struct searched_plan *from);

/* Another plan from now on: it gets the next number, and the text of its knobs. */
void searched_plan_renew(struct plan_search *s, struct searched_plan *x);

/* The text of the knobs, where others than the number have changed. */
void searched_plan_set_text(struct searched_plan *x);

/* Replication 0 has mean durations. What it borrows from the plan has to stay as it is. */
struct trial searched_plan_trial(const struct searched_plan *x, int replication);

/*
 * Replications first to last - 1 of `n` plans, SEARCHED_PLANS_AT_ONCE at most; mean_ns is that of all until then. What
 * counts is the mean where durations vary: what is best for the mean durations alone brings nothing in the next run.
 * Replication 0, which has these, comes first all the same: it is the likeliest one. -1: a replay failed.
 */
int searched_plans_replay(struct plan_search *s, struct searched_plan *const *plans, int n, int first, int last,
                          struct ht_err *err);

/* Of the first so many replications, in ns. */
double searched_plan_mean_ns(const struct searched_plan *x, int replications);

/* Replays since the search began. */
size_t plan_search_spent(const struct plan_search *s);

#endif
