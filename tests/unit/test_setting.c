/* tests/unit/test_setting.c - settings on a finer granularity, and slow factors that would block. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/setting.h"

#include "tests/lib/tuned_graph.h"

/* Taken apart, a setting has its lists still: every group where its type was. */
static void refining_keeps_the_order(void)
{
	struct tuned_graph g;
	struct setting coarse, fine;

	tuned_graph_init(&g, 8);
	setting_by_urgency(&coarse, g.granularities[GRANULARITY_CODELET], 0, 2);
	setting_refine(&fine, &coarse, g.granularities[GRANULARITY_RANK]);
	for (int a = 0; a < ARCH_COUNT; a++) {
		int at = 0;

		for (int i = 0; i < coarse.count[a]; i++) {
			const struct granularity *f = g.granularities[GRANULARITY_RANK];
			uint32_t type = g.granularities[GRANULARITY_CODELET]->groups[coarse.list[a][i]].kind, level = 0;

			for (; at < fine.count[a] && f->groups[fine.list[a][at]].kind == type; at++)
				CHECK_INT(f->groups[fine.list[a][at]].level, level++);
			CHECK(level > 0);
		}
		CHECK_INT(at, fine.count[a]);
	}
	tuned_graph_fini(&g);
}

/* A test against an architecture that does not look at the bucket would never end: it is dropped. */
static void unused_tests_are_dropped(void)
{
	struct tuned_graph g;
	struct setting s;
	struct config *c;

	tuned_graph_init(&g, 5);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 1, 1);
	for (int b = 0; b < s.nbuckets; b++)
		if (setting_place(&s, ARCH_CUDA, b) >= 0)
			setting_remove(&s, ARCH_CUDA, setting_place(&s, ARCH_CUDA, b));
	c = config_of(&g, &s);
	CHECK_HAS(config_check(c), "that the fastest architecture does not look at");
	config_free(c);
	setting_normalise(&s);
	c = config_of(&g, &s);
	CHECK(config_check(c) == NULL);
	config_free(c);
	tuned_graph_fini(&g);
}

int main(void)
{
	RUN(refining_keeps_the_order);
	RUN(unused_tests_are_dropped);
	return check_done();
}
