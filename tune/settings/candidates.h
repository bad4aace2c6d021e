/* tune/settings/candidates.h - initial candidates: every heuristic and ordering, with slow factors. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_CANDIDATES_H
#define TUNE_SETTINGS_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "tune/settings/trial_id.h"

struct metrics;

/* How slow factors are made from the ratios of costs, and what that is called in a name. */
struct slow_variant {
	double scale; /* 0: no slow factors */
	const char *suffix;
};

extern const struct slow_variant slow_variants[];
enum { SLOW_VARIANTS = 4 };

/* One setting: lists and slow factors on the buckets of a base config. */
struct candidate {
	struct trial_id id;
	struct config_list lists[ARCH_COUNT];
	int same_as; /* an earlier one with the same setting; -1: none */
};

struct candidates {
	struct candidate *items;
	size_t count, cap;
};

/*
 * The order of `base`, every heuristic and every ordering of StarPU, each with every slow variant. A list has the
 * buckets of that list in `base`, which must be config_from_dag() of the graph the metrics are of. free with
 * candidates_fini().
 */
void candidates_make(struct candidates *c, const struct config *base, const struct metrics *x);
void candidates_fini(struct candidates *c);

/* Whether the lists of all architectures, a[ARCH_COUNT] and b[ARCH_COUNT], have the same buckets in the same order. */
int candidate_same_lists(const struct config_list *a, const struct config_list *b);

#endif
