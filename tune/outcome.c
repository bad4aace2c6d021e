/* tune/outcome.c - what a tune ends with: the config of what was chosen, and those of the finalists. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/outcome.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "replay/scenario.h"
#include "sched/policy.h"
#include "tune/settings/costs_make.h"
#include "tune/settings/plan_make.h"
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

static void add_replay(struct config *c, const struct trial_id *id, int64_t makespan_ns)
{
	char label[TRIAL_LABEL];

	add_trial(c, trial_label(label, id, TRIAL_LABEL_WHOLE), "replay", makespan_ns);
}

static void record_trials(const struct tune_result *r, struct config *c)
{
	c->trials = arena_alloc(c->arena, r->initial.count + r->final_round.count + 2, sizeof(*c->trials));
	add_trial(c, CONFIG_TRIAL_RUN, "recorded", r->run_ns);
	add_trial(c, CONFIG_TRIAL_RECORDED_ORDER, "replay", r->recorded_ns);
	for (size_t i = 0; i < r->final_round.count; i++)
		if (r->final_round.items[i].policy)
			add_replay(c, &r->final_round.items[i].id, r->final_round.items[i].mean_ns);
	for (size_t i = 0; i < r->initial.count; i++)
		add_replay(c, &r->initial.items[i].id, r->initial.items[i].makespan_ns);
	for (size_t i = 0; i < r->final_round.count; i++)
		if (r->final_round.items[i].setting && !outcome_initial_of(r, &r->final_round.items[i].id))
			add_replay(c, &r->final_round.items[i].id, r->final_round.items[i].mean_ns);
}

static void make_plans(struct config *c, const struct tune_problem *p)
{
	plan_make(c, p->dag, p->machine, scenario_has_copies(p->scenario));
	for (int i = 0; i < p->nmore; i++)
		plan_make(c, p->more[i].dag, p->more[i].machine, scenario_has_copies(p->more[i].scenario));
}

static void make_costs(struct config *c, const struct tune_problem *p)
{
	const struct dag *graphs[TUNE_MAX_RUNS] = {p->dag};

	for (int i = 0; i < p->nmore; i++)
		graphs[1 + i] = p->more[i].dag;
	costs_make(c, graphs, 1 + p->nmore);
}

/* Of a finalist; where that is a policy, with the best setting, which it was better than. */
static struct config *config_of(const struct tune_result *r, size_t item, const struct outcome_problem *p,
                                struct ht_err *err)
{
	const struct finalist *x = &r->final_round.items[item];
	struct config *c = evaluator_config(p->evaluator,
	                                    x->setting ? x->setting :
	                                                 r->final_round.items[r->final_round.best_setting].setting);
	char label[TRIAL_LABEL];

	if (x->policy)
		c->policy = copy(c, x->policy->name);
	if (x->policy && x->id.knobs)
		c->knobs = copy(c, x->id.knobs);
	c->has_rank_priorities = x->policy && x->id.by_rank;
	c->chosen = copy(c, trial_label(label, &x->id, TRIAL_LABEL_WHOLE));
	c->starpu_env = x->id.starpu_env;
	memcpy(c->starpu_env_gain, x->starpu_env_gain, sizeof(x->starpu_env_gain));
	c->bound_ns = r->bounds.largest_ns;
	c->run = copy(c, p->tune->run);
	if (x->config) { /* it is the result's, as `c` is, and is freed with it */
		c->plans = x->config->plans;
		c->nplans = x->config->nplans;
	} else {
		make_plans(c, p->tune);
	}
	make_costs(c, p->tune);
	record_trials(r, c);
	if (fallback_fill(c, &r->final_round, x, p->evaluator, p->fewer, p->tune->nfewer, p->replications, err) == 0)
		return c;
	config_free(c);
	return NULL;
}

/* Whether finalist i is another kind of answer than the n finalists so far. */
static int is_new(const struct final_round *c, const size_t *items, int n, size_t i)
{
	int alike = 0;

	for (int k = 0; k < n; k++) {
		const struct finalist *x = &c->items[items[k]];

		alike += !x->policy == !c->items[i].policy;
		if (x->policy == c->items[i].policy && (x->policy || trial_id_same_origin(&x->id, &c->items[i].id)))
			return 0;
	}
	return alike < ALIKE;
}

static int choose_finalists(struct tune_result *r, const struct outcome_problem *p, struct ht_err *err)
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
	for (; r->nfinalists < n; r->nfinalists++) {
		r->finalists[r->nfinalists] = config_of(r, items[r->nfinalists], p, err);
		if (!r->finalists[r->nfinalists])
			return -1;
	}
	return 0;
}

const struct initial_setting *outcome_initial_of(const struct tune_result *r, const struct trial_id *id)
{
	for (size_t i = 0; i < r->initial.count; i++)
		if (trial_id_equal(&r->initial.items[i].id, id))
			return &r->initial.items[i];
	return NULL;
}

int outcome_make(struct tune_result *r, const struct outcome_problem *p, struct ht_err *err)
{
	r->chosen = p->tune->policies != TUNE_ANY_POLICY ? r->final_round.best_setting : r->final_round.best;
	r->makespan_ns = r->final_round.items[r->chosen].mean_ns;
	r->config = config_of(r, r->chosen, p, err);
	return r->config ? choose_finalists(r, p, err) : -1;
}

void outcome_fini(struct tune_result *r)
{
	config_free(r->config);
	for (int i = 0; i < r->nfinalists; i++)
		config_free(r->finalists[i]);
}
