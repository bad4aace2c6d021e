/* tune/evaluate/final_round.h - the last settings of a tune, compared by many replays with varied durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_FINAL_ROUND_H
#define TUNE_EVALUATE_FINAL_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/starpu_env.h"

struct ht_err;
struct evaluator;
struct policy;
struct setting;
struct trial;

enum { FINAL_ROUND_MAX = 64 };

struct finalist {
	const char *name;
	const struct setting *setting; /* NULL: `policy` */
	const struct policy *policy;
	const char *options; /* of the policy; NULL: none */
	struct starpu_env starpu_env;
	double starpu_env_gain[STARPU_ENV_COUNT]; /* share of the makespan that it brings; 0: not changed */
	int reference_only;                       /* to compare with: cannot be the best */
	int64_t mean_ns;                          /* of graph 0, every task taking its mean duration */
	int64_t median_ns, p90_ns;                /* of graph 0 under jitter */
	double median, p90; /* over all runs and draws: ratio to the first one's with mean durations */
};

struct final_round {
	struct finalist items[FINAL_ROUND_MAX];
	size_t count;
	int runs[16]; /* graphs of the judge that are whole runs; the first is 0 */
	int nruns;
	int draws, first_draw;     /* of jitter, for each run; first_draw: those before have been searched with */
	size_t best_setting, best; /* best: also of the policies */
	const char *never[FINAL_ROUND_MAX]; /* policies that leave tasks of some run behind; none of the items */
	size_t nnever;
};

/*
 * Replays all contestants on every run, once with mean durations and `draws` times with jitter. items[0] is the
 * setting to beat. The best setting has the smallest median of those whose 90th percentile is not above that of
 * items[0]; a policy is the best of all if both its median and its 90th percentile are below those of the best setting.
 * Percentiles are by nearest rank. A policy under which a replay never ends is taken out of the items. -1: a replay of
 * a setting failed.
 */
int final_round_run(struct final_round *c, struct evaluator *j, struct ht_err *err);

/* The contestant on a graph under a draw of jitter, 0: none. */
struct trial finalist_trial(const struct finalist *x, int graph, int draw);

#endif
