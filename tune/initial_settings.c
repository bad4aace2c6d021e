/* tune/initial_settings.c - where the search begins. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/initial_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "tune/search/search.h"
#include "tune/settings/granularity.h"
#include "tune/settings/heuristic.h"
#include "tune/settings/scores.h"
#include "tune/tune.h"

struct starts {
	struct start *items;
	size_t count, cap;
};

static struct setting *add(struct starts *s, char *name)
{
	struct start *start = VEC_PUSH(s->items, s->count, s->cap);

	start->name = name;
	start->makespan_ns = -1;
	return &start->setting;
}

static int is_starpu(const struct candidate *c)
{
	return c->heuristic >= starpu_orderings && c->heuristic < starpu_orderings + STARPU_ORDERINGS;
}

static void add_refined(struct starts *s, const struct candidates *c, const struct granularity *g)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].same_as < 0 && !is_starpu(&c->items[i])) {
			struct setting *made = add(s,
			                           ht_asprintf("%s:%s", granularity_name(g->kind), c->items[i].name));

			setting_refine(made, &s->items[i].setting, g); /* the vector may have moved: index again */
		}
}

static void add_urgent(struct starts *s, const struct granularity *g)
{
	for (int urgency = 100; urgency >= 0; urgency -= 25)
		for (int v = 0; v < SLOW_VARIANTS; v++)
			setting_by_urgency(add(s, ht_asprintf("%s:urgency-%d%s", granularity_name(g->kind), urgency,
			                                      slow_variants[v].suffix)),
			                   g, urgency / 100.0, slow_variants[v].scale);
}

/* By the scores of other schedulers, with the ratios of costs as slow factors and without any. */
static void add_scored(struct starts *s, const struct scores *scores, const struct granularity *g)
{
	double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS];

	for (int k = 0; k < SCORE_COUNT; k++) {
		scores_mean(scores, g, (enum score)k, mean);
		for (int v = 0; v < 2; v++)
			setting_by_score(add(s, ht_asprintf("%s:%s%s", granularity_name(g->kind),
			                                    score_name((enum score)k), slow_variants[v].suffix)),
			                 g, mean, slow_variants[v].scale);
	}
}

/* What has been made so far, but for StarPU's orderings, with locality. */
static void add_near(struct starts *s, const struct candidates *c, const char *push)
{
	size_t made = s->count;

	for (size_t i = 0; i < made; i++) {
		struct setting *near;

		if (i < c->count && (c->items[i].same_as >= 0 || is_starpu(&c->items[i])))
			continue;
		near = add(s, ht_asprintf("%s+LA", s->items[i].name));
		*near = s->items[i].setting;
		near->locality.enabled = 1;
		snprintf(near->locality.push, sizeof(near->locality.push), "%s", push);
	}
}

struct start *initial_settings_make(const struct candidates *c, const struct config *base,
                                    struct granularity *const *granularities, const struct scores *scores,
                                    enum initial_settings_locality locality, size_t *count)
{
	struct starts s = {0};

	for (size_t i = 0; i < c->count; i++)
		setting_from_candidate(add(&s, ht_strndup(c->items[i].name, strlen(c->items[i].name))),
		                       granularities[GRANULARITY_CODELET], base, &c->items[i]);
	for (int g = GRANULARITY_CODELET + 1; g < GRANULARITY_COUNT; g++)
		if (granularities[g]) {
			add_refined(&s, c, granularities[g]);
			add_urgent(&s, granularities[g]);
		}
	for (int g = GRANULARITY_CODELET; g < GRANULARITY_COUNT; g++)
		if (granularities[g])
			add_scored(&s, scores, granularities[g]);
	if (locality == INITIAL_SETTINGS_NEAR)
		add_near(&s, c, "LS_SDH2");
	*count = s.count;
	return s.items;
}

void initial_settings_free(struct start *starts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(starts[i].name);
	free(starts);
}
