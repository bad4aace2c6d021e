/* tests/unit/test_plan_evolution.c - plans get better by generations, the same on any number of threads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/plan_evolution.h"

#include <stdlib.h>

#include "replay/sim/simulate.h"
#include "tests/lib/plan_bench.h"

enum { REPLAYS = 1500 };

/* `n` is 0 where it was over before. */
static int evolve(struct plan_bench *b, size_t replays, struct searched_plan *best)
{
	int n = -1;

	CHECK_INT(plan_evolution(&b->search, replays, best, &n, NULL), 0);
	return n;
}

static void free_all(struct searched_plan *best, int n)
{
	for (int i = 0; i < n; i++)
		searched_plan_fini(&best[i]);
}

/* All that are kept differ, the best first, and no worse than the knobs' defaults. */
static void test_better(void)
{
	struct searched_plan best[2][PLAN_EVOLUTION_KEPT], plain = {.text = NULL};
	struct plan_bench b[2];
	int n[2];

	for (int i = 0; i < 2; i++) {
		plan_bench_open(&b[i], 1 + i);
		n[i] = evolve(&b[i], REPLAYS, best[i]);
		CHECK(plan_search_spent(&b[i].search) >= REPLAYS || n[i] > 0);
	}
	plan_bench_start(&b[0], &plain, "");
	CHECK(n[0] > 1);
	CHECK_INT(n[0], n[1]);
	CHECK(best[0][0].mean_ns < plain.mean_ns);
	for (int i = 0; i < n[0]; i++) {
		CHECK_INT(best[0][i].mean_ns, best[1][i].mean_ns);
		CHECK_INT(best[0][i].knobs.plan, best[1][i].knobs.plan);
		CHECK(!i || best[0][i - 1].mean_ns < best[0][i].mean_ns);
	}
	searched_plan_fini(&plain);
	for (int i = 0; i < 2; i++) {
		free_all(best[i], n[i]);
		plan_bench_close(&b[i]);
	}
}

/* What a plan is said to reach is what its replications give. */
static void test_replayed_again(void)
{
	struct searched_plan best[PLAN_EVOLUTION_KEPT];
	struct plan_bench b;
	int n;

	plan_bench_open(&b, 1);
	n = evolve(&b, REPLAYS, best);
	for (int i = 0; i < n; i++) {
		int64_t mean_ns = best[i].mean_ns;
		struct searched_plan *at = &best[i];
		char *text = placement_knobs_text(&best[i].knobs);

		CHECK_STR(best[i].text, text); /* it was replayed with these knobs */
		free(text);
		searched_plan_renew(&b.search, at); /* the evaluator does not know it */
		CHECK_INT(searched_plans_replay(&b.search, &at, 1, 0, SEARCHED_PLAN_MOST_REPLICATIONS, NULL), 0);
		CHECK_INT(at->mean_ns, mean_ns);
	}
	free_all(best, n);
	plan_bench_close(&b);
}

/* Children that have their parent's owners have those that their own knobs would cut. */
static void test_owners_by_knobs(void)
{
	struct searched_plan best[PLAN_EVOLUTION_KEPT];
	struct plan_bench b;
	int n;

	plan_bench_open(&b, 1);
	n = evolve(&b, REPLAYS, best);
	CHECK(n > 1);
	for (int i = 0; i < n; i++) {
		struct placement_plan cut;

		placement_plan_init(&cut, b.search.base, &best[i].knobs);
		for (uint32_t h = 0; h < b.search.base->dag->nhandles; h++)
			CHECK_INT(best[i].plan.owner[h], cut.owner[h]);
		placement_plan_fini(&cut);
	}
	free_all(best, n);
	plan_bench_close(&b);
}

static int always(const void *tune)
{
	(void)tune;
	return 1;
}

static int after_two(const void *tune)
{
	return ++*(int *)tune > 2;
}

/* Over before anything was replayed there is no plan; soon after, it is the best so far. */
static void test_over(void)
{
	struct searched_plan best[PLAN_EVOLUTION_KEPT];
	struct plan_bench b;
	int asked = 0;

	for (int i = 0; i < 2; i++) {
		const struct evaluator_options o = {.policy_options = "",
		                                    .jobs = 1,
		                                    .jitter_cv = 0.02,
		                                    .is_over = i ? after_two : always,
		                                    .tune = &asked};
		int n;

		plan_bench_open(&b, 1);
		evaluator_free(b.search.evaluator);
		b.search.evaluator = evaluator_create(&o);
		evaluator_add(b.search.evaluator, &(struct evaluator_graph){b.d, b.m, NULL});
		n = evolve(&b, REPLAYS, best);
		CHECK_INT(n, i);
		CHECK(!n || best[0].mean_ns > 0);
		free_all(best, n);
		plan_bench_close(&b);
	}
}

/* As much as one generation, where replays are few. */
static void test_few(void)
{
	struct searched_plan best[PLAN_EVOLUTION_KEPT];
	struct plan_bench b;
	int n;

	plan_bench_open(&b, 1);
	n = evolve(&b, 1, best);
	CHECK(n == 1 || n == 2);
	CHECK(plan_search_spent(&b.search) <= 2 * SEARCHED_PLAN_MOST_REPLICATIONS + 1);
	free_all(best, n);
	plan_bench_close(&b);
}

/* A mean over many tasks varies less: plans of a large graph get fewer replications, and more of them are tried. */
static void test_replications(void)
{
	struct searched_plan best[PLAN_EVOLUTION_KEPT];
	struct plan_bench b;
	struct dag large = {.ntasks = 4000};
	int n;

	plan_bench_open(&b, 1);
	CHECK_INT(b.search.replications, SEARCHED_PLAN_MOST_REPLICATIONS);
	plan_search_set_replications(&b.search, &large);
	CHECK_INT(b.search.replications, 4);
	n = evolve(&b, 200, best);
	CHECK(n > 0);
	for (int i = 0; i < n; i++)
		CHECK(best[i].ns[3] > 0 && best[i].ns[4] == 0);
	free_all(best, n);
	plan_bench_close(&b);
}

int main(void)
{
	RUN(test_replications);
	RUN(test_better);
	RUN(test_replayed_again);
	RUN(test_owners_by_knobs);
	RUN(test_over);
	RUN(test_few);
	return check_done();
}
