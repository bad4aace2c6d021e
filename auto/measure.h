/* auto/measure.h - heterotune auto --verify: the program as it is and under the finalists, run in turns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_MEASURE_H
#define AUTO_MEASURE_H

struct application;
struct ht_err;
struct steps;

#define MEASURE_STEP "measuring"

/*
 * The step "measuring": rounds in which each case of auto/measured.h runs once, in another order each time; before
 * them a round that does not count. A program over SimGrid takes the same time each time: one round is all. After each
 * round the times are saved; where that was interrupted, it goes on. Then the choice becomes DIR/config.xml, and its
 * last run DIR/verified. A case under which the program does not end well has no times; what it is recorded for is a
 * size, or NULL. Returns 0; the status of a program that a signal has ended; -1: the sentence in err.
 */
int measure(const struct application *a, struct steps *steps, const char *size, int runs, struct ht_err *err);

#endif
