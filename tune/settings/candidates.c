/* tune/settings/candidates.c - the settings that are tried. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/metrics/heuristic.h"
#include "core/metrics/metrics.h"
#include "tune/settings/candidates.h"

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

int candidate_same_lists(const struct config_list *a, const struct config_list *b)
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
		if ((!factors || c->items[i].id.slow == wanted->id.slow) &&
		    candidate_same_lists(c->items[i].lists, wanted->lists))
			return (int)i;
	return -1;
}

/* The order with every slow variant. */
static void add_lists(struct candidates *c, struct trial_id id, const struct config_list *lists,
                      const struct config *base)
{
	int factors = has_factors(base);

	for (id.slow = 0; id.slow < SLOW_VARIANTS; id.slow++) {
		struct candidate k = {.id = id};

		memcpy(k.lists, lists, sizeof(k.lists));
		k.same_as = find_same(c, &k, factors);
		*VEC_PUSH(c->items, c->count, c->cap) = k;
	}
}

static void add_heuristic(struct candidates *c, enum trial_order order, int number, const struct config *base,
                          const struct metrics *x)
{
	const struct trial_id id = {.order = order, .number = number};
	struct config_list lists[ARCH_COUNT];
	uint32_t *rank = ht_alloc(x->ntypes, sizeof(*rank));

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		order_list(&lists[a], &base->lists[a], rank, heuristic_rank(trial_id_heuristic(&id), NULL, x, a, rank));
	add_lists(c, id, lists, base);
	free(rank);
}

void candidates_make(struct candidates *c, const struct config *base, const struct metrics *x)
{
	*c = (struct candidates){0};
	for (int i = 0; i < PUBLISHED_HEURISTICS; i++)
		add_heuristic(c, ORDER_HEURISTIC, i, base, x);
	add_lists(c, (struct trial_id){.order = ORDER_PLAIN}, base->lists, base);
	for (int i = 0; i < STARPU_ORDERINGS; i++)
		add_heuristic(c, ORDER_STARPU, i, base, x);
}

void candidates_fini(struct candidates *c)
{
	free(c->items);
	*c = (struct candidates){0};
}
