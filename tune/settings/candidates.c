/* tune/settings/candidates.c - the settings that are tried. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/metrics/metrics.h"
#include "tune/settings/candidates.h"
#include "tune/settings/heuristic.h"
#include "tune/settings/trial.h"

const struct slow_variant slow_variants[SLOW_VARIANTS] = {
	{1, ""},
	{0, "/no-slow"},
	{0.5, "/half-slow"},
	{2, "/double-slow"},
};

/*
 * The buckets of `base` in the order of the ranking. A type may have a cost on an architecture and not be in its list
 * there: some of its tasks cannot run on it. What the list has and the ranking does not comes last.
 */
static void order_list(struct config_list *out, const struct config_list *base, const uint32_t *rank, uint32_t nrank)
{
	int in_base[CONFIG_MAX_BUCKETS] = {0};

	out->count = 0;
	for (int i = 0; i < base->count; i++)
		in_base[base->buckets[i]] = 1;
	for (uint32_t i = 0; i < nrank; i++)
		if (rank[i] < CONFIG_MAX_BUCKETS && in_base[rank[i]]) {
			out->buckets[out->count++] = (int)rank[i];
			in_base[rank[i]] = 0;
		}
	for (int i = 0; i < base->count; i++)
		if (in_base[base->buckets[i]])
			out->buckets[out->count++] = base->buckets[i];
}

/* Factors only matter on a bucket that has a fastest architecture. */
static int has_factors(const struct config *base)
{
	for (int i = 0; i < base->nbuckets; i++)
		if (base->buckets[i].fastest != ARCH_NONE)
			return 1;
	return 0;
}

static int same_lists(const struct config_list *a, const struct config_list *b)
{
	for (int i = 0; i < ARCH_COUNT; i++)
		if (a[i].count != b[i].count ||
		    memcmp(a[i].buckets, b[i].buckets, (size_t)a[i].count * sizeof(a[i].buckets[0])) != 0)
			return 0;
	return 1;
}

static int find_same(const struct candidates *c, const struct candidate *wanted, int factors)
{
	for (size_t i = 0; i < c->count; i++)
		if ((!factors || c->items[i].slow_scale == wanted->slow_scale) &&
		    same_lists(c->items[i].lists, wanted->lists))
			return (int)i;
	return -1;
}

static void add_family(struct candidates *c, const char *name, const struct heuristic *h,
                       const struct config_list *lists, const struct config *base)
{
	int factors = has_factors(base);

	for (int v = 0; v < SLOW_VARIANTS; v++) {
		struct candidate k = {.heuristic = h,
		                      .family = c->families,
		                      .slow_scale = slow_variants[v].scale,
		                      .makespan_ns = -1};

		k.name = ht_asprintf("%s%s", name, slow_variants[v].suffix);
		memcpy(k.lists, lists, sizeof(k.lists));
		k.same_as = find_same(c, &k, factors);
		*VEC_PUSH(c->items, c->count, c->cap) = k;
	}
	c->families++;
}

static void add_heuristic(struct candidates *c, const char *name, const struct heuristic *h, const struct config *base,
                          const struct metrics *x)
{
	struct config_list lists[ARCH_COUNT];
	uint32_t *rank = ht_alloc(x->ntypes, sizeof(*rank));

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		order_list(&lists[a], &base->lists[a], rank, heuristic_rank(h, NULL, x, a, rank));
	add_family(c, name, h, lists, base);
	free(rank);
}

void candidates_make(struct candidates *c, const struct config *base, const struct metrics *x)
{
	*c = (struct candidates){0};
	for (int i = 0; heuristics[i]; i++)
		add_heuristic(c, heuristics[i]->name, heuristics[i], base, x);
	add_family(c, TRIAL_PLAIN, NULL, base->lists, base);
	for (int i = 0; i < STARPU_ORDERINGS; i++) {
		char name[24];

		snprintf(name, sizeof(name), "starpu-%d", i);
		add_heuristic(c, name, &starpu_orderings[i], base, x);
	}
}

void candidates_fini(struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->items[i].name);
	free(c->items);
	*c = (struct candidates){0};
}
