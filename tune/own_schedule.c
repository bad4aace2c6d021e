/* tune/own_schedule.c - what the run's own schedule takes by the rules of a replay. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A replay leaves out transfers and scheduling, and takes mean durations; so a recorded makespan cannot be compared
 * with a replayed one. This one can.
 */
#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/trace.h"
#include "tune/tune.h"

struct started {
	int64_t start_ns;
	uint32_t place; /* in the topological order: tells tasks that start at the same time apart */
	uint32_t task;
};

static int by_start(const void *pa, const void *pb)
{
	const struct started *a = pa, *b = pb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Whom the task ran on; NULL when the graph is not of this trace. */
static const struct trace_task *executed(const struct trace *t, const struct dag *d, uint32_t i)
{
	const struct trace_task *tt;

	if (d->tasks[i].trace_task >= t->ntasks)
		return NULL;
	tt = &t->tasks[d->tasks[i].trace_task];
	return tt->worker >= 0 && (size_t)tt->worker < t->nworkers && tt->start_ns != TIME_NONE ? tt : NULL;
}

/* -1: it cannot be placed. end_ns of a task that has not been is -1. */
static int64_t place(const struct trace *t, const struct dag *d, uint32_t i, int64_t *end_ns, int64_t *free_ns)
{
	int32_t worker = executed(t, d, i)->worker;
	enum arch a = t->workers[worker].arch;
	int64_t cost = a >= 0 && a < ARCH_COUNT ? dag_cost(d, i, a) : -1, start = d->tasks[i].submit_ns;

	if (cost < 0)
		return -1;
	for (uint32_t e = d->pred_first[i]; e < d->pred_first[i + 1]; e++) {
		int64_t end = end_ns[d->pred[e]];

		if (end < 0)
			return -1;
		start = end > start ? end : start;
	}
	start = free_ns[worker] > start ? free_ns[worker] : start;
	end_ns[i] = free_ns[worker] = start + cost;
	return end_ns[i];
}

int64_t own_schedule_ns(const struct trace *t, const struct dag *d)
{
	struct started *order = ht_alloc(d->ntasks, sizeof(*order));
	int64_t *end_ns = ht_alloc(d->ntasks, sizeof(*end_ns)), *free_ns = ht_alloc(t->nworkers, sizeof(*free_ns));
	int64_t makespan = 0;

	for (uint32_t k = 0; k < d->ntasks; k++) {
		const struct trace_task *tt = executed(t, d, d->order[k]);

		if (!tt) {
			makespan = -1;
			goto out;
		}
		order[k] = (struct started){.start_ns = tt->start_ns, .place = k, .task = d->order[k]};
		end_ns[k] = -1;
	}
	qsort(order, d->ntasks, sizeof(*order), by_start);
	for (uint32_t k = 0; k < d->ntasks; k++) {
		int64_t end = place(t, d, order[k].task, end_ns, free_ns);

		if (end < 0) {
			makespan = -1;
			goto out;
		}
		makespan = end > makespan ? end : makespan;
	}
out:
	free(order);
	free(end_ns);
	free(free_ns);
	return makespan;
}
