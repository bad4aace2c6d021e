/* tune/evaluate/final_round.h - the last settings of a tune, compared by many replays with varied durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_FINAL_ROUND_H
#define TUNE_EVALUATE_FINAL_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "tune/evaluate/evaluator.h"
#include "tune/settings/trial_id.h"

struct ht_err;
struct policy;
struct setting;

enum { FINAL_ROUND_MAX = 64, FINAL_ROUND_CUT = 1 };

struct finalist {
	struct trial_id id;
	const struct setting *setting; /* NULL: `policy` */
	const struct policy *policy;
	const char *options; /* of the policy, borrowed; NULL: none. What a config can hold stands in id.knobs too */
	const struct config *config;              /* that the policy sees, borrowed; NULL: none */
	double starpu_env_gain[STARPU_ENV_COUNT]; /* share of the makespan that it brings; 0: not changed */
	int reference_only;                       /* to compare with: cannot be the best */
	int64_t mean_ns;                          /* of graph 0, every task taking its mean duration */
	int64_t run_ns[EVALUATOR_MAX_GRAPHS];     /* the same of each of final_round.runs */
	int64_t median_ns, p90_ns;                /* of graph 0 under jitter */
	double median, p90; /* over all runs and replications: ratio to the first one's with mean durations */
};

struct final_round {
	struct finalist items[FINAL_ROUND_MAX];
	size_t count;
	int runs[EVALUATOR_MAX_GRAPHS]; /* graphs of the evaluator that are whole runs; the first is 0 */
	int nruns;
	int replications;      /* with jitter, for each run */
	int first_replication; /* the number of the first: those before have been searched with */
	const char *recorded;  /* the scheduler of the run, borrowed; NULL: not known */
	int at_once;           /* a graph of the evaluator: run 0 with all tasks submitted at once; 0: there is none */
	int64_t submitted_ns;  /* when the last task of run 0 is submitted */
	size_t best_setting, best; /* best: also of the policies, and the simplest of those that are level */
	int64_t at_once_ns,
		other_at_once_ns; /* where `at_once` has decided: of the best, and of what it was not; or 0 */
	struct trial_id never[FINAL_ROUND_MAX]; /* policies under which some run never ends; none of the items */
	size_t nnever;
};

/* The number of finalists must be below FINAL_ROUND_MAX, which is far more than a tune has. */
void final_round_add(struct final_round *f, const struct finalist *x);

/*
 * Replays all finalists on every run, once with mean durations and `replications` times with jitter. items[0] is the
 * setting to beat. The best setting has the smallest median of those whose 90th percentile is not above that of
 * items[0]; a policy is the best of all if both its median and its 90th percentile are below those of the best setting.
 * Where others cannot be distinguished from that best, by the same replications under both, the one that asks least of
 * a user is taken (config_effort()), of settings the one with the fewest buckets; the scheduler of the run also where
 * others are no gain over it (noise.h). Percentiles are by nearest rank. A policy under which a replay never ends is
 * taken out of the items. -1: a replay of a setting failed. FINAL_ROUND_CUT: it was over before all were replayed, and
 * nothing has changed.
 *
 * Where the last submission is what limits run 0, everything is level. With all tasks submitted at once, which a
 * program whose main thread shares a core with workers may come near to under another scheduler, one of these may take
 * less than 0.8 times as long as the one that was taken: then that one is.
 */
int final_round_run(struct final_round *f, struct evaluator *e, struct ht_err *err);

/*
 * After that: the same without jitter among those whose mean durations have been replayed on all runs, or, where
 * items[0] has not been, on the first one alone, nruns being 1 then; the others leave. FINAL_ROUND_CUT: items[0] has
 * not been replayed.
 */
int final_round_of_known(struct final_round *f, struct evaluator *e, struct ht_err *err);

/* The finalist on a graph under a replication of jitter, 0: none. */
struct trial finalist_trial(const struct finalist *x, int graph, int replication);

#endif
