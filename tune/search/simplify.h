/* tune/search/simplify.h - the simplest setting that is no slower than the best one, as far as noise lets one see. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_SIMPLIFY_H
#define TUNE_SEARCH_SIMPLIFY_H

#include <stdint.h>

#include "tune/settings/setting.h"

struct finalist;
struct ht_err;
struct evaluator;

struct simplify_problem {
	struct evaluator *evaluator;
	int graph, first_replication, replications; /* of jitter; besides, durations are means once */
	int tests;                                  /* simpler settings to replay */
	int64_t most_ns; /* with mean durations it may take so long, or as long as the best one */
};

struct simplified {
	struct setting setting;
	int changed;
	int buckets, factors; /* before */
	double loss;          /* mean ratio of makespans to the best one's - 1; below 0: a gain */
};

/*
 * Undoes what can be undone: locality and its steps and subgroups, slow factors, and buckets of one type that are
 * apart; different types stay apart, since in another run they are no noise. Groups are tried as a whole, and where
 * that costs something in halves, until `tests` are spent. Nothing costs something while the mean ratio to the
 * makespans of `best` under the same replications is within one standard error of 1, or within a twentieth of a
 * percent, and at any rate within half a percent. The comparison is always with `best`, so what little each step costs
 * does not add up. -1: a replay failed.
 */
int simplify(const struct simplify_problem *p, const struct finalist *best, struct simplified *out, struct ht_err *err);

/* Slow factors in a setting. */
int setting_factors(const struct setting *s);

#endif
