/* replay/memory/max_min.h - the rates of simultaneous copies over a shared bus: max-min fair sharing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MAX_MIN_H
#define REPLAY_MEMORY_MAX_MIN_H

#include <stdint.h>

struct machine;

/* Weighted max-min fair shares of the machine's bottlenecks (core/machine/bottleneck.h). */
struct max_min;

/* Never NULL; free with max_min_free(). `m` is not kept. */
struct max_min *max_min_create(const struct machine *m);
void max_min_free(struct max_min *s);

/* Rate (bytes per ns) and latency of a copy over `link` (an index into machine.links) when nothing else is copied. */
double max_min_limit(const struct max_min *s, int link);
int64_t max_min_latency_ns(const struct max_min *s, int link);

/* Sets rates[i] (bytes per ns) of the copy over links[i], where one copy over each of links[0..n-1] shares the bus. */
void max_min_find(struct max_min *s, const int *links, int n, double *rates);

#endif
