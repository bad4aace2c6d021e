/* tune/initial_settings.h - where the search begins. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_INITIAL_SETTINGS_H
#define TUNE_INITIAL_SETTINGS_H

#include <stddef.h>

struct candidates;
struct config;
struct granularity;
struct scores;
struct initial_setting;

/* INITIAL_SETTINGS_NEAR: each, but for StarPU's orderings, also with locality by LS_SDH2 ("PRWS/no-slow+LA"). */
enum initial_settings_locality { INITIAL_SETTINGS_ANYWHERE, INITIAL_SETTINGS_NEAR };

/*
 * All candidates, in their order, on granularities[GRANULARITY_CODELET]; then, for each finer granularity that is not
 * NULL, the heuristics' lists with their buckets taken apart by urgency ("rank:PRWS/no-slow"), and lists that follow
 * upward rank and speed-up in shares of 100:0, 75:25, ... ("rank:urgency-75"), each with every slow variant; then, for
 * each granularity, lists by the mean scores of other schedulers ("rank:multreeprio"). `base` is config_from_dag().
 * free() it.
 */
struct initial_setting *initial_settings_make(const struct candidates *c, const struct config *base,
                                              struct granularity *const *granularities, const struct scores *scores,
                                              enum initial_settings_locality locality, size_t *count);

#endif
