/* tune/placement_stage.c - the first stage of tune(): plans for the policy placement. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/placement_stage.h"

#include <math.h>
#include <string.h>

#include "core/config/config.h"
#include "core/dag/dag.h"
#include "sched/policy.h"
#include "tune/budget.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/starpu_settings.h"
#include "tune/search/placement_search.h"
#include "tune/settings/plan_make.h"
#include "tune/settings/rank_plans.h"
#include "tune/tuner.h"

/* Replays for plans: a multiple of those that are planned, beside the least; with a budget of time, when that ends. */
static const double PLAN_SHARE = 2.4, LEAST_PLAN_REPLAYS = 600, MOST_PLAN_REPLAYS = 6e4, PLACEMENT_END = 0.5;

enum { MOST_PLACED = 200000 }; /* tasks: the search for placement takes LEAST_PLAN_REPLAYS */

/* For one of the runs. Of small graphs more than MOST_TRIALS, which is enough for buckets. */
static size_t plan_replays(const struct tuner *t, const struct evaluator_graph *g)
{
	const struct tune_problem *p = t->p;
	int is_default = p->trials <= 0 && p->budget_s <= 0;
	double tasks = is_default ? BUDGET_DEFAULT_TASKS : t->planned * p->dag->ntasks / t->r->final_round.nruns;

	/* Of several MPI ranks there is no walk, which is the other half. */
	return (size_t)fmin(LEAST_PLAN_REPLAYS + tasks / g->dag->ntasks * PLAN_SHARE / (g->dag->nranks > 1 ? 2 : 1),
	                    MOST_PLAN_REPLAYS);
}

/* Else the policy finds owners by itself. */
static int can_plan(const struct evaluator_graph *g)
{
	return g->dag->ntasks <= MOST_PLACED;
}

/* Of the tasks that are replayed. */
static double share_of_placement(const struct tuner *t)
{
	const struct final_round *f = &t->r->final_round;
	double placement = 0, rest = t->planned * t->p->dag->ntasks;

	for (int i = 0; i < f->nruns && t->p->policies == TUNE_ANY_POLICY; i++) {
		const struct evaluator_graph *g = evaluator_graph(t->evaluator, f->runs[i]);

		placement += can_plan(g) ? (double)plan_replays(t, g) * g->dag->ntasks : 0;
	}
	return placement / (placement + rest);
}

/* Where a device is to take more tasks at a time than in the run StarPU has to be started for that. */
static void add_plan(struct config *c, const struct evaluator_graph *g, const struct placement_found *found)
{
	int *pipeline = &c->starpu_env.value[STARPU_ENV_PIPELINE];

	if (found->ranks)
		rank_plans_add(found->ranks, c, &found->knobs);
	else
		plan_add(c, found->plan, &found->knobs);
	if (found->pipeline <= starpu_settings_pipeline(g) || found->pipeline <= *pipeline)
		return;
	*pipeline = found->pipeline;
	c->starpu_env_gain[STARPU_ENV_PIPELINE] = found->pipeline_gain;
}

void placement_stage_run(struct tuner *t, int64_t *reached_ns)
{
	const struct tune_problem *p = t->p;
	const struct final_round *f = &t->r->final_round;
	struct config *c = config_create();
	struct placement_found found;
	int unplanned = 0;

	c->policy = policy_placement.name;
	t->doing = "placement of data";
	t->placement_share = share_of_placement(t);
	for (int i = 0; i < f->nruns && p->policies == TUNE_ANY_POLICY; i++) {
		const struct evaluator_graph *g = evaluator_graph(t->evaluator, f->runs[i]);
		const struct placement_search search = {.dag = g->dag,
		                                        .machine = g->machine,
		                                        .scenario = g->scenario,
		                                        .jobs = p->jobs,
		                                        .seed = p->seed,
		                                        .replays = plan_replays(t, g),
		                                        .jitter_cv = p->jitter_cv,
		                                        .is_over = budget_is_over,
		                                        .tune = t,
		                                        .progress = budget_show_placement,
		                                        .ctx = t};

		t->nplaced = i;
		if (!can_plan(g)) {
			unplanned++;
			continue;
		}
		t->over_s = p->budget_s * PLACEMENT_END * (i + 1) / f->nruns;
		if (placement_search(&search, &found, NULL) != 0) { /* it leaves tasks: the final round says so */
			unplanned++;
			continue;
		}
		if (found.is_found)
			add_plan(c, g, &found);
		t->placed_replays += found.replays;
		*reached_ns = found.is_found && f->nruns == 1 ? found.makespan_ns : 0;
		placement_found_fini(&found);
	}
	if (c->nplans || *c->knobs || unplanned)
		t->r->placement = c;
	else
		config_free(c);
	t->doing = "search";
	t->over_s = 0;
}

struct finalist placement_stage_finalist(const struct config *placement)
{
	struct finalist x = {.id = {.origin = TRIAL_POLICY,
	                            .policy = placement->policy,
	                            .knobs = placement->knobs,
	                            .starpu_env = placement->starpu_env},
	                     .policy = &policy_placement,
	                     .options = placement->knobs,
	                     .config = placement};

	memcpy(x.starpu_env_gain, placement->starpu_env_gain, sizeof(x.starpu_env_gain));
	return x;
}
