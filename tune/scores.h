/* tune/scores.h - what other schedulers would give the tasks of a bucket, on average: MulTreePrio's and INSPIRIT's. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SCORES_H
#define TUNE_SCORES_H

#include "core/ability.h"
#include "core/arch.h"
#include "core/config.h"
#include "core/efficiency.h"
#include "core/released.h"

struct dag;
struct grain;
struct machine;

enum score { SCORE_MULTREEPRIO, SCORE_ABILITY, SCORE_EFFICIENCY, SCORE_COUNT };

/*
 * MulTreePrio (sched/multreeprio.c, equation 8) of a task on an architecture while nobody starves, as lists that do not
 * change can have it: (B1 + B3 + B4 + B5 + 1) / 6, where "highest" and "longest" are of the whole graph. INSPIRIT
 * (core/ability.h, core/efficiency.h): inspiring ability and inspiring efficiency, the same on all architectures.
 */
struct scores {
	const struct dag *dag;
	struct released released;
	struct ability ability;
	struct efficiency efficiency;
	double work_highest_ns, nod_highest, longest_ns[ARCH_COUNT];
};

/* Linear in tasks and edges but for what ability_init() says. The graph has to stay. */
void scores_init(struct scores *s, const struct dag *d, const struct machine *m);
void scores_fini(struct scores *s);

/* "multreeprio", "inspirit-ability", "inspirit-efficiency" */
const char *score_name(enum score which);

/* The mean over the tasks of each atom of the grain, which is of the same graph; 0 where the atom cannot run. */
void scores_mean(const struct scores *s, const struct grain *g, enum score which,
                 double mean[ARCH_COUNT][CONFIG_MAX_BUCKETS]);

#endif
