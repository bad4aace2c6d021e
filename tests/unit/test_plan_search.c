/* tests/unit/test_plan_search.c - a plan gets better, the same on any number of threads; and why a schedule is long. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/placement/plan.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"
#include "tune/evaluate/evaluator.h"
#include "tune/search/blocking_chain.h"
#include "tune/search/plan_search.h"

enum { REPLAYS = 800, FEW = 97 };

struct bench {
	struct machine *m;
	struct dag *d;
	struct placement_base base;
	struct placement_plan plan;
	struct placement_knobs knobs;
};

/* All data belongs to the first GPU, and nothing is stolen. */
static void bench_open(struct bench *b)
{
	b->m = machine_parse("cuda:2 cpu:1", NULL);
	b->d = graph_cholesky(6, 1000);
	CHECK_INT(placement_knobs_read(&b->knobs, "f=1000000", NULL), 0);
	CHECK_INT(placement_base_init(&b->base, b->d, b->m, 0, NULL), 0);
	placement_plan_init(&b->plan, &b->base, &b->knobs);
	for (uint32_t h = 0; h < b->d->nhandles; h++)
		b->plan.owner[h] = b->plan.owner[h] == PLACES_NONE ? PLACES_NONE : b->base.device[0];
}

static void bench_close(struct bench *b)
{
	placement_plan_fini(&b->plan);
	placement_base_fini(&b->base);
	machine_free(b->m);
	dag_free(b->d);
}

static int search_from(struct bench *b, const struct plan_start *starts, int n, int jobs, size_t replays,
                       struct plan_found *found)
{
	struct evaluator *e =
		evaluator_create(&(struct evaluator_options){.policy_options = "", .jobs = jobs, .jitter_cv = 0.02});
	int rc;

	evaluator_add(e, &(struct evaluator_graph){b->d, b->m, NULL});
	rc = plan_search(e, starts, n, 1, replays, found, NULL);
	evaluator_free(e);
	return rc;
}

static int search(struct bench *b, int jobs, size_t replays, int fixed, struct plan_found *found)
{
	const struct plan_start starts[2] = {{&b->plan, b->knobs, fixed}, {&b->plan, b->knobs, 0}};

	return search_from(b, starts, 2, jobs, replays, found);
}

static void test_better(void)
{
	struct plan_found found[2], first;
	struct bench b;
	uint32_t elsewhere = 0;

	bench_open(&b);
	CHECK_INT(search(&b, 1, 3 * PLAN_SEARCH_REPLICATIONS + 1, 0, &first), 0); /* the starts alone */
	CHECK(first.varied_ns > 0 && !first.plan.owner);
	/* The same start, fixed: tasks are where its schedule has them, which is better here already. */
	CHECK_INT(search(&b, 1, 3 * PLAN_SEARCH_REPLICATIONS + 1, 1, &found[0]), 1);
	CHECK(found[0].varied_ns < first.varied_ns && found[0].knobs.q == 0);
	placement_plan_fini(&found[0].plan);
	for (int i = 0; i < 2; i++)
		CHECK_INT(search(&b, 1 + i, REPLAYS, 1, &found[i]), 1);
	CHECK_INT(found[0].varied_ns, found[1].varied_ns);
	CHECK_INT(found[0].knobs.plan, found[1].knobs.plan);
	CHECK(found[0].knobs.plan > 0);
	CHECK((double)found[0].varied_ns < 0.8 * (double)first.varied_ns);
	for (uint32_t t = 0; t < b.d->ntasks; t++) {
		CHECK_INT(found[0].plan.place[t], found[1].plan.place[t]);
		CHECK_INT(found[0].plan.own_order.priority[t], found[1].plan.own_order.priority[t]);
		elsewhere += found[0].plan.place[t] != PLACES_NONE;
	}
	for (uint32_t h = 0; h < b.d->nhandles; h++) {
		CHECK_INT(found[0].plan.owner[h], found[1].plan.owner[h]);
		elsewhere += found[0].plan.owner[h] != b.plan.owner[h];
	}
	CHECK(elsewhere > 0);
	for (int i = 0; i < 2; i++)
		placement_plan_fini(&found[i].plan);
	bench_close(&b);
}

/* Of two starts there are replays for one walk: from the better one, which comes second. */
static void test_best_start(void)
{
	struct plan_found found, alone;
	struct placement_plan other;
	struct plan_start starts[2];
	struct bench b;

	bench_open(&b);
	placement_plan_init(&other, &b.base, &b.knobs); /* on both GPUs */
	starts[0] = (struct plan_start){&b.plan, b.knobs, 0};
	starts[1] = (struct plan_start){&other, b.knobs, 0};
	starts[1].knobs.seed++; /* two plans have not the same knobs */
	CHECK_INT(search_from(&b, &starts[1], 1, 1, 2 * PLAN_SEARCH_REPLICATIONS + 1, &alone), 0);
	CHECK_INT(search_from(&b, starts, 2, 1, FEW, &found), 1);
	CHECK(found.varied_ns < alone.varied_ns);
	placement_plan_fini(&found.plan);
	placement_plan_fini(&other);
	bench_close(&b);
}

/* Too few replays for one start: nothing is known of it. */
static void test_none(void)
{
	struct plan_found found;
	struct bench b;

	bench_open(&b);
	CHECK_INT(search(&b, 1, 2 * PLAN_SEARCH_REPLICATIONS, 0, &found), 0);
	CHECK_INT(found.varied_ns, 0);
	CHECK(!found.plan.owner);
	bench_close(&b);
}

/* What follows in the chain ended before the task began: a predecessor, or what its worker executed until then. */
static void test_chain(void)
{
	struct simulate_options o = {.policy = &policy_placement, .policy_options = "", .keep_schedule = 1};
	struct blocking_link *links;
	struct simulation *s;
	struct bench b;
	size_t n;
	int blocked = 0;

	bench_open(&b);
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
	bench_close(&b);
}

int main(void)
{
	RUN(test_better);
	RUN(test_best_start);
	RUN(test_none);
	RUN(test_chain);
	return check_done();
}
