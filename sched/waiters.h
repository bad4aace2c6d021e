/* sched/waiters.h - which workers wait for a task, and which of them a push wakes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_WAITERS_H
#define SCHED_WAITERS_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "sched/knob.h"

struct policy_world;

/*
 * StarPU's workers without a task (1.4.10, eager_central_policy.c and heteroprio.c) are in one of two states. A worker
 * whose pop found the counter of tasks at 0 returned without the lock and POLLS: it calls pop again and again, and
 * finds the next task by itself. A worker that took the lock, searched the queues and got no task WAITS: it does not
 * search again before a push has picked it, and a push picks only the first waiting worker, in the order of workers,
 * that could execute the task. When that worker refuses the task after all, no other worker is woken.
 *
 * With blocking drivers, as over SimGrid, workers of both states sleep. A push notifies the workers that could execute
 * the task one after the other, up to the first that sleeps and has not been notified yet. StarPU forgets that it has
 * notified a device's worker when that worker pops; a CPU's worker stays notified for good (src/core/workers.c:2760,
 * src/drivers/driver_common/driver_common.c:430: other workers clear state_keep_awake), so a push that finds no device
 * asleep wakes every CPU.
 */
enum waiters_mode { WAITERS_POLLING, WAITERS_BLOCKING };

struct waiters {
	const struct policy_world *world;
	enum waiters_mode mode;
	int nwords;
	uint64_t *waiting, *polling, *notified; /* a bit a worker */
	uint64_t *of[ARCH_COUNT];               /* the workers of an architecture */
};

/* The knob of the policies that use waiters; -1 where it is not given. */
#define WAITERS_KNOB(owner, member) WORD_KNOB(owner, member, "drivers", "polling|blocking", -1)

/* The value of that knob; where it is -1, polling, but blocking for a run that was recorded over SimGrid. */
enum waiters_mode waiters_mode_of(int drivers, const struct policy_world *world);

void waiters_init(struct waiters *w, const struct policy_world *world, enum waiters_mode mode);
void waiters_fini(struct waiters *w);

/* A pop() of the worker begins, and ends with a task. */
void waiters_pop(struct waiters *w, int worker);
void waiters_took(struct waiters *w, int worker);

/* The pop() ends without a task: because the counter of tasks was 0, or after it searched the queues. */
void waiters_found_empty(struct waiters *w, int worker);
void waiters_searched(struct waiters *w, int worker);

/*
 * `pusher` (-1: the main thread) pushed a task that workers of `able` can execute and whose counter workers of `see`
 * poll: wakes the workers that StarPU would.
 */
void waiters_notify(struct waiters *w, arch_mask able, arch_mask see, int pusher);

/* `worker` cannot execute what is queued: wakes all other workers of `able`. */
void waiters_pass_on(struct waiters *w, arch_mask able, int worker);

/* Wakes every worker of `able` without a task. */
void waiters_notify_all(struct waiters *w, arch_mask able);

#endif
