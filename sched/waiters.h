/* sched/waiters.h - which workers wait for a task, and which of them hear of a new one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_WAITERS_H
#define SCHED_WAITERS_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "sched/knob.h"

struct machine;
struct policy_world;

/*
 * StarPU's workers without a task (1.4.10, eager_central_policy.c and heteroprio.c) are in one of two states. One that
 * saw at a glance that there is nothing keeps looking: it POLLS, and finds the next task by itself. One that took the
 * lock, looked, and got none WAITS: it does not look again before a push has picked it, and a push picks only the first
 * one, in the order of workers, that could execute the task. When that one refuses it after all, nobody else is told.
 *
 * Built with blocking drivers, over SimGrid, both sleep alike. A push tells one worker after the other that could
 * execute the task, up to the first that sleeps and has not been told yet. That is forgotten when a device's
 * worker asks; a CPU's stays told for good (src/core/workers.c:2760, src/drivers/driver_common/driver_common.c:430:
 * others clear state_keep_awake), so a push that finds no device asleep wakes every CPU.
 */
enum waiters_mode { WAITERS_POLLING, WAITERS_BLOCKING };

struct waiters {
	const struct policy_world *world;
	enum waiters_mode mode;
	int nwords;
	uint64_t *waiting, *polling, *told; /* a bit a worker */
	uint64_t *of[ARCH_COUNT];           /* the workers of an architecture */
};

/* The knob of the policies that use waiters; -1 where it is not given. */
#define WAITERS_KNOB(owner, member) WORD_KNOB(owner, member, "drivers", "polling|blocking", -1)

/* The value of that knob; where it is -1, polling, but blocking for a run that was recorded over SimGrid. */
enum waiters_mode waiters_mode_of(int drivers, const struct policy_world *world);

void waiters_init(struct waiters *w, const struct policy_world *world, enum waiters_mode mode);
void waiters_fini(struct waiters *w);

/* pop() begins; it returns a task. */
void waiters_asks(struct waiters *w, int worker);
void waiters_took(struct waiters *w, int worker);

/* pop() returns no task: with a glance (nothing there for the worker) or after a look. */
void waiters_glanced(struct waiters *w, int worker);
void waiters_looked(struct waiters *w, int worker);

/*
 * `pusher` (-1: none) pushed a task that workers of `able` can execute and those of `see` notice: wake whom StarPU
 * would.
 */
void waiters_notify(struct waiters *w, arch_mask able, arch_mask see, int pusher);

/* `worker` can do nothing with a task: everyone else of `able` is told. */
void waiters_pass_on(struct waiters *w, arch_mask able, int worker);

/* Wake everyone of `able`. */
void waiters_notify_all(struct waiters *w, arch_mask able);

#endif
