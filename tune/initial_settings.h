/* tune/initial_settings.h - where the search begins. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_INITIAL_SETTINGS_H
#define TUNE_INITIAL_SETTINGS_H

#include <stddef.h>

struct config;
struct granularity;
struct initial_setting;
struct metrics;
struct scores;

struct initial_settings {
	struct initial_setting *items; /* free() them */
	size_t count, cap;
	size_t ncandidates; /* the first ones: heuristics and orderings on GRANULARITY_CODELET */
};

/* INITIAL_SETTINGS_NEAR: each, but for StarPU's orderings, also with locality by LS_SDH2 ("PRWS/no-slow+LA"). */
enum initial_settings_locality { INITIAL_SETTINGS_ANYWHERE, INITIAL_SETTINGS_NEAR };

/*
 * Every published heuristic, the order of `base` and every ordering of StarPU, each with every slow variant, on
 * granularities[GRANULARITY_CODELET]: a list has the buckets of that list in `base`, which is config_from_dag() of the
 * graph that the metrics `x` are of. Then, for each finer granularity that is not NULL, the heuristics' lists with
 * their buckets taken apart by urgency ("rank:PRWS/no-slow"), and lists that follow upward rank and speed-up in shares
 * of 100:0, 75:25, ... ("rank:urgency-75"), each with every slow variant; then, for each granularity, lists by the mean
 * scores of other schedulers ("rank:multreeprio").
 */
void initial_settings_make(struct initial_settings *s, const struct config *base, const struct metrics *x,
                           struct granularity *const *granularities, const struct scores *scores,
                           enum initial_settings_locality locality);

#endif
