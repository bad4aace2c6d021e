/* core/dag/dag_waits.c - where the application waited for tasks and data before it submitted more. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * starpu_data_acquire() submits an empty task that depends on those it has to wait for, waits for it, and then for a
 * copy of the data at its home (StarPU 1.4.10, src/datawizard/user_interactions.c). The trace has the empty task and
 * its dependencies, but not which data it was: that is found among what these tasks accessed. A thread that waits
 * submits nothing, so where tasks were submitted in that time, other threads did it, and the wait is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag_parts.h"
#include "core/trace/trace.h"

/* A wait of the trace. */
struct recorded_wait {
	int64_t start_ns, end_ns; /* end TIME_NONE: until the next submission at the latest */
	uint32_t task;            /* of the trace; TRACE_NONE: all before */
	int acquires;
};

struct finder {
	struct dag *d;
	const struct trace *t;
	const uint32_t *node;
	struct recorded_wait *recorded;
	size_t nrecorded, cap_recorded;
	struct radix_item *copies; /* of the trace, by their ends */
	size_t ncopies;
	uint32_t *first_dep, *dep; /* predecessors of the trace's tasks */
	uint8_t *seen;             /* per task of the trace: a wait was for it */
	uint32_t all_before;       /* so many tasks of the graph were waited for, all */
	uint32_t *stack;
	size_t nstack, cap_stack;
	struct dag_wait *waits;
	size_t nwaits, cap_waits;
	uint32_t *tasks;
	size_t ntasks, cap_tasks;
};

static int by_start(const void *a, const void *b)
{
	const struct recorded_wait *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void add_recorded(struct finder *f, const struct recorded_wait *w)
{
	*VEC_PUSH(f->recorded, f->nrecorded, f->cap_recorded) = *w;
}

static void collect(struct finder *f)
{
	const struct trace *t = f->t;

	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *x = &t->tasks[i];

		if (x->kind == TASK_ACQUIRE && x->submit_ns != TIME_NONE &&
		    !strcmp(trace_text(t, x->name), TRACE_ACQUIRE))
			add_recorded(f, &(struct recorded_wait){x->submit_ns, TIME_NONE, (uint32_t)i, 1});
	}
	for (size_t i = 0; i < t->nwaits; i++) {
		const struct trace_wait *w = &t->waits[i];

		if (w->end_ns != TIME_NONE)
			add_recorded(f, &(struct recorded_wait){w->start_ns, w->end_ns, w->task, 0});
	}
	if (f->nrecorded)
		qsort(f->recorded, f->nrecorded, sizeof(*f->recorded), by_start);
}

/* The dependencies of the trace, by the task that waits. */
static void index_deps(struct finder *f)
{
	const struct trace *t = f->t;

	f->first_dep = ht_alloc(t->ntasks + 2, sizeof(*f->first_dep));
	f->dep = ht_alloc(t->ndeps, sizeof(*f->dep));
	f->seen = ht_alloc(t->ntasks, sizeof(*f->seen));
	for (size_t i = 0; i < t->ndeps; i++)
		f->first_dep[t->deps[i].succ + 2]++;
	for (size_t i = 2; i < t->ntasks + 2; i++)
		f->first_dep[i] += f->first_dep[i - 1];
	for (size_t i = 0; i < t->ndeps; i++)
		f->dep[f->first_dep[t->deps[i].succ + 1]++] = t->deps[i].pred;
}

static void sort_copies(struct finder *f)
{
	const struct trace *t = f->t;

	f->copies = ht_alloc(t->ncopies, sizeof(*f->copies));
	for (size_t i = 0; i < t->ncopies; i++)
		if (t->copies[i].end_ns >= 0)
			f->copies[f->ncopies++] = (struct radix_item){(uint64_t)t->copies[i].end_ns, i};
	radix_sort(f->copies, f->ncopies);
}

/* A task of the trace that the wait is for, directly or through tasks without a codelet. */
static void reach(struct finder *f, uint32_t task)
{
	if (f->seen[task])
		return; /* an earlier wait was for it, and the application has not gone on before it ended */
	f->seen[task] = 1;
	if (f->node[task] != TRACE_NONE)
		*VEC_PUSH(f->tasks, f->ntasks, f->cap_tasks) = f->node[task];
	else
		*VEC_PUSH(f->stack, f->nstack, f->cap_stack) = task;
}

static void find_tasks(struct finder *f, uint32_t task)
{
	reach(f, task);
	while (f->nstack) {
		uint32_t x = f->stack[--f->nstack];

		for (uint32_t i = f->first_dep[x]; i < f->first_dep[x + 1]; i++)
			reach(f, f->dep[i]);
	}
}

/* All tasks that were submitted before `before`. */
static void find_all(struct finder *f, uint32_t before)
{
	for (uint32_t i = f->all_before; i < before; i++)
		reach(f, f->d->tasks[i].trace_task);
	f->all_before = before;
}

static const struct trace_task *task_of(const struct finder *f, uint32_t i)
{
	return &f->t->tasks[f->d->tasks[i].trace_task];
}

static int accesses(const struct dag *d, uint32_t task, uint32_t handle)
{
	const struct dag_task *x = &d->tasks[task];

	for (uint32_t i = x->first_access; i < x->first_access + x->naccesses; i++)
		if (d->accesses[i].handle == handle && !(d->accesses[i].mode & ACCESS_SCRATCH))
			return 1;
	return 0;
}

/* Of the copies by their ends, the first one that ends then or later. */
static size_t first_copy(const struct finder *f, int64_t ns)
{
	size_t low = 0, high = f->ncopies;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((int64_t)f->copies[middle].key < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The end of the last copy of the datum to its home within the interval; TIME_NONE: there is none. */
static int64_t copied_home(const struct finder *f, uint32_t handle, int64_t from_ns, int64_t to_ns)
{
	int home = f->d->handle_home[handle] < 0 ? 0 : f->d->handle_home[handle];
	int64_t end = TIME_NONE;

	for (size_t i = first_copy(f, from_ns); i < f->ncopies && (int64_t)f->copies[i].key <= to_ns; i++) {
		const struct trace_copy *c = &f->t->copies[f->copies[i].value];

		if (c->handle == handle && c->to == home)
			end = c->end_ns;
	}
	return end;
}

/*
 * The datum that was acquired: all tasks that were waited for have accessed it. Of several such, one that was copied
 * home then, else one that the first of these tasks wrote.
 */
static uint32_t find_handle(const struct finder *f, const struct dag_wait *w, int64_t from_ns, int64_t to_ns,
                            int64_t *copied_ns)
{
	const struct dag *d = f->d;
	const struct dag_task *x = w->count ? &d->tasks[f->tasks[w->first]] : NULL;
	uint32_t found = DAG_NO_HANDLE;
	int written = 0;

	*copied_ns = TIME_NONE;
	for (uint32_t i = x ? x->first_access : 0; x && i < x->first_access + x->naccesses; i++) {
		uint32_t handle = d->accesses[i].handle, k = 1;
		int64_t ns;

		while (k < w->count && accesses(d, f->tasks[w->first + k], handle))
			k++;
		if (k < w->count || d->accesses[i].mode & ACCESS_SCRATCH)
			continue;
		ns = copied_home(f, handle, from_ns, to_ns);
		if (found == DAG_NO_HANDLE || ns > *copied_ns || (!written && d->accesses[i].mode & ACCESS_W)) {
			if (*copied_ns != TIME_NONE && ns == TIME_NONE)
				continue;
			found = handle;
			*copied_ns = ns;
			written = (d->accesses[i].mode & ACCESS_W) != 0;
		}
	}
	return found;
}

/* The end of the last task that is waited for; TIME_NONE: there is none. */
static int64_t last_end(const struct finder *f, const struct dag_wait *w)
{
	int64_t end = TIME_NONE;

	for (uint32_t i = 0; i < w->count; i++)
		if (task_of(f, f->tasks[w->first + i])->end_ns > end)
			end = task_of(f, f->tasks[w->first + i])->end_ns;
	return end;
}

/* A wait of the trace before task `before` of the graph is submitted. */
static void add_wait(struct finder *f, const struct recorded_wait *r, uint32_t before)
{
	struct dag_wait w = {.before = before, .first = (uint32_t)f->ntasks, .handle = DAG_NO_HANDLE};
	int64_t next_ns = task_of(f, before)->submit_ns, from_ns, copied_ns = TIME_NONE;

	if (r->task != TRACE_NONE)
		find_tasks(f, r->task);
	else
		find_all(f, before);
	w.count = (uint32_t)f->ntasks - w.first;
	from_ns = last_end(f, &w);
	if (from_ns == TIME_NONE || from_ns > next_ns) {
		f->ntasks = w.first;
		return;
	}
	if (r->acquires)
		w.handle = find_handle(f, &w, r->start_ns, next_ns, &copied_ns);
	if (copied_ns > from_ns)
		from_ns = copied_ns;
	w.until_ns = r->start_ns - task_of(f, before - 1)->submit_ns;
	w.after_ns = next_ns - (from_ns > r->start_ns ? from_ns : r->start_ns);
	*VEC_PUSH(f->waits, f->nwaits, f->cap_waits) = w;
}

/* Of several waits before one task each follows the one before at once. */
static void join(struct finder *f)
{
	for (size_t i = 1; i < f->nwaits; i++)
		if (f->waits[i].before == f->waits[i - 1].before)
			f->waits[i - 1].after_ns = f->waits[i].until_ns = 0;
}

void dag_find_waits(struct dag *d, const struct trace *t, const uint32_t *node)
{
	struct finder f = {.d = d, .t = t, .node = node};
	uint32_t before = 0;

	for (uint32_t i = 0; i < d->ntasks; i++)
		if (t->tasks[d->tasks[i].trace_task].submit_ns == TIME_NONE)
			return;
	collect(&f);
	if (f.nrecorded) {
		index_deps(&f);
		sort_copies(&f);
	}
	for (size_t i = 0; i < f.nrecorded && t->nranks == 1; i++) {
		const struct recorded_wait *r = &f.recorded[i];

		while (before < d->ntasks && task_of(&f, before)->submit_ns <= r->start_ns)
			before++;
		if (before == d->ntasks)
			break;
		if (before && (r->end_ns == TIME_NONE || task_of(&f, before)->submit_ns >= r->end_ns))
			add_wait(&f, r, before);
	}
	join(&f);
	d->waits = arena_alloc(d->arena, f.nwaits, sizeof(*d->waits));
	d->wait_tasks = arena_alloc(d->arena, f.ntasks, sizeof(*d->wait_tasks));
	for (size_t i = 0; i < f.nwaits; i++)
		d->waits[d->nwaits++] = f.waits[i];
	for (size_t i = 0; i < f.ntasks; i++)
		d->wait_tasks[i] = f.tasks[i];
	free(f.recorded);
	free(f.copies);
	free(f.first_dep);
	free(f.dep);
	free(f.seen);
	free(f.stack);
	free(f.waits);
	free(f.tasks);
}
