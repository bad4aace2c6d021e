/* core/metrics/ability.h - INSPIRIT's inspiring ability: how many tasks wait for a task, directly or through others. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_ABILITY_H
#define CORE_METRICS_ABILITY_H

#include <stdint.h>

struct dag;

enum {
	ABILITY_EXACT_TASKS = 50000, /* up to here ability_init() counts, above it estimates */
	ABILITY_LABELS = 256,        /* with so many labels: a standard error of 6.3 % */
	ABILITY_SIDE = 16,           /* labels carried through the graph at a time */
};

/*
 * "The number of dependencies released upon task completion" (Wang et al., "INSPIRIT", 2024, section 4.2) has two
 * readings. The direct one is the out-degree: dag_nsucc(). The transitive one is here, per task: its descendants and
 * itself, so that the only root of a connected graph has all of its tasks (section 4.3).
 */
struct ability {
	double *transitive; /* per task: 1 to their number */
	uint32_t labels;    /* 0: counted; else estimated with so many */
	double error;       /* relative standard error of an estimate, 1 / sqrt(labels - 2); 0: exact */
};

/*
 * Exact up to ABILITY_EXACT_TASKS tasks, else estimated with ABILITY_LABELS labels and seed 0. The struct is written
 * over; ability_fini() frees what it holds.
 */
void ability_init(struct ability *a, const struct dag *d);
void ability_fini(struct ability *a);

/*
 * The closure of the graph, 512 of its columns at a time, one bit per pair: 64 bytes a task at any time instead of
 * tasks / 8. Time is tasks * edges / 1024 words of 64 bits.
 */
void ability_count(struct ability *a, const struct dag *d);

/*
 * Cohen, "Size-estimation framework with applications to transitive closure and reachability", JCSS 55, 1997: give
 * every task a random label with an exponential distribution; the least label that a task can reach is exponential
 * with a rate of as many as it can reach. Of k such minima, (k - 1) / sum is an unbiased estimate with a relative
 * standard error of 1 / sqrt(k - 2). An ancestor reaches all that its descendants reach, and its estimate is never
 * below theirs. What degrees and depths prove limits the estimate, so that it is exact for leaves and in trees.
 *
 * labels: a multiple of ABILITY_SIDE. Time is labels * edges, memory 80 bytes a task until it returns. The same seed
 * gives the same estimates everywhere.
 */
void ability_estimate(struct ability *a, const struct dag *d, uint32_t labels, uint64_t seed);

#endif
