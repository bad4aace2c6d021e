/* core/metrics/task_size.c - whether tasks are worth what StarPU does for each: their mean duration and its work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/task_size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
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
			sum += (double)overheads_typical_ns(o, a, of_each_task[i]);
	if (o->samples[a][OVERHEAD_ASK])
		sum += (double)overheads_typical_ns(o, a, OVERHEAD_ASK) * naccesses;
	return sum;
}

/* The sum over all tasks of the median duration of their class on their architecture. */
static double typical_sum_ns(const struct trace *t, const struct dag *d)
{
	size_t ngroups = (size_t)d->nclasses * ARCH_COUNT;
	uint32_t *first = ht_alloc(ngroups + 1, sizeof(*first)), *filled = ht_alloc(ngroups, sizeof(*filled));
	int64_t *ns = ht_alloc(d->ntasks, sizeof(*ns));
	double sum = 0;

	for (int fill = 0; fill <= 1; fill++) {
		for (uint32_t i = 0; i < d->ntasks; i++) {
			const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];
			size_t group = (size_t)d->tasks[i].class_id * ARCH_COUNT + t->workers[x->worker].arch;

			if (fill)
				ns[first[group] + filled[group]++] = x->end_ns - x->start_ns;
			else
				first[group + 1]++;
		}
		for (size_t g = 0; !fill && g < ngroups; g++)
			first[g + 1] += first[g];
	}
	for (size_t g = 0; g < ngroups; g++)
		if (filled[g])
			sum += (double)filled[g] * (double)stats_median(ns + first[g], filled[g]);
	free(first);
	free(filled);
	free(ns);
	return sum;
}

struct task_size task_size_make(int64_t task_ns, int64_t worker_ns, int64_t submit_ns)
{
	struct task_size g = {task_ns, worker_ns, submit_ns > 0 ? submit_ns : 0, 1};
	double all = (double)(g.worker_ns + g.submit_ns);

	if (g.task_ns > 0 && all > (double)g.task_ns)
		g.longer = (int)fmin(ceil(all * (1 / FAIR_SHARE - 1) / (double)g.task_ns), 1e6);
	return g;
}

void task_size_of(struct task_size *g, const struct trace *t, const struct dag *d, const struct overheads_all *o)
{
	double work = 0, n = d->ntasks;

	for (uint32_t i = 0; i < d->ntasks; i++)
		work += worker_work_ns(o, t->workers[t->tasks[d->tasks[i].trace_task].worker].arch,
		                       d->tasks[i].naccesses);
	*g = task_size_make(llround(typical_sum_ns(t, d) / n), llround(work / n), o->submit_ns);
	if (d->ntasks < TASK_SIZE_LEAST)
		g->longer = 1;
}

const char *task_size_text(const struct task_size *g, char text[TASK_SIZE_TEXT])
{
	char task[16], all[16], submit[16], worker[16];

	snprintf(text, TASK_SIZE_TEXT,
	         "a task typically takes %s, and %s pass around it (%s to submit it, %s before its worker starts it)",
	         time_text(task, g->task_ns), time_text(all, g->worker_ns + g->submit_ns),
	         time_text(submit, g->submit_ns), time_text(worker, g->worker_ns));
	return text;
}
