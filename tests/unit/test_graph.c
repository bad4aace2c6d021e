/* tests/unit/test_graph.c - made graphs: the shape of every kind, costs, and the execution. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "generate/costs.h"
#include "generate/execute.h"
#include "generate/graph.h"
#include "tests/lib/check.h"
#include "tests/lib/invariants.h"

/* The predecessors of t as text: "0 2 2" of one that waits for the first for one piece of data, for the other for two. */
static const char *preds(const struct graph *g, uint32_t t, char text[256])
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++)
		len += (size_t)snprintf(text + len, 256 - len, "%s%u", len ? " " : "", (unsigned)g->pred[k]);
	return text;
}

/* A graph of a kind with these knobs, seed 1 or another; on 20 cpu + 4 cuda. */
static struct graph *make_seeded(const struct graph_kind *kind, const double *knob, uint64_t seed)
{
	struct ht_err err = {""};
	struct machine *m = machine_parse("cpu:20 cuda:4", &err);
	struct graph_input in = {.knob = knob, .seed = seed, .machine = m};
	struct graph *g = graph_make(kind, &in, NULL, &err);

	CHECK(g != NULL);
	if (g)
		CHECK(graph_check(g) == NULL);
	else
		printf("# %s\n", err.text);
	machine_free(m);
	return g;
}

#define MAKE(kind, ...) make_seeded(&kind, (const double[]){__VA_ARGS__}, 1)

static int64_t count(const struct graph *g, const char *type)
{
	for (size_t i = 0; i < g->ntypes; i++)
		if (strcmp(g->types[i].name, type) == 0)
			return g->types[i].count;
	return -1;
}

static int64_t sources(const struct graph *g)
{
	int64_t n = 0;

	for (size_t t = 0; t < g->ntasks; t++)
		n += g->pred_first[t] == g->pred_first[t + 1];
	return n;
}

static int64_t sinks(const struct graph *g)
{
	int64_t n = 0;

	for (size_t t = 0; t < g->ntasks; t++)
		n += g->depth[t] == 1;
	return n;
}

static void cholesky(void)
{
	for (int n = 1; n <= 12; n++) {
		struct graph *g = MAKE(graph_cholesky, n, 960);

		CHECK_INT(g->ntasks, n + n * (n - 1) + n * (n - 1) * (n - 2) / 6);
		CHECK_INT(count(g, "potrf"), n);
		CHECK_INT(count(g, "trsm"), n * (n - 1) / 2);
		CHECK_INT(count(g, "gemm"), n * (n - 1) * (n - 2) / 6);
		CHECK_INT(graph_critical_tasks(g), 3 * n - 2); /* potrf, trsm, syrk, potrf, ... */
		CHECK_INT(sources(g), 1);
		CHECK_INT(sinks(g), 1);
		graph_free(g);
	}
}

/* 3 x 3 tiles, by hand: potrf 0, trsm 1 2, syrk 3, gemm 4, syrk 5, potrf 6, trsm 7, syrk 8, potrf 9. */
static void cholesky_of_three(void)
{
	static const char *const waits[] = {"", "0", "0", "1", "1 2", "2", "3", "4 6", "5 7", "8"};
	struct graph *g = MAKE(graph_cholesky, 3, 960);
	char text[256];

	CHECK_INT(g->ntasks, 10);
	for (uint32_t t = 0; t < 10; t++)
		CHECK_STR(preds(g, t, text), waits[t]);
	CHECK_INT(g->handle_bytes[0], 960 * 960 * 8);
	graph_free(g);
}

static void lu_and_heat(void)
{
	for (int n = 1; n <= 8; n++) {
		struct graph *lu = MAKE(graph_lu, n, 960), *heat = MAKE(graph_heat, n, n + 3, 960);

		CHECK_INT(lu->ntasks, n * (n + 1) * (2 * n + 1) / 6);
		CHECK_INT(count(lu, "trsm_ll"), n * (n - 1) / 2);
		CHECK_INT(graph_critical_tasks(lu), 3 * n - 2);
		CHECK_INT(sources(lu), 1);
		CHECK_INT(sinks(lu), 1);
		/* A band as wide as the matrix is the full matrix. */
		CHECK_INT(heat->ntasks, lu->ntasks);
		CHECK_INT(heat->npreds, lu->npreds);
		graph_free(lu);
		graph_free(heat);
	}
	/* 10 blocks, one beside the diagonal: 1 + 2 + 1 tasks a step, one in the last; a chain of getrf, trsm, gemm. */
	struct graph *g = MAKE(graph_heat, 10, 1, 100);

	CHECK_INT(g->ntasks, 9 * 4 + 1);
	CHECK_INT(graph_critical_tasks(g), 3 * 9 + 1);
	graph_free(g);
	g = MAKE(graph_heat, 10, 0, 100); /* blocks that do not touch */
	CHECK_INT(g->ntasks, 10);
	CHECK_INT(g->npreds, 0);
	graph_free(g);
}

/* 2 x 2 by hand: geqrt 0, ormqr 1, tpqrt 2, tpmqrt 3, geqrt 4. The reflectors are two pieces of data each. */
static void qr(void)
{
	static const char *const waits[] = {"", "0 0", "0", "1 2 2", "3"};
	struct graph *g = MAKE(graph_qr, 2, 960);
	char text[256];

	CHECK_INT(g->ntasks, 5);
	CHECK_INT(graph_edges(g), 5);
	for (uint32_t t = 0; t < 5; t++)
		CHECK_STR(preds(g, t, text), waits[t]);
	graph_free(g);
	g = MAKE(graph_qr, 9, 960);
	CHECK_INT(g->ntasks, 9 * 10 * 19 / 6);
	CHECK_INT(count(g, "ormqr"), 36);
	CHECK_INT(count(g, "tpmqrt"), 9 * 8 * 17 / 6);
	CHECK_INT(sources(g), 1);
	CHECK_INT(sinks(g), 1);
	graph_free(g);
}

static void stencil(void)
{
	struct graph *g = MAKE(graph_stencil, 4, 3, 960);
	char text[256];

	CHECK_INT(g->ntasks, 2 * 16 * 3);
	CHECK_INT(count(g, "save"), 48);
	CHECK_INT(sources(g), 16); /* the first saves */
	CHECK_INT(sinks(g), 16);
	CHECK_INT(graph_critical_tasks(g), 6);          /* save and update, three times */
	CHECK_STR(preds(g, 16, text), "0 1 4");         /* a corner: its own save and those of two neighbours */
	CHECK_STR(preds(g, 16 + 5, text), "1 4 5 6 9"); /* inside */
	/* Saves again when it is updated and its edges are read; those at the border follow the first save. */
	CHECK_STR(preds(g, 32, text), "0 0 16 17 20"); /* a corner has two of those */
	graph_free(g);
}

static void trees(void)
{
	struct graph *out = MAKE(graph_out_tree, 3, 4, 10), *in = MAKE(graph_in_tree, 3, 4, 10);

	CHECK_INT(out->ntasks, 121);
	CHECK_INT(in->ntasks, 121);
	CHECK_INT(out->npreds, 120);
	CHECK_INT(in->npreds, 120);
	CHECK_INT(sources(out), 1);
	CHECK_INT(sinks(out), 81);
	CHECK_INT(sources(in), 81);
	CHECK_INT(sinks(in), 1);
	CHECK_INT(graph_critical_tasks(out), 5);
	CHECK_INT(graph_critical_tasks(in), 5);
	CHECK_INT(count(in, "leaf"), 81);
	graph_free(out);
	graph_free(in);
	out = MAKE(graph_out_tree, 1, 1000, 10); /* a chain */
	CHECK_INT(graph_critical_tasks(out), 1001);
	graph_free(out);
}

static void fmm(void)
{
	for (int dimensions = 2; dimensions <= 3; dimensions++) {
		struct graph *g = MAKE(graph_fmm, dimensions, 4, 100, 0);
		int64_t leaves = 1 << 4 * dimensions, inner = (1 << 2 * dimensions) + (1 << 3 * dimensions);
		uint32_t most = 0;

		CHECK_INT(count(g, "P2M"), leaves);
		CHECK_INT(count(g, "P2P"), leaves);
		CHECK_INT(count(g, "L2P"), leaves);
		CHECK_INT(count(g, "M2M"), inner);
		CHECK_INT(count(g, "L2L"), inner);
		CHECK_INT(count(g, "M2L"), leaves + inner);
		CHECK_INT(sources(g), 2 * leaves); /* P2M and P2P */
		CHECK_INT(sinks(g), 2 * leaves);   /* L2P and P2P: they commute */
		/* P2M, M2M twice, M2L, L2L twice, L2P */
		CHECK_INT(graph_critical_tasks(g), 7);
		for (size_t t = 0; t < g->ntasks; t++) {
			uint32_t n = g->access_first[t + 1] - g->access_first[t];

			if (strcmp(g->types[g->task_type[t]].name, "M2L") == 0 && n > most)
				most = n;
		}
		CHECK_INT(most, dimensions == 3 ? 190 : 28); /* the interaction list and the local expansion */
		graph_free(g);
	}
}

/* Split, every interaction is in one of the two tasks, and most P2P and M2L have both. */
static void fmm_split(void)
{
	struct graph *whole = MAKE(graph_fmm, 2, 4, 100, 0), *split = MAKE(graph_fmm, 2, 4, 100, 1);
	int64_t more = count(split, "M2L_out") + count(split, "P2P_out");

	CHECK_INT(count(split, "M2L_out"), count(whole, "M2L"));
	CHECK_INT(count(split, "P2P_out"), count(whole, "P2P"));
	CHECK_INT(split->ntasks, (int64_t)whole->ntasks + more);
	CHECK_INT(split->naccesses, (int64_t)whole->naccesses + more); /* another one to the sum, no other reads */
	graph_free(whole);
	graph_free(split);
}

/* 8 x 8 leaves: 210 pairs of neighbours; the near leaves and the far cells of a leaf are all 64 leaves, each once. */
static void nbody(void)
{
	struct graph *g = MAKE(graph_nbody, 2, 3, 100);
	int64_t covered = 0;

	CHECK_INT(count(g, "in_cell"), 64);
	CHECK_INT(count(g, "P2C"), 64 + 16);
	CHECK_INT(count(g, "N2N"), 210);
	for (size_t t = 0; t < g->ntasks; t++) {
		uint32_t sum = g->accesses[g->access_first[t]].handle; /* after 64 positions and forces */

		if (strcmp(g->types[g->task_type[t]].name, "C2P") == 0)
			covered += sum < 128 + 16 ? 4 : 1;
	}
	CHECK_INT(covered, 64 * 64 - 64 - 2 * 210);
	CHECK_INT(sources(g), 64 + 1); /* P2C of the leaves, and in_cell of the first: the others follow an N2N */
	graph_free(g);
}

static int same(const struct graph *a, const struct graph *b)
{
	return a->ntasks == b->ntasks && a->npreds == b->npreds && a->naccesses == b->naccesses &&
	       memcmp(a->task_type, b->task_type, a->ntasks * sizeof(*a->task_type)) == 0 &&
	       memcmp(a->pred, b->pred, a->npreds * sizeof(*a->pred)) == 0 &&
	       memcmp(a->types, b->types, a->ntypes * sizeof(*a->types)) == 0;
}

static void seeds(void)
{
	static const struct {
		const struct graph_kind *kind;
		double knob[5];
	} cases[] = {
		{&graph_layered, {30, 40, 0.1, 5, 960}},
		{&graph_random, {1200, 40, 0.1, 5, 960}},
		{&graph_pipeline, {1200, 5, 960}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph *a = make_seeded(cases[i].kind, cases[i].knob, 7);
		struct graph *b = make_seeded(cases[i].kind, cases[i].knob, 7);
		struct graph *c = make_seeded(cases[i].kind, cases[i].knob, 8);

		CHECK(same(a, b));
		CHECK(!same(a, c));
		CHECK_INT(a->ntasks, 1200);
		graph_free(a);
		graph_free(b);
		graph_free(c);
	}
}

static void layered_and_random(void)
{
	struct graph *g = MAKE(graph_layered, 50, 80, 0.05, 4, 960);

	CHECK_INT(graph_critical_tasks(g), 50);
	CHECK_INT(sources(g), 80);
	for (uint32_t t = 0; t < g->ntasks; t++)
		for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++)
			CHECK_INT(g->pred[k] / 80, t / 80 - 1);
	/* 49 layers of 80 x 80 pairs, and one for those that would have none (0.95^80): within four deviations. */
	CHECK_NEAR((double)g->npreds, 49 * 80 * (80 * 0.05 + pow(0.95, 80)), 4 / sqrt(49 * 80 * 80 * 0.05));
	graph_free(g);
	g = MAKE(graph_layered, 3, 5, 1, 1, 960);
	CHECK_INT(g->npreds, 2 * 25);
	graph_free(g);
	g = MAKE(graph_layered, 3, 5, 0, 1, 960);
	CHECK_INT(g->npreds, 2 * 5);
	graph_free(g);
	g = MAKE(graph_random, 5000, 20, 0.2, 4, 960);
	for (uint32_t t = 0; t < g->ntasks; t++)
		CHECK(g->pred_first[t] == g->pred_first[t + 1] || t - g->pred[g->pred_first[t]] <= 20);
	CHECK_NEAR((double)g->npreds, 5000 * 4, 4 / sqrt(5000 * 4));
	graph_free(g);
}

/*
 * All workers are busy to the end, each with tasks that are fastest on it: the length of the pipeline is the work
 * spread over the workers, and no schedule takes less, but for the task at the end of each worker.
 */
static void pipeline_has_no_hole(void)
{
	static const char *const machines[] = {"cpu:20 cuda:4", "cpu:3", "cuda:2", "cpu:4 cuda:2 hip:3"};
	const double knob[] = {5000, 6, 960};

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct ht_err err = {""};
		struct machine *m = machine_parse(machines[seed % 4], &err);
		struct graph_input in = {.knob = knob, .seed = seed, .machine = m};
		struct graph *g = graph_make(&graph_pipeline, &in, NULL, &err);
		double work_us = 0, most_us = 0;
		int64_t makespan_ns;

		for (size_t i = 0; i < g->ntypes; i++) {
			double best_us = INFINITY;

			for (int a = 0; a < ARCH_COUNT; a++)
				if (machine_archs(m) >> a & 1)
					best_us = fmin(best_us, g->types[i].cost_us[a]);
			work_us += best_us * g->types[i].count;
			most_us = fmax(most_us, best_us);
		}
		CHECK((double)g->best_ns >= work_us * 1e3 / m->nworkers);
		CHECK((double)g->best_ns <= (work_us / m->nworkers + most_us) * 1e3);
		free(execute(g, m, &makespan_ns, &err));
		CHECK((double)makespan_ns >= (double)g->best_ns - most_us * 1e3);
		CHECK(g->npreds > g->ntasks / 10);
		graph_free(g);
		machine_free(m);
	}
}

static void costs(void)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"gemm", "expected TYPE=ARCH:US"}, {"=cpu:1", "expected TYPE="},       {"gemm=", "expected TYPE="},
		{"gemm=cpu", "expected ARCH:US"},  {"gemm=gpu:1", "expected ARCH:US"}, {"gemm=cpu:0", "above 0"},
		{"gemm=cpu:-3", "above 0"},        {"gemm=cpu:nan", "above 0"},        {"gemm=cpu:1,cpu:2", "twice"},
		{"gemm=cpu:1e30", "up to"},        {"gemm=,", "expected TYPE="},
	};
	struct costs *c = costs_create();
	struct ht_err err = {""};
	double us[ARCH_COUNT] = {1, 2, 3, 4, 5, 6, 7, 8};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_INT(costs_add(c, bad[i].text, "here", &err), -1);
		CHECK_HAS(err.text, bad[i].says);
		CHECK_HAS(err.text, "here: ");
	}
	CHECK_INT(costs_add(c, "gemm=cpu:100,hip:2.5", "here", &err), 0);
	CHECK_INT(costs_add(c, "gemm=cpu:50,cuda:7", "here", &err), 0);
	CHECK_STR(costs_unused(c), "gemm");
	costs_apply(c, "trsm", us);
	CHECK_NEAR(us[ARCH_CUDA], 2, 0);
	costs_apply(c, "gemm", us); /* the last one holds, whole */
	CHECK_NEAR(us[ARCH_CPU], 50, 0);
	CHECK_NEAR(us[ARCH_CUDA], 7, 0);
	CHECK_NEAR(us[ARCH_HIP], -1, 0);
	CHECK(costs_unused(c) == NULL);
	costs_free(c);
}

static void refuses_what_does_not_fit(void)
{
	struct ht_err err = {""};
	struct machine *m = machine_parse("cuda:4", &err);
	struct graph_input in = {.seed = 1, .machine = m};
	struct graph *g;
	struct costs *c = costs_create();
	int64_t makespan_ns;

	in.knob = (const double[]){1000, 5, 1};
	CHECK(graph_make(&graph_out_tree, &in, NULL, &err) == NULL);
	in.knob = (const double[]){400, 2, 1};
	CHECK_HAS(err.text, "out-tree: a graph of");
	CHECK(graph_kind_find("spiral", &err) == NULL);
	CHECK_HAS(err.text, "expected one of cholesky, lu");
	CHECK_INT(costs_add(c, "node=cpu:1", "here", &err), 0);
	CHECK_INT(costs_add(c, "nose=cpu:1", "here", &err), 0);
	CHECK(graph_make(&graph_in_tree, &in, c, &err) == NULL);
	CHECK_HAS(err.text, "for \"nose\", expected one of the types node, leaf");
	costs_free(c);
	in.knob = (const double[]){3, 960};
	g = graph_make(&graph_cholesky, &in, NULL, &err);
	CHECK(g && execute(g, m, &makespan_ns, &err) == NULL);
	CHECK_HAS(err.text, "no worker of the machine can run potrf");
	graph_free(g);
	machine_free(m);
}

/* Each task after its predecessors, on a worker that can run it, for as long as it takes; one at a time a worker. */
static void executes_in_order(void)
{
	static const struct {
		const struct graph_kind *kind;
		double knob[5];
	} cases[] = {
		{&graph_cholesky, {8, 960}},
		{&graph_fmm, {2, 3, 50}},
		{&graph_layered, {10, 30, 0.1, 5, 960}},
	};
	struct ht_err err = {""};
	struct machine *m = machine_parse("cpu:5 cuda:2", &err);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph_input in = {.knob = cases[i].knob, .seed = 3, .machine = m};
		struct graph *g = graph_make(cases[i].kind, &in, NULL, &err);
		int64_t makespan_ns, last = 0, *free_ns = ht_alloc(7, sizeof(*free_ns));
		int64_t *data_ns = ht_alloc(g->nhandles, sizeof(*data_ns));
		struct executed *x = execute(g, m, &makespan_ns, &err);

		for (uint32_t t = 0; x && t < g->ntasks; t++) {
			const double *us = g->types[g->task_type[t]].cost_us;

			CHECK(x[t].start_ns >= free_ns[x[t].worker]);
			free_ns[x[t].worker] = x[t].end_ns;
			CHECK_INT(x[t].end_ns - x[t].start_ns, llround(us[m->workers[x[t].worker].arch] * 1e3));
			last = x[t].end_ns > last ? x[t].end_ns : last;
			for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++)
				CHECK(x[t].start_ns >= x[g->pred[k]].end_ns);
			for (uint32_t k = g->access_first[t]; k < g->access_first[t + 1]; k++) {
				if (!(g->accesses[k].mode & ACCESS_COMMUTE))
					continue;
				CHECK(x[t].start_ns >= data_ns[g->accesses[k].handle]);
				data_ns[g->accesses[k].handle] = x[t].end_ns;
			}
		}
		CHECK(x != NULL);
		CHECK_INT(makespan_ns, last);
		free(x);
		free(free_ns);
		free(data_ns);
		graph_free(g);
	}
	machine_free(m);
}

int main(void)
{
	RUN(cholesky);
	RUN(cholesky_of_three);
	RUN(lu_and_heat);
	RUN(qr);
	RUN(stencil);
	RUN(trees);
	RUN(fmm);
	RUN(fmm_split);
	RUN(nbody);
	RUN(seeds);
	RUN(layered_and_random);
	RUN(pipeline_has_no_hole);
	RUN(costs);
	RUN(refuses_what_does_not_fit);
	RUN(executes_in_order);
	return check_done();
}
