/* tune/tune.c - from a graph and its metrics to a config: initial settings, a search, a final round. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
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
#include "sched/policy.h"
#include "tune/evaluate/baselines.h"
#include "tune/evaluate/mpi_processes.h"
#include "tune/evaluate/policy_settings.h"
#include "tune/evaluate/starpu_settings.h"
#include "tune/outcome.h"
#include "tune/search/placement_search.h"
#include "tune/settings/plan_make.h"
#include "tune/settings/rank_plans.h"
#include "tune/settings/config_make.h"
#include "tune/settings/scores.h"

/* Tasks to replay by default, and what that is limited to in replays of the whole graph. */
static const double DEFAULT_TASKS = 18e6, LEAST_TRIALS = 130, MOST_TRIALS = 16000;
/* Below that many replays the search goes on a part of the graph, of which there can be as many. */
static const double ENOUGH_TRIALS = 600;
/* Initial settings that are more than that share of the replays are too many for the whole graph. */
static const double MANY_INITIAL = 0.2;
/* Shares of the replays: the search, the final round, StarPU's environment; the rest is for the sensitivity. */
static const double SEARCH_SHARE = 0.8, FINAL_ROUND_SHARE = 0.08, STARPU_ENV_SHARE = 0.05;
/*
 * With a budget of time what comes after the search may have that share, or less where it does not need so much: about
 * so many replays of the whole graph. Of that part of the time, where each stage ends.
 */
static const double MOST_AFTER_SEARCH = 0.38, REPLAYS_AFTER_SEARCH = 3000;
static const double LATE_SEARCH = 0.1, POLICIES_END = 0.32, FINAL_ROUND_END = 0.63, STARPU_ENV_END = 0.82,
		    SIMPLIFY_END = 0.92;
/* How much worse a simpler setting may be; the share of the budget to find it, and the least number of its tests. */
static const double MAX_SIMPLE_LOSS = 0.005, SIMPLIFY_SHARE = 0.05;
enum { LEAST_SIMPLIFY_TESTS = 10, SIMPLIFY_FIRST_REPLICATION = 52 };
enum { LEAST_CHANGES = 8, CHANGE_REPLICATIONS = 3 }; /* of the setting, whose effects are shown */
static const double LEAST_JITTER = 0.02;

/* Replays for plans: a multiple of those that are planned, beside the least; with a budget of time, when that ends. */
static const double PLAN_SHARE = 2.4, LEAST_PLAN_REPLAYS = 600, MOST_PLAN_REPLAYS = 6e4, PLACEMENT_END = 0.5;

enum { MOST_PLACED = 200000 }; /* tasks: the search for placement takes LEAST_PLAN_REPLAYS */

/* Settings in the final round where the search was on a part of the graph: durations average out in that many tasks. */
enum { FEW_FINALISTS = 3 };

/*
 * Replications for StarPU's environment, other ones than the final round's, and the replays that all values of its
 * knobs take in one replication.
 */
enum { STARPU_ENV_FIRST_REPLICATION = 40, STARPU_ENV_TRIALS = 40, LEAST_ENV_REPLICATIONS = 3 };

enum { FEWER_REPLICATIONS = 3 }; /* on machines with fewer workers, where the search was on the whole graph */

struct tuner {
	const struct tune_problem *p;
	struct tune_result *r;
	struct evaluator *evaluator;
	struct config *base;              /* config_from_dag() */
	struct dag *parts[2];             /* of the graph, smallest first */
	int part_graphs[2], nparts, part; /* graphs of the evaluator; part: to search on */
	double planned;                   /* replays of the whole graph */
	int samples;                      /* of them, for each setting that is tried */
	struct timespec begin;
	int is_needed;           /* what is replayed now is, also where a signal has come */
	double search_s, over_s; /* with a budget, from the begin: when the search and the stage under way end */
	const char *doing; /* the stage, and the share of the work but for placement that was done when it began */
	double done;
	double placement_share; /* of the work */
	int nplaced;            /* runs whose placement has been searched */
	size_t placed_replays;  /* for those */
	int64_t placed_ns;      /* the least makespan of the run under them; -1: none */
	struct outcome_problem outcome;
};

static double elapsed_s(const struct tuner *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->begin.tv_sec) + (double)(now.tv_nsec - t->begin.tv_nsec) / 1e9;
}

static int is_stopped(const struct tuner *t)
{
	return !t->is_needed && t->p->is_stopped && t->p->is_stopped();
}

static int is_over(const void *tune)
{
	const struct tuner *t = tune;

	return is_stopped(t) || (t->over_s > 0 && elapsed_s(t) > t->over_s);
}

/* When a stage after the search ends, by its share of that part of the time. */
static double end_s(const struct tuner *t, double share)
{
	return t->p->budget_s > 0 ? t->search_s + share * (t->p->budget_s - t->search_s) : 0;
}

/* `done`: of the work, where it is not a time. */
static void begin_stage(struct tuner *t, const char *doing, double end, double done)
{
	t->over_s = end_s(t, end);
	t->doing = doing;
	t->done = done;
	evaluator_go_on(t->evaluator);
}

/* With what the search for placement has done; `share`: of the work, where it is not a time. */
static void show(const struct tuner *t, struct evaluator_state *state, double share)
{
	state->replays += t->placed_replays;
	if (t->placed_ns >= 0 && (state->best_ns < 0 || t->placed_ns < state->best_ns))
		state->best_ns = t->placed_ns;
	state->elapsed_s = elapsed_s(t);
	state->doing = t->doing;
	state->share = t->p->budget_s > 0 ? fmin(state->elapsed_s / t->p->budget_s, 1) : share;
	t->p->progress(t->p->ctx, state);
}

static void show_progress(void *tune, const struct evaluator_state *of_search)
{
	const struct tuner *t = tune;
	struct evaluator_state state = *of_search;
	double share = t->done > 0 ? t->done : state.share * SEARCH_SHARE;

	if (t->p->progress)
		show(t, &state, t->placement_share + (1 - t->placement_share) * share);
}

static void show_placement(void *tune, const struct evaluator_state *of_placement)
{
	const struct tuner *t = tune;
	struct evaluator_state state;

	if (!t->p->progress)
		return;
	evaluator_state(t->evaluator, &state);
	state.replays += of_placement->replays;
	state.best_ns = t->nplaced ? -1 : of_placement->policy_ns; /* of other runs than the first one */
	show(t, &state, t->placement_share * (t->nplaced + of_placement->share) / t->r->final_round.nruns);
}

/*
 * Replays of all runs that there is time for until a stage ends, at the speed so far; without a budget of time
 * `planned`. The same in every process.
 */
static double replays_until(const struct tuner *t, double end, double planned)
{
	uint64_t ntasks = t->p->dag->ntasks;
	struct evaluator_state state;
	int64_t replays;

	if (t->p->budget_s <= 0)
		return planned;
	for (int i = 0; i < t->p->nmore; i++)
		ntasks += t->p->more[i].dag->ntasks;
	evaluator_state(t->evaluator, &state);
	replays = (int64_t)((end_s(t, end) - elapsed_s(t)) * state.tasks_per_s / (double)ntasks);
	mpi_processes_copy(&replays, sizeof(replays));
	return replays > 0 ? (double)replays : 0;
}

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

/* How long one replay takes decides what a time is enough for. */
static int plan(struct tuner *t, struct ht_err *err)
{
	const struct tune_problem *p = t->p;
	struct trial trial = {.setting = &t->r->initial.items[0].setting};
	struct evaluator_state before, after;
	int64_t replays;

	t->planned = p->trials;
	if (p->trials > 0)
		return 0;
	if (p->budget_s <= 0) {
		t->planned = DEFAULT_TASKS / p->dag->ntasks;
		t->planned = t->planned < LEAST_TRIALS ? LEAST_TRIALS :
		             t->planned > MOST_TRIALS  ? MOST_TRIALS :
		                                         t->planned;
		return 0;
	}
	evaluator_state(t->evaluator, &before);
	if (evaluator_run(t->evaluator, &trial, 1, EVALUATOR_ALWAYS, err) != 0)
		return -1;
	evaluator_state(t->evaluator, &after);
	replays = (int64_t)(p->budget_s / (after.elapsed_s - before.elapsed_s + 1e-6) * (p->jobs > 0 ? p->jobs : 1) *
	                    mpi_processes_size());
	mpi_processes_copy(&replays, sizeof(replays));
	t->planned = (double)(replays > 1 ? replays : 1);
	t->search_s = p->budget_s * (1 - fmin(MOST_AFTER_SEARCH, REPLAYS_AFTER_SEARCH / t->planned));
	begin_stage(t, "search", LATE_SEARCH, 0);
	evaluator_limit_time(t->evaluator, t->search_s);
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
	double share = t->planned < ENOUGH_TRIALS ? t->planned / (2 * ENOUGH_TRIALS) : 0.25;

	if (n < 2000 || (double)t->r->initial.count < MANY_INITIAL * t->planned)
		return;
	add_part(t, (uint32_t)(n * share / 4) + 1);
	add_part(t, (uint32_t)(n * share) + 1);
	if (t->planned < ENOUGH_TRIALS)
		t->part = t->part_graphs[1];
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
		.progress = show_progress,
		.ctx = t,
		.is_over = is_over,
		.tune = t,
	};

	t->r->final_round.recorded = p->scheduler;
	t->evaluator = evaluator_create(&o);
	evaluator_add(t->evaluator, &g);
	t->r->final_round.nruns = 1;
	for (int i = 0; i < p->nmore; i++)
		t->r->final_round.runs[t->r->final_round.nruns++] = evaluator_add(t->evaluator, &p->more[i]);
	t->outcome = (struct outcome_problem){.tune = p, .evaluator = t->evaluator};
	for (int i = 0; i < p->nfewer; i++)
		t->outcome.fewer[i] = evaluator_add(t->evaluator, &p->fewer[i]);
	if (plan(t, err) != 0)
		return -1;
	make_parts(t);
	if (evaluator_open(t->evaluator, err) != 0 || baselines_replay(t->evaluator, err) != 0)
		return -1;
	if (p->trials > 0 || p->budget_s <= 0)
		evaluator_limit_tasks(t->evaluator, (uint64_t)(t->planned * SEARCH_SHARE * p->dag->ntasks));
	return 0;
}

/* For one of the runs. Of small graphs more than MOST_TRIALS, which is enough for buckets. */
static size_t plan_replays(const struct tuner *t, const struct evaluator_graph *g)
{
	const struct tune_problem *p = t->p;
	int is_default = p->trials <= 0 && p->budget_s <= 0;
	double tasks = is_default ? DEFAULT_TASKS : t->planned * p->dag->ntasks / t->r->final_round.nruns;

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

/*
 * The policy placement with the plan that is best for each run, and the knobs for it, or without where that takes too
 * long. That comes first: where data has owners most is gained, in least time. *reached_ns
 * is what that reaches where there is one run.
 */
static void find_placement(struct tuner *t, int64_t *reached_ns)
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
		                                        .is_over = is_over,
		                                        .tune = t,
		                                        .progress = show_placement,
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
		if (!i)
			t->placed_ns = found.is_found ? found.makespan_ns : -1;
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

/* Where it is over before all replications are there, by what the search has replayed. */
static int compare(struct tuner *t, struct ht_err *err)
{
	struct final_round *c = &t->r->final_round;
	double share = t->planned * FINAL_ROUND_SHARE / 16, each = (double)c->count;
	double replications = replays_until(t, FINAL_ROUND_END, (share + 1) * each) / each - 1;
	int least = t->p->budget_s > 0 ? 0 : 3, rc;

	/* What comes next is not as important: the final round may have some of its time. */
	begin_stage(t, "final round", SIMPLIFY_END, SEARCH_SHARE);
	c->first_replication = t->samples;
	c->replications = replications < least ? least : replications > 21 ? 21 : (int)replications;
	if (t->part && c->replications > 1)
		c->replications = 1;
	rc = final_round_run(c, t->evaluator, err);
	return rc == FINAL_ROUND_CUT ? final_round_of_known(c, t->evaluator, err) : rc;
}

static struct finalist finalist_of_placement(const struct config *placement)
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
	int64_t stopped = is_stopped(t);
	size_t n = 0;
	int rc;

	mpi_processes_max(&stopped, 1);
	if (!stopped || !r->placement)
		return 0;
	placement = finalist_of_placement(r->placement);
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

/* The best initial setting first: it is to be beaten. */
static int run_final_round(struct tuner *t, struct ht_err *err)
{
	struct tune_result *r = t->r;
	struct final_round *c = &r->final_round;
	const struct initial_setting *best = &r->initial.items[r->search.best_initial];

	begin_stage(t, "other schedulers", POLICIES_END, SEARCH_SHARE);
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
		const struct finalist x = finalist_of_placement(r->placement);

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
	int replications =
		(int)(replays_until(t, STARPU_ENV_END, n * t->planned * STARPU_ENV_SHARE) / n / STARPU_ENV_TRIALS);

	if (t->p->budget_s > 0 && replications < LEAST_ENV_REPLICATIONS)
		return 0;
	p.replications = t->part                               ? 4 :
	                 replications < LEAST_ENV_REPLICATIONS ? LEAST_ENV_REPLICATIONS :
	                 replications > 12                     ? 12 :
	                                                         replications;
	begin_stage(t, "how StarPU is started", SIMPLIFY_END, SEARCH_SHARE + FINAL_ROUND_SHARE);
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
	double replays = replays_until(t, SIMPLIFY_END, t->planned * SIMPLIFY_SHARE);
	const struct simplify_problem p = {
		.evaluator = t->evaluator,
		.graph = t->part,
		.first_replication = SIMPLIFY_FIRST_REPLICATION,
		.replications = replications,
		.tests = (int)(fmax(replays, least) / (replications + 1)),
		.most_ns = t->part ? INT64_MAX : c->items[0].mean_ns,
	};
	size_t at = c->count, beaten = c->best_setting, baseline = c->best;

	begin_stage(t, "making it simpler", SIMPLIFY_END, SEARCH_SHARE + FINAL_ROUND_SHARE + STARPU_ENV_SHARE);
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
	begin_stage(t, "machines with fewer workers", (1 + SIMPLIFY_END) / 2,
	            SEARCH_SHARE + FINAL_ROUND_SHARE + STARPU_ENV_SHARE + SIMPLIFY_SHARE);
	return outcome_make(t->r, &t->outcome, err);
}

static int find_sensitivity(struct tuner *t, struct ht_err *err)
{
	struct tune_result *r = t->r;
	double done = SEARCH_SHARE + FINAL_ROUND_SHARE + STARPU_ENV_SHARE + SIMPLIFY_SHARE;
	double planned = fmax(t->planned * (1 - done), LEAST_CHANGES * CHANGE_REPLICATIONS);
	double most = replays_until(t, 1, planned) / CHANGE_REPLICATIONS;

	begin_stage(t, "what each part brings", 1, done);
	if (sensitivity_of(&r->sensitivity, t->evaluator, t->part, &r->final_round.items[r->final_round.best_setting],
	                   CHANGE_REPLICATIONS, (int)fmin(most, SENSITIVITY_MAX), err) != 0)
		return -1;
	if (evaluator_is_cut(t->evaluator))
		r->sensitivity.count = 0;
	return 0;
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
	s.planned = t->planned * SEARCH_SHARE;
	s.part = t->part;
	s.samples = t->samples = t->planned >= 8 * ENOUGH_TRIALS ? 4 : t->planned >= 4 * ENOUGH_TRIALS ? 2 : 1;
	s.smaller = t->part_graphs;
	s.nsmaller = t->nparts;
	s.bound_ns = r->bounds.largest_ns;
	find_placement(t, &s.reached_ns);
	if (replay_needed(t, err) != 0 || search_run(&s, &r->search, err) != 0 || run_final_round(t, err) != 0 ||
	    search_environment(t, err) != 0 || make_simple(t, err) != 0)
		return -1;
	if (find_outcome(t, err) != 0 || find_sensitivity(t, err) != 0)
		return -1;
	stopped = is_stopped(t);
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
