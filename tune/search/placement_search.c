/* tune/search/placement_search.c - the plan that is best for a graph under the policy placement. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/placement_search.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "replay/scenario.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/noise.h"
#include "tune/evaluate/starpu_settings.h"
#include "tune/search/plan_evolution.h"
#include "tune/search/plan_walk.h"
#include "tune/settings/rank_plans.h"

/* Of the replays: for the evolution of plans, and the most of it; the rest is for small changes of the best. */
static const double EVOLUTION_SHARE = 0.5, MOST_EVOLUTION = 1e4;

static const double DEFAULT_CV = 0.02;

enum { PIPELINE_TRIALS = 13 };
static const double LEAST_GAIN = 0.001; /* of another depth of the pipeline */

/* A search under way. */
struct searched {
	const struct placement_search *p;
	struct plan_search search;
};

/* The best plan is the first of `plans`, and becomes that of `found`. */
static void take_best(struct searched_plan *plans, struct placement_found *found)
{
	found->is_found = 1;
	found->knobs = plans[0].knobs;
	found->varied_ns = plans[0].mean_ns;
	found->makespan_ns = plans[0].ns[0];
	if (found->ranks)
		return;
	found->plan = ht_alloc(1, sizeof(*found->plan));
	*found->plan = plans[0].plan;
	plans[0].plan = (struct placement_plan){0};
}

/* A worker that has begun all that it has may take another one: what ends late could wait for that. */
static int ahead_of(int pipeline)
{
	return pipeline > 1 ? pipeline - 1 : 1;
}

/* What the plan reaches with so many tasks that a device takes at a time: with mean durations, and with varied ones. */
static int replay_pipeline(struct searched *s, const struct placement_found *found, int pipeline,
                           struct trial trials[PIPELINE_TRIALS], struct ht_err *err)
{
	struct placement_knobs k = found->knobs;
	char *text;
	int rc;

	k.ahead = ahead_of(pipeline);
	text = placement_knobs_text(&k);
	for (int i = 0; i < PIPELINE_TRIALS; i++) {
		trials[i] = (struct trial){.policy = &policy_placement,
		                           .options = text,
		                           .policy_data = found->plan,
		                           .replication = i ? SEARCHED_PLAN_MOST_REPLICATIONS + i : 0};
		trials[i].starpu_env.value[STARPU_ENV_PIPELINE] = pipeline;
	}
	rc = evaluator_run(s->search.evaluator, trials, PIPELINE_TRIALS, EVALUATOR_ALWAYS, err);
	free(text);
	return rc;
}

/*
 * How many tasks a device is to take at a time, if that is clearly better than what the run had. Replications that the
 * plan was not searched by decide.
 */
static int find_pipeline(struct searched *s, const struct evaluator_graph *g, struct placement_found *found,
                         struct ht_err *err)
{
	struct trial before[PIPELINE_TRIALS], trials[PIPELINE_TRIALS];
	int of_run = starpu_settings_pipeline(g);
	double least = 1 - LEAST_GAIN, varied_ns = (double)found->varied_ns;

	found->knobs.ahead = of_run ? ahead_of(of_run) : 0;
	if (of_run && replay_pipeline(s, found, of_run, before, err) != 0)
		return -1;
	for (int n = PIPELINE_DEFAULT; of_run && n <= PIPELINE_MOST; n++) {
		struct noise ratio;

		if (n == of_run)
			continue;
		if (replay_pipeline(s, found, n, trials, err) != 0)
			return -1;
		if (evaluator_is_over(s->search.evaluator))
			break;
		ratio = noise_of_ratio(trials + 1, before + 1, PIPELINE_TRIALS - 1);
		if (ratio.mean > least || 1 - ratio.mean <= 2 * ratio.error)
			continue;
		least = ratio.mean;
		found->knobs.ahead = ahead_of(n);
		found->pipeline = n;
		found->pipeline_gain = 1 - ratio.mean;
		found->makespan_ns = trials[0].makespan_ns;
		found->varied_ns = (int64_t)(varied_ns * ratio.mean);
	}
	return 0;
}

static int find(struct searched *s, const struct evaluator_graph *g, struct placement_found *found, struct ht_err *err)
{
	struct searched_plan plans[PLAN_EVOLUTION_KEPT];
	double share = found->ranks ? 1 : EVOLUTION_SHARE;
	size_t replays = (size_t)fmin(share * (double)s->p->replays, MOST_EVOLUTION);
	int n, rc = plan_evolution(&s->search, replays, plans, &n, err);
	size_t spent = plan_search_spent(&s->search);

	if (rc == 0 && n && !found->ranks && !evaluator_is_over(s->search.evaluator) && spent < s->p->replays)
		rc = plan_walk(&s->search, plans, n, s->p->replays - spent, err);
	if (rc == 0 && n) {
		take_best(plans, found);
		rc = found->ranks ? 0 : find_pipeline(s, g, found, err);
	}
	for (int i = 0; i < n; i++)
		searched_plan_fini(&plans[i]);
	return rc;
}

static void show_progress(void *searched, const struct evaluator_state *of_replays)
{
	const struct searched *s = searched;
	struct evaluator_state state = *of_replays;
	double share = (double)plan_search_spent(&s->search) / (double)s->p->replays;

	state.share = share < 1 ? share : 1;
	s->p->progress(s->p->ctx, &state);
}

static int begin(const struct placement_search *p, struct placement_found *found, struct ht_err *err)
{
	int has_copies = scenario_has_copies(p->scenario);

	*found = (struct placement_found){0};
	if (p->dag->nranks > 1) {
		found->ranks = rank_plans_create(p->dag, p->machine, has_copies, err);
		return found->ranks ? 0 : -1;
	}
	found->base = ht_alloc(1, sizeof(*found->base));
	if (placement_base_init(found->base, p->dag, p->machine, has_copies, err) == 0)
		return 0;
	free(found->base);
	return -1;
}

int placement_search(const struct placement_search *p, struct placement_found *found, struct ht_err *err)
{
	struct searched s = {.p = p, .search.rng = {p->seed}};
	const struct evaluator_options o = {.policy_options = "",
	                                    .jobs = p->jobs ? p->jobs : 1,
	                                    .jitter_cv = p->jitter_cv > 0 ? p->jitter_cv : -DEFAULT_CV,
	                                    .seed = p->seed,
	                                    .is_over = p->is_over,
	                                    .tune = p->tune,
	                                    .progress = p->progress ? show_progress : NULL,
	                                    .ctx = &s};
	const struct evaluator_graph g = {p->dag, p->machine, p->scenario};
	struct evaluator_state state;
	int rc;

	if (begin(p, found, err) != 0)
		return -1;
	s.search.base = found->base;
	s.search.ranks = found->ranks;
	plan_search_set_replications(&s.search, p->dag);
	s.search.evaluator = evaluator_create(&o);
	evaluator_add(s.search.evaluator, &g);
	rc = find(&s, &g, found, err);
	evaluator_state(s.search.evaluator, &state);
	found->replays = state.replays;
	evaluator_free(s.search.evaluator);
	if (rc != 0)
		placement_found_fini(found);
	return rc;
}

void placement_found_fini(struct placement_found *found)
{
	if (found->plan) {
		placement_plan_fini(found->plan);
		free(found->plan);
	}
	if (found->base) {
		placement_base_fini(found->base);
		free(found->base);
	}
	rank_plans_free(found->ranks);
	*found = (struct placement_found){0};
}
