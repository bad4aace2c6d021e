/* core/dag/dag_ready.h - when the tasks of a recorded graph became ready. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_DAG_READY_H
#define CORE_DAG_DAG_READY_H

#include <stdint.h>

struct dag;
struct trace;

/*
 * The predecessor of task `i` of the graph, as a task of the trace, that ended last, and after the submission of `i`;
 * TRACE_NONE: none did, so that the task was ready when it was submitted.
 */
uint32_t dag_releaser(const struct dag *d, const struct trace *t, uint32_t i);

/*
 * When a task of the trace became ready: as recorded, else when `releaser`, from dag_releaser(), ended, or without one
 * when it was submitted; TIME_NONE: none of that was recorded.
 */
int64_t dag_ready_after(const struct trace *t, uint32_t trace_task, uint32_t releaser);

/* The same of task `i` of the graph. */
int64_t dag_ready_ns(const struct dag *d, const struct trace *t, uint32_t i);

#endif
