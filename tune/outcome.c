/* tune/outcome.c - what a tune ends with: the config of what was chosen, and those of the finalists. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/outcome.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "sched/policy.h"
#include "tune/tune.h"

enum { ALIKE = 2 }; /* finalists that are settings, and that are policies */

static const char *copy(struct config *c, const char *s)
{
	return arena_strndup(c->arena, s, strlen(s));
}

static void add_trial(struct config *c, const char *name, const char *source, int64_t makespan_ns)
{
	if (makespan_ns >= 0 && makespan_ns != EVALUATOR_NEVER)
		c->trials[c->ntrials++] = (struct config_trial){copy(c, name), source, makespan_ns};
}

static int is_start(const struct tune_result *r, const char *name)
{
	for (size_t i = 0; i < r->nstarts; i++)
		if (strcmp(r->starts[i].name, name) == 0)
			return 1;
	return 0;
}

static void record_trials(const struct tune_result *r, struct config *c)
{
	c->trials = arena_alloc(c->arena, r->nstarts + r->final_round.count + 2, sizeof(*c->trials));
	add_trial(c, TRIAL_RECORDED, "recorded", r->recorded_ns);
	add_trial(c, TRIAL_OWN_SCHEDULE, "replay", r->own_ns);
	for (size_t i = 0; i < r->final_round.count; i++)
		if (r->final_round.items[i].policy)
			add_trial(c, r->final_round.items[i].name, "replay", r->final_round.items[i].mean_ns);
	for (size_t i = 0; i < r->nstarts; i++)
		add_trial(c, r->starts[i].name, "replay", r->starts[i].makespan_ns);
	for (size_t i = 0; i < r->final_round.count; i++)
		if (r->final_round.items[i].setting && !is_start(r, r->final_round.items[i].name))
			add_trial(c, r->final_round.items[i].name, "replay", r->final_round.items[i].mean_ns);
}

/* Of a contestant; where that is a policy, with the best setting, which it was better than. */
static struct config *config_of(const struct tune_result *r, size_t item, const struct tune_problem *p,
                                const struct evaluator *j)
{
	const struct finalist *x = &r->final_round.items[item];
	struct config *c = evaluator_config(j, x->setting ? x->setting :
	                                                    r->final_round.items[r->final_round.best_setting].setting);

	if (x->policy)
		c->policy = copy(c, x->policy->name);
	c->chosen = copy(c, x->name);
	c->starpu_env = x->starpu_env;
	memcpy(c->starpu_env_gain, x->starpu_env_gain, sizeof(x->starpu_env_gain));
	c->bound_ns = r->bounds.largest_ns;
	c->run = copy(c, p->run);
	record_trials(r, c);
	return c;
}

/* "search-1:rank:PRWS/no-slow, simplified" and what it was made from are of one start. */
static int same_start(const char *a, const char *b)
{
	const char *from_a = strncmp(a, TRIAL_SEARCHED, strlen(TRIAL_SEARCHED)) == 0 ? strchr(a, ':') + 1 : a;
	const char *from_b = strncmp(b, TRIAL_SEARCHED, strlen(TRIAL_SEARCHED)) == 0 ? strchr(b, ':') + 1 : b;
	size_t len = strcspn(from_a, ",/");

	return len == strcspn(from_b, ",/") && strncmp(from_a, from_b, len) == 0;
}

/* Whether contestant i is another kind of answer than the n finalists so far. */
static int is_new(const struct final_round *c, const size_t *items, int n, size_t i)
{
	int alike = 0;

	for (int k = 0; k < n; k++) {
		const struct finalist *x = &c->items[items[k]];

		alike += !x->policy == !c->items[i].policy;
		if (x->policy == c->items[i].policy && (x->policy || same_start(x->name, c->items[i].name)))
			return 0;
	}
	return alike < ALIKE;
}

static void choose_finalists(struct tune_result *r, const struct tune_problem *p, const struct evaluator *j)
{
	const struct final_round *c = &r->final_round;
	size_t items[TUNE_FINALISTS] = {r->chosen};
	int n = 1;

	while (n < TUNE_FINALISTS) {
		size_t best = c->count;

		for (size_t i = 0; i < c->count; i++)
			if (!c->items[i].reference_only && is_new(c, items, n, i) &&
			    (best == c->count || c->items[i].median < c->items[best].median))
				best = i;
		if (best == c->count)
			break;
		items[n++] = best;
	}
	for (int i = 0; i < n; i++)
		r->finalists[i] = config_of(r, items[i], p, j);
	r->nfinalists = n;
}

void outcome_make(struct tune_result *r, const struct tune_problem *p, const struct evaluator *j)
{
	r->chosen = p->policies != TUNE_ANY_POLICY ? r->final_round.best_setting : r->final_round.best;
	r->makespan_ns = r->final_round.items[r->chosen].mean_ns;
	for (size_t i = 0; i < r->candidates.count; i++)
		r->candidates.items[i].makespan_ns = r->starts[i].makespan_ns;
	r->config = config_of(r, r->chosen, p, j);
	choose_finalists(r, p, j);
}

void outcome_fini(struct tune_result *r)
{
	config_free(r->config);
	for (int i = 0; i < r->nfinalists; i++)
		config_free(r->finalists[i]);
}
