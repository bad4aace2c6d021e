/* core/trace/trace.c - the events of a run, in memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/trace.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"

const struct copy_cause_name copy_cause_names[COPY_CAUSES] = {
	[COPY_FETCH] = {"fetch", "Fetch", "F"},
	[COPY_TASK_PREFETCH] = {"task prefetch", "TaskPreFetch", "TF"},
	[COPY_PREFETCH] = {"prefetch", "PreFetch", "PF"},
	[COPY_IDLE_FETCH] = {"idle fetch", "IdleFetch", "IF"},
};

const char *trace_text(const struct trace *t, uint32_t string)
{
	return intern_text(t->strings, string);
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	free(t->tasks);
	free(t->extras);
	free(t->codelets);
	free(t->footprints);
	free(t->narrowed);
	free(t->accesses);
	free(t->access_bytes);
	free(t->handles);
	free(t->deps);
	free(t->copies);
	free(t->messages);
	free(t->states);
	free(t->memory);
	free(t->wont_use);
	free(t->waits);
	free(t->flush_ends);
	free(t->spans);
	free(t->workers);
	free(t->counters);
	free(t->ready);
	intern_free(t->strings);
	arena_free(t->arena);
	free(t);
}

void trace_drop_deps(struct trace *t)
{
	free(t->deps);
	t->deps = NULL;
	t->ndeps = 0;
}

void trace_drop_tasks(struct trace *t)
{
	free(t->tasks);
	free(t->extras);
	t->tasks = NULL;
	t->extras = NULL;
	t->ntasks = 0;
}

int trace_footprint_order(const void *a, const void *b)
{
	const struct trace_footprint *x = a, *y = b;

	return x->footprint < y->footprint ? -1 : x->footprint > y->footprint;
}

uint32_t trace_data_footprint(const struct trace *t, uint32_t footprint)
{
	const struct trace_footprint key = {footprint, 0}, *found = NULL;

	if (t->nfootprints)
		found = bsearch(&key, t->footprints, t->nfootprints, sizeof(key), trace_footprint_order);
	return found ? found->of_data : footprint;
}

const struct trace_extra *trace_extra(const struct trace *t, const struct trace_task *task)
{
	static const struct trace_extra none = TRACE_EXTRA_NONE;

	return t->extras ? &t->extras[task - t->tasks] : &none;
}

uint64_t trace_access_bytes(const struct trace *t, const struct data_access *access)
{
	uint64_t own = t->access_bytes ? t->access_bytes[access - t->accesses] : 0;

	return own || access->handle == TRACE_NONE ? own : t->handles[access->handle].size_bytes;
}

size_t trace_executed(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ntasks; i++)
		n += trace_task_counts(&t->tasks[i]) != 0;
	return n;
}

size_t trace_nameless(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ntasks; i++) {
		uint32_t codelet = t->tasks[i].codelet;

		n += trace_task_counts(&t->tasks[i]) && codelet != TRACE_NONE && !t->codelets[codelet].name &&
		     !t->codelets[codelet].model;
	}
	return n;
}

int trace_simulated(const struct trace *t)
{
	for (size_t i = 0; i < t->nworkers; i++)
		if (t->workers[i].tid >> 22)
			return 1;
	return 0;
}

int64_t trace_makespan_ns(const struct trace *t, int64_t *first_ns)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *task = &t->tasks[i];

		if (!trace_task_counts(task))
			continue;
		if (task->start_ns < first)
			first = task->start_ns;
		if (task->end_ns > last)
			last = task->end_ns;
	}
	if (first_ns)
		*first_ns = first == INT64_MAX ? 0 : first;
	return last < first ? 0 : last - first;
}

static const char *check_data(const struct trace *t)
{
	for (size_t i = 0; i < t->nhandles; i++)
		if (t->handles[i].size_bytes > TRACE_MAX_BYTES)
			return "data has more than 16 TiB";
	for (size_t i = 0; i < t->ncopies; i++) {
		const struct trace_copy *c = &t->copies[i];

		if (c->end_ns != TIME_NONE && c->end_ns < c->start_ns)
			return "a copy ends before it starts";
		if (c->size_bytes > TRACE_MAX_BYTES)
			return "a copy is of more than 16 TiB";
		if (c->handle != TRACE_NONE && c->handle >= t->nhandles)
			return "a copy is of data that does not exist";
		if (c->from < 0 || c->to < 0 || c->from >= t->nnodes || c->to >= t->nnodes)
			return "a copy has a memory node that does not exist";
		if (c->cause >= COPY_CAUSES)
			return "a copy has a cause that does not exist";
	}
	for (size_t i = 0; i < t->nstates; i++)
		if (t->states[i].handle >= t->nhandles || t->states[i].node < 0 || t->states[i].node >= t->nnodes)
			return "a state is of data or of a memory node that does not exist";
	for (size_t i = 0; i < t->nwaits; i++)
		if (t->waits[i].task != TRACE_NONE && t->waits[i].task >= t->ntasks)
			return "the application waits for a task that does not exist";
	for (size_t i = 0; i < t->nmemory; i++)
		if (t->memory[i].handle >= t->nhandles || t->memory[i].node < 0 || t->memory[i].node >= t->nnodes)
			return "memory is of data or on a memory node that does not exist";
	return NULL;
}

static const char *check_messages(const struct trace *t)
{
	for (size_t i = 0; i < t->nmessages; i++) {
		const struct trace_message *m = &t->messages[i];

		if (m->size_bytes > TRACE_MAX_BYTES)
			return "a message has more than 16 TiB";
		if (m->from < 0 || m->to < 0 || m->from >= t->nranks || m->to >= t->nranks)
			return "a message has a rank that does not exist";
		if ((m->send != TRACE_NONE && m->send >= t->ntasks) ||
		    (m->arrival != TRACE_NONE && m->arrival >= t->ntasks))
			return "a message belongs to a task that does not exist";
		if ((m->from_handle != TRACE_NONE && m->from_handle >= t->nhandles) ||
		    (m->to_handle != TRACE_NONE && m->to_handle >= t->nhandles) ||
		    (m->early != TRACE_NONE && m->early >= t->nhandles))
			return "a message is of data that does not exist";
	}
	return NULL;
}

static const char *check_task(const struct trace *t, const struct trace_task *task)
{
	int32_t pusher = trace_extra(t, task)->pusher;

	if (task->worker >= 0 && (size_t)task->worker >= t->nworkers)
		return "a task ran on a worker that does not exist";
	if (pusher >= 0 && (size_t)pusher >= t->nworkers)
		return "a task was pushed by a worker that does not exist";
	if (task->codelet != TRACE_NONE && task->codelet >= t->ncodelets)
		return "a task has a codelet that does not exist";
	if ((uint64_t)task->first_access + task->naccesses > t->naccesses)
		return "the data accesses of a task are out of range";
	if (task->start_ns != TIME_NONE && task->end_ns != TIME_NONE && task->end_ns < task->start_ns)
		return "a task ends before it starts";
	return NULL;
}

const char *trace_check(const struct trace *t)
{
	const char *broken = t->nworkers > TRACE_WORKERS ? "there are more than 16384 workers" : NULL;

	for (size_t i = 0; i < t->ntasks && !broken; i++)
		broken = check_task(t, &t->tasks[i]);
	for (size_t i = 0; i < t->naccesses && !broken; i++)
		if (t->accesses[i].handle != TRACE_NONE && t->accesses[i].handle >= t->nhandles)
			broken = "a task uses data that does not exist";
	for (size_t i = 0; i < t->ndeps && !broken; i++)
		if (t->deps[i].pred >= t->ntasks || t->deps[i].succ >= t->ntasks)
			broken = "a dependency names a task that does not exist";
	if (!broken)
		broken = check_data(t);
	if (!broken)
		broken = check_messages(t);
	for (size_t i = 0; i < t->nspans && !broken; i++)
		if (t->spans[i].worker >= t->nworkers || t->spans[i].end_ns < t->spans[i].start_ns)
			broken = "a state of a worker is out of range";
	for (size_t i = 0; i < t->nworkers && !broken; i++)
		if (t->workers[i].arch < 0 || t->workers[i].arch >= ARCH_COUNT)
			broken = "a worker has no architecture";
	return broken;
}
