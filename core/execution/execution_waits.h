/* core/execution/execution_waits.h - what each task of an execution waited for last, and the chain that ends last. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_EXECUTION_EXECUTION_WAITS_H
#define CORE_EXECUTION_EXECUTION_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "core/execution/execution.h"

/*
 * NOTHING is known that came before. SUBMISSION: the program submitted it later than the two others. TASK: of the tasks
 * that it depends on the one that ended last. WORKER: its worker was busy with another task until then.
 */
enum execution_cause { CAUSE_NOTHING, CAUSE_SUBMISSION, CAUSE_TASK, CAUSE_WORKER, CAUSE_COUNT };

extern const char *const execution_cause_names[CAUSE_COUNT]; /* "nothing", "its submission", "a task", ... */

/*
 * What came last before a start. What is left between `since_ns` and the start went into data, launch and scheduling.
 */
struct execution_wait {
	uint32_t after; /* index into execution.tasks: the task or worker's task that ended last; EXECUTION_NONE */
	uint8_t cause;  /* enum execution_cause */
	int64_t since_ns;
};

/* By task of the execution, which has items of its graph. A lead (pipelined tasks) counts as no wait. free() it. */
struct execution_wait *execution_waits(const struct execution *e);

/* The tasks of the critical chain, from the first to the one that ends last, by `waits`; `n` is how many. free() it. */
uint32_t *execution_chain(const struct execution *e, const struct execution_wait *waits, size_t *n);

#endif
