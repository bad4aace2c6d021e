/* replay/sim/threads.h - the loop of a simulation in which copies, and the threads that drive workers, take time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_THREADS_H
#define REPLAY_SIM_THREADS_H

#include <stdint.h>

struct ht_err;
struct sim;

/*
 * A CPU worker has a thread, and all workers of a device have one together. A thread is asleep, or one event is due at
 * which it takes its next step:
 *
 *                      +-------------------- progressed or woken ----------------------+
 *                      v                                                               |
 *                                               main memory to allocate
 *                                               |   +-> ALLOCATED
 *                                               |   |       v
 *   ASLEEP --wake--> CHECK --no worker left--> POLL --> COPY --no copy to begin--> ASK --else--> ASLEEP
 *     |              |   ^                      ^       |  ^
 *     |              v   |                      |       +--+ a copy is begun
 *     |             (tasks)                     |
 *     +----- wake with no task to deal with ----+
 *
 * (tasks), of its workers one by one:
 *
 *   CHECK          a task has its data: executes or queues it, then ENDED
 *   CHECK, ENDED   a kernel has ended: RELEASE; else CHECK of the next worker
 *   RELEASE        another task is ready: PUSH, RELEASE
 *                  another datum will not be used: WRITE_BACK, WROTE_BACK, RELEASE
 *                  the next task of the pipeline is synchronous: executes it, then ENDED
 *                  else CHECK of the next worker
 *
 * RELEASE takes no time and is no step. ASK pops a task for each worker whose pipeline has room. A thread that is woken
 * while it is not asleep makes another round instead of going to sleep.
 */
struct threads;

/* Never NULL; `s` has to stay; free with threads_free(). */
struct threads *threads_create(const struct sim *s);
void threads_free(struct threads *t);

/* As sim_begin(), sim_next_ns(), sim_go_to() and sim_step(). */
int threads_begin(struct sim *s, struct ht_err *err);
int64_t threads_next_ns(struct sim *s);
void threads_go_to(struct sim *s, int64_t now);
int threads_step(struct sim *s, struct ht_err *err);

/* Wakes the thread of the worker. */
void threads_wake(struct sim *s, int worker);

/* Whether the thread of the worker goes on while the task runs. */
int threads_overlap(const struct sim *s, uint32_t task, int worker);

#endif
