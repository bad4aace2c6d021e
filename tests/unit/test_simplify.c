/* tests/unit/test_simplify.c - what is noise is undone, what matters stays. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"
#include "tune/evaluate/noise.h"
#include "tune/search/simplify.h"
#include "tune/settings/config_make.h"
#include "tune/settings/granularity.h"

enum { MS = 1000000, DRAWS = 6 };

struct ground {
	struct dag *d;
	struct machine *m;
	struct ranks ranks;
	struct config *base;
	struct evaluator *evaluator;
	struct evaluator_graph graph;
};

static void ground_init(struct ground *g, struct dag *d, const char *machine)
{
	struct evaluator_options o = {.policy_options = "", .jobs = 2, .jitter_cv = 0.02, .seed = 1};
	struct ht_err err = {""};

	*g = (struct ground){.d = d, .m = machine_parse(machine, NULL)};
	CHECK_INT(ranks_init(&g->ranks, d, g->m, &err), 0);
	o.base = g->base = config_from_dag(d, g->m, &err);
	g->graph = (struct evaluator_graph){d, g->m, NULL};
	g->evaluator = evaluator_create(&o);
	evaluator_add(g->evaluator, &g->graph);
	CHECK_INT(evaluator_open(g->evaluator, &err), 0);
}

static void ground_fini(struct ground *g)
{
	evaluator_free(g->evaluator);
	config_free(g->base);
	ranks_fini(&g->ranks);
	machine_free(g->m);
	dag_free(g->d);
}

static void simplify_it(const struct ground *g, const struct setting *s, int tests, struct simplified *out)
{
	struct finalist c = {.setting = s};
	struct simplify_problem p = {.evaluator = g->evaluator,
	                             .first_replication = 1,
	                             .replications = DRAWS,
	                             .tests = tests};
	struct ht_err err = {""};

	CHECK_INT(simplify(&p, &c, out, &err), 0);
	CHECK_STR(err.text, "");
	CHECK_INT(out->buckets, s->nbuckets);
	CHECK_INT(out->factors, setting_factors(s));
}

/* On one worker every order takes as long: a bucket for each type and nothing else is left. */
static void what_makes_no_difference_goes(void)
{
	const int64_t cost[ARCH_COUNT] = COSTS(10 * MS, -1);
	struct dag_builder *b = dag_builder_create();
	struct simplified out;
	struct setting s;
	struct ground g;
	struct granularity *order;

	dag_builder_type(b, "a", cost);
	dag_builder_type(b, "b", cost);
	for (int i = 0; i < 100; i++)
		dag_builder_task(b, i % 2);
	ground_init(&g, dag_builder_finish(b, NULL), "cpu:1");
	order = granularity_make(GRANULARITY_ORDER, g.d, g.m, g.ranks.upward_ns);
	setting_by_urgency(&s, order, 1, 0);
	CHECK_INT(s.nbuckets, 32);
	simplify_it(&g, &s, 20, &out);
	CHECK(out.changed);
	CHECK_INT(out.setting.nbuckets, 2);
	CHECK_INT(out.setting.count[ARCH_CPU], 2);
	CHECK(fabs(out.loss) < 1e-12);
	simplify_it(&g, &s, 0, &out); /* no tests: as it is */
	CHECK(!out.changed && setting_hash(&out.setting) == setting_hash(&s));
	granularity_free(order);
	ground_fini(&g);
}

/* A chain in front of what has time: the chain's tasks are one bucket then, the others another one. */
static void what_matters_stays(void)
{
	const int64_t cost[2][ARCH_COUNT] = {COSTS(10 * MS, -1), COSTS(1 * MS, -1)};
	struct dag_builder *b = dag_builder_create();
	struct simplified out;
	struct setting s;
	struct ground g;
	struct granularity *order;

	dag_builder_type(b, "chain", cost[0]);
	dag_builder_type(b, "filler", cost[1]);
	for (uint32_t i = 0; i < 16; i++) {
		dag_builder_task(b, 0);
		if (i)
			dag_builder_edge(b, i - 1, i);
	}
	for (int i = 0; i < 100; i++)
		dag_builder_task(b, 1);
	ground_init(&g, dag_builder_finish(b, NULL), "cpu:2");
	order = granularity_make(GRANULARITY_ORDER, g.d, g.m, g.ranks.upward_ns);
	setting_by_urgency(&s, order, 1, 0);
	simplify_it(&g, &s, 40, &out);
	CHECK(out.changed && out.setting.nbuckets < s.nbuckets);
	CHECK_INT(out.setting.nbuckets, 2);
	CHECK_INT(order->groups[0].kind, 0);
	CHECK_INT(out.setting.bucket_of[0], out.setting.list[ARCH_CPU][0]);
	granularity_free(order);
	ground_fini(&g);
}

/* Of a search's like: fewer of everything, and no slower than noise allows under its replications. */
static void it_is_within_noise(void)
{
	struct trial trials[2][DRAWS + 1];
	struct ht_err err = {""};
	struct simplified out;
	struct noise ratio;
	struct setting s;
	struct ground g;
	struct granularity *rank;

	ground_init(&g, graph_cholesky(9, 1000), "cpu:4 cuda:2");
	rank = granularity_make(GRANULARITY_RANK, g.d, g.m, g.ranks.upward_ns);
	setting_by_urgency(&s, rank, 0.5, 1);
	s.locality = (struct config_locality){.enabled = 1, .push = "LcS", .step = {[ARCH_CUDA] = 2}};
	simplify_it(&g, &s, 40, &out);
	CHECK(out.setting.nbuckets <= s.nbuckets && setting_factors(&out.setting) <= setting_factors(&s));
	CHECK(out.changed && out.setting.nbuckets < s.nbuckets);
	for (int i = 0; i < 2; i++)
		for (int d = 0; d <= DRAWS; d++)
			trials[i][d] = (struct trial){.setting = i ? &out.setting : &s, .replication = d};
	CHECK_INT(evaluator_run(g.evaluator, trials[0], 2 * (DRAWS + 1), EVALUATOR_ALWAYS, &err), 0);
	ratio = noise_of_ratio(trials[1] + 1, trials[0] + 1, DRAWS);
	CHECK(ratio.mean <= 1.005);
	CHECK(fabs(ratio.mean - 1 - out.loss) < 1e-12);
	CHECK(trials[1][0].makespan_ns <= trials[0][0].makespan_ns);
	granularity_free(rank);
	ground_fini(&g);
}

int main(void)
{
	RUN(what_makes_no_difference_goes);
	RUN(what_matters_stays);
	RUN(it_is_within_noise);
	return check_done();
}
