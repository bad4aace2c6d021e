/* tests/unit/test_learning.c - what AutoHeteroprio concludes from what it saw, by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/config/autoheteroprio_data.h"
#include "core/metrics/heuristic.h"
#include "sched/heteroprio/learning.h"
#include "tests/lib/check.h"

#define EPS 1e-12
enum { P, Q, ONLY };

/* Counts of executions are shares: StarPU's 1/(n - 1) and its normalisation come to that. */
static void test_shares(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));
	int p = autoheteroprio_type_of(l, "p", 3);

	learning_executed(l, p, ARCH_CPU, 10);
	CHECK_NEAR(l->types[p].arch[ARCH_CPU].share, 1, EPS);
	learning_executed(l, p, ARCH_CUDA, 4);
	CHECK_NEAR(l->types[p].arch[ARCH_CPU].share, 0.5, EPS);
	learning_executed(l, p, ARCH_CUDA, 6);
	CHECK_NEAR(l->types[p].arch[ARCH_CUDA].share, 2 / 3., EPS);
	CHECK_NEAR(l->types[p].arch[ARCH_CUDA].time_us, 5, EPS);
	CHECK_INT(l->types[p].arch[ARCH_CUDA].ntimes, 2);
	CHECK_INT(l->types[p].nshares, 3);
	free(l);
}

/* Proportions are not counts: 1, then + 1/2 over 3/2, then + 1/3 over 4/3. */
static void test_proportions(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));

	autoheteroprio_type_of(l, "p", 3);
	autoheteroprio_type_of(l, "q", 3);
	learning_ready(l, P);
	CHECK_NEAR(l->types[P].proportion, 1, EPS);
	learning_ready(l, Q);
	CHECK_NEAR(l->types[P].proportion, 2 / 3., EPS);
	CHECK_NEAR(l->types[Q].proportion, 1 / 3., EPS);
	learning_ready(l, Q);
	CHECK_NEAR(l->types[P].proportion, 0.5, EPS);
	free(l);
}

/* The 257th sample weighs 1/256. */
static void test_window(void)
{
	struct learning_released r = {.nod = 0};
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));

	autoheteroprio_type_of(l, "p", 1);
	for (int i = 0; i < AUTOHETEROPRIO_WINDOW; i++)
		learning_releases(l, P, &r);
	r = (struct learning_released){.nod = 256, .nrt = {[ARCH_HIP] = 128}, .best_us = 512};
	learning_releases(l, P, &r);
	CHECK_INT(l->types[P].nnods, 256);
	CHECK_NEAR(l->types[P].nod, 1, EPS);
	CHECK_NEAR(l->types[P].arch[ARCH_HIP].urt, 0.5, EPS);
	CHECK_NEAR(l->types[P].released_us, 2, EPS);
	CHECK_NEAR(l->types[P].best_us, 1000, EPS); /* nothing was executed: 1000 us */
	free(l);
}

static void test_worked(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));

	learning_worked(l, ARCH_CPU, 3e8, 1e8);
	learning_worked(l, ARCH_CPU, 3e8, 1e8);
	CHECK_NEAR(l->busy_us[ARCH_CPU], 6e8, EPS);
	learning_worked(l, ARCH_CPU, 14e8, 2e8); /* 2e9 and 4e8: the larger one is halved to 1e9 */
	CHECK_NEAR(l->busy_us[ARCH_CPU], 1e9, EPS);
	CHECK_NEAR(l->free_us[ARCH_CPU], 2e8, EPS);
	free(l);
}

static void test_times(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));

	autoheteroprio_type_of(l, "p", 3);
	CHECK_NEAR(learning_time_us(l, P, ARCH_CPU, ESTIMATE_LONG), 1000, EPS);
	CHECK_NEAR(learning_time_us(l, P, ARCH_HIP, ESTIMATE_LONG), 1e8, EPS);
	learning_executed(l, P, ARCH_CUDA, 7);
	CHECK_NEAR(learning_time_us(l, P, ARCH_HIP, ESTIMATE_BEST), 7, EPS);
	CHECK_NEAR(learning_best_us(l, P), 7, EPS);
	CHECK_NEAR(learning_unit_us(l), 0, EPS); /* no task has been ready yet */
	learning_ready(l, P);
	CHECK_NEAR(learning_unit_us(l), 7, EPS);
	free(l);
}

/*
 * p: 10 us on CPUs and 30 on GPUs; q: 20 and 5; half the tasks each, so that 1 is 7.5 us. CPUs were busy 1/4 of the
 * time, GPUs 1/2. What runs on CPUs only takes as long as its kind does, 40 us, of no proportion.
 */
static struct autoheteroprio_data *two_types(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));

	autoheteroprio_type_of(l, "p", 3);
	autoheteroprio_type_of(l, "q", 3);
	autoheteroprio_type_of(l, "only", 1);
	l->busy_us[ARCH_CPU] = 1, l->free_us[ARCH_CPU] = 3;
	l->busy_us[ARCH_CUDA] = 2, l->free_us[ARCH_CUDA] = 2;
	l->types[P] = (struct autoheteroprio_type){.name = "p",
	                                           .where = 3,
	                                           .nod = 2,
	                                           .nnods = 1,
	                                           .nurts = 1,
	                                           .proportion = 0.5,
	                                           .nproportions = 1,
	                                           .nshares = 16,
	                                           .released_us = 15,
	                                           .nreleased = 1,
	                                           .arch = {{0.5, 10, 16, 0.75}, {0.25, 30, 16, 0.25}}};
	l->types[Q] = (struct autoheteroprio_type){.name = "q",
	                                           .where = 3,
	                                           .nod = 1,
	                                           .nnods = 1,
	                                           .nurts = 1,
	                                           .proportion = 0.5,
	                                           .nproportions = 1,
	                                           .nshares = 16,
	                                           .released_us = 7.5,
	                                           .nreleased = 1,
	                                           .arch = {{1, 20, 16, 0.25}, {2, 5, 16, 0.75}}};
	l->types[ONLY].arch[ARCH_CPU] = (struct autoheteroprio_arch){0, 40, 16, 1};
	l->types[ONLY].nshares = 16;
	return l;
}

static double score(const struct autoheteroprio_data *l, int ordering, int type, enum arch a)
{
	return learning_score(l, &starpu_orderings[ordering], NULL, ESTIMATE_LONG, 1, type, a, learning_unit_us(l));
}

/* need of an architecture: 1 - busy; of the other: 1 - the type's share there. */
static void test_scores(void)
{
	const double p_cpu = 0.5 * 0.75 + 0.25 * (1 - 0.25), p_gpu = 0.25 * 0.5 + 0.5 * (1 - 0.75);
	struct autoheteroprio_data *l = two_types();

	CHECK_NEAR(score(l, 3, P, ARCH_CPU), p_cpu, EPS);
	CHECK_NEAR(score(l, 3, P, ARCH_CUDA), p_gpu, EPS);
	CHECK_NEAR(score(l, 4, P, ARCH_CPU), 0.5 * p_cpu + 20 / 7.5, EPS);
	/* CPU: need 0.75 = need_o 0.75: nothing is taken off. GPU: 0.5 - 0.25 > 0: nor here. */
	CHECK_NEAR(score(l, 12, P, ARCH_CPU), (1 + p_cpu) * 20 / 7.5, EPS);
	CHECK_NEAR(score(l, 12, P, ARCH_CUDA), (1 + p_gpu) * -20 / 7.5, EPS);
	/* q on GPUs: need 0.5, need_o 1 - 0.25: D - t 0.25 with t = 5 / 7.5. */
	CHECK_NEAR(score(l, 12, Q, ARCH_CUDA), (1 + 2 * 0.5 + 1 * 0.75) * 2 - 5 / 7.5 * 0.25, EPS);
	CHECK_NEAR(score(l, 25, P, ARCH_CPU), 2 / (10 / 7.5), EPS);
	CHECK_NEAR(score(l, 26, P, ARCH_CPU), 2 * 15 / (10 / 7.5), EPS);
	/* No other architecture: against 10^15 of an average task. Of its URT nothing is known: 1000. */
	CHECK_NEAR(score(l, 9, ONLY, ARCH_CPU), (1 + 1000 * 0.75) * 999999999999999.0 / (40 / 7.5), EPS);
	CHECK(isinf(score(l, 14, ONLY, ARCH_CPU)));
	free(l);
}

/* p and q are slower on CPUs by 800 and 900 average tasks: exp() of that is infinite in StarPU. */
static void test_overflow(void)
{
	struct autoheteroprio_data *l = two_types();
	int list[AUTOHETEROPRIO_MAX_TYPES];

	l->types[P].arch[ARCH_CPU].time_us = 900 * 17.5 + 30;
	l->types[Q].arch[ARCH_CPU].time_us = 800 * 17.5 + 5;
	for (int i = 0; i < 2; i++)
		l->types[i].arch[ARCH_CPU].urt = l->types[i].arch[ARCH_CUDA].urt = 0.1;
	CHECK(isinf(score(l, 15, P, ARCH_CPU)) && isinf(score(l, 15, Q, ARCH_CPU)));
	CHECK(isfinite(score(l, 15, P, ARCH_CUDA)) && score(l, 13, P, ARCH_CPU) < score(l, 13, Q, ARCH_CPU));
	CHECK_INT(learning_order(l, &starpu_orderings[15], NULL, ESTIMATE_LONG, 1, ARCH_CPU, list), 3);
	CHECK(list[0] == ONLY && list[1] == P && list[2] == Q);
	l->types[P].arch[ARCH_CPU].urt = l->types[P].arch[ARCH_CUDA].urt = 10;
	CHECK(isnan(score(l, 15, P, ARCH_CPU))); /* 0 times infinity */
	free(l);
}

static void check_order(const struct autoheteroprio_data *l, int ordering, int exploring, enum arch a, int n,
                        const int *want)
{
	int list[AUTOHETEROPRIO_MAX_TYPES];

	CHECK_INT(learning_order(l, &starpu_orderings[ordering], NULL, ESTIMATE_LONG, exploring, a, list), n);
	for (int i = 0; i < n; i++)
		CHECK_INT(list[i], want[i]);
}

static void test_order(void)
{
	struct autoheteroprio_data *l = two_types();

	check_order(l, 12, 1, ARCH_CPU, 3, (int[]){ONLY, P, Q});
	check_order(l, 12, 1, ARCH_CUDA, 2, (int[]){Q, P});
	check_order(l, 12, 1, ARCH_OPENCL, 0, NULL);
	check_order(l, 25, 1, ARCH_CPU, 3, (int[]){P, Q, ONLY}); /* 1.5, 0.375, and NOD 1 unknown: 0.1875 */
	/* Less than 16 samples on an architecture: first there, and nowhere else; not when frozen. */
	l->types[Q].arch[ARCH_CPU].ntimes = 15;
	check_order(l, 25, 1, ARCH_CPU, 3, (int[]){Q, P, ONLY});
	check_order(l, 25, 0, ARCH_CPU, 3, (int[]){P, Q, ONLY});
	/* Equal scores: the type that came first. */
	l->types[Q].arch[ARCH_CPU] = l->types[P].arch[ARCH_CPU];
	l->types[Q].nod = l->types[P].nod;
	check_order(l, 25, 1, ARCH_CPU, 3, (int[]){P, Q, ONLY});
	free(l);
}

static void test_slow_factors(void)
{
	double slow[ARCH_COUNT] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
	struct autoheteroprio_data *l = two_types();

	CHECK_INT(learning_slow_factors(l, Q, slow), ARCH_CUDA);
	CHECK_NEAR(slow[ARCH_CPU], 4, EPS);
	CHECK_NEAR(slow[ARCH_CUDA], 0, EPS);
	CHECK_NEAR(slow[ARCH_OPENCL], -1, EPS);
	CHECK_INT(learning_slow_factors(l, P, slow), ARCH_CPU);
	CHECK_NEAR(slow[ARCH_CUDA], 3, EPS);
	l->types[Q].arch[ARCH_CPU].time_us = 5;
	CHECK_INT(learning_slow_factors(l, Q, slow), ARCH_CPU); /* as fast: the lower number */
	CHECK_NEAR(slow[ARCH_CUDA], 1, EPS);
	free(l);
}

int main(void)
{
	RUN(test_shares);
	RUN(test_proportions);
	RUN(test_window);
	RUN(test_worked);
	RUN(test_times);
	RUN(test_scores);
	RUN(test_overflow);
	RUN(test_order);
	RUN(test_slow_factors);
	return check_done();
}
