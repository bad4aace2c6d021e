/* tune/settings/scores.h - mean scores of the tasks of a bucket under MulTreePrio and INSPIRIT. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_SCORES_H
#define TUNE_SETTINGS_SCORES_H

#include "core/config/config.h"
#include "core/machine/arch.h"
#include "core/metrics/ability.h"
#include "core/metrics/efficiency.h"
#include "core/metrics/released.h"

struct dag;
struct granularity;
struct machine;

enum score { SCORE_MULTREEPRIO, SCORE_ABILITY, SCORE_EFFICIENCY, SCORE_COUNT };

/*
 * MulTreePrio (multreeprio.c, equation 8) of a task on an architecture while no worker starves, as lists that do not
 * change can have it: (B1 + B3 + B4 + B5 + 1) / 6, where "highest" and "longest" are of the whole graph; NOD_highest and
 * longest, which are an architecture's, of the tasks that it can run. INSPIRIT (ability.h, efficiency.h): inspiring
 * ability and inspiring efficiency, the same on all architectures.
 */
struct scores {
	const struct dag *dag;
	struct released released;
	struct ability ability;
	struct efficiency efficiency;
	double work_highest_ns, nod_highest[ARCH_COUNT], longest_ns[ARCH_COUNT];
};

/* Linear in tasks and edges but for what ability_init() says. The graph has to stay. */
void scores_init(struct scores *s, const struct dag *d, const struct machine *m);
void scores_fini(struct scores *s);

/* "multreeprio", "inspirit-ability", "inspirit-efficiency" */
const char *score_name(enum score which);

/* The mean over the tasks of each group of `g`, of the same graph; 0 where the group cannot run. */
void scores_mean(const struct scores *s, const struct granularity *g, enum score which,
                 double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS]);

#endif
