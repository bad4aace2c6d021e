/* tune/settings/heuristic.h - a heuristic: a score per type and architecture, and the list it gives. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_HEURISTIC_H
#define TUNE_SETTINGS_HEURISTIC_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "core/metrics/ordering.h"

struct metrics;

/* The published ones, NULL-terminated: tune/settings/heuristics.c. */
extern const struct heuristic *const heuristics[];

extern const struct heuristic heuristic_prws, heuristic_purws, heuristic_offset, heuristic_softplus,
	heuristic_interpolation, heuristic_ntc;

/*
 * The inputs of type `p` on `a`, which has to be legal there. Differences are 0 (ratio 1) where there is no other
 * architecture, or with EXCLUSIVE_AS_STARPU those against a cost of 10^15.
 */
void heuristic_input(struct heuristic_input *in, const struct metrics *x, uint32_t p, enum arch a,
                     enum heuristic_exclusive exclusive);

/*
 * The priority list of `a`: writes the types that can run there into list[], first to be looked at first, and returns
 * their number. `list` has room for all types. Equal scores keep the order of the types.
 *
 * With EXCLUSIVE_FIRST a type that no other architecture can run is in front: every published score
 * grows with the cost elsewhere, and what is left to tell two such types apart is what they release (diff 0). The
 * lists that the authors made by hand (Tables 7 to 10) have it the same way.
 */
uint32_t heuristic_rank(const struct heuristic *h, const double *knobs, const struct metrics *x, enum arch a,
                        uint32_t *list);

#endif
