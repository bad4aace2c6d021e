/* core/metrics/reference.h - what the replay of another scheduler is compared with. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_REFERENCE_H
#define CORE_METRICS_REFERENCE_H

#include <stdint.h>

/*
 * A replay of the run's own order leaves out what all replays leave out, and takes the mean of what tasks took, as they
 * do. A scheduler that sees how long each task really takes may place them better than its order with means is: where
 * the run itself took clearly less (noise_of_runs.h), nothing is gained over it by taking less than that order.
 *
 * The lesser of both in that sense; an order of 0 or less is not known.
 */
int64_t reference_of(int64_t order_ns, int64_t run_ns);

enum { REFERENCE_TEXT = 256 };

/* Where the two differ by more than 5 % of the run: both, and why, without a stop; else "". Returns `text`. */
const char *reference_text(char text[REFERENCE_TEXT], int64_t order_ns, int64_t run_ns);

#endif
