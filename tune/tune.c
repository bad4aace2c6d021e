/* tune/tune.c - from a graph and its metrics to a config: initial settings, a search, a final round. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/tune.h"

#include <stdlib.h>
#include <time.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/locality_formula.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/metrics/rank.h"
#include "core/trace/trace.h"
#include "replay/recorded.h"
#include "replay/scenario.h"
#include "tune/after_search.h"
#include "tune/budget.h"
#include "tune/evaluate/baselines.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/mpi_processes.h"
#include "tune/placement_stage.h"
#include "tune/settings/config_make.h"
#include "tune/settings/scores.h"
#include "tune/tuner.h"

/* Initial settings that are more than that share of the replays are too many for the whole graph. */
static const double MANY_INITIAL = 0.2;
static const double LEAST_JITTER = 0.02;

static int make_granularities(struct tuner *t, struct ht_err *err)
{
	struct ranks ranks;

	if (ranks_init(&ranks, t->p->dag, t->p->machine, err) != 0)
		return -1;
	for (int g = 0; g < (t->p->policies == TUNE_FROZEN ? GRANULARITY_CODELET + 1 : GRANULARITY_COUNT); g++)
		t->r->granularities[g] = granularity_make((enum granularity_kind)g, t->p->dag, t->p->machine,
		                                          ranks.upward_ns);
	ranks_fini(&ranks);
	return 0;
}

static void add_part(struct tuner *t, uint32_t ntasks)
{
	struct evaluator_graph g = {t->parts[t->nparts] = dag_prefix(t->p->dag, ntasks), t->p->machine, t->p->scenario};

	t->part_graphs[t->nparts++] = evaluator_add(t->evaluator, &g);
}

/*
 * The beginning of a large graph stands for the whole while there are many settings: to drop initial settings early,
 * and where the budget is small also for the search.
 */
static void make_parts(struct tuner *t)
{
	uint32_t n = t->p->dag->ntasks;
	double share = t->planned < BUDGET_ENOUGH_TRIALS ? t->planned / (2 * BUDGET_ENOUGH_TRIALS) : 0.25;

	if (n < 2000 || (double)t->r->initial.count < MANY_INITIAL * t->planned)
		return;
	add_part(t, (uint32_t)(n * share / 4) + 1);
	add_part(t, (uint32_t)(n * share) + 1);
	if (t->planned < BUDGET_ENOUGH_TRIALS)
		t->part = t->part_graphs[1];
}

/* Where replays of the only run submit tasks as the run did, without waits of the application that replays know. */
static void add_at_once(struct tuner *t)
{
	const struct tune_problem *p = t->p;
	struct final_round *f = &t->r->final_round;

	f->submitted_ns = p->nmore || !p->scenario ? 0 : scenario_submitted_ns(p->scenario, p->dag);
	if (!f->submitted_ns)
		return;
	t->at_once = *p->scenario;
	t->at_once.ignore_submission = 1;
	f->at_once = evaluator_add(t->evaluator, &(struct evaluator_graph){p->dag, p->machine, &t->at_once});
}

static int open_evaluator(struct tuner *t, struct ht_err *err)
{
	const struct tune_problem *p = t->p;
	struct evaluator_graph g = {p->dag, p->machine, p->scenario};
	struct evaluator_options o = {
		.base = t->base,
		.policy_options = p->policy_options,
		.journal = p->journal,
		.jobs = p->jobs > 0 ? p->jobs : 1,
		.jitter_cv = p->jitter_cv > 0 ? p->jitter_cv : -LEAST_JITTER,
		.seed = p->seed,
		.progress = budget_show_search,
		.ctx = t,
		.is_over = budget_is_over,
		.tune = t,
	};

	t->r->final_round.recorded = p->scheduler;
	t->evaluator = evaluator_create(&o);
	evaluator_add(t->evaluator, &g);
	t->r->final_round.nruns = 1;
	for (int i = 0; i < p->nmore; i++)
		t->r->final_round.runs[t->r->final_round.nruns++] = evaluator_add(t->evaluator, &p->more[i]);
	add_at_once(t);
	t->outcome = (struct outcome_problem){.tune = p, .evaluator = t->evaluator};
	for (int i = 0; i < p->nfewer; i++)
		t->outcome.fewer[i] = evaluator_add(t->evaluator, &p->fewer[i]);
	if (budget_plan(t, err) != 0)
		return -1;
	make_parts(t);
	if (evaluator_open(t->evaluator, err) != 0 || baselines_replay(t->evaluator, err) != 0)
		return -1;
	if (p->trials > 0 || p->budget_s <= 0)
		evaluator_limit_tasks(t->evaluator, (uint64_t)(t->planned * BUDGET_SEARCH_SHARE * p->dag->ntasks));
	return 0;
}

/*
 * What a config is made of is replayed where a signal came while placement was searched for, too: a setting, and what
 * was found of placement.
 */
static int replay_needed(struct tuner *t, struct ht_err *err)
{
	const struct tune_result *r = t->r;
	const struct final_round *f = &r->final_round;
	struct trial trials[2 * TUNE_MAX_RUNS];
	struct finalist placement;
	int64_t stopped = budget_is_stopped(t);
	size_t n = 0;
	int rc;

	mpi_processes_max(&stopped, 1);
	if (!stopped || !r->placement)
		return 0;
	placement = placement_stage_finalist(r->placement);
	for (int i = 0; i < f->nruns; i++) {
		const struct finalist setting = {.setting = &r->initial.items[0].setting};

		trials[n++] = finalist_trial(&setting, f->runs[i], 0);
		trials[n++] = finalist_trial(&placement, f->runs[i], 0);
	}
	t->is_needed = 1;
	rc = evaluator_run(t->evaluator, trials, n, EVALUATOR_ALWAYS, err);
	t->is_needed = 0;
	return rc;
}

static int tune_with(struct tuner *t, struct ht_err *err)
{
	struct tune_result *r = t->r;
	struct search_problem s = {.seed = t->p->seed};
	struct scores scores;
	int64_t stopped;

	/* Where copies take time, and on no more memory nodes than StarPU's locality mode can have. */
	int near = scenario_has_copies(t->p->scenario) && t->p->machine->nnodes <= STARPU_LOCALITY_NODES;

	if (make_granularities(t, err) != 0)
		return -1;
	scores_init(&scores, t->p->dag, t->p->machine);
	initial_settings_make(&r->initial, t->base, t->p->metrics, r->granularities, &scores,
	                      near ? INITIAL_SETTINGS_NEAR : INITIAL_SETTINGS_ANYWHERE);
	scores_fini(&scores);
	if (open_evaluator(t, err) != 0)
		return -1;
	s.evaluator = t->evaluator;
	s.moves.locality = near;
	s.moves.frozen = t->p->policies == TUNE_FROZEN;
	s.initial = r->initial.items;
	s.ninitial = r->initial.count;
	s.planned = t->planned * BUDGET_SEARCH_SHARE;
	s.part = t->part;
	s.samples = t->samples = t->planned >= 8 * BUDGET_ENOUGH_TRIALS ? 4 :
	                         t->planned >= 4 * BUDGET_ENOUGH_TRIALS ? 2 :
	                                                                  1;
	s.smaller = t->part_graphs;
	s.nsmaller = t->nparts;
	s.bound_ns = r->bounds.largest_ns;
	placement_stage_run(t, &s.reached_ns);
	if (replay_needed(t, err) != 0)
		return -1;
	budget_begin_search(t);
	if (search_run(&s, &r->search, err) != 0 || after_search(t, err) != 0)
		return -1;
	stopped = budget_is_stopped(t);
	mpi_processes_max(&stopped, 1);
	r->stopped = stopped != 0;
	evaluator_state(t->evaluator, &r->spent);
	r->spent.replays += t->placed_replays;
	return 0;
}

struct tune_result *tune(const struct tune_problem *p, struct ht_err *err)
{
	struct tune_result *r = ht_alloc(1, sizeof(*r));
	struct tuner t = {.p = p, .r = r, .doing = "search", .placed_ns = -1};
	int rc;

	clock_gettime(CLOCK_MONOTONIC, &t.begin);
	r->run_ns = p->trace ? trace_makespan_ns(p->trace, NULL) : -1;
	r->recorded_ns = p->trace ? recorded_simulate(p->trace, p->dag, p->machine, p->scenario, NULL) : -1;
	t.base = config_from_dag(p->dag, p->machine, err);
	rc = t.base && bounds_of(&r->bounds, p->dag, p->machine, scenario_bounds(p->scenario), err) == 0 ?
	             tune_with(&t, err) :
	             -1;
	evaluator_free(t.evaluator);
	for (int i = 0; i < t.nparts; i++)
		dag_free(t.parts[i]);
	config_free(t.base);
	if (rc == 0)
		return r;
	tune_result_free(r);
	return NULL;
}

void tune_result_free(struct tune_result *r)
{
	if (!r)
		return;
	free(r->initial.items);
	for (int g = 0; g < GRANULARITY_COUNT; g++)
		granularity_free(r->granularities[g]);
	outcome_fini(r);
	config_free(r->placement);
	free(r);
}
