/* tests/unit/test_partition.c - parts of a graph of data: balance in each window, few bytes between them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/partition.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "sched/placement/data_graph.h"
#include "sched/placement/plan.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"

/* The upward rank and the work of each task on a GPU, where it has a cost there. */
static void measure(const struct dag *d, double *rank, double *work)
{
	double *length = ht_alloc(d->ntasks, sizeof(*length));
	const struct rank_graph g = {d->ntasks, d->order, d->succ_first, d->succ, length, NULL, NULL, 0};

	for (uint32_t t = 0; t < d->ntasks; t++) {
		work[t] = fmax((double)dag_cost(d, t, ARCH_CUDA), 0);
		length[t] = (double)dag_cost(d, t, ARCH_CPU);
	}
	rank_upward(&g, rank);
	free(length);
}

static void open_graph(struct data_graph *g, const struct dag *d, uint32_t nwindows)
{
	double *rank = ht_alloc(d->ntasks, sizeof(*rank)), *work = ht_alloc(d->ntasks, sizeof(*work));

	measure(d, rank, work);
	data_graph_init(g, d);
	g->graph.nweights = nwindows;
	g->graph.weight = data_graph_windows(g, d, rank, work, nwindows);
	free(rank);
	free(work);
}

/*
 * Task 0 writes A; task 1 reads A and writes B; task 2 reads A and B, has scratch, and writes C; task 3 reads C and
 * writes nothing; task 4 writes A and the larger C. Edges: A-B 10, A-C 10 + 10 (tasks 2 and 4), B-C 20.
 */
static struct dag *five_tasks(void)
{
	static const int64_t costs[ARCH_COUNT] = {10, 4, -1, -1, -1, -1, -1, -1, -1};
	struct dag_builder *b = dag_builder_create();
	static const uint64_t bytes[] = {10, 20, 30, 1000};

	dag_builder_type(b, "t", costs);
	for (int i = 0; i < 4; i++)
		dag_builder_handle(b, bytes[i]);
	dag_builder_access(b, dag_builder_task(b, 0), 0, ACCESS_W);
	dag_builder_access(b, dag_builder_task(b, 0), 0, ACCESS_R);
	dag_builder_access(b, 1, 1, ACCESS_W);
	dag_builder_access(b, dag_builder_task(b, 0), 0, ACCESS_R);
	dag_builder_access(b, 2, 1, ACCESS_R);
	dag_builder_access(b, 2, 3, ACCESS_SCRATCH | ACCESS_R | ACCESS_W);
	dag_builder_access(b, 2, 2, ACCESS_W);
	dag_builder_access(b, dag_builder_task(b, 0), 2, ACCESS_R);
	dag_builder_access(b, dag_builder_task(b, 0), 0, ACCESS_W);
	dag_builder_access(b, 4, 2, ACCESS_R | ACCESS_W);
	for (uint32_t t = 1; t < 5; t++)
		dag_builder_edge(b, t - 1, t);
	return dag_builder_finish(b, NULL);
}

static void test_edges_by_hand(void)
{
	static const uint32_t vertex[] = {0, 1, 2, DATA_GRAPH_NONE};
	static const uint32_t neighbours[] = {1, 2, 0, 2, 0, 1};
	static const double bytes[] = {10, 20, 10, 20, 20, 20}, weights[] = {0.25, 0, 0.25, 0, 0, 0.5};
	struct dag *d = five_tasks();
	struct data_graph g;

	open_graph(&g, d, 2);
	CHECK_INT(g.graph.n, 3);
	for (uint32_t h = 0; h < 4; h++)
		CHECK_INT(g.vertex[h], vertex[h]);
	CHECK_INT(data_graph_written(d, 3), DATA_GRAPH_NONE);
	CHECK_INT(data_graph_read(d, 3), 2);
	CHECK_INT(data_graph_written(d, 4), 2);
	CHECK_INT(g.graph.first[3], 6);
	for (uint32_t e = 0; e < 6; e++) {
		CHECK_INT(g.graph.neighbour[e], neighbours[e]);
		CHECK_NEAR((double)g.graph.edge_weight[e] / 1e8, bytes[e] / 100, 1e-6);
	}
	/* Of the four tasks with a vertex the first two, A's and B's, are in window 0; C has all of window 1. */
	for (uint32_t i = 0; i < 6; i++)
		CHECK_NEAR((double)g.graph.weight[i] / 1e8, weights[i], 1e-6);
	data_graph_fini(&g);
	dag_free(d);
}

/*
 * A product of matrices of 8 x 8 tiles, and one more datum that only one task reads: C belongs to tasks, and A and B,
 * which several tasks read that write different C, are vertices of no work.
 */
static struct dag *product(void)
{
	static const int64_t costs[ARCH_COUNT] = {40, 4, -1, -1, -1, -1, -1, -1, -1};
	enum { TILES = 8, A = TILES * TILES, B = A + TILES, OTHER = B + TILES };
	struct dag_builder *b = dag_builder_create();

	dag_builder_type(b, "gemm", costs);
	for (uint32_t h = 0; h <= OTHER; h++)
		dag_builder_handle(b, 1000);
	for (uint32_t i = 0; i < TILES; i++)
		for (uint32_t j = 0; j < TILES; j++) {
			uint32_t t = dag_builder_task(b, 0);

			dag_builder_access(b, t, i * TILES + j, ACCESS_R | ACCESS_W);
			dag_builder_access(b, t, A + i, ACCESS_R);
			dag_builder_access(b, t, B + j, ACCESS_R);
			if (t == 5)
				dag_builder_access(b, t, OTHER, ACCESS_R);
		}
	return dag_builder_finish(b, NULL);
}

static void test_data_that_is_read(void)
{
	struct dag *d = product();
	struct data_graph g;

	open_graph(&g, d, 1);
	CHECK_INT(g.graph.nreaders, 64);
	CHECK_INT(g.graph.n, 64 + 16);
	for (uint32_t h = 0; h < 64; h++)
		CHECK_INT(g.vertex[h], h);
	for (uint32_t h = 64; h < 80; h++)
		CHECK(g.vertex[h] >= 64 && g.vertex[h] < 80 && g.graph.weight[g.vertex[h]] == 0);
	CHECK_INT(g.vertex[80], DATA_GRAPH_NONE);
	CHECK_INT(g.graph.first[g.graph.n], 2 * 2 * 64);
	data_graph_fini(&g);
	dag_free(d);
}

/*
 * Of four equal devices each has 16 tiles of C and needs A and B for them: 4 and 4 where these are a square, 2 and 8
 * where they are rows; all 8 and 8 where it is left to chance. A and B belong to nobody.
 */
static void test_product(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:4 link:1GB/s", NULL);
	struct placement_knobs knobs;
	struct placement_base base;
	struct placement_plan plan;
	struct dag *d = product();
	unsigned needs[4] = {0}, received = 0; /* a bit for each of A and B */

	CHECK_INT(placement_knobs_read(&knobs, "", NULL), 0);
	CHECK_INT(placement_base_init(&base, d, m, 1, NULL), 0);
	placement_plan_init(&plan, &base, &knobs);
	for (uint32_t h = 0; h < 64; h++) {
		int device = 0;

		while (base.device[device] != plan.owner[h])
			device++;
		needs[device] |= 1u << h / 8 | 1u << (8 + h % 8);
	}
	for (int i = 0; i < 4; i++)
		received += (unsigned)__builtin_popcount(needs[i]);
	CHECK(received >= 32 && received <= 36);
	for (uint32_t h = 64; h < 81; h++)
		CHECK_INT(plan.owner[h], PLACES_NONE);
	placement_plan_fini(&plan);
	placement_base_fini(&base);
	dag_free(d);
	machine_free(m);
}

/*
 * Of the product each of two devices executes for 32 * 4 ns. One of them needs all of A or of B and half of the other,
 * so 24 data, and all C come and go: (24 + 128) * 1000 bytes or more. Without copies, and where all data is written,
 * nothing is known of the bus.
 */
static void test_bus_load(void)
{
	static const struct {
		const char *machine;
		int copies_take_time, expected;
	} cases[] = {{"cpu:1 cuda:2 link:1100GB/s", 1, 1},
	             {"cpu:1 cuda:2 link:1500GB/s", 1, 0},
	             {"cpu:1 cuda:2 link:1GB/s", 0, 0},
	             {"cpu:1 cuda:1 link:1GB/s", 1, 0}};
	struct placement_knobs knobs;

	CHECK_INT(placement_knobs_read(&knobs, "", NULL), 0);
	for (size_t i = 0; i <= sizeof(cases) / sizeof(*cases); i++) {
		int is_written = i == sizeof(cases) / sizeof(*cases);
		struct machine *m = machine_parse(is_written ? "cpu:1 cuda:2 link:1GB/s" : cases[i].machine, NULL);
		struct dag *d = is_written ? graph_cholesky(8, 1000) : product();
		struct placement_base base;
		struct placement_plan plan;

		CHECK_INT(placement_base_init(&base, d, m, is_written || cases[i].copies_take_time, NULL), 0);
		placement_plan_init(&plan, &base, &knobs);
		CHECK_INT(plan.fills_bus, is_written ? 0 : cases[i].expected);
		placement_plan_fini(&plan);
		placement_base_fini(&base);
		dag_free(d);
		machine_free(m);
	}
}

/* Each edge has its twin, no vertex is its own neighbour, and windows have equal work. */
static void test_symmetric(void)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct dag *d = seed ? graph_of_data(seed, 1000) : graph_cholesky(12, 1000);
		double sum[4] = {0};
		struct data_graph g;

		open_graph(&g, d, 4);
		for (uint32_t v = 0; v < g.graph.n; v++) {
			for (uint32_t e = g.graph.first[v]; e < g.graph.first[v + 1]; e++) {
				uint32_t u = g.graph.neighbour[e], k = g.graph.first[u];

				while (k < g.graph.first[u + 1] && g.graph.neighbour[k] != v)
					k++;
				CHECK(k < g.graph.first[u + 1] && u != v);
				CHECK(g.graph.edge_weight[k] == g.graph.edge_weight[e] && g.graph.edge_weight[e] > 0);
			}
			for (uint32_t i = 0; i < 4; i++)
				sum[i] += g.graph.weight[4 * v + i];
		}
		for (int i = 0; i < 4; i++)
			CHECK_NEAR(sum[i] / 1e8, 0.25, 0.03);
		data_graph_fini(&g);
		dag_free(d);
	}
}

static double cut_of(const struct partition_graph *g, const uint32_t *part)
{
	double cut = 0, all = 0;

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			cut += part[v] != part[g->neighbour[e]] ? g->edge_weight[e] : 0;
			all += g->edge_weight[e];
		}
	return cut / all;
}

static double volume_of(const struct partition_graph *g, const uint32_t *part, uint32_t nparts)
{
	double volume = 0, all = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		uint64_t seen = 0;

		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			seen |= UINT64_C(1) << part[g->neighbour[e]];
		volume += (double)g->size[v] * __builtin_popcountll(seen & ~(UINT64_C(1) << part[v]));
		all += (double)g->size[v] * (nparts - 1);
	}
	return volume / all;
}

/* The largest part of a weight over the part's share of it. */
static double imbalance_of(const struct partition_graph *g, const struct partition_options *o, const uint32_t *part,
                           uint32_t weight)
{
	double load[8] = {0}, all = 0, worst = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		load[part[v]] += g->weight[v * g->nweights + weight];
		all += g->weight[v * g->nweights + weight];
	}
	for (uint32_t p = 0; p < o->nparts; p++)
		worst = fmax(worst, load[p] / all / o->share[p]);
	return worst;
}

/* Of a matrix of 20 x 20 tiles on GPUs of which the last ones are slower: every GPU has its share in every window. */
static void test_balance(void)
{
	static const double shares[][4] = {{0.25, 0.25, 0.25, 0.25}, {0.4, 0.3, 0.2, 0.1}};
	struct dag *d = graph_cholesky(20, 1000);
	struct data_graph g;
	uint32_t *part;

	open_graph(&g, d, 6);
	part = ht_alloc(g.graph.n, sizeof(*part));
	for (int i = 0; i < 2; i++)
		for (int objective = PARTITION_CUT; objective <= PARTITION_VOLUME; objective++) {
			const struct partition_options o = {
				4, shares[i], (enum partition_objective)objective, PARTITION_BALANCE, 1, 1, NULL};

			partition(&g.graph, &o, part);
			for (uint32_t w = 0; w < 5; w++)
				CHECK(imbalance_of(&g.graph, &o, part, w) < 1.12);
			/* Of the last sixth of the work few tiles are left: there is less to choose from. */
			CHECK(imbalance_of(&g.graph, &o, part, 5) < 1.3);
		}
	free(part);
	data_graph_fini(&g);
	dag_free(d);
}

/* Better than tiles dealt out at random, which cut 3/4 of the edges; each objective is best at what it is about. */
static void test_objectives(void)
{
	static const double shares[] = {0.25, 0.25, 0.25, 0.25};
	struct partition_options o = {4, shares, PARTITION_CUT, PARTITION_BALANCE, 1, 1, NULL};
	struct dag *d = graph_cholesky(20, 1000);
	uint32_t *part[2];
	struct data_graph g;

	open_graph(&g, d, 1);
	for (int i = 0; i < 2; i++) {
		part[i] = ht_alloc(g.graph.n, sizeof(*part[i]));
		o.objective = (enum partition_objective)i;
		partition(&g.graph, &o, part[i]);
	}
	CHECK(cut_of(&g.graph, part[0]) < 0.6);
	CHECK(cut_of(&g.graph, part[0]) < cut_of(&g.graph, part[1]));
	CHECK(volume_of(&g.graph, part[1], 4) < volume_of(&g.graph, part[0], 4));
	free(part[0]);
	free(part[1]);
	data_graph_fini(&g);
	dag_free(d);
}

/* Two cliques with one thin edge between them: the best cut is known. */
static void test_two_cliques(void)
{
	enum { EACH = 6, N = 2 * EACH };
	uint32_t first[N + 1] = {0}, neighbour[N * N], part[N], n = 0;
	int32_t edge_weight[N * N], weight[N], size[N];
	struct partition_graph g = {N, N, 1, first, neighbour, edge_weight, weight, size};
	const struct partition_options o = {2, (double[]){0.5, 0.5}, PARTITION_CUT, PARTITION_BALANCE, 1, 3, NULL};

	for (uint32_t v = 0; v < N; v++) {
		for (uint32_t u = 0; u < N; u++)
			if (u != v && (u / EACH == v / EACH || u + v == N - 1)) {
				edge_weight[n] = u / EACH == v / EACH ? 100 : 1;
				neighbour[n++] = u;
			}
		first[v + 1] = n;
		weight[v] = size[v] = 1;
	}
	partition(&g, &o, part);
	for (uint32_t v = 0; v < N; v++)
		CHECK_INT(part[v], v < EACH ? part[0] : 1 - part[0]);
}

static uint32_t moved(const uint32_t *part, const uint32_t *home, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t v = 0; v < n; v++)
		sum += home[v] != PARTITION_NONE && part[v] != home[v];
	return sum;
}

/*
 * From the parts of another seed: about as small a cut, and most stays; what is in no part yet comes to some. By
 * itself a partition has three of four vertices elsewhere.
 */
static void test_home(void)
{
	static const double shares[] = {0.25, 0.25, 0.25, 0.25};
	struct partition_options o = {4, shares, PARTITION_CUT, PARTITION_BALANCE, 1, 1, NULL};
	struct dag *d = graph_cholesky(20, 1000);
	uint32_t *home, *part;
	struct data_graph g;
	double cut;

	open_graph(&g, d, 2);
	home = ht_alloc(g.graph.n, sizeof(*home));
	part = ht_alloc(g.graph.n, sizeof(*part));
	partition(&g.graph, &o, home);
	cut = cut_of(&g.graph, home);
	o.seed = 2;
	partition(&g.graph, &o, part);
	CHECK(moved(part, home, g.graph.n) > g.graph.n / 2);
	o.home = home;
	partition(&g.graph, &o, part);
	CHECK(moved(part, home, g.graph.n) < g.graph.n / 10);
	CHECK(cut_of(&g.graph, part) < 1.05 * cut);
	for (uint32_t v = 0; v < g.graph.n; v += 5)
		home[v] = PARTITION_NONE;
	partition(&g.graph, &o, part);
	CHECK(moved(part, home, g.graph.n) < g.graph.n / 5);
	CHECK(cut_of(&g.graph, part) < 1.15 * cut);
	free(home);
	free(part);
	data_graph_fini(&g);
	dag_free(d);
}

static void test_deterministic(void)
{
	static const double shares[] = {0.5, 0.25, 0.25};
	struct partition_options o = {3, shares, PARTITION_VOLUME, PARTITION_BALANCE, 1, 7, NULL};
	struct dag *d = graph_cholesky(10, 1000);
	uint32_t *a, *b;
	struct data_graph g;

	open_graph(&g, d, 3);
	a = ht_alloc(g.graph.n, sizeof(*a));
	b = ht_alloc(g.graph.n, sizeof(*b));
	partition(&g.graph, &o, a);
	rand(); /* of which nothing depends */
	partition(&g.graph, &o, b);
	CHECK(memcmp(a, b, g.graph.n * sizeof(*a)) == 0);
	o.seed = 8;
	partition(&g.graph, &o, b);
	CHECK(memcmp(a, b, g.graph.n * sizeof(*a)) != 0);
	free(a);
	free(b);
	data_graph_fini(&g);
	dag_free(d);
}

/* No vertices, one part, more parts than vertices, no edges, no work. */
static void test_limits(void)
{
	static const double shares[] = {0.25, 0.25, 0.25, 0.25};
	uint32_t first[4] = {0}, part[3] = {9, 9, 9}, none = 0;
	int32_t weight[6] = {0}, size[3] = {1, 1, 1}, no_edge = 1;
	struct partition_graph g = {0, 0, 2, first, &none, &no_edge, weight, size};
	struct partition_options o = {4, shares, PARTITION_CUT, PARTITION_BALANCE, 1, 1, NULL};

	partition(&g, &o, part);
	CHECK_INT(part[0], 9);
	g.n = 3;
	for (int objective = PARTITION_CUT; objective <= PARTITION_VOLUME; objective++) {
		o.objective = (enum partition_objective)objective;
		partition(&g, &o, part);
		for (int v = 0; v < 3; v++)
			CHECK(part[v] < 4);
	}
	for (int i = 0; i < 6; i++)
		weight[i] = 1;
	partition(&g, &o, part);
	CHECK(part[0] != part[1] && part[1] != part[2] && part[0] != part[2]);
	o = (struct partition_options){1, (double[]){1}, PARTITION_CUT, PARTITION_BALANCE, 1, 1, NULL};
	partition(&g, &o, part);
	CHECK(part[0] == 0 && part[1] == 0 && part[2] == 0);
}

int main(void)
{
	RUN(test_edges_by_hand);
	RUN(test_data_that_is_read);
	RUN(test_product);
	RUN(test_bus_load);
	RUN(test_symmetric);
	RUN(test_balance);
	RUN(test_objectives);
	RUN(test_two_cliques);
	RUN(test_home);
	RUN(test_deterministic);
	RUN(test_limits);
	return check_done();
}
