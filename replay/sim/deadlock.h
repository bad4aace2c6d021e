/* replay/sim/deadlock.h - why a replay cannot go on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_DEADLOCK_H
#define REPLAY_SIM_DEADLOCK_H

struct ht_err;
struct sim;

/*
 * No event is left, and not all tasks have been executed. Returns -1 with the sentence: a worker has a task whose data
 * does not fit into its memory, or waits for data; else the sentence names the first task that is ready.
 */
int deadlock_explain(const struct sim *s, struct ht_err *err);

#endif
