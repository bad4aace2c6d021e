/* tests/unit/test_runnable.c - graphs that a machine cannot execute, and what is said of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

/* Task 0 runs everywhere, task 1 on GPUs only and reads both data, one of them twice. */
static struct dag *two_tasks(uint64_t bytes, uint64_t other)
{
	static const int64_t costs[2][ARCH_COUNT] = {COSTS(10, 4), COSTS(-1, 4)};
	struct dag_builder *b = dag_builder_create();

	dag_builder_type(b, "anywhere", costs[0]);
	dag_builder_type(b, "gpu_only", costs[1]);
	dag_builder_handle(b, bytes);
	dag_builder_handle(b, other);
	dag_builder_task(b, 0);
	dag_builder_access(b, 0, 0, ACCESS_W);
	dag_builder_task(b, 1);
	dag_builder_access(b, 1, 0, ACCESS_R);
	dag_builder_access(b, 1, 1, ACCESS_R);
	dag_builder_access(b, 1, 0, ACCESS_W);
	return dag_builder_finish(b, NULL);
}

static void test_runnable(void)
{
	static const struct {
		const char *machine;
		uint64_t bytes, other;
		const char *sentence; /* NULL: it can be done */
	} cases[] = {
		{"cpu:2", 1, 1, "no worker of the machine can run task 1 (gpu_only)"},
		{"hip:2", 1, 1, "no worker of the machine can run task 0 (anywhere)"},
		{"cpu:2 cuda:2@1K", 1000, 24, NULL},
		{"cpu:2 cuda:2", UINT64_MAX / 4, 1, NULL},
		{"cpu:2 cuda:2@1K", 1000, 25,
	         "no worker has memory for task 1 (gpu_only): its data has 1025 bytes, the largest memory 1024"},
		{"cpu:2@1K cuda:2@512", 2000, 1,
	         "no worker has memory for task 0 (anywhere): its data has 2000 bytes, the largest memory 1024"},
		{"cpu:2 cuda:2@1T", UINT64_MAX / 2 + 1, UINT64_MAX / 2 + 1,
	         "no worker has memory for task 1 (gpu_only)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct simulate_options o = {.policy = &policy_eager, .policy_options = ""};
		struct dag *d = two_tasks(cases[i].bytes, cases[i].other);
		struct machine *m = machine_parse(cases[i].machine, NULL);
		struct ht_err err = {""};
		struct simulation *s = simulate(d, m, &o, &err);

		CHECK((s != NULL) == (cases[i].sentence == NULL));
		CHECK_HAS(err.text, cases[i].sentence ? cases[i].sentence : "");
		simulation_free(s);
		machine_free(m);
		dag_free(d);
	}
}

/* StarPU's policies do not ask whether a task fits into a memory: what the GPU takes never starts, and that is said. */
static void test_too_large_for_its_taker(void)
{
	static const int64_t costs[ARCH_COUNT] = COSTS(100000, 4);
	static const struct policy *const all[] = {&policy_dmda, &policy_dmdas, &policy_heft, &policy_online_heft};
	struct machine *m = machine_parse("cpu:1 cuda:1@1K link:1GB/s", NULL);
	struct dag_builder *b = dag_builder_create();
	struct dag *d;

	dag_builder_type(b, "either", costs);
	for (uint32_t t = 0; t < 3; t++) {
		dag_builder_handle(b, t ? 2000 : 1000);
		dag_builder_task(b, 0);
		dag_builder_access(b, t, t, ACCESS_R);
	}
	d = dag_builder_finish(b, NULL);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct simulate_options o = {.policy = all[i], .policy_options = "", .transfers = TRANSFERS_ON};
		struct ht_err err = {""};
		struct simulation *s = simulate(d, m, &o, &err);

		CHECK(s == NULL);
		CHECK_HAS(err.text, "gives worker 1 (cuda) task ");
		CHECK_HAS(err.text, "(either), for which its memory is too small: data=2000 bytes, memory=1024");
	}
	machine_free(m);
	dag_free(d);
}

/* A graph with a cycle is not made in the first place. */
static void test_cycle(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(10, -1);
	struct dag_builder *b = dag_builder_create();
	struct ht_err err = {""};

	dag_builder_type(b, "t", cost);
	for (uint32_t t = 0; t < 4; t++)
		dag_builder_task(b, 0);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 1, 2);
	dag_builder_edge(b, 2, 3);
	dag_builder_edge(b, 3, 1);
	CHECK(dag_builder_finish(b, &err) == NULL);
	CHECK_HAS(err.text, "(t) depends on itself through task");
}

int main(void)
{
	RUN(test_runnable);
	RUN(test_too_large_for_its_taker);
	RUN(test_cycle);
	return check_done();
}
