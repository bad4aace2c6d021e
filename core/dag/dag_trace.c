/* core/dag/dag_trace.c - the task graph of a recorded run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag_messages.h"
#include "core/dag/dag_parts.h"
#include "core/trace/trace.h"

static const double MAX_TOTAL_NS = (double)((int64_t)1 << 61);

/*
 * The order of submission as one number per task: the time of submission, or the start where that was not recorded.
 * Ties (times have microseconds in some files) go by StarPU's own count, then by job id: both grow with submission.
 */
struct place {
	int64_t ns;
	uint64_t job;
	uint32_t submit_order, index;
};

static int by_submission(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->submit_order != y->submit_order)
		return x->submit_order < y->submit_order ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct place place_of(const struct trace *t, uint32_t task)
{
	const struct trace_task *x = &t->tasks[task];

	return (struct place){.ns = x->submit_ns != TIME_NONE ? x->submit_ns : x->start_ns,
	                      .job = x->job,
	                      .submit_order = x->submit_order,
	                      .index = task};
}

/* tasks[n] of the trace, in its order, into that of submission. */
static void sort_tasks(const struct trace *t, uint32_t *tasks, uint32_t n)
{
	struct place *places, last = {0};
	int sorted = 1;

	for (uint32_t i = 0; i < n && sorted; i++) {
		struct place next = place_of(t, tasks[i]);

		sorted = i == 0 || by_submission(&last, &next) < 0;
		last = next;
	}
	if (sorted)
		return;
	places = ht_alloc(n, sizeof(*places));
	for (uint32_t i = 0; i < n; i++)
		places[i] = place_of(t, tasks[i]);
	qsort(places, n, sizeof(*places), by_submission);
	for (uint32_t i = 0; i < n; i++)
		tasks[i] = places[i].index;
	free(places);
}

/* The `n` tasks of the trace that are nodes, by node; fills in node[], its inverse, TRACE_NONE of others. Free it. */
static uint32_t *number_tasks(const struct trace *t, uint32_t n, uint32_t *node)
{
	uint32_t *tasks = ht_alloc(n, sizeof(*tasks)), count = 0;

	for (size_t i = 0; i < t->ntasks; i++) {
		node[i] = TRACE_NONE;
		if (trace_task_counts(&t->tasks[i]))
			tasks[count++] = (uint32_t)i;
	}
	sort_tasks(t, tasks, n);
	for (uint32_t i = 0; i < n; i++)
		node[tasks[i]] = i;
	return tasks;
}

/* A generated graph is submitted at once, and so, in a file of few decimals, is many a small one. */
static void make_submission(struct dag *d, const struct trace *t, const uint32_t *tasks)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		int64_t submit_ns = t->tasks[tasks[i]].submit_ns;

		if (submit_ns == TIME_NONE)
			continue;
		first_ns = submit_ns < first_ns ? submit_ns : first_ns;
		last_ns = submit_ns > last_ns ? submit_ns : last_ns;
	}
	if (last_ns <= first_ns)
		return;
	d->submit_ns = arena_alloc(d->arena, d->ntasks, sizeof(*d->submit_ns));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		int64_t submit_ns = t->tasks[tasks[i]].submit_ns;

		d->submit_ns[i] = submit_ns != TIME_NONE ? submit_ns - first_ns : 0;
	}
}

static void make_tasks(struct dag *d, const struct trace *t, const uint32_t *tasks)
{
	d->tasks = arena_alloc(d->arena, d->ntasks, sizeof(*d->tasks));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[tasks[i]];

		d->tasks[i] = (struct dag_task){.trace_task = tasks[i], .priority = x->priority, .rank = x->rank};
	}
	make_submission(d, t, tasks);
}

/* Whether the accesses of the trace are those of the graph's tasks, one after the other, and none changes. */
static int shares_accesses(const struct dag *d, const struct trace *t)
{
	size_t at = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];

		if (x->naccesses && x->first_access != at)
			return 0;
		at += x->naccesses;
	}
	for (size_t i = 0; i < at; i++)
		if (t->accesses[i].handle == TRACE_NONE)
			return 0;
	return at == t->naccesses && t->nwont_use == 0;
}

static void share_accesses(struct dag *d, const struct trace *t)
{
	d->accesses = t->accesses;
	d->naccesses = (uint32_t)t->naccesses;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		d->tasks[i].first_access = t->tasks[d->tasks[i].trace_task].first_access;
		d->tasks[i].naccesses = t->tasks[d->tasks[i].trace_task].naccesses;
	}
}

static void copy_accesses(struct dag *d, const struct trace *t)
{
	size_t total = 0;

	for (uint32_t i = 0; i < d->ntasks; i++)
		total += t->tasks[d->tasks[i].trace_task].naccesses;
	d->accesses = arena_alloc(d->arena, total, sizeof(*d->accesses));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		struct dag_task *task = &d->tasks[i];
		const struct trace_task *x = &t->tasks[task->trace_task];

		task->first_access = d->naccesses;
		for (uint32_t k = x->first_access; k < x->first_access + x->naccesses; k++) {
			if (t->accesses[k].handle == TRACE_NONE)
				continue;
			d->accesses[d->naccesses++] = t->accesses[k];
		}
		task->naccesses = d->naccesses - task->first_access;
	}
}

static void copy_handles(struct dag *d, const struct trace *t)
{
	d->nhandles = (uint32_t)t->nhandles;
	d->handle_bytes = arena_alloc(d->arena, t->nhandles, sizeof(*d->handle_bytes));
	d->handle_home = arena_alloc(d->arena, t->nhandles, sizeof(*d->handle_home));
	for (uint32_t i = 0; i < d->nhandles; i++) {
		d->handle_bytes[i] = t->handles[i].size_bytes;
		d->handle_home[i] = t->handles[i].home_node;
	}
}

static int by_ns(const void *a, const void *b)
{
	const struct trace_wont_use *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->handle < y->handle ? -1 : x->handle > y->handle;
}

static int is_later(const struct trace_task *task, const struct trace_wont_use *said)
{
	return task->submit_order && said->order ? task->submit_order > said->order : task->submit_ns > said->ns;
}

/* ACCESS_WONT_USE on the last access that wrote the data before the application said so. */
static void mark_wont_use(struct dag *d, const struct trace *t)
{
	struct trace_wont_use *said = ht_alloc(t->nwont_use, sizeof(*said));
	uint32_t *writer = ht_alloc(d->nhandles, sizeof(*writer)); /* 1 + the access */
	size_t at = 0;

	for (size_t i = 0; i < t->nwont_use; i++)
		said[i] = t->wont_use[i];
	qsort(said, t->nwont_use, sizeof(*said), by_ns);
	for (uint32_t i = 0; at < t->nwont_use; i++) {
		const struct trace_task *x = i < d->ntasks ? &t->tasks[d->tasks[i].trace_task] : NULL;

		for (; at < t->nwont_use && (!x || is_later(x, &said[at])); at++) {
			if (writer[said[at].handle])
				d->accesses[writer[said[at].handle] - 1].mode |= ACCESS_WONT_USE;
		}
		for (uint32_t k = 0; x && k < d->tasks[i].naccesses; k++) {
			uint32_t access = d->tasks[i].first_access + k;

			if (d->accesses[access].mode & ACCESS_W)
				writer[d->accesses[access].handle] = access + 1;
		}
	}
	free(said);
	free(writer);
}

/* Whatever is summed up along the graph or over it fits: all tasks one after the other, each where it is slowest. */
static int check_costs(const struct dag *d, struct ht_err *err)
{
	double sum = 0;

	for (uint32_t i = 0; i < d->nclasses; i++) {
		int64_t most = 0;

		for (int a = 0; a < ARCH_COUNT; a++)
			most = d->classes[i].cost_ns[a] > most ? d->classes[i].cost_ns[a] : most;
		sum += (double)most * d->classes[i].count;
		if (sum > MAX_TOTAL_NS)
			return ht_err_set(
				err, "%u tasks of %s that take up to %lld ns each: expected at most 73 years in all",
				(unsigned)d->classes[i].count, d->types[d->classes[i].codelet].name, (long long)most);
	}
	return 0;
}

struct dag *dag_from_trace(const struct trace *t, const struct model_set *models, const struct dag_options *o,
                           struct ht_err *err)
{
	static const struct dag_options defaults = {.min_samples = 1};
	struct arena *a;
	struct dag *d;
	uint32_t *node, *tasks;
	size_t n = trace_executed(t);

	if (!n)
		return ht_err_set(err, "no executed task in the trace"), NULL;
	/* Raw nodes are tasks and ends of tasks, edges one a dependency and one an end: all must be 32-bit. */
	if (t->ntasks + t->ndeps * 2 >= UINT32_MAX || t->naccesses >= UINT32_MAX || t->nhandles >= UINT32_MAX)
		return ht_err_set(err, "too large a trace: %zu tasks, %zu dependencies, %zu data accesses", t->ntasks,
		                  t->ndeps, t->naccesses),
		       NULL;
	a = arena_create();
	d = arena_alloc(a, 1, sizeof(*d));
	d->arena = a;
	d->ntasks = (uint32_t)n;
	d->nranks = t->nranks;
	node = ht_alloc(t->ntasks, sizeof(*node));
	tasks = number_tasks(t, d->ntasks, node);
	if (dag_contract(d, t, node, o ? o->drop_deps : NULL, err) < 0) {
		dag_free(d);
		d = NULL;
		goto out;
	}
	make_tasks(d, t, tasks);
	dag_classify(d, t, models, o ? o : &defaults);
	if (shares_accesses(d, t))
		share_accesses(d, t);
	else
		copy_accesses(d, t);
	copy_handles(d, t);
	if (t->nwont_use)
		mark_wont_use(d, t);
	dag_find_waits(d, t, node);
	dag_find_invalidated(d, t);
	dag_find_synchronous_types(d, t);
	if (d->nranks > 1)
		d->messages = dag_messages_make(d, t, node, err);
	if ((d->nranks > 1 && !d->messages) || check_costs(d, err) < 0) {
		dag_free(d);
		d = NULL;
	}
out:
	free(node);
	free(tasks);
	return d;
}
