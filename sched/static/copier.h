/* sched/static/copier.h - the copies of a static schedule, each in the first free interval of its links. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_COPIER_H
#define SCHED_STATIC_COPIER_H

struct machine;

/* The links of a machine, what they share (core/machine/bottleneck.h), and when each is free. */
struct copier;

/* `m` has to stay. copier_free() accepts NULL. */
struct copier *copier_create(const struct machine *m);
void copier_free(struct copier *c);

/*
 * When `bytes` that are at `from` at `ready` (ns) can be at `to`, which is another node: over the direct link, else
 * through main memory, each hop in the first interval that is long enough. Nodes without a way copy in no time. With
 * `keep` the intervals are taken.
 */
double copier_copy(struct copier *c, int from, int to, double bytes, double ready, int keep);

#endif
