/* sched/static/gaps.h - when the workers of a static schedule have nothing to do. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_GAPS_H
#define SCHED_STATIC_GAPS_H

/*
 * Each worker's idle intervals are a treap by time, with the longest interval below each node, so that the first one
 * that is long enough is found, and taken, in logarithmic time, whatever the number of intervals in front of it. At the
 * beginning a worker is idle from 0 on; its last interval has no end.
 */
struct gaps;

struct gaps *gaps_create(int nworkers);
void gaps_free(struct gaps *g);

/* The earliest time, not before `ready` (0 or more), from which the worker is idle for `length`. */
double gaps_find(const struct gaps *g, int worker, double ready, double length);

/* Makes the worker busy for `length` from `start`, which the last gaps_find() with that length returned. */
void gaps_take(struct gaps *g, int worker, double start, double length);

#endif
