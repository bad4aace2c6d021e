/* tests/unit/test_bound.c - bounds against values worked out by hand, and with thousands of classes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"
#include "core/base/rng.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"

static uint32_t type(struct dag_builder *b, int64_t cpu, int64_t gpu)
{
	int64_t cost[ARCH_COUNT] = COSTS(cpu, gpu);

	return dag_builder_type(b, "t", cost);
}

static int64_t area_ns(const struct dag *d, const struct machine *m, struct ht_err *err)
{
	struct bounds b;

	return bounds_of(&b, d, m, BOUNDS_WITHOUT_COPIES, err) == 0 ? b.area_ns : -1;
}

static void test_critical_path(void)
{
	struct dag_builder *b = dag_builder_create();
	struct dag *d;

	type(b, 10, 4);
	type(b, 3, -1);
	for (int i = 0; i < 5; i++)
		dag_builder_task(b, i == 2);
	dag_builder_edge(b, 0, 1); /* 0 -> 1 -> 3, 0 -> 2 -> 3, and 4 alone */
	dag_builder_edge(b, 0, 2);
	dag_builder_edge(b, 1, 3);
	dag_builder_edge(b, 2, 3);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(bound_critical_path_ns(d, 1 << ARCH_CPU), 30);
	CHECK_INT(bound_critical_path_ns(d, 1 << ARCH_CPU | 1 << ARCH_CUDA), 12);
	dag_free(d);
}

enum { ADD = ACCESS_R | ACCESS_W | ACCESS_COMMUTE };

static uint32_t adding(struct dag_builder *b, uint32_t type_id, uint32_t after)
{
	uint32_t t = dag_builder_task(b, type_id);

	dag_builder_access(b, t, 0, ADD);
	if (after != TRACE_NONE)
		dag_builder_edge(b, after, t);
	return t;
}

/* Three that take 10 and can start at 5, 5 and 20 end at 35 on one piece of data; then others read it, and add. */
static void test_exclusion(void)
{
	struct machine *m = machine_parse("cpu:4", NULL);
	struct dag_builder *b = dag_builder_create();
	struct bounds bounds;
	uint32_t before[3], add[3], reads, last;
	struct dag *d;

	type(b, 10, -1);
	type(b, 5, -1);
	type(b, 20, -1);
	type(b, 4, -1);
	dag_builder_handle(b, 8);
	for (int i = 0; i < 3; i++)
		before[i] = dag_builder_task(b, i == 2 ? 2 : 1);
	for (int i = 0; i < 3; i++)
		add[i] = adding(b, 0, before[i]);
	reads = dag_builder_task(b, 3);
	dag_builder_access(b, reads, 0, ACCESS_R);
	for (int i = 0; i < 3; i++)
		dag_builder_edge(b, add[i], reads);
	last = adding(b, 0, reads);
	dag_builder_edge(b, reads, adding(b, 0, last));
	d = dag_builder_finish(b, NULL);
	CHECK_INT(bound_critical_path_ns(d, 1 << ARCH_CPU), 54);
	CHECK_INT(bound_exclusion_ns(d, 1 << ARCH_CPU), 59);
	CHECK_INT(bounds_of(&bounds, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
	CHECK_INT(bounds.largest_ns, 59);
	CHECK_STR(bounds_largest_name(&bounds), "exclusion bound");
	dag_free(d);
	machine_free(m);
	b = dag_builder_create(); /* a task that names its data twice is none of those, and counts once */
	type(b, 10, -1);
	dag_builder_handle(b, 8);
	for (int i = 0; i < 2; i++) {
		uint32_t t = adding(b, 0, TRACE_NONE);

		if (i) {
			dag_builder_access(b, t, 0, ADD);
			dag_builder_edge(b, 0, t);
		}
	}
	d = dag_builder_finish(b, NULL);
	CHECK_INT(bound_exclusion_ns(d, 1 << ARCH_CPU), 20);
	dag_free(d);
	d = graph_cholesky(4, 1000);
	CHECK_INT(bound_exclusion_ns(d, 1 << ARCH_CPU | 1 << ARCH_CUDA), -1);
	dag_free(d);
}

/* A task waits for those that add to its data only where a path in the graph says so; they take 10 each. */
static void test_exclusion_without_edges(void)
{
	static const struct {
		int direct, path; /* how many of four are its predecessors, and how many those of one of these */
		int64_t bound_ns;
	} cases[] = {{0, 0, 100}, {1, 0, 110}, {2, 0, 120}, {4, 0, 140}, {1, 1, 120}, {1, 3, 140}, {3, 1, 140}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dag_builder *b = dag_builder_create();
		uint32_t add[4], reads, between;
		struct dag *d;

		type(b, 10, -1);
		type(b, 2, -1);
		type(b, 100, -1);
		dag_builder_handle(b, 8);
		for (int k = 0; k < 4; k++)
			add[k] = adding(b, 0, TRACE_NONE);
		between = dag_builder_task(b, 1);
		reads = dag_builder_task(b, 2);
		dag_builder_access(b, reads, 0, ACCESS_R);
		for (int k = 0; k < cases[i].direct; k++)
			dag_builder_edge(b, add[k], reads);
		for (int k = 0; k < cases[i].path; k++)
			dag_builder_edge(b, add[3 - k], between);
		if (cases[i].path)
			dag_builder_edge(b, between, reads);
		d = dag_builder_finish(b, NULL);
		CHECK_INT(bound_exclusion_ns(d, 1 << ARCH_CPU), cases[i].bound_ns);
		dag_free(d);
	}
}

/* 300 tasks that add to 4000 pieces of data each, and 1000 that read what 1000 others have added to. */
static void test_exclusion_of_many(void)
{
	enum { TASKS = 300, DATA = 4000, ADDED = 1000, READERS = 1000 };
	struct dag_builder *b = dag_builder_create();
	uint32_t added[ADDED];
	clock_t from;
	struct dag *d;

	type(b, 10, -1);
	for (uint32_t i = 0; i < TASKS + DATA + 1; i++)
		dag_builder_handle(b, 8);
	for (uint32_t i = 0; i < TASKS; i++) {
		uint32_t t = dag_builder_task(b, 0);

		for (uint32_t h = i; h < i + DATA; h++)
			dag_builder_access(b, t, h, ADD);
	}
	for (uint32_t i = 0; i < ADDED; i++) {
		added[i] = dag_builder_task(b, 0);
		dag_builder_access(b, added[i], TASKS + DATA, ADD);
	}
	for (uint32_t i = 0; i < READERS; i++) {
		uint32_t t = dag_builder_task(b, 0);

		dag_builder_access(b, t, TASKS + DATA, ACCESS_R);
		for (uint32_t k = 0; k < ADDED; k++)
			dag_builder_edge(b, added[k], t);
	}
	d = dag_builder_finish(b, NULL);
	from = clock();
	CHECK_INT(bound_exclusion_ns(d, 1 << ARCH_CPU), (ADDED + 1) * 10);
	CHECK(clock() - from < 2 * CLOCKS_PER_SEC); /* 0.1 s; 8 s where each access looks at all of its task */
	dag_free(d);
}

/* What says no more than a simpler one, or is not known, has no name on a chart. */
static void test_named(void)
{
	struct bounds b = {
		.critical_path_ns = 50, .area_ns = 1000, .mixed_ns = 1001, .exclusion_ns = 1500, .bus_ns = 1502};
	struct named_bound named[BOUNDS_NAMED];

	REQUIRE(bounds_named(&b, named) == 3);
	CHECK_STR(named[0].name, "critical path");
	CHECK_STR(named[1].name, "area bound");
	CHECK_STR(named[2].name, "exclusion bound");
	CHECK_INT(named[2].ns, 1500);
	b.exclusion_ns = -1;
	REQUIRE(bounds_named(&b, named) == 3);
	CHECK_STR(named[2].name, "bus bound");
	b.mixed_ns = 1200;
	CHECK_INT(bounds_named(&b, named), 4);
	b.critical_path_ns = b.mixed_ns; /* the chain alone */
	CHECK_INT(bounds_named(&b, named), 3);
}

/*
 * Rounds of tasks that add to one of three pieces of data, and of one that reads it, with one of so many edges missing:
 * replays reach the bound where none is.
 */
static void check_exclusion_below_replays(uint64_t missing)
{
	static const struct policy *const some[] = {&policy_eager, &policy_dmda, &policy_lws};
	struct machine *m = machine_parse("cpu:3 cuda:1", NULL);
	int equal = 0;

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct rng rng = {seed};
		struct dag_builder *b = dag_builder_create();
		uint32_t last[3] = {TRACE_NONE, TRACE_NONE, TRACE_NONE};
		int64_t bound;
		struct dag *d;

		for (int i = 0; i < 5; i++)
			type(b, 100 + (int64_t)rng_below(&rng, 900), i % 2 ? 50 + (int64_t)rng_below(&rng, 900) : -1);
		for (int h = 0; h < 3; h++)
			dag_builder_handle(b, 8);
		for (int round = 0; round < 4; round++)
			for (uint32_t h = 0; h < 3; h++) {
				uint32_t n = (uint32_t)rng_below(&rng, 5), added[5], reads;

				for (uint32_t k = 0; k < n; k++) {
					added[k] = dag_builder_task(b, (uint32_t)rng_below(&rng, 5));
					dag_builder_access(b, added[k], h, ADD);
					if (last[h] != TRACE_NONE)
						dag_builder_edge(b, last[h], added[k]);
				}
				reads = dag_builder_task(b, (uint32_t)rng_below(&rng, 5));
				dag_builder_access(b, reads, h, ACCESS_R | ACCESS_W);
				for (uint32_t k = 0; k < n; k++)
					if (!missing || rng_below(&rng, missing))
						dag_builder_edge(b, added[k], reads);
				if (!n && last[h] != TRACE_NONE)
					dag_builder_edge(b, last[h], reads);
				last[h] = reads;
			}
		d = dag_builder_finish(b, NULL);
		bound = bound_exclusion_ns(d, machine_archs(m));
		CHECK(bound >= bound_critical_path_ns(d, machine_archs(m)));
		for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
			struct simulate_options o = {.policy = some[i], .policy_options = ""};
			struct simulation *x = simulate(d, m, &o, NULL);

			REQUIRE(x != NULL);
			CHECK(x->makespan_ns >= bound);
			equal += x->makespan_ns == bound;
			simulation_free(x);
		}
		dag_free(d);
	}
	CHECK(missing || equal > 0);
	machine_free(m);
}

static void test_exclusion_below_replays(void)
{
	check_exclusion_below_replays(0);
	check_exclusion_below_replays(2);
	check_exclusion_below_replays(5);
}

/* Four of (cpu 10, gpu 5) and two of (cpu 3) on 2 cpu + 1 gpu: x on the GPU, 5 x = (10 (4 - x) + 6) / 2; T = 11.5. */
static void test_area(void)
{
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	struct bounds bounds;
	struct dag *d;

	type(b, 10000000, 5000000);
	type(b, 3000000, -1);
	for (int i = 0; i < 6; i++)
		dag_builder_task(b, i >= 4);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(bounds_of(&bounds, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
	CHECK_NEAR(bounds.area_ns, 11500000, 1e-6);
	CHECK(bounds.area_ns <= 11500000);
	CHECK_INT(bounds.critical_path_ns, 5000000);
	CHECK_INT(bounds.largest_ns, bounds.area_ns);
	dag_free(d);
	machine_free(m);
}

static void test_area_limits(void)
{
	struct machine *m = machine_parse("cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	struct ht_err err = {""};
	struct dag *d;

	type(b, 10, -1);
	dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(area_ns(d, m, &err), -1);
	CHECK_HAS(err.text, "no worker of the machine can run t");
	dag_free(d);
	b = dag_builder_create();
	type(b, 0, 0);
	dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(area_ns(d, m, &err), 0);
	dag_free(d);
	machine_free(m);
}

/*
 * Four A (cpu 6, gpu 4) in a chain and four B (gpu 5) apart, on a CPU and a GPU. Area: B and z of A on the GPU,
 * 20 + 16 z = 24 (1 - z), T = 21.6. But then the chain takes 24 - 8 z = 23.2: T = 20 + 16 z = 24 - 8 z = 22 2/3.
 */
static void test_mixed(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	struct bounds bounds;
	struct dag *d;

	type(b, 6000000, 4000000);
	type(b, -1, 5000000);
	for (int i = 0; i < 8; i++)
		dag_builder_task(b, i >= 4);
	for (uint32_t i = 1; i < 4; i++)
		dag_builder_edge(b, i - 1, i);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(bounds_of(&bounds, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
	CHECK_NEAR(bounds.area_ns, 21600000, 1e-6);
	CHECK_INT(bounds.critical_path_ns, 16000000);
	CHECK_NEAR(bounds.mixed_ns, 68000000.0 / 3, 1e-6);
	CHECK(bounds.mixed_ns <= 68000000 / 3);
	CHECK_INT(bounds.largest_ns, bounds.mixed_ns);
	CHECK_INT(bounds.chains, 1);
	CHECK_STR(bounds_largest_name(&bounds), "mixed bound");
	dag_free(d);
	machine_free(m);
}

/* Two chains, of A and of C alike: the first alone would leave the other its time. */
static void test_mixed_chains(void)
{
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	struct bounds bounds;
	struct dag *d;

	type(b, 6000000, 4000000);
	type(b, 6000000, 4000000);
	type(b, -1, 5000000);
	for (int i = 0; i < 12; i++)
		dag_builder_task(b, (uint32_t)i / 4);
	for (uint32_t i = 1; i < 8; i++)
		if (i != 4)
			dag_builder_edge(b, i - 1, i);
	d = dag_builder_finish(b, NULL);
	/* z of each chain on the GPU: 20 + 32 z = 24 - 8 z, z = 0.1, T = 23.2; one chain's time alone is less */
	CHECK_INT(bounds_of(&bounds, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
	CHECK_NEAR(bounds.mixed_ns, 23200000, 1e-6);
	CHECK_INT(bounds.chains, 2);
	dag_free(d);
	machine_free(m);
}

/* With two architectures the LP is solved by giving the GPU the classes of the best ratio first: compare. */
static int by_ratio(const void *a, const void *b)
{
	const double *x = a, *y = b;
	double p = x[0] / x[1], q = y[0] / y[1];

	return p > q ? -1 : p < q;
}

static double greedy(double (*work)[2], int n, double cpus, double gpus)
{
	double cpu = 0, gpu = 0;

	qsort(work, (size_t)n, sizeof(*work), by_ratio);
	for (int i = 0; i < n; i++)
		cpu += work[i][0];
	for (int i = 0; i < n; i++) {
		double c = work[i][0], g = work[i][1], x = (cpu * gpus - gpu * cpus) / (c * gpus + g * cpus);

		if (x < 1)
			return (gpu + x * g) / gpus;
		cpu -= c;
		gpu += g;
	}
	return gpu / gpus;
}

static void check_area_of(uint32_t n)
{
	struct machine *m = machine_parse("cpu:20 cuda:4", NULL);
	struct dag_builder *b = dag_builder_create();
	double(*work)[2] = ht_alloc(n, sizeof(*work));
	uint64_t seed = 5;
	struct dag *d;

	for (uint32_t i = 0; i < n; i++) {
		int64_t cpu = 1000 + graph_random(&seed) % 1000000, gpu = 1000 + graph_random(&seed) % 100000;

		type(b, cpu, gpu);
		dag_builder_task(b, i);
		work[i][0] = (double)cpu;
		work[i][1] = (double)gpu;
	}
	d = dag_builder_finish(b, NULL);
	CHECK_NEAR((double)area_ns(d, m, NULL), greedy(work, (int)n, 20, 4), 1e-6);
	free(work);
	dag_free(d);
	machine_free(m);
}

static void test_area_many(void)
{
	check_area_of(3000);
}

/* Of a sparse factorisation each task is a class of its own: what that takes must not grow with their square. */
static void test_area_of_a_class_each(void)
{
	clock_t from = clock();

	check_area_of(40000);
	CHECK(clock() - from < 20 * CLOCKS_PER_SEC); /* 0.1 s; 26 s as one program with a row a class */
}

/* A chain of ten on GPUs of which the second takes 8 where the first takes 12, and both together 10 on average. */
static void test_unlike_devices(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
	struct dag_device devices[] = {{ARCH_CUDA, 0}, {ARCH_CUDA, 1}};
	int64_t costs[] = {12000, 8000};
	struct dag_builder *b = dag_builder_create();
	struct simulate_options o = {.transfers = TRANSFERS_OFF};
	struct simulation *s;
	struct bounds bounds;
	struct dag *d;

	type(b, 50000, 10000);
	for (uint32_t i = 0; i < 10; i++) {
		dag_builder_task(b, 0);
		if (i)
			dag_builder_edge(b, i - 1, i);
	}
	d = dag_builder_finish(b, NULL);
	d->devices = devices;
	d->device_cost_ns = costs;
	d->ndevices = 2;
	CHECK_INT(dag_class_least(d, 0, ARCH_CUDA), 8000);
	CHECK_INT(dag_class_least(d, 0, ARCH_CPU), 50000);
	CHECK_INT(dag_class_least(d, 0, ARCH_HIP), -1);
	CHECK_INT(bounds_of(&bounds, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
	CHECK_INT(bounds.critical_path_ns, 80000);
	o.policy = policy_find("dm", &o.policy_options, NULL);
	s = simulate(d, m, &o, NULL);
	CHECK(s && s->makespan_ns >= bounds.largest_ns);
	simulation_free(s);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_critical_path);
	RUN(test_exclusion);
	RUN(test_exclusion_without_edges);
	RUN(test_exclusion_of_many);
	RUN(test_exclusion_below_replays);
	RUN(test_named);
	RUN(test_area);
	RUN(test_area_limits);
	RUN(test_mixed);
	RUN(test_mixed_chains);
	RUN(test_area_many);
	RUN(test_area_of_a_class_each);
	RUN(test_unlike_devices);
	return check_done();
}
