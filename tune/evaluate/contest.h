/* tune/evaluate/contest.h - the last round: the best settings and StarPU's other policies, with durations that vary. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_CONTEST_H
#define TUNE_EVALUATE_CONTEST_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/startup.h"

struct ht_err;
struct judge;
struct policy;
struct setting;
struct trial;

enum { CONTEST_MAX = 64 };

struct contestant {
	const char *name;
	const struct setting *setting; /* NULL: `policy` */
	const struct policy *policy;
	const char *options; /* of the policy; NULL: none */
	struct startup startup;
	double startup_gain[STARTUP_COUNT]; /* share of the makespan that it brings; 0: not changed */
	int witness;                        /* to compare with: cannot be the best */
	int64_t mean_ns;                    /* of graph 0, every task taking its mean duration */
	int64_t median_ns, p90_ns;          /* of graph 0 under jitter */
	double median, p90;                 /* over all runs and draws: ratio to the first one's with mean durations */
};

struct contest {
	struct contestant items[CONTEST_MAX];
	size_t count;
	int runs[16]; /* graphs of the judge that are whole runs; the first is 0 */
	int nruns;
	int draws, first_draw;          /* of jitter, for each run; first_draw: those before have been searched with */
	size_t best_setting, best;      /* best: also of the policies */
	const char *never[CONTEST_MAX]; /* policies that leave tasks of some run behind; none of the items */
	size_t nnever;
};

/*
 * Replays all contestants on every run, once with mean durations and `draws` times with jitter. items[0] is the
 * setting to beat. The best setting has the smallest median of those whose 90th percentile is not above that of
 * items[0]; a policy is the best of all if both its median and its 90th percentile are below those of the best setting.
 * Percentiles are by nearest rank. A policy under which a replay never ends is taken out of the items. -1: a replay of
 * a setting failed.
 */
int contest_run(struct contest *c, struct judge *j, struct ht_err *err);

/* The contestant on a graph under a draw of jitter, 0: none. */
struct trial contestant_trial(const struct contestant *x, int graph, int draw);

#endif
