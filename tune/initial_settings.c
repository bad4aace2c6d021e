/* tune/initial_settings.c - where the search begins. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/initial_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/metrics/heuristic.h"
#include "core/metrics/metrics.h"
#include "tune/search/search.h"
#include "tune/settings/granularity.h"
#include "tune/settings/scores.h"

static struct initial_setting *add(struct initial_settings *s, const struct trial_id *id)
{
	struct initial_setting *made = VEC_PUSH(s->items, s->count, s->cap);

	made->id = *id;
	made->makespan_ns = made->same_as = -1;
	return made;
}

/*
 * The buckets of `base`, which are the kinds, in the order of the ranking, of types. A type may have a cost on an
 * architecture and not be in its list there: some of its tasks cannot run on it. What the list has and the ranking does
 * not comes last.
 */
static void order_list(struct config_list *out, const struct config_list *base, const struct task_kinds *kinds,
                       const uint32_t *rank, uint32_t nrank)
{
	int in_base[CONFIG_MAX_BUCKETS] = {0};

	out->count = 0;
	for (int i = 0; i < base->count; i++)
		in_base[base->buckets[i]] = 1;
	for (uint32_t i = 0; i < nrank; i++)
		for (uint32_t p = kinds->first_part[rank[i]]; p < kinds->first_part[rank[i] + 1]; p++) {
			int bucket = kinds->part_kind[p];

			if (in_base[bucket])
				out->buckets[out->count++] = bucket;
			in_base[bucket] = 0;
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

/* The place of an earlier one with the same setting; -1: there is none. */
static int find_same(const struct initial_settings *s, const struct initial_setting *made, int factors)
{
	for (const struct initial_setting *x = s->items; x < made; x++)
		if ((!factors || x->id.slow == made->id.slow) &&
		    memcmp(x->setting.count, made->setting.count, sizeof(x->setting.count)) == 0 &&
		    memcmp(x->setting.list, made->setting.list, sizeof(x->setting.list)) == 0)
			return (int)(x - s->items);
	return -1;
}

/* What all orders of codelets are made from. */
struct codelets {
	const struct granularity *granularity;
	const struct config *base;
	const struct metrics *metrics;
};

/* The order with every slow variant. */
static void add_lists(struct initial_settings *s, const struct codelets *c, struct trial_id id,
                      const struct config_list *lists)
{
	for (id.slow = 0; id.slow < SLOW_VARIANTS; id.slow++) {
		struct initial_setting *made = add(s, &id);

		setting_from_lists(&made->setting, c->granularity, c->base, lists, slow_variants[id.slow].scale);
		made->same_as = find_same(s, made, has_factors(c->base));
	}
}

static void add_heuristic(struct initial_settings *s, const struct codelets *c, enum trial_order order, int number)
{
	const struct trial_id id = {.order = order, .number = number};
	struct config_list lists[ARCH_COUNT];
	uint32_t *rank = ht_alloc(c->metrics->ntypes, sizeof(*rank));

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		order_list(&lists[a], &c->base->lists[a], &c->granularity->kinds, rank,
		           heuristic_rank(trial_id_heuristic(&id), NULL, c->metrics, a, rank));
	add_lists(s, c, id, lists);
	free(rank);
}

/* Lists of its own, which are not StarPU's. */
static int is_own_list(const struct initial_setting *x)
{
	return x->same_as < 0 && x->id.order != ORDER_STARPU;
}

static void add_refined(struct initial_settings *s, const struct granularity *g)
{
	for (size_t i = 0; i < s->ncandidates; i++)
		if (is_own_list(&s->items[i])) {
			struct trial_id id = s->items[i].id;
			struct initial_setting *made;

			id.granularity = g->kind;
			made = add(s, &id);
			setting_refine(&made->setting, &s->items[i].setting,
			               g); /* the vector may have moved: index again */
		}
}

static void add_urgent(struct initial_settings *s, const struct granularity *g)
{
	struct trial_id id = {.order = ORDER_URGENCY, .granularity = g->kind};

	for (id.number = 100; id.number >= 0; id.number -= 25)
		for (id.slow = 0; id.slow < SLOW_VARIANTS; id.slow++)
			setting_by_urgency(&add(s, &id)->setting, g, id.number / 100.0, slow_variants[id.slow].scale);
}

/* By the scores of other schedulers, with the ratios of costs as slow factors and without any. */
static void add_scored(struct initial_settings *s, const struct scores *scores, const struct granularity *g)
{
	struct trial_id id = {.order = ORDER_SCORE, .granularity = g->kind};
	double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS];

	for (id.number = 0; id.number < SCORE_COUNT; id.number++) {
		scores_mean(scores, g, (enum score)id.number, mean);
		for (id.slow = 0; id.slow < 2; id.slow++)
			setting_by_score(&add(s, &id)->setting, g, mean, slow_variants[id.slow].scale);
	}
}

/* What has been made so far, but for StarPU's orderings, with locality. */
static void add_near(struct initial_settings *s)
{
	size_t made = s->count;

	for (size_t i = 0; i < made; i++) {
		struct trial_id id = s->items[i].id;
		struct setting *near;

		if (i < s->ncandidates && !is_own_list(&s->items[i]))
			continue;
		id.locality = 1;
		near = &add(s, &id)->setting;
		*near = s->items[i].setting;
		near->locality.enabled = 1;
		snprintf(near->locality.push, sizeof(near->locality.push), "%s", "LS_SDH2");
	}
}

void initial_settings_make(struct initial_settings *s, const struct config *base, const struct metrics *x,
                           struct granularity *const *granularities, const struct scores *scores,
                           enum initial_settings_locality locality)
{
	const struct codelets c = {granularities[GRANULARITY_CODELET], base, x};

	*s = (struct initial_settings){0};
	for (int i = 0; i < PUBLISHED_HEURISTICS; i++)
		add_heuristic(s, &c, ORDER_HEURISTIC, i);
	add_lists(s, &c, (struct trial_id){.order = ORDER_PLAIN}, base->lists);
	for (int i = 0; i < STARPU_ORDERINGS; i++)
		add_heuristic(s, &c, ORDER_STARPU, i);
	s->ncandidates = s->count;
	for (int g = GRANULARITY_CODELET + 1; g < GRANULARITY_COUNT; g++)
		if (granularities[g]) {
			add_refined(s, granularities[g]);
			add_urgent(s, granularities[g]);
		}
	for (int g = GRANULARITY_CODELET; g < GRANULARITY_COUNT; g++)
		if (granularities[g])
			add_scored(s, scores, granularities[g]);
	if (locality == INITIAL_SETTINGS_NEAR)
		add_near(s);
}
