/* tests/unit/test_heuristic.c - published scores by hand, StarPU's orderings, what no order may depend on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/heuristic.h"
#include "core/metrics/metrics.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"

#define EPS 1e-12

static struct metrics *twelve(const char *machine, struct dag **d)
{
	struct machine *m = machine_parse(machine, NULL);
	struct metrics_input in;
	struct metrics *x;

	*d = twelve_graph(1);
	twelve_input(&in, *d);
	x = metrics_compute(*d, m, &in);
	metrics_input_fini(&in);
	machine_free(m);
	return x;
}

static double score(const struct heuristic *h, const struct metrics *x, uint32_t p, enum arch a)
{
	struct heuristic_input in;

	heuristic_input(&in, x, p, a, h->exclusive);
	return heuristic_score(h, &in, NULL);
}

/*
 * From tests/unit/test_metrics.c: T has NOD 3/2, URT 4/3, S 11/6, costs 16/3 and 4/3; G has NOD 1/6, URT 1/36, S 2/9,
 * costs 8 and 2/3. So diff is -4 and 4 for T, -22/3 and 22/3 for G; the ratios are 4 and 12.
 */
static void test_published(void)
{
	struct dag *d;
	struct metrics *x = twelve("cpu:2 cuda:1", &d);
	double g = 22 / 3.0, u = 1 / 36.0, r = sqrt(1 / 36.0) * sqrt(2 - 1 / 36.0);
	const struct {
		const struct heuristic *h;
		double t_cpu, t_cuda, g_cpu, g_cuda;
	} want[] = {
		{&published_heuristics[HEURISTIC_PRWS], 1.5 * 3 / 16 * 11 / 6 - 4, 1.5 * 3 / 4 * 11 / 6 + 4,
	         1 / 6.0 / 8 * 2 / 9 - g, 1 / 6.0 * 1.5 * 2 / 9 + g},
		{&published_heuristics[HEURISTIC_PURWS], 0.25 * 11 / 6 - 4, 11 / 6.0 + 4, u / 8 * 2 / 9 - g,
	         u * 1.5 * 2 / 9 + g},
		{&published_heuristics[HEURISTIC_OFFSET], (4 / 3.0 + 1.3) * -3, (4 / 3.0 + 1.3) * 5,
	         (u + 1.3) * (1 - g), (u + 1.3) * (1 + g)},
		{&published_heuristics[HEURISTIC_SOFTPLUS], 7 / 3.0 * log(1 + exp(-4)), 7 / 3.0 * log(1 + exp(4)),
	         (1 + u) * log(1 + exp(-g)), (1 + u) * log(1 + exp(g))},
		{&published_heuristics[HEURISTIC_INTERPOLATION], 7 / 3.0 * -3, 7 / 3.0 * 5,
	         r * (1 + u) * (1 - g) - (1 - r) * log(1 + exp(g)), r * (1 + u) * (1 + g) - (1 - r) * log(1 + exp(-g))},
		{&published_heuristics[HEURISTIC_NTC], -4 + 0.3 * 1.5 * exp(-0.5 * 16), 4 + 0.3 * 1.5 * exp(-0.5 * 16),
	         -g + 0.05 * exp(-72), g + 0.05 * exp(-72)},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		CHECK_NEAR(score(want[i].h, x, TWELVE_T, ARCH_CPU), want[i].t_cpu, EPS);
		CHECK_NEAR(score(want[i].h, x, TWELVE_T, ARCH_CUDA), want[i].t_cuda, EPS);
		CHECK_NEAR(score(want[i].h, x, TWELVE_G, ARCH_CPU), want[i].g_cpu, EPS);
		CHECK_NEAR(score(want[i].h, x, TWELVE_G, ARCH_CUDA), want[i].g_cuda, EPS);
		CHECK(want[i].h == &published_heuristics[i]);
	}
	metrics_free(x);
	dag_free(d);
}

/* The example of the paper's Table 1, on a CPU: by difference A saves 30 s, by ratio B is ten times faster. */
static void test_paper_table_1(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	int64_t ca[ARCH_COUNT] = COSTS(100, 130);
	int64_t cb[ARCH_COUNT] = COSTS(1, 10);
	struct metrics_input in;
	struct metrics *x;
	struct dag *d;
	uint32_t list[2];

	dag_builder_task(b, dag_builder_type(b, "B", cb));
	dag_builder_task(b, dag_builder_type(b, "A", ca));
	d = dag_builder_finish(b, NULL);
	metrics_input_init(&in, d);
	x = metrics_compute(d, m, &in);
	CHECK_NEAR(x->types[1].arch[ARCH_CPU].diff * x->unit_ns, 30, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].diff * x->unit_ns, 9, EPS);
	CHECK_NEAR(x->types[1].arch[ARCH_CPU].rel_diff, 1.3, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].rel_diff, 10, EPS);
	CHECK_INT(heuristic_rank(&published_heuristics[HEURISTIC_PRWS], NULL, x, ARCH_CPU, list), 2);
	CHECK_INT(list[0], 1); /* A, by difference */
	heuristic_rank(&published_heuristics[HEURISTIC_PRWS], NULL, x, ARCH_CUDA, list);
	CHECK_INT(list[0], 0);
	heuristic_rank(&starpu_orderings[9], NULL, x, ARCH_CPU, list); /* (1 + URT) R: by ratio */
	CHECK_INT(list[0], 0);
	metrics_free(x);
	metrics_input_fini(&in);
	dag_free(d);
	machine_free(m);
}

static void test_softplus(void)
{
	static const struct {
		double x, y;
	} rows[] = {
		{0, 0.69314718055994530942},
		{1, 1.3132616875182228340},
		{-1, 0.31326168751822283405},
		{-50, 1.9287498479639177800e-22},
		{50, 50},
		{1000, 1000},
		{1e15, 1e15},
		{-1000, 0},
		{-700, 9.8596765437597708e-305},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double got = softplus(rows[i].x);

		CHECK(fabs(got - rows[i].y) <= 1e-14 * rows[i].y);
	}
}

/* eq 14: r(0) = 0 leaves the softplus, r(x >= 1) = 1 the offset model; continuous where they meet. */
static void test_interpolation_ends(void)
{
	struct heuristic_input in = {.cost = 1, .diff = 2, .rel_diff = 3};

	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_INTERPOLATION], &in, NULL), -log1p(exp(-2)), EPS);
	in.urt = 1;
	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_INTERPOLATION], &in, NULL), 2 * 3, EPS);
	in.urt = 1 - 1e-12;
	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_INTERPOLATION], &in, NULL), 2 * 3, 1e-9);
	in.urt = 3;
	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_INTERPOLATION], &in, NULL), 4 * 3, EPS);
}

static void test_knobs(void)
{
	struct heuristic_input in = {.cost = 1, .diff = -1, .rel_diff = 0.5, .nod = 2, .urt = 1};
	double zero[HEURISTIC_MAX_KNOBS] = {0, 0};

	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_OFFSET], &in, NULL), 0,
	           EPS); /* diff = -beta: whatever URT is */
	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_OFFSET], &in, zero), -1, EPS);
	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_NTC], &in, NULL), -1 + 0.6 * exp(-2),
	           EPS); /* max(1/2, 2)^2 / 2 = 2 */
	CHECK_NEAR(heuristic_score(&published_heuristics[HEURISTIC_NTC], &in, zero), -1, EPS);
}

/* P runs on the cpu alone and is first there; L is faster there; T releases more than G. */
static void test_rank(void)
{
	struct dag *d;
	struct metrics *x = twelve("cpu:2 cuda:1", &d);

	for (int i = 0; i < PUBLISHED_HEURISTICS; i++) {
		uint32_t list[4];

		CHECK_INT(heuristic_rank(&published_heuristics[i], NULL, x, ARCH_CPU, list), 4);
		CHECK_INT(list[0], TWELVE_P);
		CHECK_INT(list[3], TWELVE_G);
		CHECK_INT(heuristic_rank(&published_heuristics[i], NULL, x, ARCH_CUDA, list), 3);
		CHECK_INT(list[2], TWELVE_L);
	}
	metrics_free(x);
	dag_free(d);
}

/*
 * A machine of cpus: no differences, the lists are by what is released. URT: P 8/9, T 1/2, G 1/216 of a quarter, L 0.
 */
static void test_one_architecture(void)
{
	struct dag *d;
	struct metrics *x = twelve("cpu:2", &d);
	uint32_t list[4];

	for (int i = 0; i < PUBLISHED_HEURISTICS; i++) {
		CHECK_INT(heuristic_rank(&published_heuristics[i], NULL, x, ARCH_CPU, list), 4);
		CHECK_INT(list[0], TWELVE_P);
		CHECK_INT(list[1], TWELVE_T);
		CHECK_INT(list[2], TWELVE_G);
		CHECK_INT(list[3], TWELVE_L);
	}
	CHECK_INT(heuristic_rank(&published_heuristics[HEURISTIC_PRWS], NULL, x, ARCH_CUDA, list), 0);
	metrics_free(x);
	dag_free(d);
}

static void test_ties(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	int64_t cost[ARCH_COUNT] = COSTS(10, 10);
	struct metrics_input in;
	struct metrics *x;
	struct dag *d;
	uint32_t list[12];

	for (int i = 0; i < 12; i++) {
		char name[3] = {'t', (char)('a' + i), 0};

		dag_builder_task(b, dag_builder_type(b, name, cost));
	}
	d = dag_builder_finish(b, NULL);
	metrics_input_init(&in, d);
	x = metrics_compute(d, m, &in);
	for (int i = 0; i < PUBLISHED_HEURISTICS; i++) {
		CHECK_INT(heuristic_rank(&published_heuristics[i], NULL, x, ARCH_CUDA, list), 12);
		for (uint32_t k = 0; k < 12; k++)
			CHECK_INT(list[k], k);
	}
	metrics_free(x);
	metrics_input_fini(&in);
	dag_free(d);
	machine_free(m);
}

static struct metrics *layers(uint64_t seed, int64_t scale, const struct machine *m, struct dag **d)
{
	struct metrics_input in;
	struct metrics *x;

	*d = graph_layers(seed, 15, 12, scale);
	metrics_input_init(&in, *d);
	for (uint32_t p = 0; p < in.ntypes; p++)
		for (int a = 0; a < 2; a++)
			if ((*d)->classes[p].cost_ns[a] >= 0)
				in.executed[p][a].count = graph_random(&seed) % 50;
	for (int a = 0; a < 2; a++)
		in.idle[a] = graph_random(&seed) % 100 / 100.0;
	x = metrics_compute(*d, m, &in);
	metrics_input_fini(&in);
	return x;
}

/*
 * All costs times c: the same lists. 1024 is exact in binary, so not even rounding may show. StarPU's orderings 23 and
 * 27 add microseconds to a normalised difference; they do depend on c and are left out.
 */
static void test_scaling(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct dag *d1, *d2;
		struct metrics *x = layers(seed, 1, m, &d1), *y = layers(seed, 1024, m, &d2);

		for (int i = 0; i < 6 + STARPU_ORDERINGS; i++) {
			const struct heuristic *h = i < 6 ? &published_heuristics[i] : &starpu_orderings[i - 6];

			if (i - 6 == 23 || i - 6 == 27)
				continue;
			for (enum arch a = 0; a < 2; a++) {
				uint32_t u[5], v[5], n = heuristic_rank(h, NULL, x, a, u);

				CHECK_INT(heuristic_rank(h, NULL, y, a, v), n);
				CHECK(memcmp(u, v, n * sizeof(*u)) == 0);
			}
		}
		metrics_free(x);
		metrics_free(y);
		dag_free(d1);
		dag_free(d2);
	}
	machine_free(m);
}

/* Lists are permutations of the legal types and no score is NAN, whatever the graph. */
static void test_permutations(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);

	for (uint64_t seed = 100; seed < 140; seed++) {
		struct dag *d;
		struct metrics *x = layers(seed, 1000, m, &d);

		for (int i = 0; i < 6 + STARPU_ORDERINGS; i++) {
			const struct heuristic *h = i < 6 ? &published_heuristics[i] : &starpu_orderings[i - 6];

			for (enum arch a = 0; a < ARCH_COUNT; a++) {
				uint32_t list[5], n = heuristic_rank(h, NULL, x, a, list), seen = 0, legal = 0;

				for (uint32_t k = 0; k < n; k++) {
					CHECK(!isnan(score(h, x, list[k], a)));
					seen |= 1u << list[k];
				}
				for (uint32_t p = 0; p < x->ntypes; p++)
					legal |= (uint32_t)x->types[p].arch[a].legal << p;
				CHECK_INT(seen, legal);
				CHECK_INT(n, __builtin_popcount(legal));
			}
		}
		metrics_free(x);
		dag_free(d);
	}
	machine_free(m);
}

/*
 * StarPU's 28 on one input: D = 2, R = 3, t = 1, NOD 1.5, S = 4 us; released work 0.5 and 0.25, idle 0.4, shares 0.75
 * and 0.25. need = 0.4, need_o = 0.75, N = -0.35, URT = 0.5 * 0.4 + 0.25 * 0.75 = 0.3875.
 */
static void test_starpu_table(void)
{
	static const struct heuristic_input in = {
		.cost = 1,
		.cost_other = 3,
		.diff = 2,
		.rel_diff = 3,
		.nod = 1.5,
		.released_us = 4,
		.nrt = 0.5,
		.nrt_other = 0.25,
		.idle = 0.4,
		.share = 0.75,
		.share_other = 0.25,
	};
	const double U = 0.3875, r = sqrt(U * (2 - U)), e2 = exp(-2);
	const struct {
		const char *name;
		double score;
	} want[STARPU_ORDERINGS] = {
		{"NOD_TIME_COMBINATION", 2 + 0.45 * e2},
		{"BEST_NODS_SCORE", 1.5},
		{"BEST_NODS", 1.5},
		{"URT_PURE", U},
		{"URT", 2 + U / 2},
		{"URT_2", 2 + U / 2},
		{"URT_DOT_DIFF_PURE", 2 * U},
		{"URT_DOT_DIFF_PURE_2", 2.775},
		{"URT_DOT_REL_DIFF_PURE", 3 * U},
		{"URT_DOT_REL_DIFF_PURE_2", 4.1625},
		{"URT_DOT_DIFF_2", 2.775 - 0.35},
		{"URT_DOT_DIFF_3", 2.775},
		{"URT_DOT_DIFF_4", 2.775 - 0.35},
		{"URT_DOT_DIFF_5", 1.6875 * 3},
		{"URT_DOT_DIFF_6", 1.3875 * log(1 + exp(2))},
		{"URT_DOT_DIFF_7", r * 1.3875 * 3 - (1 - r) * log(1 + e2)},
		{"URT_DOT_DIFF_8", (1 / (1 + exp(-U)) - 0.5) * 1.3875 * 3 - (1 / (1 + exp(-1 / U)) - 0.5) * e2},
		{"URT_DOT_DIFF_9", log(1.6875) * atan(2.3875)},
		{"URT_DOT_DIFF_10", 1.6875 * atan(2) + U},
		{"URT_DOT_DIFF_11", 1.6875 * 2.3875},
		{"URTS_PER_SECONDS", U},
		{"URTS_PER_SECONDS_2", 2 + U},
		{"URTS_PER_SECONDS_DIFF", U + 2},
		{"URTS_TIME_RELEASED_DIFF", 6 * U},
		{"URTS_TIME_COMBINATION", 2 + 0.3 * e2 * U},
		{"NODS_PER_SECOND", 1.5},
		{"NODS_TIME_RELEASED", 6},
		{"NODS_TIME_RELEASED_DIFF", 9},
	};

	for (int i = 0; i < STARPU_ORDERINGS; i++) {
		CHECK_STR(starpu_orderings[i].name, want[i].name);
		CHECK_NEAR(heuristic_score(&starpu_orderings[i], &in, NULL), want[i].score, EPS);
	}
}

/*
 * The same where it is the slower one: D = -2, R = 1/3, and N > 0 as it is idle; t = 3. URT = 0.25 * 0.9 + 0.5 * 0.25
 * = 0.35.
 */
static void test_starpu_slower(void)
{
	static const struct heuristic_input in = {
		.cost = 3,
		.cost_other = 1,
		.diff = -2,
		.rel_diff = 1 / 3.0,
		.nod = 1.5,
		.released_us = 4,
		.nrt = 0.25,
		.nrt_other = 0.5,
		.idle = 0.9,
		.share = 0.25,
		.share_other = 0.75,
	};
	static const struct {
		int ordering;
		double score;
	} want[] = {
		{1, (2 * 0.13533528323661270 - 1) * 1.5}, /* exp(-D^2 / 2) = exp(-2) */
		{0, -2 + 0.45 * 0.13533528323661270},     /* (rd - 1)^2 / 2 = 2 */
		{5, 0.175 - 2 + 2 * 0.1875 * 0.65},
		{10, -2.7 + 3 * 0.65},
		{11, -2.7 + 3 * 0.65},
		{12, -2.7},
		{20, 0.35 / 3},
		{26, 2},
		{27, 1},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		CHECK_NEAR(heuristic_score(&starpu_orderings[want[i].ordering], &in, NULL), want[i].score, EPS);
}

/* What one architecture alone can run: StarPU compares with 10^15 and is first where the difference counts. */
static void test_starpu_exclusive(void)
{
	struct dag *d;
	struct metrics *x = twelve("cpu:2 cuda:1", &d);
	struct heuristic_input in;

	heuristic_input(&in, x, TWELVE_P, ARCH_CPU, EXCLUSIVE_AS_STARPU);
	CHECK_NEAR(in.diff, 1e15, 1e-12);
	CHECK_NEAR(in.nrt_other, 0, EPS);
	for (int i = 0; i < STARPU_ORDERINGS; i++) {
		uint32_t list[4];
		double s = score(&starpu_orderings[i], x, TWELVE_P, ARCH_CPU);

		CHECK(isfinite(s));
		CHECK_INT(heuristic_rank(&starpu_orderings[i], NULL, x, ARCH_CPU, list), 4);
		if (s > 1e10)
			CHECK_INT(list[0], TWELVE_P);
	}
	metrics_free(x);
	dag_free(d);
}

int main(void)
{
	RUN(test_published);
	RUN(test_paper_table_1);
	RUN(test_softplus);
	RUN(test_interpolation_ends);
	RUN(test_knobs);
	RUN(test_rank);
	RUN(test_one_architecture);
	RUN(test_ties);
	RUN(test_scaling);
	RUN(test_permutations);
	RUN(test_starpu_table);
	RUN(test_starpu_slower);
	RUN(test_starpu_exclusive);
	return check_done();
}
