/* analyze/data/worker_segments.h - the states of each worker through time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_WORKER_SEGMENTS_H
#define ANALYZE_DATA_WORKER_SEGMENTS_H

#include "analyze/data/worker_time.h"

/*
 * Fills x->segments and x->first, idle time being WORKER_IDLE or, in the last gap of a worker from tail_from_ns[its
 * rank] on, WORKER_TAIL. Sets the counts of tasks and the *_recorded members too.
 */
void worker_segments_build(struct worker_times *x, const struct timeline *tl, const struct trace *t,
                           const int64_t *tail_from_ns);

#endif
