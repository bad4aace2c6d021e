/* replay/threads.h - the threads of StarPU that drive workers: each does one thing at a time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_THREADS_H
#define REPLAY_THREADS_H

struct sim;

/*
 * What StarPU 1.4.10's SimGrid flavour takes for the work of a thread, and has measured on real ones: to push a task
 * (src/core/sched_policy.c:520), to look once after the transfers of one memory node (src/datawizard/datawizard.c:96),
 * to ask for one datum of a task (src/datawizard/coherency.c:1211). replay/memory.h has those of a device.
 */
enum { THREAD_PUSH_NS = 1000, THREAD_PROGRESS_NS = 1000, THREAD_FETCH_NS = 1000 };

/* A thread a CPU worker, and one for all workers of a device. */
struct threads;

/* Never NULL; `s` has to stay; free with threads_free(). */
struct threads *threads_create(const struct sim *s);
void threads_free(struct threads *t);

/* Whether the thread of the worker waits for something to happen. */
int threads_sleeps(const struct threads *t, int worker);

#endif
