/* replay/memory/max_min.h - what each of several copies at once gets of a bus that they share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MAX_MIN_H
#define REPLAY_MEMORY_MAX_MIN_H

#include <stdint.h>

struct machine;

/* Weighted max-min fair shares of the machine's bottlenecks (core/machine/bottleneck.h). */
struct max_min;

/* `m` need not stay. Never NULL; free with max_min_free(). */
struct max_min *max_min_create(const struct machine *m);
void max_min_free(struct max_min *s);

/* What one copy alone over a link of the machine gets, bytes per ns, and its latency. */
double max_min_limit(const struct max_min *s, int link);
int64_t max_min_latency_ns(const struct max_min *s, int link);

/* The rates of `n` copies at once, over one link each: rates[i] of links[i], bytes per ns. */
void max_min_find(struct max_min *s, const int *links, int n, double *rates);

#endif
