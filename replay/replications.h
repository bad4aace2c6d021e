/* replay/replications.h - a replay repeated with random durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_REPLICATIONS_H
#define REPLAY_REPLICATIONS_H

#include <stdint.h>

struct dag;
struct ht_err;
struct jitter_options;
struct machine;
struct simulate_options;
struct simulation;

struct replications {
	int64_t *makespan_ns; /* of each, ascending */
	int count;
	int64_t p10_ns, median_ns, p90_ns; /* the smallest that a tenth, half, nine tenths of them do not exceed */
};

/*
 * Runs `count` simulations (at least 1) with `how` and jitter of the seeds jitter->seed, jitter->seed + 1, ...;
 * how->jitter is ignored. *median is the simulation that takes the median, the first of them: simulation_free() it. -1
 * with the sentence; replications_fini() in any case.
 */
int replications_make(struct replications *x, const struct dag *d, const struct machine *m,
                      const struct simulate_options *how, const struct jitter_options *jitter, int count,
                      struct simulation **median, struct ht_err *err);
void replications_fini(struct replications *x);

#endif
