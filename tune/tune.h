/* tune/tune.h - from a graph and its metrics to a config: initial settings, a search, and the best one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/metrics/bound.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/fallback.h"
#include "tune/evaluate/final_round.h"
#include "tune/evaluate/sensitivity.h"
#include "tune/initial_settings.h"
#include "tune/search/search.h"
#include "tune/search/simplify.h"
#include "tune/settings/granularity.h"

struct dag;
struct ht_err;
struct machine;
struct metrics;
struct scenario;
struct trace;

enum { TUNE_MAX_RUNS = 8 };

/*
 * Whether another policy of StarPU can be chosen, where it is faster than every setting of Heteroprio; FROZEN: only
 * settings that can freeze (tune/settings/setting.h).
 */
enum tune_policies { TUNE_ANY_POLICY = 0, TUNE_HETEROPRIO, TUNE_FROZEN };

/* Where a member says 0 or NULL there is a default, or nothing. */
struct tune_problem {
	const struct dag *dag;
	const struct machine *machine;
	const struct metrics *metrics;
	const struct trace *trace;       /* NULL: not run on this machine; no recorded trials */
	const char *policy_options;      /* of heteroprio: "variant=starpu"; "" for its default */
	const struct scenario *scenario; /* as in struct evaluator_graph */
	enum tune_policies policies;
	const char *scheduler; /* of the recorded run, NULL: not known; to change nothing is simplest */
	const char *run;       /* path, for the config */
	int is_predicted;      /* its times are those of a replay */
	struct evaluator_graph more[TUNE_MAX_RUNS - 1]; /* other runs of the application, for the final round */
	const char *more_paths[TUNE_MAX_RUNS - 1];      /* of these */
	int nmore;
	struct evaluator_graph fewer[FEWER_MACHINES]; /* the run on machines with fewer workers, for the fallback */
	int nfewer;
	int jobs;        /* threads; 0: one */
	double trials;   /* replays of the whole graph to spend; 0: by its size, unless budget_s says it */
	double budget_s; /* time to spend, from tune() to its end; 0: no limit */
	uint64_t seed;
	double jitter_cv;    /* of durations in the final round; 0: the recorded one, at least 2 % */
	const char *journal; /* path of the journal; NULL: none */
	void (*progress)(void *ctx, const struct evaluator_state *state);
	void *ctx;
	int (*is_stopped)(void); /* whether the user wants an end now; any thread asks. NULL: never */
};

enum { TUNE_FINALISTS = 4, ENV_FINALISTS = 2 }; /* ENV: whose StarPU environment is searched */

struct tune_result {
	struct config *config;    /* the best setting, with all trials as evidence */
	struct config *placement; /* policy and plans of the finalist that places data; NULL: there is none */
	struct config *finalists[TUNE_FINALISTS]; /* what to measure, best first: tune/outcome.h */
	int nfinalists;
	struct initial_settings initial;
	struct granularity *granularities[GRANULARITY_COUNT]; /* NULL: the graph has no use for it */
	struct search_result search;
	struct final_round final_round;
	struct simplified simplified; /* of the best setting; it is in the final round where it was changed */
	struct sensitivity sensitivity;
	struct bounds bounds;
	size_t chosen;               /* of final_round.items: the best setting, or a policy that is better */
	int64_t makespan_ns;         /* of `chosen`, with mean durations */
	int64_t run_ns, recorded_ns; /* of the recorded run as measured, and of its schedule replayed; -1: not known */
	struct evaluator_state spent;
	int stopped; /* the best so far: nothing after that has been tried */
};

/*
 * Every initial setting is replayed, a search goes on from the best (search.h), and what it finds has to be better than
 * the best initial setting also when durations vary (final_round.h). Among equals the one that is named first is
 * chosen, so heuristics are before StarPU's orderings and ratios of costs before other slow factors. Deterministic
 * unless budget_s is given or it is stopped; then what has been replayed is compared. An interrupted tune with a
 * journal goes on where it was. NULL: a replay failed, or the end came before the first
 * one. free with tune_result_free().
 */
struct tune_result *tune(const struct tune_problem *p, struct ht_err *err);
void tune_result_free(struct tune_result *r);

#endif
