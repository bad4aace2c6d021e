/* auto/measured.h - the program as it is, and under the finalists: what each run took, and which of them to take. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_MEASURED_H
#define AUTO_MEASURED_H

#include <stdint.h>

#include "auto/rank_sum.h"
#include "core/config/config_words.h"
#include "tune/tune.h"

struct config;
struct ht_err;

#define MEASURED           "measured"              /* source of a trial in a config */
#define MEASURED_VERIFIED  "verified"              /* below DIR: the last run of the choice */
#define MEASURED_FINALISTS "finalists"             /* below DIR: 1.xml, 2.xml, ..., and the last run of each case */
#define MEASURED_AS_IT_IS  MEASURED_FINALISTS "/0" /* the last run of the program as it is, unless that is VERIFIED */

/* Times that runs have been looked at for a decision, and most rounds between two looks. */
enum { MEASURED_LOOKS = 3, MEASURED_RUNS = RANK_SUM_MAX / MEASURED_LOOKS };
/* The program as it is, the finalists of tune, and one that auto/spare_core.h adds to them. */
enum { MEASURED_SPARE = TUNE_FINALISTS + 1, MEASURED_CASES = 1 + MEASURED_SPARE };

/*
 * A difference is significant where its chance is no more than that: three looks take a difference that is none for
 * one in 5 % of all cases. S. J. Pocock, Group sequential methods in the design and analysis of clinical
 * trials, Biometrika 64 (1977), table 1.
 */
#define MEASURED_SIGNIFICANT 0.0221

/*
 * A gain of less than that is too short to compare, unless StarPU only simulates: starts of a program differ in what
 * no round evens out, as in its environment, the library that is loaded, and the pages that are touched first. It
 * is the noise (noise.h) of a run of 10 ms.
 */
enum { MEASURED_LEAST_NS = 200000 };

/*
 * First all run, and the fastest is what may be proposed. Whether it is faster than the program as it is, and what asks
 * for less is as fast, other runs decide: those that chose it were its lucky ones.
 */
enum measured_role {
	MEASURED_CHOSEN_FROM, /* has not run since */
	MEASURED_BESIDE,      /* the program as it is, and what asks for less than the fastest and is level with it */
	MEASURED_PROPOSED
};

/* The program under one scheduler. Times are makespans, in the order of the runs. */
struct measured_case {
	char *name;   /* of the trial in configs; of the program as it is CONFIG_TRIAL_RUN */
	char *words;  /* what it is, config_words(): "STARPU_SCHED=dmdas" */
	char *config; /* the finalist's file below DIR; NULL: the program as it is */
	enum config_effort effort;
	int64_t predicted_ns; /* with mean durations; -1: not known */
	enum measured_role role;
	int64_t ns[RANK_SUM_MAX]; /* of the rounds that decide, where it has a part in them */
	int n;
	int64_t median_ns, low_ns,
		high_ns; /* low, high: of 95 % where there are 6 runs, else the shortest and longest */
	int level;       /* not clearly slower than the fastest */
};

struct measured {
	char *dir, *scheduler;                      /* of the recorded run */
	int simulated;                              /* StarPU only simulates: the same run takes the same time */
	struct measured_case cases[MEASURED_CASES]; /* the first is the program as it is */
	int count;
	int proposed;        /* -1: no rounds have begun that decide */
	int fastest, chosen; /* by measured_compare(); -1: nothing has been run */
};

/*
 * The program as it is and the finalists below DIR, but for one that is the program as it is, with the times that
 * DIR/measured.tsv has of them. -1: a finalist cannot be read. measured_free() in either case.
 */
int measured_open(struct measured *m, const char *dir, struct ht_err *err);
void measured_free(struct measured *m);

/* Nothing has been run. */
void measured_begin(struct measured *m);

/*
 * Medians, the fastest by them, and the choice. Before there are rounds that decide it is the program as it is, unless
 * that has no times or StarPU only simulates. After that it is what was proposed, if that is a gain (noise.h, and not
 * too short to compare) over the program as it is, and a significant one; or what asks for less, if that is both, too,
 * and level with it: less than 1 % slower, or not to be distinguished by a rank-sum test.
 */
void measured_compare(struct measured *m);

/*
 * How many rounds the cases of the present stage should have, looked at each `runs` rounds; what they have: the
 * decision is made. Compares, and begins the rounds that decide: the cases that have no part in them keep their times.
 * A gain that is not significant is looked at up to MEASURED_LOOKS times.
 */
int measured_rounds(struct measured *m, int runs);

/* Whether case i runs in the present stage, and how many rounds there are times of in it. */
int measured_is_part(const struct measured *m, int i);
int measured_rounds_done(const struct measured *m);

/* The chance of a difference that is none, by a rank-sum test (auto/rank_sum.h). */
double measured_chance(const struct measured_case *a, const struct measured_case *b);

/* The number of runs each from which on a difference can be significant. */
int measured_least_runs(void);

/* What the fastest takes less than the program as it is, where that is a gain but too short to compare; else 0. */
int64_t measured_too_short(const struct measured *m);

/* What was chosen; NULL: nothing has been run. */
const struct measured_case *measured_choice(const struct measured *m);

/*
 * What a replay of the recorded order says of the program as it is, from a config's trials; -1: it says nothing, as
 * where that order with mean durations takes clearly longer than the run itself (core/metrics/reference.h).
 */
int64_t measured_predicted(const struct config *c);

/*
 * The case whose prediction is farthest off, by more than 15 % and than its runs differ from each other, as a factor of
 * the measured median; -1: there is none.
 */
int measured_surprise(const struct measured *m);

/* What was measured before is of another config now: it and DIR/verified go. */
void measured_forget(const char *dir);

/* DIR/measured.tsv: a line for each case, its name, its role, and its times. -1: that failed. */
int measured_write(const struct measured *m, struct ht_err *err);

/*
 * DIR/config.xml becomes the finalist that was chosen, or for the program as it is its scheduler, with the medians as
 * evidence. A scheduler of the program's own has no config: then it is the fastest finalist. -1: that failed.
 */
int measured_settle(const struct measured *m, struct ht_err *err);

/* The makespan of a run directory; -1. */
int64_t measured_run_ns(const char *path, struct ht_err *err);

#endif
