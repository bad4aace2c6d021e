/* tests/unit/test_plan_simplify.c - of a plan's changes those stay that bring something. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/plan_simplify.h"

#include "tests/lib/plan_bench.h"

enum { REPLAYS = 4000 };

/* `plain`: all data belongs to the first GPU; `x`: as the cut has it. Nothing is stolen. */
static void open_plans(struct plan_bench *b, struct searched_plan *plain, struct searched_plan *x)
{
	plan_bench_start(b, plain, "f=1000000");
	plan_bench_start(b, x, "f=1000000");
	for (uint32_t h = 0; h < b->d->nhandles; h++)
		plain->plan.owner[h] = plain->plan.owner[h] == PLACES_NONE ? PLACES_NONE : b->base.device[0];
}

static uint32_t owners_elsewhere(const struct plan_bench *b, const struct searched_plan *x)
{
	uint32_t n = 0;

	for (uint32_t h = 0; h < b->d->nhandles; h++)
		n += x->plan.owner[h] != PLACES_NONE && x->plan.owner[h] != b->base.device[0];
	return n;
}

/*
 * The first task and the last one wait beside no other: their ranks, and a place that is the owner of what a task
 * writes, make no difference; that half of the data is elsewhere does. The same on two threads.
 */
static void test_what_brings_nothing(void)
{
	struct searched_plan plain = {.text = NULL}, x = {.text = NULL};
	uint32_t number[2], left[2];

	for (int i = 0; i < 2; i++) {
		struct plan_bench b;
		int64_t before_ns;
		uint32_t before, last, written;

		plan_bench_open(&b, 1 + i);
		open_plans(&b, &plain, &x);
		before_ns = x.mean_ns;
		before = owners_elsewhere(&b, &x);
		last = b.d->ntasks - 1;
		written = data_graph_written(b.d, last);
		x.plan.order.priority[0] = 0;
		x.plan.order.priority[last] = 1000;
		x.plan.place[last] = x.plan.owner[written];
		CHECK_INT(plan_simplify(&b.search, &plain, &x, REPLAYS, NULL), 0);
		CHECK_INT(x.plan.order.priority[0], plain.plan.order.priority[0]);
		CHECK_INT(x.plan.order.priority[last], plain.plan.order.priority[last]);
		CHECK_INT(x.plan.place[last], PLACES_NONE);
		CHECK((double)x.mean_ns <= 1.001 * (double)before_ns);
		left[i] = owners_elsewhere(&b, &x);
		CHECK(left[i] > 0 && left[i] <= before);
		number[i] = (uint32_t)x.knobs.plan;
		searched_plan_fini(&plain);
		searched_plan_fini(&x);
		memset(&plain, 0, sizeof(plain));
		memset(&x, 0, sizeof(x));
		plan_bench_close(&b);
	}
	CHECK_INT(left[0], left[1]);
	CHECK_INT(number[0], number[1]);
}

/* Too few replays for one plan: nothing is taken back. */
static void test_no_replays(void)
{
	struct searched_plan plain = {.text = NULL}, x = {.text = NULL};
	struct plan_bench b;

	plan_bench_open(&b, 1);
	open_plans(&b, &plain, &x);
	x.plan.order.priority[0] = 0;
	CHECK_INT(plan_simplify(&b.search, &plain, &x, SEARCHED_PLAN_MOST_REPLICATIONS - 1, NULL), 0);
	CHECK_INT(x.plan.order.priority[0], 0);
	searched_plan_fini(&plain);
	searched_plan_fini(&x);
	plan_bench_close(&b);
}

int main(void)
{
	RUN(test_what_brings_nothing);
	RUN(test_no_replays);
	return check_done();
}
