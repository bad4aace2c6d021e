/* tune/starts.h - where the search begins. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_STARTS_H
#define TUNE_STARTS_H

#include <stddef.h>

struct candidates;
struct config;
struct grain;
struct scores;
struct start;

/* STARTS_NEAR: each, but for StarPU's orderings, also with locality by LS_SDH2 ("PRWS/no-slow+LA"). */
enum starts_locality { STARTS_ANYWHERE, STARTS_NEAR };

/*
 * All candidates, in their order and with their names, on grains[GRAIN_CODELET]; then, for each finer grain that is not
 * NULL, the heuristics' lists with their buckets taken apart by urgency ("rank:PRWS/no-slow"), and lists that follow
 * upward rank and speed-up in shares of 100:0, 75:25, ... ("rank:urgency-75"), each with every slow variant; then, for
 * each grain, lists by the mean scores of other schedulers ("rank:multreeprio"). `base` is config_from_dag(). free with starts_free().
 */
struct start *starts_make(const struct candidates *c, const struct config *base, struct grain *const *grains,
                          const struct scores *scores, enum starts_locality locality, size_t *count);
void starts_free(struct start *starts, size_t count);

#endif
