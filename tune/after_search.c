/* tune/after_search.c - the stages of tune() that compare what was found, simplify it and say what it brings. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/after_search.h"

#include <math.h>
#include <string.h>

#include "tune/budget.h"
#include "tune/evaluate/baselines.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/policy_settings.h"
#include "tune/evaluate/starpu_settings.h"
#include "tune/placement_stage.h"
#include "tune/tuner.h"

/* Shares of the replays: the final round, StarPU's environment; beside the search the rest is for the sensitivity. */
static const double FINAL_ROUND_SHARE = 0.08, STARPU_ENV_SHARE = 0.05;
/* With a budget of time: where each stage ends, of what is left after the search. */
static const double POLICIES_END = 0.32, FINAL_ROUND_END = 0.63, STARPU_ENV_END = 0.82, SIMPLIFY_END = 0.92;
/* How much worse a simpler setting may be; the share of the budget to find it, and the least number of its tests. */
static const double MAX_SIMPLE_LOSS = 0.005, SIMPLIFY_SHARE = 0.05;
enum { LEAST_SIMPLIFY_TESTS = 10, SIMPLIFY_FIRST_REPLICATION = 52 };
enum { LEAST_CHANGES = 8, CHANGE_REPLICATIONS = 3 }; /* of the setting, whose effects are shown */
/* Settings in the final round where the search was on a part of the graph: durations average out in that many tasks. */
enum { FEW_FINALISTS = 3 };

/*
 * Replications for StarPU's environment, other ones than the final round's, and the replays that all values of its
 * knobs take in one replication.
 */
enum { STARPU_ENV_FIRST_REPLICATION = 40, STARPU_ENV_TRIALS = 40, LEAST_ENV_REPLICATIONS = 3 };

enum { FEWER_REPLICATIONS = 3 }; /* on machines with fewer workers, where the search was on the whole graph */

/* Where it is over before all replications are there, by what the search has replayed. */
static int compare(struct tuner *t, struct ht_err *err)
{
	struct final_round *c = &t->r->final_round;
	double share = t->planned * FINAL_ROUND_SHARE / 16, each = (double)c->count;
	double replications = budget_replays_until(t, FINAL_ROUND_END, (share + 1) * each) / each - 1;
	int least = t->p->budget_s > 0 ? 0 : 3, rc;

	/* What comes next is not as important: the final round may have some of its time. */
	budget_begin_stage(t, "final round", SIMPLIFY_END, BUDGET_SEARCH_SHARE);
	c->first_replication = t->samples;
	c->replications = replications < least ? least : replications > 21 ? 21 : (int)replications;
	if (t->part && c->replications > 1)
		c->replications = 1;
	rc = final_round_run(c, t->evaluator, err);
	return rc == FINAL_ROUND_CUT ? final_round_of_known(c, t->evaluator, err) : rc;
}

/* The best initial setting first: it is to be beaten. */
static int run_final_round(struct tuner *t, struct ht_err *err)
{
	struct tune_result *r = t->r;
	struct final_round *c = &r->final_round;
	const struct initial_setting *best = &r->initial.items[r->search.best_initial];

	budget_begin_stage(t, "other schedulers", POLICIES_END, BUDGET_SEARCH_SHARE);
	final_round_add(c, &(struct finalist){.id = best->id, .setting = &best->setting});
	for (size_t i = 0; i < r->search.nfound && (!t->part || i < FEW_FINALISTS); i++) {
		const struct found *f = &r->search.found[i];
		struct finalist x = {.id = r->initial.items[f->initial].id, .setting = &f->setting};

		if (f->searched) {
			x.id.origin = TRIAL_SEARCHED;
			x.id.search = (int)i + 1;
		}
		if (f->searched || f->initial != r->search.best_initial)
			final_round_add(c, &x);
	}
	if (baselines_add(c, t->evaluator, t->nparts ? t->part_graphs[t->nparts - 1] : 0, err) != 0 ||
	    policy_settings_add(c, t->evaluator, t->nparts ? t->part_graphs[t->nparts - 1] : 0, err) != 0)
		return -1;
	if (r->placement) {
		const struct finalist x = placement_stage_finalist(r->placement);

		final_round_add(c, &x);
	}
	return compare(t, err);
}

/* The best finalists so far, under StarPU's default environment, or that of a plan: places in items[], best first. */
static int best_finalists(const struct final_round *c, size_t places[ENV_FINALISTS])
{
	int n = 0;

	places[n++] = c->best_setting;
	if (c->best != c->best_setting)
		places[n++] = c->best;
	while (n < ENV_FINALISTS) {
		size_t best = c->count;

		for (size_t i = 0; i < c->count; i++) {
			int taken = c->items[i].reference_only;

			for (int k = 0; k < n; k++)
				taken |= places[k] == i;
			if (!taken && (best == c->count || c->items[i].median < c->items[best].median))
				best = i;
		}
		if (best == c->count)
			break;
		places[n++] = best;
	}
	return n;
}

/* What gains by another environment enters the final round with it too. */
static int search_environment(struct tuner *t, struct ht_err *err)
{
	struct final_round *c = &t->r->final_round;
	size_t places[ENV_FINALISTS], before = c->count;
	int n = best_finalists(c, places), rc = 0;
	struct starpu_settings_problem p = {
		.evaluator = t->evaluator,
		.graph = t->part,
		.first_replication = STARPU_ENV_FIRST_REPLICATION,
	};
	int replications = (int)(budget_replays_until(t, STARPU_ENV_END, n * t->planned * STARPU_ENV_SHARE) / n /
	                         STARPU_ENV_TRIALS);

	if (t->p->budget_s > 0 && replications < LEAST_ENV_REPLICATIONS)
		return 0;
	p.replications = t->part                               ? 4 :
	                 replications < LEAST_ENV_REPLICATIONS ? LEAST_ENV_REPLICATIONS :
	                 replications > 12                     ? 12 :
	                                                         replications;
	budget_begin_stage(t, "how StarPU is started", SIMPLIFY_END, BUDGET_SEARCH_SHARE + FINAL_ROUND_SHARE);
	for (int i = 0; i < n && !evaluator_is_cut(t->evaluator); i++) {
		struct finalist x = c->items[places[i]];

		if (starpu_settings_search(&p, &x, err) != 0)
			return -1;
		if (memcmp(&x.id.starpu_env, &c->items[places[i]].id.starpu_env, sizeof(x.id.starpu_env)) != 0 &&
		    !evaluator_is_cut(t->evaluator))
			final_round_add(c, &x);
	}
	if (c->count > before)
		rc = final_round_run(c, t->evaluator, err);
	if (rc == FINAL_ROUND_CUT)
		c->count = before;
	return rc < 0 ? -1 : 0;
}

/* Hardly worse than what it was made from, and no worse than the best initial setting. */
static int is_acceptable(const struct finalist *simple, const struct finalist *of, const struct finalist *initial)
{
	return simple->median <= fmin(of->median * (1 + MAX_SIMPLE_LOSS), initial->median) &&
	       simple->p90 <= fmin(of->p90 * (1 + MAX_SIMPLE_LOSS), initial->p90);
}

/*
 * The best setting without what is noise takes its place, if that holds on all runs and not only where it was
 * simplified.
 */
static int make_simple(struct tuner *t, struct ht_err *err)
{
	struct tune_result *r = t->r;
	struct final_round *c = &r->final_round;
	const struct finalist *best = &c->items[c->best_setting];
	int replications = t->part ? 3 : t->samples > 1 ? 7 : 3, policy = c->best != c->best_setting, rc;
	double least = t->p->budget_s > 0 ? 0 : LEAST_SIMPLIFY_TESTS * (replications + 1);
	double replays = budget_replays_until(t, SIMPLIFY_END, t->planned * SIMPLIFY_SHARE);
	const struct simplify_problem p = {
		.evaluator = t->evaluator,
		.graph = t->part,
		.first_replication = SIMPLIFY_FIRST_REPLICATION,
		.replications = replications,
		.tests = (int)(fmax(replays, least) / (replications + 1)),
		.most_ns = t->part ? INT64_MAX : c->items[0].mean_ns,
	};
	size_t at = c->count, beaten = c->best_setting, baseline = c->best;

	budget_begin_stage(t, "making it simpler", SIMPLIFY_END,
	                   BUDGET_SEARCH_SHARE + FINAL_ROUND_SHARE + STARPU_ENV_SHARE);
	if (simplify(&p, best, &r->simplified, err) != 0)
		return -1;
	r->simplified.changed &= t->p->policies != TUNE_FROZEN || setting_can_freeze(&r->simplified.setting);
	if (!r->simplified.changed || at == FINAL_ROUND_MAX)
		return 0;
	final_round_add(c, best);
	c->items[at].setting = &r->simplified.setting;
	c->items[at].id.simplified = 1;
	rc = final_round_run(c, t->evaluator, err);
	if (rc == FINAL_ROUND_CUT)
		c->count = at;
	r->simplified.changed = rc == 0 && is_acceptable(&c->items[at], &c->items[beaten], &c->items[0]);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	c->best_setting = r->simplified.changed ? at : beaten;
	c->best = policy ? baseline : c->best_setting;
	return 0;
}

/* What is cut short says nothing of the parts of the setting. */
static int find_outcome(struct tuner *t, struct ht_err *err)
{
	t->outcome.replications = t->part ? 1 : FEWER_REPLICATIONS;
	budget_begin_stage(t, "machines with fewer workers", (1 + SIMPLIFY_END) / 2,
	                   BUDGET_SEARCH_SHARE + FINAL_ROUND_SHARE + STARPU_ENV_SHARE + SIMPLIFY_SHARE);
	return outcome_make(t->r, &t->outcome, err);
}

static int find_sensitivity(struct tuner *t, struct ht_err *err)
{
	struct tune_result *r = t->r;
	double done = BUDGET_SEARCH_SHARE + FINAL_ROUND_SHARE + STARPU_ENV_SHARE + SIMPLIFY_SHARE;
	double planned = fmax(t->planned * (1 - done), LEAST_CHANGES * CHANGE_REPLICATIONS);
	double most = budget_replays_until(t, 1, planned) / CHANGE_REPLICATIONS;

	budget_begin_stage(t, "what each part brings", 1, done);
	if (sensitivity_of(&r->sensitivity, t->evaluator, t->part, &r->final_round.items[r->final_round.best_setting],
	                   CHANGE_REPLICATIONS, (int)fmin(most, SENSITIVITY_MAX), err) != 0)
		return -1;
	if (evaluator_is_cut(t->evaluator))
		r->sensitivity.count = 0;
	return 0;
}

int after_search(struct tuner *t, struct ht_err *err)
{
	if (run_final_round(t, err) != 0 || search_environment(t, err) != 0 || make_simple(t, err) != 0)
		return -1;
	return find_outcome(t, err) != 0 ? -1 : find_sensitivity(t, err);
}
