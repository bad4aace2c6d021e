/* replay/sim/deadlock.h - why a replay does not go on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_DEADLOCK_H
#define REPLAY_SIM_DEADLOCK_H

struct ht_err;
struct sim;

/*
 * Nothing will ever happen again, and not all tasks have been executed. Returns -1 with the sentence: a worker has
 * taken a task whose data its memory is too small for, or waits for data; else the first task that is ready.
 */
int deadlock_explain(const struct sim *s, struct ht_err *err);

#endif
