/* plugin/starpu/can_run.h - what a worker can execute, asked for any worker and at any time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_CAN_RUN_H
#define PLUGIN_CAN_RUN_H

#include "core/machine/arch.h"

struct starpu_task;

/*
 * Which implementations of the task's codelet the worker can execute, a bit each. StarPU's own function waits while
 * another thread has the worker blocked for a context without a policy, which ends only when that worker's thread has
 * asked the policy: it may not be called under the lock (1.4.10, src/core/workers.c, _starpu_can_execute_task_any_impl,
 * starpu_worker_is_blocked_in_parallel). Unlike that function this one takes no notice of blocked workers, of those
 * that are switched off by a performance knob, nor of accesses with STARPU_LOCALITY (_starpu_enforce_locality).
 */
unsigned can_run(struct starpu_task *task, int worker);

/*
 * Whether the worker can execute the task with the implementation, as far as that depends on more than the codelet and
 * the worker's kind: on the workers that the program names for the task (STARPU_TASK_WORKERIDS), or on a function of
 * the codelet (can_execute).
 */
int task_is_let(struct starpu_task *task, int worker, unsigned implementation);

/* Whether that is so for all workers of these architectures. */
int task_is_let_all(struct starpu_task *task, arch_mask archs, unsigned implementation);

/*
 * The architectures of the machine that are left to the task of those that its codelet can run on: by the worker or the
 * workers that the program names for it (STARPU_EXECUTE_ON_WORKER, STARPU_TASK_WORKERIDS), its `where`
 * (STARPU_EXECUTE_WHERE), a function of its codelet, and its context. 0: all are, or nothing is known.
 */
arch_mask task_narrowed(struct starpu_task *task);

#endif
