/* tune/budget.c - how many replays, or how much time, each stage of tune() may take, and how far it is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/budget.h"

#include <math.h>

#include "core/dag/dag.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/mpi_processes.h"
#include "tune/tuner.h"

/* What BUDGET_DEFAULT_TASKS is limited to in replays of the whole graph. */
static const double LEAST_TRIALS = 130, MOST_TRIALS = 16000;
/*
 * With a budget of time what comes after the search may have that share, or less where it does not need so much: about
 * so many replays of the whole graph. Of that part of the time the search may have some, where it is late.
 */
static const double MOST_AFTER_SEARCH = 0.38, REPLAYS_AFTER_SEARCH = 3000, LATE_SEARCH = 0.3;

static double elapsed_s(const struct tuner *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->begin.tv_sec) + (double)(now.tv_nsec - t->begin.tv_nsec) / 1e9;
}

int budget_is_stopped(const struct tuner *t)
{
	return !t->is_needed && t->p->is_stopped && t->p->is_stopped();
}

int budget_is_over(const void *tune)
{
	const struct tuner *t = tune;

	return budget_is_stopped(t) || (t->over_s > 0 && elapsed_s(t) > t->over_s);
}

/* Of a budget that is as good as none there are more than fit. */
static int64_t whole(double replays)
{
	return replays < (double)INT64_MAX ? (int64_t)replays : INT64_MAX;
}

/* When a stage after the search ends, by its share of that part of the time. */
static double end_s(const struct tuner *t, double share)
{
	return t->p->budget_s > 0 ? t->search_s + share * (t->p->budget_s - t->search_s) : 0;
}

void budget_begin_stage(struct tuner *t, const char *doing, double end, double done)
{
	t->over_s = end_s(t, end);
	t->doing = doing;
	t->done = done;
	evaluator_go_on(t->evaluator);
}

void budget_begin_search(struct tuner *t)
{
	budget_begin_stage(t, "search", LATE_SEARCH, 0);
}

/* With what the search for placement has done; `share`: of the work, where it is not a time. */
static void show(const struct tuner *t, struct evaluator_state *state, double share)
{
	if (t->placed_ns >= 0 && (state->best_ns < 0 || t->placed_ns < state->best_ns))
		state->best_ns = t->placed_ns;
	state->elapsed_s = elapsed_s(t);
	state->doing = t->doing;
	state->share = t->p->budget_s > 0 ? fmin(state->elapsed_s / t->p->budget_s, 1) : share;
	t->p->progress(t->p->ctx, state);
}

void budget_show_search(void *tune, const struct evaluator_state *of_search)
{
	const struct tuner *t = tune;
	struct evaluator_state state = *of_search;
	double share = t->done > 0 ? t->done : state.share * BUDGET_SEARCH_SHARE;

	if (t->p->progress)
		show(t, &state, t->placement_share + (1 - t->placement_share) * share);
}

void budget_show_placement(void *tune, const struct evaluator_state *of_placement)
{
	struct tuner *t = tune;
	struct evaluator_state state;

	if (!t->p->progress)
		return;
	evaluator_state(t->evaluator, &state);
	if (!t->nplaced) /* not of other runs than the first one */
		t->placed_ns = of_placement->best_ns;
	show(t, &state, t->placement_share * (t->nplaced + of_placement->share) / t->r->final_round.nruns);
}

double budget_replays_until(const struct tuner *t, double end, double planned)
{
	uint64_t ntasks = t->p->dag->ntasks;
	struct evaluator_state state;
	int64_t replays;

	if (t->p->budget_s <= 0)
		return planned;
	for (int i = 0; i < t->p->nmore; i++)
		ntasks += t->p->more[i].dag->ntasks;
	evaluator_state(t->evaluator, &state);
	replays = whole((end_s(t, end) - elapsed_s(t)) * state.tasks_per_s / (double)ntasks);
	mpi_processes_copy(&replays, sizeof(replays));
	return replays > 0 ? (double)replays : 0;
}

int budget_plan(struct tuner *t, struct ht_err *err)
{
	const struct tune_problem *p = t->p;
	struct trial trial = {.setting = &t->r->initial.items[0].setting};
	struct evaluator_state before, after;
	int64_t replays;

	t->planned = p->trials;
	if (p->trials > 0)
		return 0;
	if (p->budget_s <= 0) {
		t->planned = BUDGET_DEFAULT_TASKS / p->dag->ntasks;
		t->planned = t->planned < LEAST_TRIALS ? LEAST_TRIALS :
		             t->planned > MOST_TRIALS  ? MOST_TRIALS :
		                                         t->planned;
		return 0;
	}
	evaluator_state(t->evaluator, &before);
	if (evaluator_run(t->evaluator, &trial, 1, EVALUATOR_ALWAYS, err) != 0)
		return -1;
	evaluator_state(t->evaluator, &after);
	replays = whole(p->budget_s / (after.elapsed_s - before.elapsed_s + 1e-6) * (p->jobs > 0 ? p->jobs : 1) *
	                mpi_processes_size());
	mpi_processes_copy(&replays, sizeof(replays));
	t->planned = (double)(replays > 1 ? replays : 1);
	t->search_s = p->budget_s * (1 - fmin(MOST_AFTER_SEARCH, REPLAYS_AFTER_SEARCH / t->planned));
	budget_begin_search(t);
	evaluator_limit_time(t->evaluator, t->search_s);
	return 0;
}
