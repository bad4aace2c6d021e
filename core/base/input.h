/* core/base/input.h - standard input of a program that is run more than once. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_INPUT_H
#define CORE_BASE_INPUT_H

#include <stdint.h>

struct input {
	int64_t start;                 /* where this process has begun to read a file; -1: it is none */
	int nruns, is_said, was_empty; /* was_empty: a pipe that never had anything, for any run */
};

void input_init(struct input *x); /* before the first run */

/*
 * Before each run: a file is read from `start` on again. A pipe cannot be, and is not read ahead, since it may never
 * end: where a run before has read it to its end, returns a sentence about it, once. Else NULL.
 */
const char *input_next(struct input *x);

/* Whether it is a pipe that serves one run alone: a run has read all, or there has been none and something is in it. */
int input_is_for_one(const struct input *x);

/* Whether another run can read the same: standard input is no pipe. */
int input_is_same(const struct input *x);

#endif
