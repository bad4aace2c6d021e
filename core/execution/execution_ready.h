/* core/execution/execution_ready.h - when a task was ready that a worker could have taken. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_EXECUTION_EXECUTION_READY_H
#define CORE_EXECUTION_EXECUTION_READY_H

#include <stdint.h>

struct execution;
struct execution_ready;

/* Of a finished execution, whose tasks are items of its graph. Free with execution_ready_free(), also NULL. */
struct execution_ready *execution_ready_create(const struct execution *e);
void execution_ready_free(struct execution_ready *x);

/*
 * Whether at `ns` a task is ready and not taken that `worker` can run: one with a cost on its architecture, of its MPI
 * rank. *until is when that changes next; INT64_MAX: never.
 */
int execution_ready_for(const struct execution_ready *x, int worker, int64_t ns, int64_t *until);

#endif
