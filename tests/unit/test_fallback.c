/* tests/unit/test_fallback.c - machines with fewer workers, and the scheduler that takes a config's place there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/fallback.h"

#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/tuned_graph.h"

enum { MS = 1000000 };

static void machines_with_fewer_workers(void)
{
	static const struct {
		int counts[ARCH_COUNT], n, fewer[FEWER_MACHINES][ARCH_COUNT];
	} cases[] = {
		{{[ARCH_CPU] = 20, [ARCH_CUDA] = 4},
	         3,
	         {{[ARCH_CPU] = 20, [ARCH_CUDA] = 3},
	          {[ARCH_CPU] = 20, [ARCH_CUDA] = 2},
	          {[ARCH_CPU] = 10, [ARCH_CUDA] = 4}}},
		{{[ARCH_CPU] = 1, [ARCH_CUDA] = 1, [ARCH_OPENCL] = 2},
	         1,
	         {{[ARCH_CPU] = 1, [ARCH_CUDA] = 1, [ARCH_OPENCL] = 1}}},
		{{[ARCH_CPU] = 8}, 1, {{[ARCH_CPU] = 4}}},
		{{[ARCH_CPU] = 1}, 0, {{0}}},
	};
	int fewer[FEWER_MACHINES][ARCH_COUNT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_INT(fewer_workers(cases[i].counts, fewer), cases[i].n);
		for (int k = 0; k < cases[i].n; k++)
			CHECK(memcmp(fewer[k], cases[i].fewer[k], sizeof(fewer[k])) == 0);
	}
}

/* What needs the library, another machine's numbers, or no config can hold does not count, however fast it is. */
static void the_fallback_is_the_fastest_that_is_environment(void)
{
	struct final_round f = {.nruns = 1};
	const struct finalist items[] = {
		{.policy = NULL, .median = 0.1},
		{.policy = &policy_placement, .median = 0.2},
		{.policy = &policy_dmdas, .id.by_rank = 1, .median = 0.3},
		{.policy = &policy_dmda, .reference_only = 1, .median = 0.4},
		{.policy = &policy_dmda, .id.starpu_env.value[STARPU_ENV_PIPELINE] = 1, .median = 0.5},
		{.policy = &policy_eager, .median = 0.9},
		{.policy = &policy_dmda, .id.knobs = "beta=3", .median = 0.7},
		{.policy = &policy_dmdas, .median = 0.8},
	};

	CHECK(fallback_find(&f) == NULL);
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
		final_round_add(&f, &items[i]);
	CHECK_STR(fallback_find(&f)->id.knobs, "beta=3");
}

static struct dag *independent(void)
{
	const int64_t cost[ARCH_COUNT] = COSTS(10 * MS, -1);
	struct dag_builder *b = dag_builder_create();

	dag_builder_type(b, "a", cost);
	for (int i = 0; i < 8; i++)
		dag_builder_task(b, 0);
	return dag_builder_finish(b, NULL);
}

static void both_are_replayed_with_fewer_workers(void)
{
	struct tuned_graph all, half;
	struct setting setting;
	struct ht_err err = {""};
	struct final_round f = {.nruns = 1};
	const struct finalist x = {.setting = &setting};
	struct evaluator *e;
	struct config *c;
	int graph;

	tuned_graph_of(&all, independent(), "cpu:4");
	tuned_graph_of(&half, independent(), "cpu:2");
	setting_by_urgency(&setting, all.granularities[GRANULARITY_CODELET], 1, 0);
	e = evaluator_of(&all, 1, NULL, "", &err);
	graph = evaluator_add(e, &(struct evaluator_graph){half.d, half.m, NULL});
	final_round_add(&f, &x);
	final_round_add(&f, &(struct finalist){.policy = &policy_eager});
	c = evaluator_config(e, &setting);
	CHECK_INT(fallback_fill(c, &f, &x, e, &graph, 1, 1, &err), 0);
	CHECK_STR(c->fallback.policy, "eager");
	CHECK_INT(c->fallback.nfewer, 1);
	CHECK_INT(c->fallback.fewer[0].workers[ARCH_CPU], 2);
	CHECK_INT(c->fallback.fewer[0].setting_ns, 40 * MS);
	CHECK_INT(c->fallback.fewer[0].fallback_ns, 40 * MS);
	config_free(c);
	c = evaluator_config(e, &setting);
	c->policy = "dmda"; /* one of StarPU's own is its own fallback */
	CHECK_INT(fallback_fill(c, &f, &f.items[1], e, &graph, 1, 1, &err), 0);
	CHECK_STR(c->fallback.policy, "");
	config_free(c);
	evaluator_free(e);
	tuned_graph_fini(&half);
	tuned_graph_fini(&all);
}

int main(void)
{
	RUN(machines_with_fewer_workers);
	RUN(the_fallback_is_the_fastest_that_is_environment);
	RUN(both_are_replayed_with_fewer_workers);
	return check_done();
}
