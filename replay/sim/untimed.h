/* replay/sim/untimed.h - the loop of a simulation in which nothing but execution takes time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_UNTIMED_H
#define REPLAY_SIM_UNTIMED_H

struct ht_err;
struct sim;

/* Until all tasks are executed or nothing is left to happen: 0. -1 with the sentence: the policy or a time is wrong. */
int untimed_run(struct sim *s, struct ht_err *err);

/* Has the worker ask the policy again if it is idle. */
void untimed_wake(struct sim *s, int worker);

#endif
