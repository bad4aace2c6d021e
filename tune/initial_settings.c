/* tune/initial_settings.c - where the search begins. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/initial_settings.h"

#include <stdio.h>

#include "core/base/alloc.h"
#include "tune/search/search.h"
#include "tune/settings/candidates.h"
#include "tune/settings/granularity.h"
#include "tune/settings/scores.h"

struct initial_settings {
	struct initial_setting *items;
	size_t count, cap;
};

static struct setting *add(struct initial_settings *s, const struct trial_id *id)
{
	struct initial_setting *made = VEC_PUSH(s->items, s->count, s->cap);

	made->id = *id;
	made->makespan_ns = -1;
	return &made->setting;
}

/* A candidate that has lists of its own, which are not StarPU's. */
static int is_own_list(const struct candidate *c)
{
	return c->same_as < 0 && c->id.order != ORDER_STARPU;
}

static void add_refined(struct initial_settings *s, const struct candidates *c, const struct granularity *g)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_own_list(&c->items[i])) {
			struct trial_id id = c->items[i].id;
			struct setting *made;

			id.granularity = g->kind;
			made = add(s, &id);
			setting_refine(made, &s->items[i].setting, g); /* the vector may have moved: index again */
		}
}

static void add_urgent(struct initial_settings *s, const struct granularity *g)
{
	struct trial_id id = {.order = ORDER_URGENCY, .granularity = g->kind};

	for (id.number = 100; id.number >= 0; id.number -= 25)
		for (id.slow = 0; id.slow < SLOW_VARIANTS; id.slow++)
			setting_by_urgency(add(s, &id), g, id.number / 100.0, slow_variants[id.slow].scale);
}

/* By the scores of other schedulers, with the ratios of costs as slow factors and without any. */
static void add_scored(struct initial_settings *s, const struct scores *scores, const struct granularity *g)
{
	struct trial_id id = {.order = ORDER_SCORE, .granularity = g->kind};
	double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS];

	for (id.number = 0; id.number < SCORE_COUNT; id.number++) {
		scores_mean(scores, g, (enum score)id.number, mean);
		for (id.slow = 0; id.slow < 2; id.slow++)
			setting_by_score(add(s, &id), g, mean, slow_variants[id.slow].scale);
	}
}

/* What has been made so far, but for StarPU's orderings, with locality. */
static void add_near(struct initial_settings *s, const struct candidates *c)
{
	size_t made = s->count;

	for (size_t i = 0; i < made; i++) {
		struct trial_id id = s->items[i].id;
		struct setting *near;

		if (i < c->count && !is_own_list(&c->items[i]))
			continue;
		id.locality = 1;
		near = add(s, &id);
		*near = s->items[i].setting;
		near->locality.enabled = 1;
		snprintf(near->locality.push, sizeof(near->locality.push), "%s", "LS_SDH2");
	}
}

struct initial_setting *initial_settings_make(const struct candidates *c, const struct config *base,
                                              struct granularity *const *granularities, const struct scores *scores,
                                              enum initial_settings_locality locality, size_t *count)
{
	struct initial_settings s = {0};

	for (size_t i = 0; i < c->count; i++)
		setting_from_candidate(add(&s, &c->items[i].id), granularities[GRANULARITY_CODELET], base,
		                       &c->items[i]);
	for (int g = GRANULARITY_CODELET + 1; g < GRANULARITY_COUNT; g++)
		if (granularities[g]) {
			add_refined(&s, c, granularities[g]);
			add_urgent(&s, granularities[g]);
		}
	for (int g = GRANULARITY_CODELET; g < GRANULARITY_COUNT; g++)
		if (granularities[g])
			add_scored(&s, scores, granularities[g]);
	if (locality == INITIAL_SETTINGS_NEAR)
		add_near(&s, c);
	*count = s.count;
	return s.items;
}
