/* core/metrics/metrics_input.c - what a recorded run executed where, and which workers were idle. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/trace/trace.h"

void metrics_input_init(struct metrics_input *in, const struct dag *d)
{
	*in = (struct metrics_input){.ntypes = d->ntypes};
	in->executed = ht_alloc(d->ntypes, sizeof(*in->executed));
}

void metrics_input_fini(struct metrics_input *in)
{
	free(in->executed);
	*in = (struct metrics_input){0};
}

/*
 * Welford: one pass, and no difference of two large sums. mean_ns is kept up to date, deviation_ns holds the sum of
 * squares.
 */
static void add(struct metrics_executed *e, double ns)
{
	double before = e->mean_ns;

	e->count++;
	e->mean_ns += (ns - before) / (double)e->count;
	e->deviation_ns += (ns - before) * (ns - e->mean_ns);
}

/* A trace of several MPI ranks has more workers than the machine of one of them. */
static int workers_of(const struct trace *t, const struct machine *m, enum arch a)
{
	int count = 0;

	for (size_t i = 0; i < t->nworkers; i++)
		count += t->workers[i].arch == a;
	return count > machine_workers_of(m, a) ? count : machine_workers_of(m, a);
}

static int add_task(struct metrics_input *in, const struct trace *t, const struct dag *d, uint32_t i,
                    double busy[ARCH_COUNT], struct ht_err *err)
{
	const struct dag_task *task = &d->tasks[i];
	const struct trace_task *tt;
	enum arch a;

	if (task->trace_task >= t->ntasks)
		return ht_err_set(err, "task %u of the graph is not in the trace: index=%u, tasks=%zu", i,
		                  task->trace_task, t->ntasks);
	tt = &t->tasks[task->trace_task];
	if (tt->worker < 0 || (size_t)tt->worker >= t->nworkers || tt->start_ns == TIME_NONE ||
	    tt->end_ns < tt->start_ns)
		return ht_err_set(err, "task %u of the graph was not executed in the trace: job=%llu", i,
		                  (unsigned long long)tt->job);
	a = t->workers[tt->worker].arch;
	if (a < 0 || a >= ARCH_COUNT)
		return ht_err_set(err, "worker %d of the trace has no known architecture", (int)tt->worker);
	add(&in->executed[d->classes[task->class_id].codelet][a], (double)(tt->end_ns - tt->start_ns));
	busy[a] += (double)(tt->end_ns - tt->start_ns) * (tt->parallel > 1 ? tt->parallel : 1);
	return 0;
}

int metrics_input_from_run(struct metrics_input *in, const struct trace *t, const struct dag *d,
                           const struct machine *m, struct ht_err *err)
{
	double busy[ARCH_COUNT] = {0}, makespan = (double)trace_makespan_ns(t, NULL);

	metrics_input_init(in, d);
	for (uint32_t i = 0; i < d->ntasks; i++)
		if (add_task(in, t, d, i, busy, err) != 0) {
			metrics_input_fini(in);
			return -1;
		}
	for (uint32_t p = 0; p < d->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (in->executed[p][a].count) {
				struct metrics_executed *e = &in->executed[p][a];

				e->deviation_ns = sqrt(e->deviation_ns / (double)e->count);
			}
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double all = workers_of(t, m, a) * makespan;

		/* Codelets of one worker may overlap when its device runs a pipeline of them: not less than nothing. */
		if (all > 0)
			in->idle[a] = fmax(0, 1 - busy[a] / all);
	}
	return 0;
}
