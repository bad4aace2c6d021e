/* replay/sim/jitter.h - random durations of tasks, as they vary in the run, and random delays of threads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_JITTER_H
#define REPLAY_SIM_JITTER_H

#include <stdint.h>

#include "core/machine/arch.h"

struct dag;
struct jitter;

/* cv: a coefficient of variation, deviation over mean. JITTER_RECORDED: what the run measured, at least `least_cv`. */
enum jitter_source { JITTER_RECORDED, JITTER_GIVEN };

struct jitter_options {
	enum jitter_source source;
	double cv; /* JITTER_GIVEN: of every class; JITTER_RECORDED: the least */
	uint64_t seed;
};

/*
 * A draw z per task from the normal distribution, the same wherever the task runs, and a deviation s per class and
 * architecture: a task takes mean exp(s z - s^2/2), which has the class's mean and, with s^2 = ln(1 + cv^2), its
 * deviation. A cv above 1 counts as 1. The graph has to stay. Free with jitter_free().
 */
struct jitter *jitter_create(const struct dag *d, const struct jitter_options *o);
void jitter_free(struct jitter *j);

/* The duration of the task on `a`, for a mean of mean_ns: at least 1 ns; mean_ns where that is 0 or less. */
int64_t jitter_ns(const struct jitter *j, uint32_t task, enum arch a, int64_t mean_ns);

/*
 * How long the threads that drive node `node`, of -1 all CPUs, take to wake up where they are woken at `now`: a half of
 * the time nothing, else up to 50 us or a hundredth of what a task of the graph takes; always nothing where a cv of 0
 * is given. Of the tasks that the end of one makes ready the first may so be taken before the last one is there, or
 * when all are.
 */
int64_t jitter_wake_ns(const struct jitter *j, int64_t now, int node);

#endif
