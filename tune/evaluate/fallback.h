/* tune/evaluate/fallback.h - the scheduler of StarPU's that takes a config's place, also where workers are fewer. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_FALLBACK_H
#define TUNE_EVALUATE_FALLBACK_H

#include "core/config/config.h"
#include "tune/evaluate/final_round.h"

enum { FEWER_MACHINES = 3 };

/*
 * Machines with fewer workers of the same architectures as `counts`: one device less, half of the devices, half of the
 * CPUs; of the devices those of the architecture that has most. Returns how many there are.
 */
int fewer_workers(const int counts[ARCH_COUNT], int fewer[FEWER_MACHINES][ARCH_COUNT]);

/*
 * Of the finalists after the final round the fastest that needs nothing but StarPU's environment, and not another
 * number of CPU workers, pipeline or prefetch: those are of one machine. NULL: there is none.
 */
const struct finalist *fallback_find(const struct final_round *f);

/*
 * Fills in the fallback of `c`, which is the config of finalist x, and replays both on the graphs, which have the
 * machines of fewer_workers(); the makespans are means over replications 0 to `replications` - 1. Nothing where `c` is
 * one of StarPU's own schedulers, no machine that there was no time for. -1: a replay failed.
 */
int fallback_fill(struct config *c, const struct final_round *f, const struct finalist *x, struct evaluator *e,
                  const int *graphs, int ngraphs, int replications, struct ht_err *err);

#endif
