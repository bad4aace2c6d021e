/* tests/unit/test_placement_graphs.c - the policy placement in replays of whole graphs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/scenario.h"
#include "replay/sim/simulate.h"
#include "sched/placement/plan.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"
#include "tune/search/placement_search.h"

/* Commuting writes, reductions and scratch data, tasks without data, of several machines: legal, and twice the same. */
static void test_kinds_of_access(void)
{
	static const uint32_t modes[] = {ACCESS_R,
	                                 ACCESS_W,
	                                 ACCESS_R | ACCESS_W,
	                                 ACCESS_R | ACCESS_W | ACCESS_COMMUTE,
	                                 ACCESS_REDUX,
	                                 ACCESS_SCRATCH | ACCESS_R | ACCESS_W};
	static const char *const machines[] = {"cpu:3", "cuda:2", "cpu:2 cuda:1 opencl:1 hip:1", "cuda:3 cpu:1"};
	static const int64_t cost[ARCH_COUNT] = {30, 7, 9, -1, -1, -1, -1, 8, -1};

	for (uint64_t seed = 0; seed < 40; seed++) {
		struct dag_builder *b = dag_builder_create();
		struct machine *m = machine_parse(machines[seed % 4], NULL);
		uint64_t random = seed;
		struct dag *d;

		dag_builder_type(b, "t", cost);
		for (int h = 0; h < 6; h++)
			dag_builder_handle(b, graph_random(&random) % 3 * 1000);
		for (uint32_t t = 0; t < 60; t++) {
			dag_builder_task(b, 0);
			for (uint32_t n = graph_random(&random) % 4; n > 0; n--)
				dag_builder_access(b, t, graph_random(&random) % 6, modes[graph_random(&random) % 6]);
			if (t && graph_random(&random) % 2)
				dag_builder_edge(b, graph_random(&random) % t, t);
		}
		d = dag_builder_finish(b, NULL);
		for (int on = TRANSFERS_OFF; on <= TRANSFERS_ON; on++) {
			struct simulate_options o = {.transfers = (enum simulate_transfers)on};
			struct simulation *s = play(d, m, "placement:rank=hops", o);
			struct simulation *again = play(d, m, "placement:rank=hops", o);

			CHECK(s && again && legal(d, m, s) && s->makespan_ns == again->makespan_ns);
			simulation_free(s);
			simulation_free(again);
		}
		dag_free(d);
		machine_free(m);
	}
}

static void test_every_graph(void)
{
	static const char *const names[] = {"placement", "placement:rank=least,f=0,q=2.5,objective=volume",
	                                    "placement:rank=geometric,windows=64", "placement:q=0,f=0.5,windows=1",
	                                    "placement:q=1e9,b=3,r=1e9"};

	check_every_graph(names, 5);
}

/* Equal costs of a class to within an eighth share a heap; a thousand classes do not make a thousand of them. */
static void test_many_classes(void)
{
	enum { NCLASSES = 1000 };
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cuda:2 cpu:2", NULL);
	struct simulate_options o = {0};
	struct simulation *s;
	struct dag *d;

	for (uint32_t i = 0; i < NCLASSES; i++) {
		const int64_t cost[ARCH_COUNT] = {1000 + i, 100 + i / 10, -1, -1, -1, -1, -1, -1, -1};

		dag_builder_type(b, "t", cost);
		dag_builder_handle(b, 8);
		dag_builder_access(b, dag_builder_task(b, i), i, ACCESS_W);
	}
	d = dag_builder_finish(b, NULL);
	s = play(d, m, "placement", o);
	CHECK(s && legal(d, m, s));
	simulation_free(s);
	dag_free(d);
	machine_free(m);
}

static void test_refused(void)
{
	check_refused("placement:window=3", "");
	check_refused("placement:windows=0", "");
	check_refused("placement:windows=2.5", "");
	check_refused("placement:windows=65", "");
	check_refused("placement:objective=cuts", "");
	check_refused("placement:rank=x", "");
	check_refused("placement:least=1.5", "");
	check_refused("placement:effort=0", "");
	check_refused("placement:q=-1", "");
	check_refused("placement:b=x", "");
	check_refused("placement:f=", "");
}

/*
 * What is found is what a replay of that plan with those knobs gives, on any number of threads, and no worse than the
 * defaults.
 */
static void test_search(void)
{
	struct machine *m = machine_parse("cuda:3 cpu:4 link:6GB/s", NULL);
	struct dag *d = graph_cholesky(8, 200);
	struct scenario scenario = {.transfers = TRANSFERS_ON};
	struct placement_search p = {
		.dag = d, .machine = m, .scenario = &scenario, .jobs = 1, .seed = 1, .replays = 400};
	struct placement_found one, two;
	struct simulate_options o = {.transfers = TRANSFERS_ON};
	struct simulation *s, *plain;
	char *text, *name;

	CHECK_INT(placement_search(&p, &one, NULL), 0);
	p.jobs = 2;
	CHECK_INT(placement_search(&p, &two, NULL), 0);
	CHECK(one.makespan_ns == two.makespan_ns && one.varied_ns == two.varied_ns && one.replays == two.replays);
	text = placement_knobs_text(&one.knobs);
	name = ht_asprintf("placement:%s", text);
	plain = play(d, m, "placement", o);
	o.policy_data = one.plan;
	o.pipeline = one.pipeline;
	s = play(d, m, name, o);
	CHECK(s && plain && s->makespan_ns == one.makespan_ns && s->makespan_ns <= plain->makespan_ns);
	simulation_free(s);
	simulation_free(plain);
	placement_found_fini(&one);
	placement_found_fini(&two);
	free(text);
	free(name);
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(test_kinds_of_access);
	RUN(test_every_graph);
	RUN(test_many_classes);
	RUN(test_refused);
	RUN(test_search);
	return check_done();
}
