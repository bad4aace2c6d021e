/* analyze/plots/plot_causes.h - what workers did while they executed nothing: names, colours, and a sentence. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PLOTS_PLOT_CAUSES_H
#define ANALYZE_PLOTS_PLOT_CAUSES_H

#include <stdint.h>

#include "analyze/data/worker_time.h"

/* A state of a worker, and of READY, apart, what is no waste: each ready task is faster elsewhere (slower_ns). */
enum { CAUSE_SLOWER = WORKER_STATES, CAUSES };

/* Pale, unlike the colours of types; 0xffffff: EXECUTING. */
uint32_t cause_colour(int cause);

/* What it is called in legends: "waiting for data"; and whether the run has recorded it. */
extern const char *const cause_names[CAUSES];
int cause_is_known(const struct worker_times *x, int cause);

/* The part of a worker's time, or of an architecture's. */
int64_t cause_ns(const struct worker_time *t, int cause);

/*
 * The finding for a title: the share of its workers' time that each architecture executed nothing, and what took most
 * of that: "cuda idle 12 %: waits for data, cpu idle 91 %: no task ready". Returns buf.
 */
enum { CAUSES_TITLE = 256 };
const char *causes_title(const struct worker_times *x, char buf[CAUSES_TITLE]);

/*
 * The part of a segment that begins at from_ns, and what it counts as. Idle time is cut into parts of at most part_ns:
 * with tasks ready for half of a part or more, that suit the worker or others, or without. *to_ns gets the part's end.
 */
int causes_part(const struct worker_times *x, uint32_t worker, const struct worker_segment *s, int64_t from_ns,
                int64_t part_ns, int64_t *to_ns);

#endif
