/* auto/measured.h - the program as it is, and under the finalists: what each run took, and which of them to take. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_MEASURED_H
#define AUTO_MEASURED_H

#include <stdint.h>

#include "core/base/rank_sum.h"
#include "core/config/config_words.h"
#include "tune/tune.h"

struct ht_err;

#define MEASURED           "measured"  /* source of a trial in a config */
#define MEASURED_VERIFIED  "verified"  /* below DIR: the last run of the choice */
#define MEASURED_FINALISTS "finalists" /* below DIR: 1.xml, 2.xml, ... */

enum { MEASURED_RUNS = RANK_SUM_MAX, MEASURED_CASES = 1 + TUNE_FINALISTS };

/* A difference is significant where its chance is no more than that. */
#define MEASURED_SIGNIFICANT 0.05

/* The program under one scheduler. Times are makespans, in the order of the runs. */
struct measured_case {
	char *name;   /* of the trial in configs; of the program as it is CONFIG_TRIAL_RUN */
	char *words;  /* what it is, config_words(): "STARPU_SCHED=dmdas" */
	char *config; /* the finalist's file below DIR; NULL: the program as it is */
	enum config_effort effort;
	int64_t predicted_ns; /* with mean durations; -1: not known */
	int64_t ns[MEASURED_RUNS];
	int n;
	int64_t median_ns, low_ns,
		high_ns; /* low, high: of 95 % where there are 6 runs, else the shortest and longest */
	double p;        /* measured_chance() against the fastest; 1 for that one */
	int level;       /* not clearly slower than the fastest */
};

struct measured {
	char *dir, *scheduler;                      /* of the recorded run */
	int simulated;                              /* StarPU only simulates: the same run takes the same time */
	struct measured_case cases[MEASURED_CASES]; /* the first is the program as it is */
	int count;
	int fastest, chosen; /* by measured_compare(); -1: nothing has been run */
};

/*
 * The program as it is and the finalists below DIR, but for one that is the program as it is, with the times that
 * DIR/measured.tsv has of them. -1: a finalist cannot be read. measured_free() in either case.
 */
int measured_open(struct measured *m, const char *dir, struct ht_err *err);
void measured_free(struct measured *m);

/*
 * Medians, the fastest by them, and the choice: the least effort of those that are level with it, and of these the
 * fastest. Level is what is less than 1 % slower, and, where runs vary, what a rank-sum test does not distinguish. What
 * is no gain over the program as it is (noise.h), or no significant one, is no choice beside it.
 */
void measured_compare(struct measured *m);

/*
 * The chance of a difference that is none: that of a rank-sum test of the runs (core/base/rank_sum.h), times the number
 * of candidates that have run, since the fastest of several looks faster than it is (Bonferroni).
 */
double measured_chance(const struct measured *m, const struct measured_case *a, const struct measured_case *b);

/* The number of runs each from which on a difference can be significant. */
int measured_least_runs(const struct measured *m);

/* What was chosen; NULL: nothing has been run. */
const struct measured_case *measured_choice(const struct measured *m);

/*
 * The case whose prediction is farthest off, by more than 15 % and than its runs differ from each other, as a factor of
 * the measured median; -1: there is none.
 */
int measured_surprise(const struct measured *m);

/* What was measured before is of another config now: it and DIR/verified go. */
void measured_forget(const char *dir);

/* DIR/measured.tsv: a line for each case, its name and its times. -1: that failed. */
int measured_write(const struct measured *m, struct ht_err *err);

/*
 * DIR/config.xml becomes the finalist that was chosen, or for the program as it is its scheduler, with the medians as
 * evidence. A scheduler of the program's own has no config: then it is the fastest finalist. -1: that failed.
 */
int measured_settle(const struct measured *m, struct ht_err *err);

/* The makespan of a run directory; -1. */
int64_t measured_run_ns(const char *path, struct ht_err *err);

#endif
