/* tune/search/permute.c - every order of a list: AutoHeteroprio's reference, where lists are short. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/permute.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "tune/evaluate/evaluator.h"
#include "tune/settings/setting.h"

static double factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

/* The k-th permutation of list[n], in lexicographic order of places. */
static void permutation(uint8_t *list, int n, uint64_t k)
{
	for (int i = 0; i < n - 1; i++) {
		uint64_t block = (uint64_t)factorial(n - 1 - i);
		int from = i + (int)(k / block);
		uint8_t b = list[from];

		k %= block;
		for (; from > i; from--)
			list[from] = list[from - 1];
		list[i] = b;
	}
}

struct place {
	struct evaluator *e;
	int graph, samples;
};

/* 1: got better. */
static int permute_one(const struct place *p, enum arch a, struct setting *at, int64_t *ns, struct ht_err *err)
{
	size_t n = (size_t)factorial(at->count[a]), best = 0;
	struct setting *settings = ht_alloc(n, sizeof(*settings));
	const struct setting **all = ht_alloc(n, sizeof(*all));
	int64_t *makespan = ht_alloc(n, sizeof(*makespan));
	int rc;

	for (size_t i = 0; i < n; i++) {
		settings[i] = *at;
		permutation(settings[i].list[a], at->count[a], i);
		all[i] = &settings[i];
	}
	rc = evaluator_settings(p->e, all, n, p->graph, p->samples, EVALUATOR_WITHIN_BUDGET, makespan, err);
	for (size_t i = 1; i < n && rc >= 0; i++)
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
	return rc;
}

int permute_lists(struct evaluator *e, int graph, int samples, double most, struct setting *at, int64_t *ns,
                  struct ht_err *err)
{
	enum { LONGEST = 8 };
	const struct place p = {e, graph, samples};
	int unchanged = 0;

	for (int a = 0; unchanged < ARCH_COUNT && evaluator_spent(e) < 1; a = (a + 1) % ARCH_COUNT) {
		int rc = 0;

		if (at->count[a] > 1 && at->count[a] <= LONGEST && factorial(at->count[a]) <= most)
			rc = permute_one(&p, (enum arch)a, at, ns, err);
		if (rc < 0)
			return -1;
		unchanged = rc ? 0 : unchanged + 1;
	}
	return 0;
}
