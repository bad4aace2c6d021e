/* tests/unit/test_plan_walk.c - a plan gets better, the same on any number of threads; and why a schedule is long. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/plan_walk.h"

#include <stdlib.h>

#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/plan_bench.h"
#include "tests/lib/play.h"
#include "tune/search/blocking_chain.h"

enum { REPLAYS = 800 };

/* All data belongs to the first GPU, and nothing is stolen. */
static void open_bad_start(struct plan_bench *b, struct searched_plan *x)
{
	struct searched_plan *at = x;

	plan_bench_start(b, x, "f=1000000");
	for (uint32_t h = 0; h < b->d->nhandles; h++)
		x->plan.owner[h] = x->plan.owner[h] == PLACES_NONE ? PLACES_NONE : b->base.device[0];
	searched_plan_renew(&b->search, x);
	CHECK_INT(searched_plans_replay(&b->search, &at, 1, 0, SEARCHED_PLAN_MOST_REPLICATIONS, NULL), 0);
}

static void test_better(void)
{
	struct searched_plan x[2] = {{.text = NULL}};
	struct plan_bench b[2];
	int64_t first_ns = 0;
	uint32_t elsewhere = 0;

	for (int i = 0; i < 2; i++) {
		plan_bench_open(&b[i], 1 + i);
		open_bad_start(&b[i], &x[i]);
		first_ns = x[i].mean_ns;
		CHECK_INT(plan_walk(&b[i].search, &x[i], 1, REPLAYS, NULL), 0);
	}
	CHECK((double)x[0].mean_ns < 0.8 * (double)first_ns);
	CHECK_INT(x[0].mean_ns, x[1].mean_ns);
	CHECK_INT(x[0].knobs.plan, x[1].knobs.plan);
	for (uint32_t t = 0; t < b[0].d->ntasks; t++) {
		CHECK_INT(x[0].plan.place[t], x[1].plan.place[t]);
		CHECK_INT(x[0].plan.order.priority[t], x[1].plan.order.priority[t]);
		elsewhere += x[0].plan.place[t] != PLACES_NONE;
	}
	for (uint32_t h = 0; h < b[0].d->nhandles; h++) {
		CHECK_INT(x[0].plan.owner[h], x[1].plan.owner[h]);
		elsewhere += x[0].plan.owner[h] != b[0].base.device[0];
	}
	CHECK(elsewhere > 0);
	for (int i = 0; i < 2; i++) {
		searched_plan_fini(&x[i]);
		plan_bench_close(&b[i]);
	}
}

/* Too few replays for a round: the start stays as it is. */
static void test_none(void)
{
	struct searched_plan x = {.text = NULL};
	struct plan_bench b;
	int64_t before_ns, number;

	plan_bench_open(&b, 1);
	plan_bench_start(&b, &x, "");
	before_ns = x.mean_ns;
	number = x.knobs.plan;
	CHECK_INT(plan_walk(&b.search, &x, 1, SEARCHED_PLAN_MOST_REPLICATIONS, NULL), 0);
	CHECK_INT(x.mean_ns, before_ns);
	CHECK_INT(x.knobs.plan, number);
	searched_plan_fini(&x);
	plan_bench_close(&b);
}

/* What follows in the chain ended before the task began: a predecessor, or what its worker executed until then. */
static void test_chain(void)
{
	struct simulate_options o = {.policy = &policy_placement, .policy_options = "", .keep_schedule = 1};
	struct blocking_link *links;
	struct simulation *s;
	struct plan_bench b;
	size_t n;
	int blocked = 0;

	plan_bench_open(&b, 1);
	s = simulate(b.d, b.m, &o, NULL);
	CHECK(s != NULL);
	links = calloc(b.d->ntasks, sizeof(*links));
	n = blocking_chain(b.d, b.m->nworkers, s, links);
	CHECK(n > 1);
	CHECK_INT(s->tasks[links[0].task].end_ns, s->makespan_ns);
	for (size_t i = 0; i + 1 < n; i++) {
		const struct execution_task *t = &s->tasks[links[i].task], *before = &s->tasks[links[i + 1].task];
		int is_pred = 0;

		CHECK(before->end_ns <= t->start_ns);
		for (uint32_t e = b.d->pred_first[links[i].task]; e < b.d->pred_first[links[i].task + 1]; e++)
			is_pred |= b.d->pred[e] == links[i + 1].task;
		if (links[i].blocker == BLOCKING_CHAIN_NONE) {
			CHECK(is_pred);
			continue;
		}
		CHECK_INT(links[i].blocker, links[i + 1].task);
		CHECK_INT(t->worker, before->worker);
		CHECK(before->end_ns > t->ready_ns);
		blocked++;
	}
	CHECK(blocked > 0);
	CHECK_INT(s->tasks[links[n - 1].task].start_ns, 0);
	free(links);
	simulation_free(s);
	plan_bench_close(&b);
}

int main(void)
{
	RUN(test_better);
	RUN(test_none);
	RUN(test_chain);
	return check_done();
}
