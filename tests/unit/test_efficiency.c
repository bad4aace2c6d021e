/* tests/unit/test_efficiency.c - inspiring efficiency: by hand, against all chains, and the window it chooses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <time.h>

#include "core/metrics/ability.h"
#include "core/metrics/efficiency.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"

#define CPU  (1 << ARCH_CPU)
#define CUDA (1 << ARCH_CUDA)

/* Efficiencies of the tasks of `d` in a window are those listed. */
static void check_counts(const struct dag *d, arch_mask archs, int64_t window_ns, const uint32_t *want)
{
	struct efficiency e;

	efficiency_within(&e, d, archs, window_ns);
	CHECK_INT(e.ntasks, d->ntasks);
	CHECK_INT(e.window_ns, window_ns);
	CHECK(isnan(e.apart) && isnan(e.apart_best));
	for (uint32_t t = 0; t < d->ntasks; t++)
		CHECK_INT(e.counts[t], want[t]);
	efficiency_fini(&e);
}

/*
 * On GPUs P takes 3000 (it has no GPU cost), T 2000, G 1000, L 4000: that it takes 1000 on a CPU does not count. So P's
 * successors are done at 5000, T's at 3000, L after G5 at 5000. On CPUs T takes 8000, G 12000, L 1000.
 */
static void test_twelve(void)
{
	static const struct {
		arch_mask archs;
		int64_t window;
		uint32_t want[12];
	} table[] = {
		{CPU | CUDA, 0, {0}},
		{CPU | CUDA, 2999, {0}},
		{CPU | CUDA, 3000, {0, 3, 2, 3, 3}},
		{CPU | CUDA, 4999, {0, 3, 2, 3, 3}},
		{CPU | CUDA, 5000, {4, 3, 2, 3, 3, 0, 0, 0, 0, 1, 1, 0}},
		{CPU | CUDA, 6999, {10, 3, 2, 3, 3, 0, 0, 0, 0, 1, 1, 0}},
		{CPU | CUDA, 7000, {10, 3, 2, 4, 4, 0, 0, 0, 0, 1, 1, 0}},
		{CPU | CUDA, 10000, {11, 3, 2, 4, 4, 0, 0, 0, 0, 1, 1, 0}},
		{CPU, 13000, {4, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0}},
		{CPU, 23000, {10, 3, 2, 4, 4, 0, 0, 0, 0, 1, 1, 0}},
	};
	struct dag *d = twelve_graph(1);

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check_counts(d, table[i].archs, table[i].window, table[i].want);
	dag_free(d);
}

/* A chain cannot lead through a task that nobody can run; that is neither quick nor long. */
static void test_illegal(void)
{
	static const int64_t costs[2][ARCH_COUNT] = {
		COSTS(1, -1),
		COSTS(-1, 1),
	};
	static const uint32_t all[4] = {3, 2, 1, 0}, cpu[4] = {1, 0, 0, 0}, cuda[4] = {0};
	struct dag_builder *b = dag_builder_create();
	struct dag *d;

	dag_builder_type(b, "cpu", costs[0]);
	dag_builder_type(b, "cuda", costs[1]);
	for (uint32_t i = 0; i < 4; i++) {
		dag_builder_task(b, i == 2);
		if (i)
			dag_builder_edge(b, i - 1, i);
	}
	d = dag_builder_finish(b, NULL);
	check_counts(d, CPU | CUDA, 100, all);
	check_counts(d, CPU, 100, cpu);
	check_counts(d, CUDA, 100, cuda);
	dag_free(d);
}

/*
 * a -> b -> d -> f and a -> c -> e -> d: 10 for b, 1 for the others. Breadth-first d is seen after b first, at 12; it
 * is done at 4, and f at 5.
 */
static void test_quickest_chain(void)
{
	static const int64_t costs[2][ARCH_COUNT] = {
		COSTS(1, -1),
		COSTS(10, -1),
	};
	static const uint32_t edges[][2] = {{0, 1}, {1, 3}, {3, 5}, {0, 2}, {2, 4}, {4, 3}};
	static const uint32_t four[6] = {3, 0, 3, 1, 2, 0}, five[6] = {4, 0, 3, 1, 2, 0},
			      twelve[6] = {5, 2, 3, 1, 2, 0};
	struct dag_builder *b = dag_builder_create();
	struct dag *d;

	dag_builder_type(b, "short", costs[0]);
	dag_builder_type(b, "long", costs[1]);
	for (uint32_t i = 0; i < 6; i++)
		dag_builder_task(b, i == 1);
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		dag_builder_edge(b, edges[i][0], edges[i][1]);
	d = dag_builder_finish(b, NULL);
	check_counts(d, CPU, 4, four);
	check_counts(d, CPU, 5, five);
	check_counts(d, CPU, 12, twelve);
	dag_free(d);
}

/* By dynamic programming over the whole graph, task by task: no walk, no window until the end. */
static void brute(const struct dag *d, uint32_t from, int64_t *ends)
{
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);
		const int64_t *cost = d->classes[d->tasks[t].class_id].cost_ns;
		int64_t ns = cost[ARCH_CUDA] >= 0 ? cost[ARCH_CUDA] : cost[ARCH_CPU];

		ends[t] = t == from ? ns : INT64_MAX;
		for (uint32_t e = d->pred_first[t]; t != from && e < d->pred_first[t + 1]; e++) {
			int64_t end = ends[d->pred[e]];

			if (end != INT64_MAX && end + ns < ends[t])
				ends[t] = end + ns;
		}
	}
}

static void test_all_chains(void)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct dag *d = graph_layers(seed, 25, 30, 10);
		int64_t *ends = ht_alloc(d->ntasks, sizeof(*ends));
		struct efficiency e[7];
		struct ability a;

		for (int w = 0; w < 7; w++)
			efficiency_within(&e[w], d, CPU | CUDA, w == 6 ? INT64_MAX / 2 : 100 << w);
		ability_count(&a, d);
		for (uint32_t t = 0; t < d->ntasks; t++) {
			uint32_t want[7] = {0};

			brute(d, t, ends);
			for (uint32_t s = 0; s < d->ntasks; s++)
				for (int w = 0; w < 7; w++)
					want[w] += s != t && ends[s] <= e[w].window_ns;
			for (int w = 0; w < 7; w++)
				CHECK_INT(e[w].counts[t], want[w]);
			CHECK_NEAR(e[6].counts[t], a.transitive[t] - 1, 0); /* what a large window comes to */
		}
		for (int w = 0; w < 7; w++)
			efficiency_fini(&e[w]);
		ability_fini(&a);
		free(ends);
		dag_free(d);
	}
}

/* A count stops at its limit, and those that did are counted. */
static void test_limit(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(1, -1);
	struct dag_builder *b = dag_builder_create();
	struct efficiency e;
	struct dag *d;

	dag_builder_type(b, "t", cost);
	dag_builder_task(b, 0);
	for (uint32_t i = 1; i <= 6000; i++) {
		dag_builder_task(b, 0);
		dag_builder_edge(b, i <= 5000 ? 0 : 1, i);
	}
	d = dag_builder_finish(b, NULL);
	efficiency_within(&e, d, CPU, 2);
	CHECK_INT(e.counts[0], EFFICIENCY_LIMIT);
	CHECK_INT(e.counts[1], 1000);
	CHECK_INT(e.limited, 1);
	efficiency_fini(&e);
	dag_free(d);
}

/* The share of the pairs of different types or layers whose counts differ: every pair looked at. */
static double brute_apart(const struct dag *d, const uint32_t *counts)
{
	uint32_t *layers = ht_alloc(d->ntasks, sizeof(*layers));
	double pairs = 0, apart = 0;

	for (uint32_t i = 0; i < d->ntasks; i++)
		for (uint32_t t = dag_in_order(d, i), e = d->pred_first[t]; e < d->pred_first[t + 1]; e++)
			if (layers[d->pred[e]] >= layers[t])
				layers[t] = layers[d->pred[e]] + 1;
	for (uint32_t s = 0; s < d->ntasks; s++)
		for (uint32_t t = 0; t < s; t++) {
			int differ = layers[s] != layers[t] || dag_type_of(d, s) != dag_type_of(d, t);

			pairs += differ;
			apart += differ && counts[s] != counts[t];
		}
	free(layers);
	return pairs > 0 ? apart / pairs : 0;
}

/* As the header has it: the least of the windows that distinguishes nine tenths of what the best one does. */
static void check_window(const struct dag *d, int64_t first)
{
	struct efficiency chosen, e;
	double apart[64], best = 0;
	int64_t windows[64];
	int n = 0, i = 0;

	for (; n < 64; n++) {
		windows[n] = llround((double)first * pow(2, n / 2.0));
		efficiency_within(&e, d, CPU | CUDA, windows[n]);
		apart[n] = brute_apart(d, e.counts);
		best = fmax(best, apart[n]);
		efficiency_fini(&e);
	}
	while (apart[i] < 0.9 * best)
		i++;
	CHECK(i > 0); /* else nothing was chosen */
	efficiency_init(&chosen, d, CPU | CUDA);
	CHECK_INT(chosen.window_ns, windows[i]);
	CHECK_NEAR(chosen.apart, apart[i], 1e-12);
	CHECK_NEAR(chosen.apart_best, best, 1e-12);
	efficiency_within(&e, d, CPU | CUDA, chosen.window_ns);
	CHECK(memcmp(e.counts, chosen.counts, d->ntasks * sizeof(*e.counts)) == 0);
	efficiency_fini(&e);
	efficiency_fini(&chosen);
}

static void test_window(void)
{
	struct dag *d = graph_cholesky(12, 1);

	check_window(d, 2 * 5900); /* two syrk on one tile: nothing else completes sooner */
	dag_free(d);
	d = graph_cholesky(5, 1000);
	check_window(d, 2 * 5900 * 1000);
	dag_free(d);
}

/* A window of a graph whose costs are a multiple is that multiple, and all counts are the same. */
static void test_scaling(void)
{
	struct dag *d = graph_cholesky(30, 1), *scaled = graph_cholesky(30, 1 << 20);
	struct efficiency a, b;

	efficiency_init(&a, d, CPU | CUDA);
	efficiency_init(&b, scaled, CPU | CUDA);
	CHECK_INT(d->ntasks, 4960); /* more than the sample */
	CHECK(a.window_ns > 2 * 5900 && a.apart >= EFFICIENCY_ENOUGH * a.apart_best && a.apart <= a.apart_best);
	CHECK_NEAR((double)b.window_ns, (double)a.window_ns * (1 << 20), 1e-4);
	CHECK_NEAR(a.apart, b.apart, 0);
	CHECK(memcmp(a.counts, b.counts, d->ntasks * sizeof(*a.counts)) == 0);
	efficiency_fini(&a);
	efficiency_fini(&b);
	dag_free(d);
	dag_free(scaled);
}

/* Where there is nothing to choose by: no dependency, or one task, or no worker that can run them. */
static void test_nothing(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(7, -1);
	struct dag_builder *b = dag_builder_create();
	struct efficiency e;
	struct dag *d;

	dag_builder_type(b, "t", cost);
	dag_builder_task(b, 0);
	dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	efficiency_init(&e, d, CPU);
	CHECK_INT(e.window_ns, 0);
	CHECK_INT(e.counts[0] + e.counts[1], 0);
	efficiency_fini(&e);
	dag_free(d);
	d = graph_cholesky(3, 1);
	efficiency_init(&e, d, 1 << ARCH_HIP);
	CHECK_INT(e.window_ns, 0);
	CHECK_INT(e.counts[0], 0);
	efficiency_fini(&e);
	dag_free(d);
}

/* Tasks that take no time, two of them in a row among others: the window is chosen by the others. */
static void test_no_time(void)
{
	static const int64_t costs[2][ARCH_COUNT] = {
		COSTS(0, -1),
		COSTS(1000, -1),
	};
	static const uint32_t all[6] = {5, 4, 3, 2, 1, 0};
	struct dag_builder *b = dag_builder_create();
	struct efficiency e;
	struct dag *d;

	dag_builder_type(b, "none", costs[0]);
	dag_builder_type(b, "some", costs[1]);
	for (uint32_t i = 0; i < 6; i++) {
		dag_builder_task(b, i >= 2);
		if (i)
			dag_builder_edge(b, i - 1, i);
	}
	d = dag_builder_finish(b, NULL);
	check_counts(d, CPU, 4002, all);
	efficiency_init(&e, d, CPU);
	CHECK(e.window_ns >= 4000);
	CHECK(e.apart > 0.9);
	CHECK_INT(e.counts[0], 5);
	efficiency_fini(&e);
	dag_free(d);
}

/* Many short tasks, one that all wait for, and many long ones: no walk is to look at each of the long ones. */
static void test_barrier(void)
{
	enum { MANY = 100000, HUB = MANY, ALL = 2 * MANY + 1 };
	struct dag_builder *b = dag_builder_create();
	clock_t from = clock();
	struct efficiency e;
	struct dag *d;

	dag_builder_type(b, "short", (int64_t[ARCH_COUNT])COSTS(1000, 1000));
	dag_builder_type(b, "long", (int64_t[ARCH_COUNT])COSTS(10000000, 10000000));
	for (uint32_t t = 0; t < ALL; t++)
		dag_builder_task(b, t > HUB);
	for (uint32_t t = 0; t < ALL; t++) {
		if (t < HUB)
			dag_builder_edge(b, t, HUB);
		else if (t > HUB)
			dag_builder_edge(b, HUB, t);
	}
	d = dag_builder_finish(b, NULL);
	efficiency_init(&e, d, CPU | CUDA);
	CHECK_INT(e.window_ns, 2000);
	CHECK(e.counts[0] == 1 && e.counts[HUB] == 0 && e.counts[ALL - 1] == 0);
	CHECK(clock() - from < 2 * CLOCKS_PER_SEC); /* 0.1 s, and 5 s where each walk looks at them */
	efficiency_fini(&e);
	dag_free(d);
}

int main(void)
{
	RUN(test_twelve);
	RUN(test_illegal);
	RUN(test_quickest_chain);
	RUN(test_all_chains);
	RUN(test_limit);
	RUN(test_window);
	RUN(test_scaling);
	RUN(test_nothing);
	RUN(test_no_time);
	RUN(test_barrier);
	return check_done();
}
