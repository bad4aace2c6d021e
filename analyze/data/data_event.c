/* analyze/data/data_event.c - what happens to data in a trace, in the order of time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/data_event.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/trace/trace.h"

/* While they are gathered, keys count from -TIME_LIMIT, so that none is negative; then the first is 0. */
static void add(struct data_events *e, int64_t ns, enum data_event_kind kind, size_t index)
{
	e->at[e->count++] = (struct radix_item){.key = (uint64_t)(ns + TIME_LIMIT) << 4 | kind, .value = index};
}

static void add_memory(struct data_events *e, const struct trace *t)
{
	static const enum data_event_kind kinds[] = {
		[MEMORY_ALLOCATED] = EVENT_ALLOCATED,
		[MEMORY_FREED] = EVENT_FREED,
		[MEMORY_EVICTING] = EVENT_EVICTING,
		[MEMORY_EVICTED] = EVENT_EVICTED,
	};

	for (size_t i = 0; i < t->nmemory; i++)
		add(e, t->memory[i].ns, kinds[t->memory[i].kind], i);
	for (size_t i = 0; i < t->nstates; i++)
		add(e, t->states[i].ns, EVENT_STATE, i);
}

static void add_tasks(struct data_events *e, const struct trace *t)
{
	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *task = &t->tasks[i];
		int64_t ready_ns = trace_extra(t, task)->ready_ns;

		if (task->start_ns == TIME_NONE || task->node < 0)
			continue;
		add(e, task->start_ns, EVENT_START, i);
		if (ready_ns != TIME_NONE && ready_ns <= task->start_ns)
			add(e, ready_ns, EVENT_READY, i);
	}
}

void data_events_init(struct data_events *e, const struct trace *t)
{
	uint64_t first = UINT64_MAX;

	*e = (struct data_events){0};
	e->at = ht_alloc(2 * t->nhandles + t->nmemory + t->nstates + 2 * t->ncopies + 2 * t->ntasks, sizeof(*e->at));
	add_memory(e, t);
	for (size_t i = 0; i < t->ncopies; i++) {
		if (t->copies[i].handle == TRACE_NONE)
			continue;
		add(e, t->copies[i].start_ns, EVENT_COPYING, i);
		if (t->copies[i].end_ns != TIME_NONE)
			add(e, t->copies[i].end_ns, EVENT_COPIED, i);
	}
	add_tasks(e, t);
	/* After the others: data of unknown registration is there from the first of them on. */
	for (size_t i = 0; i < e->count; i++)
		first = e->at[i].key < first ? e->at[i].key : first;
	for (size_t i = 0; i < t->nhandles; i++) {
		const struct trace_handle *h = &t->handles[i];

		if (h->register_ns != TIME_NONE)
			add(e, h->register_ns, EVENT_REGISTER, i);
		else if (first != UINT64_MAX)
			add(e, (int64_t)(first >> 4) - TIME_LIMIT, EVENT_REGISTER, i);
		if (h->unregister_ns != TIME_NONE)
			add(e, h->unregister_ns, EVENT_UNREGISTER, i);
	}
	if (!e->count)
		return;
	radix_sort(e->at, e->count);
	first = e->at[0].key >> 4;
	e->origin_ns = (int64_t)first - TIME_LIMIT;
	for (size_t i = 0; i < e->count; i++)
		e->at[i].key -= first << 4;
}

void data_events_fini(struct data_events *e)
{
	free(e->at);
	*e = (struct data_events){0};
}
