/* tests/unit/test_scores.c - mean scores of other schedulers per bucket, by hand, and the lists that follow. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"
#include "tune/settings/granularity.h"
#include "tune/settings/scores.h"
#include "tune/settings/setting.h"

static int near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void means_by_hand(void)
{
	struct dag *d = twelve_graph(1);
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS], b1;
	struct granularity *g;
	struct scores s;
	struct ranks r;

	CHECK_INT(ranks_init(&r, d, m, NULL), 0);
	g = granularity_make(GRANULARITY_CODELET, d, m, r.upward_ns);
	scores_init(&s, d, m);
	/* P inspires all; T1 4, T2 3, T3 and T4 5 with L; two of the six G have L after them. */
	scores_mean(&s, g, SCORE_ABILITY, mean);
	CHECK(near(mean[ARCH_CPU][TWELVE_P], 12) && mean[ARCH_CUDA][TWELVE_P] == 0);
	CHECK(near(mean[ARCH_CPU][TWELVE_T], 4.25) && near(mean[ARCH_CUDA][TWELVE_T], 4.25));
	CHECK(near(mean[ARCH_CPU][TWELVE_G], 8 / 6.0) && near(mean[ARCH_CPU][TWELVE_L], 1));
	scores_mean(&s, g, SCORE_EFFICIENCY, mean);
	b1 = 0;
	for (int t = 1; t < 5; t++)
		b1 += s.efficiency.counts[t] / 4.0;
	CHECK(near(mean[ARCH_CUDA][TWELVE_T], b1));
	/*
	 * Released work of 8000 at most, NOD of 4 at most, but of 2 on the device, which cannot run P; the longest
	 * takes 12000 on a CPU and 4000 on the device.
	 */
	scores_mean(&s, g, SCORE_MULTREEPRIO, mean);
	b1 = (3 * (1 - exp(-9.0 / 8)) + 1 - exp(-0.5)) / 4;
	CHECK(near(mean[ARCH_CPU][TWELVE_P], (1 - exp(-4) + 1 + 1) / 6));
	CHECK(near(mean[ARCH_CUDA][TWELVE_T], (b1 + 0.75 + 0.5 + 1.5 / 2 + 1) / 6));
	CHECK(near(mean[ARCH_CPU][TWELVE_T], (b1 + 1.5 / 4 + 1) / 6));
	CHECK(near(mean[ARCH_CPU][TWELVE_L], (0.75 + 1 / 12.0 + 1) / 6));
	scores_fini(&s);
	granularity_free(g);
	ranks_fini(&r);
	machine_free(m);
	dag_free(d);
}

/* Every task is of one group, and a list follows the scores of its architecture. */
static void lists_follow_scores(void)
{
	struct dag *d = graph_cholesky(8, 1000);
	struct machine *m = machine_parse("cpu:4 cuda:2", NULL);
	double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS];
	struct setting by;
	struct scores s;
	struct ranks r;

	CHECK_INT(ranks_init(&r, d, m, NULL), 0);
	scores_init(&s, d, m);
	for (int kind = 0; kind < GRANULARITY_COUNT; kind++) {
		struct granularity *g = granularity_make((enum granularity_kind)kind, d, m, r.upward_ns);
		uint32_t count[CONFIG_MAX_BUCKETS] = {0};

		for (uint32_t t = 0; g && t < d->ntasks; t++) {
			count[g->group_of[t]]++;
			CHECK_INT(g->groups[g->group_of[t]].kind, dag_type_of(d, t));
		}
		for (int i = 0; g && i < g->ngroups; i++)
			CHECK_INT(count[i], g->groups[i].count);
		for (int k = 0; g && k < SCORE_COUNT; k++) {
			scores_mean(&s, g, (enum score)k, mean);
			setting_by_score(&by, g, mean, 1);
			CHECK_INT(by.nbuckets, g->ngroups);
			for (int a = 0; a < ARCH_COUNT; a++)
				for (int i = 1; i < by.count[a]; i++)
					CHECK(mean[a][by.list[a][i - 1]] >= mean[a][by.list[a][i]]);
			CHECK(by.count[ARCH_CPU] == g->ngroups && by.count[ARCH_CUDA] < g->ngroups);
		}
		granularity_free(g);
	}
	scores_fini(&s);
	ranks_fini(&r);
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(means_by_hand);
	RUN(lists_follow_scores);
	return check_done();
}
