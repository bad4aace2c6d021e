/* replay/memory/max_min.h - what each of several copies at once gets of a bus that they share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MAX_MIN_H
#define REPLAY_MEMORY_MAX_MIN_H

#include <stdint.h>

struct machine;

/* Weighted max-min fair shares of the machine's bottlenecks (core/machine/bottleneck.h). */
struct shares;

/* `m` need not stay. Never NULL; free with shares_free(). */
struct shares *shares_create(const struct machine *m);
void shares_free(struct shares *s);

/* What one copy alone over a link of the machine gets, bytes per ns, and its latency. */
double shares_limit(const struct shares *s, int link);
int64_t shares_latency_ns(const struct shares *s, int link);

/* The rates of `n` copies at once, over one link each: rates[i] of links[i], bytes per ns. */
void shares_find(struct shares *s, const int *links, int n, double *rates);

#endif
