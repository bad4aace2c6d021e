/* tune/search/placement_search.h - the plan that is best for a graph under the policy placement. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_PLACEMENT_SEARCH_H
#define TUNE_SEARCH_PLACEMENT_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "sched/placement/plan.h"

struct dag;
struct evaluator_state;
struct ht_err;
struct machine;
struct rank_plans;
struct scenario;

struct placement_search {
	const struct dag *dag;
	const struct machine *machine;
	const struct scenario *scenario;  /* NULL: no transfers, submission as in the graph */
	int jobs;                         /* threads; 0: one */
	uint64_t seed;                    /* of partitions and of durations */
	size_t replays;                   /* about so many */
	double jitter_cv;                 /* of durations; 0: the recorded one, at least 2 % */
	int (*is_over)(const void *tune); /* as in struct evaluator_options */
	const void *tune;
	void (*progress)(void *ctx, const struct evaluator_state *state); /* as there; share: of the replays */
	void *ctx;
};

struct placement_found {
	int is_found; /* 0: it was over before one was replayed */
	struct placement_base *base;
	struct placement_plan *plan; /* the best; NULL where there are */
	struct rank_plans *ranks;    /* several MPI ranks: with the knobs it is these plans */
	struct placement_knobs knobs;
	int64_t makespan_ns;  /* with mean durations */
	int64_t varied_ns;    /* mean with varied ones */
	int pipeline;         /* that StarPU is to be started with; 0: that of the run is deep enough */
	double pipeline_gain; /* share of the makespan that it brings */
	size_t replays;       /* that were tried */
};

/*
 * Plans by evolution of the knobs that cut the graph (plan_evolution.h), and then, of a graph of one MPI rank, by small
 * changes of the best of these (plan_walk.h), and another depth of the pipeline. The same input gives the same result,
 * whatever the number of threads, unless it is over before: then it is the best so far. What the problem borrows has to
 * stay until placement_found_fini(). -1: a replay failed, and there is nothing to be freed.
 */
int placement_search(const struct placement_search *p, struct placement_found *found, struct ht_err *err);

void placement_found_fini(struct placement_found *found);

#endif
