/* tune/search/permute.c - every order of a list: AutoHeteroprio's reference, where lists are short. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/permute.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "tune/evaluate/evaluator.h"
#include "tune/settings/setting.h"

uint32_t permutation_count(int n)
{
	assert(n <= PERMUTATION_MAX);
	return n < 2 ? 1 : (uint32_t)n * permutation_count(n - 1);
}

void permutation_places(int *places, int n, uint32_t k)
{
	for (int i = 0; i < n; i++)
		places[i] = i;
	for (int i = 0; i < n - 1; i++) {
		uint32_t block = permutation_count(n - 1 - i);
		int from = i + (int)(k / block), place = places[from];

		k %= block;
		for (; from > i; from--)
			places[from] = places[from - 1];
		places[i] = place;
	}
}

/* Where settings are replayed. */
struct evaluation {
	struct evaluator *evaluator;
	int graph, samples;
};

/* 1: got better. */
static int permute_list(const struct evaluation *g, enum arch a, struct setting *at, int64_t *ns, struct ht_err *err)
{
	size_t n = permutation_count(at->count[a]), best = 0;
	struct setting *settings = ht_alloc(n, sizeof(*settings));
	const struct setting **all = ht_alloc(n, sizeof(*all));
	int64_t *makespan = ht_alloc(n, sizeof(*makespan)), *most_ns = ht_alloc(n, sizeof(*most_ns));
	int rc;

	for (size_t i = 0; i < n; i++) {
		int places[PERMUTATION_MAX];

		settings[i] = *at;
		permutation_places(places, at->count[a], (uint32_t)i);
		for (int k = 0; k < at->count[a]; k++)
			settings[i].list[a][k] = at->list[a][places[k]];
		all[i] = &settings[i];
		most_ns[i] = *ns;
	}
	rc = evaluator_settings(g->evaluator, all, n, g->graph, g->samples, EVALUATOR_WITHIN_BUDGET, most_ns, makespan,
	                        err);
	for (size_t i = 1; i < n && rc == 0; i++)
		if (makespan[i] >= 0 && makespan[i] < makespan[best])
			best = i;
	if (rc == 0 && makespan[best] >= 0 && makespan[best] < *ns) {
		*at = settings[best];
		*ns = makespan[best];
		rc = 1;
	}
	free(settings);
	free(all);
	free(makespan);
	free(most_ns);
	return rc;
}

int permute_lists(struct evaluator *e, int graph, int samples, double most, struct setting *at, int64_t *ns,
                  struct ht_err *err)
{
	const struct evaluation where = {e, graph, samples};
	int unchanged = 0;

	for (int a = 0; unchanged < ARCH_COUNT && evaluator_spent(e) < 1; a = (a + 1) % ARCH_COUNT) {
		int rc = 0;

		if (at->count[a] > 1 && at->count[a] <= PERMUTATION_MAX && permutation_count(at->count[a]) <= most)
			rc = permute_list(&where, (enum arch)a, at, ns, err);
		if (rc < 0)
			return -1;
		unchanged = rc ? 0 : unchanged + 1;
	}
	return 0;
}
