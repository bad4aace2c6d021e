/* core/dag/dag_ready.c - when the tasks of a recorded graph became ready. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag_ready.h"

#include "core/dag/dag.h"
#include "core/trace/trace.h"

uint32_t dag_releaser(const struct dag *d, const struct trace *t, uint32_t i)
{
	int64_t ready_ns = t->tasks[d->tasks[i].trace_task].submit_ns;
	uint32_t last = TRACE_NONE;

	for (uint32_t e = d->pred_first[i]; e < d->pred_first[i + 1]; e++) {
		uint32_t pred = d->tasks[d->pred[e]].trace_task;

		if (t->tasks[pred].end_ns > ready_ns) {
			ready_ns = t->tasks[pred].end_ns;
			last = pred;
		}
	}
	return last;
}

int64_t dag_ready_after(const struct trace *t, uint32_t trace_task, uint32_t releaser)
{
	const struct trace_task *x = &t->tasks[trace_task];
	int64_t recorded_ns = trace_extra(t, x)->ready_ns;

	if (recorded_ns != TIME_NONE)
		return recorded_ns;
	return releaser == TRACE_NONE ? x->submit_ns : t->tasks[releaser].end_ns;
}

int64_t dag_ready_ns(const struct dag *d, const struct trace *t, uint32_t i)
{
	return dag_ready_after(t, d->tasks[i].trace_task, dag_releaser(d, t, i));
}
