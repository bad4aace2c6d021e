/* tests/lib/plan_bench.h - a graph, a machine and a search for a plan, for tests of its stages. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_PLAN_BENCH_H
#define TESTS_LIB_PLAN_BENCH_H

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tune/evaluate/evaluator.h"
#include "tune/search/searched_plan.h"

/* Cholesky of 6 tiles on two GPUs and a CPU, without copies. */
struct plan_bench {
	struct machine *m;
	struct dag *d;
	struct placement_base base;
	struct plan_search search;
};

static inline void plan_bench_open(struct plan_bench *b, int jobs)
{
	const struct evaluator_options o = {.policy_options = "", .jobs = jobs, .jitter_cv = 0.02};

	b->m = machine_parse("cuda:2 cpu:1", NULL);
	b->d = graph_cholesky(6, 1000);
	CHECK_INT(placement_base_init(&b->base, b->d, b->m, 0, NULL), 0);
	b->search = (struct plan_search){.evaluator = evaluator_create(&o), .base = &b->base, .rng = {1}};
	plan_search_set_replications(&b->search, b->d);
	evaluator_add(b->search.evaluator, &(struct evaluator_graph){b->d, b->m, NULL});
}

static inline void plan_bench_close(struct plan_bench *b)
{
	evaluator_free(b->search.evaluator);
	placement_base_fini(&b->base);
	machine_free(b->m);
	dag_free(b->d);
}

/* The plan that the cut gives with these knobs, with all replications. */
static inline void plan_bench_start(struct plan_bench *b, struct searched_plan *x, const char *knobs)
{
	struct searched_plan *at = x;

	CHECK_INT(placement_knobs_read(&x->knobs, knobs, NULL), 0);
	placement_plan_init(&x->plan, &b->base, &x->knobs);
	x->plan.place = ht_alloc((size_t)b->d->ntasks + 1, sizeof(*x->plan.place));
	for (uint32_t t = 0; t < b->d->ntasks; t++)
		x->plan.place[t] = PLACES_NONE;
	searched_plan_renew(&b->search, x);
	CHECK_INT(searched_plans_replay(&b->search, &at, 1, 0, SEARCHED_PLAN_MOST_REPLICATIONS, NULL), 0);
}

#endif
