/* replay/sim/untimed.h - the loop of a simulation in which nothing but execution takes time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_UNTIMED_H
#define REPLAY_SIM_UNTIMED_H

#include <stdint.h>

struct ht_err;
struct sim;

/* As sim_begin(), sim_next_ns() and sim_step(). */
int untimed_begin(struct sim *s, struct ht_err *err);
int64_t untimed_next_ns(struct sim *s);
int untimed_step(struct sim *s, struct ht_err *err);

/* Has the worker ask the policy again if it is idle. */
void untimed_wake(struct sim *s, int worker);

#endif
