/* tests/unit/test_cluster.c - the closure, and that clusters are convex, their graph acyclic, their data counted. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "sched/static/cluster.h"
#include "sched/static/clusters.h"
#include "sched/static/transitive_closure.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"

static const int64_t one[ARCH_COUNT] = COSTS(1, -1);

/* n tasks; with `chain` each waits for the one before. */
static struct dag *row_of_tasks(uint32_t n, int chain)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "t", one);

	for (uint32_t i = 0; i < n; i++) {
		dag_builder_task(b, type);
		if (i && chain)
			dag_builder_edge(b, i - 1, i);
	}
	return dag_builder_finish(b, NULL);
}

/* Whether there is a path, found by walking. */
static int is_before(const struct dag *d, uint32_t from, uint32_t to)
{
	for (uint32_t e = d->succ_first[from]; e < d->succ_first[from + 1]; e++) {
		if (d->succ[e] == to || is_before(d, d->succ[e], to))
			return 1;
	}
	return 0;
}

/* The closure of all of a graph, and the place of each task in it. free place[]. */
static uint32_t *transitive_closure_of(struct transitive_closure *c, const struct dag *d, uint32_t first, uint32_t end)
{
	uint32_t *place = malloc(d->ntasks * sizeof(*place)), *succ_first = calloc(d->ntasks + 1, sizeof(*succ_first));
	uint32_t *succ = malloc((d->nedges + 1) * sizeof(*succ)), n = 0;

	for (uint32_t i = 0; i < d->ntasks; i++)
		place[dag_in_order(d, i)] = i;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		for (uint32_t e = d->succ_first[dag_in_order(d, i)]; e < d->succ_first[dag_in_order(d, i) + 1]; e++)
			succ[n++] = place[d->succ[e]];
		succ_first[i + 1] = n;
	}
	transitive_closure_init(c, succ_first, succ, first, end);
	free(succ_first);
	free(succ);
	return place;
}

/* All of a graph, and a piece of its order, in which what comes between two of it is in it too. */
static void test_closure(void)
{
	struct dag *d = graph_layers(3, 8, 12, 1);
	const uint32_t first[] = {0, d->ntasks / 4}, end[] = {d->ntasks, d->ntasks / 4 * 3};
	int wrong = 0;

	for (int piece = 0; piece < 2; piece++) {
		struct transitive_closure c;
		uint32_t *place = transitive_closure_of(&c, d, first[piece], end[piece]);

		for (uint32_t a = first[piece]; a < end[piece]; a++) {
			for (uint32_t b = first[piece]; b < end[piece]; b++)
				wrong += transitive_closure_before(&c, a, b) !=
				         is_before(d, dag_in_order(d, a), dag_in_order(d, b));
		}
		free(place);
		transitive_closure_fini(&c);
	}
	CHECK_INT(wrong, 0);
	dag_free(d);
}

/* Between two tasks of a cluster there is none of another: by the definition, over all triples. */
static int is_convex(const struct clusters *c, const struct dag *d)
{
	struct transitive_closure k;
	uint32_t *place = transitive_closure_of(&k, d, 0, d->ntasks);
	int convex = 1;

	for (uint32_t y = 0; y < d->ntasks; y++) {
		for (uint32_t i = 0; i < c->n; i++) {
			int before = 0, behind = 0;

			for (uint32_t j = c->first[i]; j < c->first[i + 1] && c->of[y] != i; j++) {
				before |= transitive_closure_before(&k, place[c->tasks[j]], place[y]);
				behind |= transitive_closure_before(&k, place[y], place[c->tasks[j]]);
			}
			convex &= !(before && behind);
		}
	}
	transitive_closure_fini(&k);
	free(place);
	return convex;
}

/* NULL when every task is in one cluster and their graph is acyclic, which implies that they are convex. */
static const char *clusters_check(const struct clusters *c, const struct dag *d)
{
	struct cluster_graph g;
	const char *why = NULL;

	if (c->first[0] != 0 || c->first[c->n] != d->ntasks)
		return "the clusters' tasks are not those of the graph";
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->first[i] >= c->first[i + 1])
			return "a cluster has no task";
		for (uint32_t k = c->first[i]; k < c->first[i + 1]; k++) {
			if (c->of[c->tasks[k]] != i)
				return "a task is listed in another cluster than its own";
		}
	}
	cluster_graph_init(&g, d, c);
	if (!g.order)
		why = "the graph of the clusters has a cycle";
	cluster_graph_fini(&g);
	return why;
}

static void check_clusters(const struct dag *d, uint32_t size, uint64_t seed, int by_definition)
{
	struct cluster_options o = {.size = size, .seed = seed};
	struct clusters c;
	int backwards = 0, large = 0;

	cluster_convex(&c, d, &o);
	CHECK_STR(clusters_check(&c, d) ? clusters_check(&c, d) : "", "");
	if (by_definition)
		CHECK(is_convex(&c, d));
	for (uint32_t i = 0; i < c.n; i++)
		large += c.first[i + 1] - c.first[i] > size;
	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
			backwards += c.of[d->succ[e]] < c.of[t];
	}
	CHECK_INT(large, 0);
	CHECK_INT(backwards, 0);
	clusters_fini(&c);
}

static void test_convex(void)
{
	static const uint32_t sizes[] = {1, 3, 10, 1000000};

	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct dag *d = seed % 2 ? graph_layers(seed, 14, 10, 1) : graph_cholesky((int)seed, 1);

		for (int i = 0; i < 4; i++)
			check_clusters(d, sizes[i], seed, 1);
		dag_free(d);
	}
}

/* A chain is cut into pieces; tasks without edges fall into parts of any size up to the largest. */
static void test_shapes(void)
{
	struct cluster_options o = {.size = 10, .seed = 4};
	struct dag *chain = row_of_tasks(95, 1), *row = row_of_tasks(95, 0);
	struct clusters c;

	cluster_convex(&c, chain, &o);
	CHECK(c.n >= 10 && c.n <= 16);
	for (uint32_t t = 1; t < 95; t++)
		CHECK(c.of[t] == c.of[t - 1] || c.of[t] == c.of[t - 1] + 1);
	clusters_fini(&c);
	check_clusters(row, 10, 4, 1);
	dag_free(chain);
	dag_free(row);
}

/* More than one piece, and parts that are large: none is above the size, nor are most clusters tiny. */
static void test_large(void)
{
	struct dag *graphs[] = {graph_cholesky(40, 1), graph_layers(7, 300, 80, 1), row_of_tasks(20000, 0),
	                        row_of_tasks(20000, 1)};

	for (int i = 0; i < 4; i++) {
		struct cluster_options o = {.size = 50, .seed = 2};
		struct clusters c;

		check_clusters(graphs[i], 50, 2, 0);
		check_clusters(graphs[i], 5000, 2, 0);
		cluster_convex(&c, graphs[i], &o);
		CHECK(i % 3 || c.n <= graphs[i]->ntasks / 5); /* a task without relations is a part by itself */
		clusters_fini(&c);
		dag_free(graphs[i]);
	}
}

/* The same seed, the same clusters; another one, others. */
static void test_seeds(void)
{
	struct dag *d = graph_cholesky(10, 1);
	struct cluster_options o = {.size = 10, .seed = 1}, p = {.size = 10, .seed = 2};
	struct clusters a, b, c;

	cluster_convex(&a, d, &o);
	cluster_convex(&b, d, &o);
	cluster_convex(&c, d, &p);
	CHECK(!memcmp(a.of, b.of, d->ntasks * sizeof(*a.of)));
	CHECK(memcmp(a.of, c.of, d->ntasks * sizeof(*a.of)));
	clusters_fini(&a);
	clusters_fini(&b);
	clusters_fini(&c);
	dag_free(d);
}

/* 0 writes x, which 1 and 2 read; 1 writes y for 2. {0} and {1, 2}: x crosses once, y not at all. */
static void test_graph(void)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "t", one), x = dag_builder_handle(b, 100), y = dag_builder_handle(b, 7);
	uint32_t *of = calloc(3, sizeof(*of));
	struct cluster_graph g;
	struct clusters c;
	struct dag *d;

	dag_builder_task(b, type);
	dag_builder_access(b, 0, x, ACCESS_W);
	dag_builder_task(b, type);
	dag_builder_access(b, 1, x, ACCESS_R);
	dag_builder_access(b, 1, y, ACCESS_W);
	dag_builder_task(b, type);
	dag_builder_access(b, 2, x, ACCESS_R);
	dag_builder_access(b, 2, y, ACCESS_R);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 0, 2);
	dag_builder_edge(b, 1, 2);
	d = dag_builder_finish(b, NULL);
	of[1] = of[2] = 1;
	clusters_init(&c, d, of, 2);
	cluster_graph_init(&g, d, &c);
	CHECK_INT(g.nedges, 1);
	CHECK_INT(g.bytes[0], 100);
	CHECK_INT(g.pieces[0], 1);
	cluster_graph_fini(&g);
	c.of[0] = c.of[2] = 0; /* 1 lies between 0 and 2: not convex, and a cycle */
	c.of[1] = 1;
	c.first[1] = 2;
	c.tasks[0] = 0;
	c.tasks[1] = 2;
	c.tasks[2] = 1;
	CHECK_STR(clusters_check(&c, d), "the graph of the clusters has a cycle");
	clusters_fini(&c);
	dag_free(d);
}

/* Types for the CPU, the GPU and both, so that most clusters have nobody for all their tasks: it runs all the same. */
static void test_mixed(void)
{
	static const int64_t costs[3][ARCH_COUNT] = {COSTS(5, -1), COSTS(-1, 3), COSTS(5, 3)};
	static const char *const names[] = {"cpu", "cuda", "both"};
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct simulate_options o = {0};
	struct ht_err err = {""};
	struct simulation *s;
	uint64_t seed = 5;
	struct dag *d;

	for (int i = 0; i < 3; i++)
		dag_builder_type(b, names[i], costs[i]);
	for (uint32_t t = 0; t < 200; t++) {
		dag_builder_task(b, graph_random(&seed) % 3);
		if (t > 5)
			dag_builder_edge(b, t - 1 - graph_random(&seed) % 5, t);
	}
	d = dag_builder_finish(b, NULL);
	o.policy = policy_find("cluster-heft:size=20,tries=5,seed=3", &o.policy_options, NULL);
	s = simulate(d, m, &o, &err);
	CHECK_STR(err.text, "");
	CHECK(s && s->executed[ARCH_CPU] + s->executed[ARCH_CUDA] == 200);
	simulation_free(s);
	for (int i = 0; i < 3; i++) {
		static const char *const bad[][2] = {
			{"cluster-heft:size=0", "size is a number from 1 to 1000000000, found \"0\""},
			{"cluster-heft:tries=x", "tries is a number from 1 to 1000000000, found \"x\""},
			{"cluster-heft:seed=-1", "seed is a number from 0 to 1000000000, found \"-1\""},
		};

		o.policy = policy_find(bad[i][0], &o.policy_options, NULL);
		CHECK(!simulate(d, m, &o, &err));
		CHECK_HAS(err.text, bad[i][1]);
	}
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_closure);
	RUN(test_convex);
	RUN(test_shapes);
	RUN(test_large);
	RUN(test_seeds);
	RUN(test_graph);
	RUN(test_mixed);
	return check_done();
}
