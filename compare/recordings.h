/* compare/recordings.h - recordings beside the first of them, as text, CSV and JSON. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COMPARE_RECORDINGS_H
#define COMPARE_RECORDINGS_H

#include <stdio.h>

struct ht_err;
struct recordings;

enum recordings_form { RECORDINGS_TEXT, RECORDINGS_CSV, RECORDINGS_JSON };

/* Runs with a schedule at `paths`, two or more, NULL after the last; they stay. NULL with the sentence. */
struct recordings *recordings_open(char **paths, struct ht_err *err);
void recordings_free(struct recordings *x);

/*
 * Whether their makespans say which is faster: all have tasks of the same types, all of these tasks were seen to end,
 * and there are as many in each; the first that is not so in the sentence of -1.
 */
int recordings_check(const struct recordings *x, struct ht_err *err);

void recordings_write(const struct recordings *x, enum recordings_form form, FILE *f);

/*
 * How much longer the slowest of the others took than the first, as a share of that: 0.05 is 5 %. INFINITY: only the
 * first took no time.
 */
double recordings_change(const struct recordings *x);

#endif
