/* replay/sim/threads.h - the threads of StarPU that drive workers: each does one thing at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_THREADS_H
#define REPLAY_SIM_THREADS_H

struct sim;

/* A thread a CPU worker, and one for all workers of a device. */
struct threads;

/* Never NULL; `s` has to stay; free with threads_free(). */
struct threads *threads_create(const struct sim *s);
void threads_free(struct threads *t);

/* Whether the thread of the worker waits for something to happen. */
int threads_sleeps(const struct threads *t, int worker);

#endif
