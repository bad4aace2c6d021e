/* replay/sim/thread_steps.h - what a simulated thread does: tasks, copies, and asking the policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_THREAD_STEPS_H
#define REPLAY_SIM_THREAD_STEPS_H

struct ht_err;
struct sim;

/*
 * One of the thread's delays is over: it waits for the next one, or takes its step, which sets the next and puts its
 * event (threads.h has the order of steps). A device's thread does so as long as nothing else is due before. -1 with
 * the sentence: what the policy returned cannot be.
 */
int thread_handle(struct sim *s, int thread, struct ht_err *err);

/*
 * Pops a task for each worker whose pipeline has room. The thread makes another round, or goes to sleep. -1 with the
 * sentence: what the policy returned cannot be.
 */
int thread_ask(struct sim *s, int thread, struct ht_err *err);

#endif
