/* tests/unit/test_appendix.c - the example of AutoHeteroprio's appendix: three priority lists, three executions. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flint, Paillat and Bramas, PeerJ Computer Science 8:e969 (2022), Tables 5 and 6. The drawing of the graph is not in
 * the text; this one is found by search and has all that the text says: A1 is the only source, C2 has three successors,
 * more than any other task but A1, and the three cases end at 7, 5 and 5 s, in case 3 with C2 started earlier than in
 * case 2 and with GPU-1 and CPU-2 free at 4 s.
 */
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/invariants.h"
#include "tune/settings/config_make.h"

#define SECOND INT64_C(1000000000)

enum { A, B, C };
enum { A1, A2, A3, C1, C2, B1, B2, B3, B4, NTASKS };
enum { CPU_1, GPU_1, CPU_2 };

static struct dag *make_graph(void)
{
	static const int types[NTASKS] = {A, A, A, C, C, B, B, B, B};
	static const uint32_t edges[][2] = {
		{A1, A2}, {A1, A3}, {A1, C1}, {A1, C2}, {A3, B1}, {C2, B1}, {C2, B2}, {C2, B3}, {A3, B4},
	};
	static const int64_t cpu_s[] = {1, 2, 1}, gpu_s[] = {2, 1, 1}; /* Table 5 */
	static const char *const names[] = {"A", "B", "C"};
	struct dag_builder *b = dag_builder_create();

	for (int i = 0; i < 3; i++) {
		int64_t cost[ARCH_COUNT] = COSTS(cpu_s[i] * SECOND, gpu_s[i] * SECOND);

		dag_builder_type(b, names[i], cost);
	}
	for (int i = 0; i < NTASKS; i++)
		dag_builder_task(b, (uint32_t)types[i]);
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		dag_builder_edge(b, edges[i][0], edges[i][1]);
	return dag_builder_finish(b, NULL);
}

/* Workers are asked in the order CPU-1, GPU-1, CPU-2. */
static struct simulation *play(const struct dag *d, const char *cpu_list, const char *gpu_list)
{
	struct ht_err err = {""};
	struct machine *m = machine_parse("cpu:2 cuda:1", &err);
	struct config *c = config_from_dag(d, m, &err);
	struct simulate_options o = {.policy = &policy_heteroprio,
	                             .policy_options = "variant=paper,prefetch=none",
	                             .config = c,
	                             .keep_schedule = 1};
	struct machine_worker swap = m->workers[1];
	struct simulation *s;

	m->workers[1] = m->workers[2];
	m->workers[2] = swap;
	CHECK_INT(m->workers[GPU_1].arch, ARCH_CUDA);
	for (int i = 0; i < 3; i++) {
		c->lists[ARCH_CPU].buckets[i] = cpu_list[i] - 'A';
		c->lists[ARCH_CUDA].buckets[i] = gpu_list[i] - 'A';
		c->buckets[i].fastest = ARCH_NONE;
		c->buckets[i].slow_factor[ARCH_CPU] = c->buckets[i].slow_factor[ARCH_CUDA] = 0;
	}
	s = simulate(d, m, &o, &err);
	if (!s)
		printf("# %s\n", err.text);
	config_free(c);
	machine_free(m);
	return s;
}

static int64_t last_end(const struct simulation *s, int worker)
{
	int64_t last = 0;

	for (int i = 0; i < NTASKS; i++) {
		if (s->tasks[i].worker == worker && s->tasks[i].end_ns > last)
			last = s->tasks[i].end_ns;
	}
	return last;
}

static void test_graph(void)
{
	struct dag *d = make_graph();

	CHECK(dag_check(d) == NULL);
	for (uint32_t i = 0; i < NTASKS; i++) {
		CHECK_INT(dag_npred(d, i) == 0, i == A1);
		CHECK(i == A1 || i == C2 || dag_nsucc(d, i) < 3);
	}
	CHECK_INT(dag_nsucc(d, C2), 3);
	dag_free(d);
}

static void test_cases(void)
{
	static const char *const cpu[] = {"BCA", "ACB", "CAB"}, *const gpu[] = {"ACB", "BCA", "BCA"}; /* Table 6 */
	static const int64_t makespan_s[] = {7, 5, 5};
	struct dag *d = make_graph();
	int64_t c2_start[3] = {0};

	for (int i = 0; i < 3; i++) {
		struct simulation *s = play(d, cpu[i], gpu[i]);

		CHECK(s != NULL);
		if (!s)
			continue;
		CHECK_INT(s->makespan_ns, makespan_s[i] * SECOND);
		CHECK_INT(s->tasks[A1].worker, CPU_1);
		c2_start[i] = s->tasks[C2].start_ns;
		if (i == 2) {
			CHECK_INT(last_end(s, CPU_1), 5 * SECOND);
			CHECK_INT(last_end(s, GPU_1), 4 * SECOND);
			CHECK_INT(last_end(s, CPU_2), 4 * SECOND);
		}
		simulation_free(s);
	}
	CHECK(c2_start[2] < c2_start[1]);
	dag_free(d);
}

int main(void)
{
	RUN(test_graph);
	RUN(test_cases);
	return check_done();
}
