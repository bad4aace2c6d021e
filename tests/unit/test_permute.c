/* tests/unit/test_permute.c - all orders of a list. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/permute.h"

#include "tests/lib/tuned_graph.h"

/* 0 1 2, 0 2 1, 1 0 2, ...: as next to each other in a dictionary. */
static void permutations_are_lexicographic(void)
{
	static const int want[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	int places[PERMUTATION_MAX], before[PERMUTATION_MAX];

	for (uint32_t k = 0; k < 6; k++) {
		permutation_places(places, 3, k);
		for (int i = 0; i < 3; i++)
			CHECK_INT(places[i], want[k][i]);
	}
	CHECK_INT(permutation_count(0), 1);
	CHECK_INT(permutation_count(1), 1);
	CHECK_INT(permutation_count(PERMUTATION_MAX), 40320);
	permutation_places(before, PERMUTATION_MAX, 0);
	for (uint32_t k = 1; k < permutation_count(PERMUTATION_MAX); k++) {
		int i = 0;

		permutation_places(places, PERMUTATION_MAX, k);
		while (i < PERMUTATION_MAX - 1 && places[i] == before[i])
			i++;
		CHECK(places[i] > before[i]);
		memcpy(before, places, sizeof(before));
	}
}

/* All orders of two lists of twelve tasks' types: nothing is better than what permuting one at a time ends at. */
static void permuting_reaches_the_best_order(void)
{
	struct ht_err err = {""};
	struct tuned_graph g = {.d = graph_cholesky(7, 1000), .m = machine_parse("cpu:3 cuda:1", NULL)};
	struct evaluator *e;
	struct setting s;
	struct trial t = {.setting = &s};
	int64_t ns, before;

	CHECK_INT(ranks_init(&g.ranks, g.d, g.m, &err), 0);
	g.base = config_from_dag(g.d, g.m, &err);
	g.granularities[GRANULARITY_CODELET] = granularity_make(GRANULARITY_CODELET, g.d, g.m, g.ranks.upward_ns);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 0, 0);
	e = evaluator_of(&g, 2, NULL, "", &err);
	CHECK_INT(evaluator_run(e, &t, 1, EVALUATOR_ALWAYS, &err), 0);
	before = ns = t.makespan_ns;
	CHECK_INT(permute_lists(e, 0, 1, 100, &s, &ns, &err), 0);
	CHECK(ns <= before);
	/* What one step of it would try: no exchange in either list is better. */
	for (int a = 0; a < 2; a++)
		for (int i = 0; i + 1 < s.count[a]; i++) {
			struct setting other = s;

			other.list[a][i] = s.list[a][i + 1];
			other.list[a][i + 1] = s.list[a][i];
			t.setting = &other;
			CHECK_INT(evaluator_run(e, &t, 1, EVALUATOR_ALWAYS, &err), 0);
			CHECK(t.makespan_ns >= ns);
		}
	evaluator_free(e);
	tuned_graph_fini(&g);
}

int main(void)
{
	RUN(permutations_are_lexicographic);
	RUN(permuting_reaches_the_best_order);
	return check_done();
}
