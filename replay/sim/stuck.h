/* replay/sim/stuck.h - why a replay does not go on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_STUCK_H
#define REPLAY_SIM_STUCK_H

struct ht_err;
struct sim;

/*
 * Nothing will ever happen again, and not all tasks have been executed. Returns -1 with the sentence: a worker has
 * taken a task whose data its memory is too small for, or waits for data; else the first task that is ready.
 */
int stuck(const struct sim *s, struct ht_err *err);

#endif
