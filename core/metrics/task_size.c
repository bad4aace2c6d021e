/* core/metrics/task_size.c - whether tasks are worth what StarPU does for each: their mean duration and its work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/task_size.h"

#include <math.h>
#include <stdio.h>

#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"

/* What may be left to StarPU's own work, of all time that goes into tasks. */
static const double FAIR_SHARE = 0.1;

/* What the thread of a worker does for one task, as far as the run shows it. */
static double worker_work_ns(const struct overheads_all *o, enum arch a, uint32_t naccesses)
{
	static const enum overheads_kind of_each_task[] = {OVERHEAD_END, OVERHEAD_PUSH, OVERHEAD_CALLBACK,
	                                                   OVERHEAD_LOOK, OVERHEAD_QUEUE};
	double sum = 0;

	for (size_t i = 0; i < sizeof(of_each_task) / sizeof(of_each_task[0]); i++)
		if (o->samples[a][of_each_task[i]])
			sum += (double)overheads_ns(&o->of[a], of_each_task[i]);
	if (o->samples[a][OVERHEAD_ASK])
		sum += (double)o->of[a].ask_ns * naccesses;
	return sum;
}

void task_size_of(struct task_size *g, const struct trace *t, const struct dag *d, const struct overheads_all *o)
{
	double executed = 0, work = 0, all, n = d->ntasks;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];

		executed += (double)(x->end_ns - x->start_ns);
		work += worker_work_ns(o, t->workers[x->worker].arch, d->tasks[i].naccesses);
	}
	*g = (struct task_size){llround(executed / n), llround(work / n), o->submit_ns > 0 ? o->submit_ns : 0, 1};
	all = (double)(g->worker_ns + g->submit_ns);
	if (g->task_ns > 0 && all > (double)g->task_ns)
		g->longer = (int)fmin(ceil(all * (1 / FAIR_SHARE - 1) / (double)g->task_ns), 1e6);
}

const char *task_size_text(const struct task_size *g, char text[TASK_SIZE_TEXT])
{
	char task[16], all[16], submit[16], worker[16];

	snprintf(text, TASK_SIZE_TEXT,
	         "tasks take %s on average, and StarPU's own work for each %s (%s to submit it, %s on its worker)",
	         time_text(task, g->task_ns), time_text(all, g->worker_ns + g->submit_ns),
	         time_text(submit, g->submit_ns), time_text(worker, g->worker_ns));
	return text;
}
