/* analyze/data/timeline.c - what happened when in a run: tasks ready, submitted, pushed and popped over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/dag/dag_ready.h"
#include "core/trace/trace.h"

static uint32_t *find_released(const struct trace *t, const struct dag *d)
{
	uint32_t *released = ht_alloc(t->ntasks, sizeof(*released));

	memset(released, 0xff, t->ntasks * sizeof(*released)); /* TRACE_NONE */
	for (uint32_t i = 0; i < d->ntasks; i++) {
		if (d->tasks[i].trace_task < t->ntasks)
			released[d->tasks[i].trace_task] = dag_releaser(d, t, i);
	}
	return released;
}

static int64_t first_of(int64_t a, int64_t b)
{
	return b == TIME_NONE || (a != TIME_NONE && a < b) ? a : b;
}

static int64_t at_most(int64_t a, int64_t limit)
{
	return a > limit ? limit : a;
}

size_t timeline_index(const struct timeline *tl, size_t i)
{
	return tl->index ? tl->index[i] : i;
}

struct timeline timeline_from_first_start(const struct timeline *tl)
{
	struct timeline from = *tl;

	from.origin_ns += tl->first_ns;
	from.span_ns -= tl->first_ns;
	from.first_ns = 0;
	return from;
}

struct timeline_task timeline_task(const struct timeline *tl, size_t i)
{
	return timeline_task_of(tl, timeline_index(tl, i));
}

struct timeline_task timeline_task_of(const struct timeline *tl, size_t index)
{
	const struct trace_task *task = &tl->trace->tasks[index];
	const struct trace_extra *more = trace_extra(tl->trace, task);
	uint32_t releaser = tl->released ? tl->released[index] : TRACE_NONE;
	int64_t ready = dag_ready_after(tl->trace, (uint32_t)index, releaser), submit = task->submit_ns;
	struct timeline_task x = {.type = task->codelet, .worker = task->worker};

	x.start_ns = task->start_ns - tl->origin_ns;
	x.end_ns = task->end_ns < task->start_ns ? x.start_ns : task->end_ns - tl->origin_ns;
	x.pop_ns = more->pop_ns == TIME_NONE ? x.start_ns : at_most(more->pop_ns - tl->origin_ns, x.start_ns);
	x.push_ns = ready == TIME_NONE ? 0 : at_most(ready - tl->origin_ns, x.pop_ns);
	x.submit_ns = submit == TIME_NONE ? TIME_NONE : submit - tl->origin_ns;
	return x;
}

/* Finds the executed tasks, the origin, and whether their ready times were recorded. */
static int find_tasks(struct timeline *tl, const struct dag *dag, struct ht_err *err)
{
	const struct trace *t = tl->trace;
	size_t n = trace_executed(t);

	if (n < t->ntasks)
		tl->index = ht_alloc(n, sizeof(*tl->index));
	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *task = &t->tasks[i];
		const struct trace_extra *more = trace_extra(t, task);

		if (!trace_task_counts(task))
			continue;
		if (more->ready_ns == TIME_NONE && !dag)
			return ht_err_set(
				err,
				"when tasks became ready was not recorded, and no task graph gives it: job=%" PRIu64,
				(uint64_t)task->job);
		if (tl->index)
			tl->index[tl->ntasks] = (uint32_t)i;
		tl->ntasks++;
		tl->origin_ns = first_of(tl->origin_ns, task->submit_ns);
		tl->origin_ns = first_of(tl->origin_ns, more->ready_ns);
		tl->origin_ns = first_of(tl->origin_ns, more->pop_ns);
		tl->origin_ns = first_of(tl->origin_ns, task->start_ns);
		tl->nderived += more->ready_ns == TIME_NONE;
		tl->nsubmitted += task->submit_ns != TIME_NONE;
	}
	return tl->ntasks ? 0 : ht_err_set(err, "no executed task in the trace: tasks=%zu", t->ntasks);
}

struct timeline *timeline_create(const struct trace *t, const struct dag *dag, struct ht_err *err)
{
	struct timeline *tl = ht_alloc(1, sizeof(*tl));

	tl->trace = t;
	tl->ntypes = (uint32_t)t->ncodelets;
	tl->origin_ns = TIME_NONE;
	if (find_tasks(tl, dag, err) != 0) {
		timeline_free(tl);
		return NULL;
	}
	if (tl->nderived)
		tl->released = find_released(t, dag);
	tl->first_ns = INT64_MAX;
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);

		tl->first_ns = k.start_ns < tl->first_ns ? k.start_ns : tl->first_ns;
		tl->span_ns = k.end_ns > tl->span_ns ? k.end_ns : tl->span_ns;
	}
	return tl;
}

void timeline_free(struct timeline *tl)
{
	if (tl) {
		free(tl->index);
		free(tl->released);
	}
	free(tl);
}

uint32_t *timeline_classes(const struct timeline *tl, const struct dag *dag)
{
	const struct trace *t = tl->trace;
	uint32_t *class_of = ht_alloc(t->ntasks, sizeof(*class_of)); /* of the trace's tasks, and then of these */

	memset(class_of, 0xff, t->ntasks * sizeof(*class_of)); /* TIMELINE_NO_CLASS */
	for (uint32_t i = 0; i < dag->ntasks; i++)
		if (dag->tasks[i].trace_task < t->ntasks)
			class_of[dag->tasks[i].trace_task] = dag->tasks[i].class_id;
	for (size_t i = 0; i < tl->ntasks; i++)
		class_of[i] = class_of[timeline_index(tl, i)];
	return class_of;
}

/*
 * The step function that goes up at each of `up` and down at each of `down`, both sorted here. One step a time: at
 * equal times ups and downs cancel, so a task that was popped as soon as it was pushed leaves no trace.
 */
static struct timeline_series steps_of(int64_t *up, size_t nup, int64_t *down, size_t ndown)
{
	struct timeline_series s = {.steps = ht_alloc(nup + ndown, sizeof(*s.steps))};
	size_t i = 0, j = 0;
	int64_t value = 0;

	stats_sort_i64(up, nup);
	if (ndown)
		stats_sort_i64(down, ndown);
	while (i < nup || j < ndown) {
		int64_t ns = j == ndown || (i < nup && up[i] < down[j]) ? up[i] : down[j], before = value;

		for (; i < nup && up[i] == ns; i++)
			value++;
		for (; j < ndown && down[j] == ns; j++)
			value--;
		if (value != before)
			s.steps[s.count++] = (struct timeline_step){ns, value};
	}
	return s;
}

struct timeline_series timeline_nready(const struct timeline *tl)
{
	int64_t *up = ht_alloc(tl->ntasks, sizeof(*up)), *down = ht_alloc(tl->ntasks, sizeof(*down));
	struct timeline_series s;

	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);

		up[i] = k.push_ns;
		down[i] = k.pop_ns;
	}
	s = steps_of(up, tl->ntasks, down, tl->ntasks);
	free(up);
	free(down);
	return s;
}

struct timeline_series timeline_counted(const struct timeline *tl)
{
	const struct trace *t = tl->trace;
	struct timeline_series s = {.steps = ht_alloc(t->nready, sizeof(*s.steps))};

	for (size_t i = 0; i < t->nready; i++) {
		int64_t ns = t->ready[i].ns < tl->origin_ns ? 0 : t->ready[i].ns - tl->origin_ns;

		if (ns > tl->span_ns)
			break;
		/* Several at a time: the last one holds. A time that goes back is none. */
		if (s.count && ns == s.steps[s.count - 1].ns)
			s.steps[s.count - 1].value = t->ready[i].value;
		else if (!s.count || ns > s.steps[s.count - 1].ns)
			s.steps[s.count++] = (struct timeline_step){ns, t->ready[i].value};
	}
	return s;
}

struct timeline_series timeline_submitted(const struct timeline *tl)
{
	int64_t *up = ht_alloc(tl->ntasks, sizeof(*up));
	struct timeline_series s;
	size_t n = 0;

	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);

		if (k.submit_ns != TIME_NONE)
			up[n++] = k.submit_ns;
	}
	s = steps_of(up, n, NULL, 0);
	free(up);
	return s;
}

struct timeline_series timeline_ended(const struct timeline *tl)
{
	int64_t *up = ht_alloc(tl->ntasks, sizeof(*up));
	struct timeline_series s;

	for (size_t i = 0; i < tl->ntasks; i++)
		up[i] = timeline_task(tl, i).end_ns;
	s = steps_of(up, tl->ntasks, NULL, 0);
	free(up);
	return s;
}

void timeline_series_fini(struct timeline_series *s)
{
	free(s->steps);
	*s = (struct timeline_series){0};
}
