/* tune/budget.h - how many replays, or how much time, each stage of tune() may take, and how far it is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_BUDGET_H
#define TUNE_BUDGET_H

struct evaluator_state;
struct ht_err;
struct tuner;

/* To replay by default. */
static const double BUDGET_DEFAULT_TASKS = 18e6;
/* Below that many replays the search goes on a part of the graph, of which there can be as many. */
static const double BUDGET_ENOUGH_TRIALS = 600;
/* Of the replays: for the search of buckets. */
static const double BUDGET_SEARCH_SHARE = 0.8;

/*
 * Finds how many replays of the whole graph there may be, and with a budget of time when the search ends: how long one
 * replay takes decides. -1: that failed.
 */
int budget_plan(struct tuner *t, struct ht_err *err);

/*
 * With a budget of time a stage after the search ends at the share `end` of what is left after it. `done`: of the work,
 * where it is not a time.
 */
void budget_begin_stage(struct tuner *t, const char *doing, double end, double done);

/* Begins the search, or the replays before it, which may take some of the time that is planned for later stages. */
void budget_begin_search(struct tuner *t);

/*
 * Replays of all runs that there is time for until a stage ends, at the speed so far; without a budget of time
 * `planned`. The same in every process.
 */
double budget_replays_until(const struct tuner *t, double end, double planned);

/* A signal has come; or that, or the stage under way has had its time: of a struct tuner, for evaluator_options. */
int budget_is_stopped(const struct tuner *t);
int budget_is_over(const void *tune);

/* Progress of the search and what follows, and of the search for placement: of a struct tuner. */
void budget_show_search(void *tune, const struct evaluator_state *of_search);
void budget_show_placement(void *tune, const struct evaluator_state *of_placement);

#endif
