/* replay/sim/events.c - what is due when in a simulation with threads, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/events.h"

#include <stdlib.h>

#include "core/base/alloc.h"

#define LATE   (UINT64_C(1) << 63)
#define LATEST (UINT64_C(3) << 62)

void events_fini(struct events *e)
{
	free(e->due);
	for (int i = 0; i < EVENT_EXECUTION; i++)
		free(e->at_once[i].items);
}

void events_advance(struct events *e)
{
	e->times++;
	e->calls = 0;
}

static int before(const struct event_due *a, const struct event_due *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->number < b->number;
}

static uint64_t number_of(struct events *e, int64_t ns, enum event_kind kind)
{
	uint32_t call = ++e->calls;

	if (kind == EVENT_EXECUTION)
		call += UINT32_MAX / 2;
	else if (ns)
		call = UINT32_MAX / 2 - call;
	return (uint64_t)e->times << 32 | call | (kind == EVENT_LATE ? LATE : kind == EVENT_LATEST ? LATEST : 0);
}

static void row_put(struct event_row *r, const struct event_due *new)
{
	if (r->count == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct event_due *items = ht_alloc(cap, sizeof(*items));

		for (size_t i = 0; i < r->count; i++)
			items[i] = r->items[(r->first + i) & (r->cap - 1)];
		free(r->items);
		*r = (struct event_row){.items = items, .count = r->count, .cap = cap};
	}
	r->items[(r->first + r->count++) & (r->cap - 1)] = *new;
}

static struct event row_take(struct event_row *r)
{
	struct event first = r->items[r->first].event;

	r->first = (r->first + 1) & (r->cap - 1);
	r->count--;
	return first;
}

void events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind)
{
	struct event_due new = {now + ns, number_of(e, ns, kind), {thread, kind}};
	size_t i = e->count;

	if (!ns && kind != EVENT_EXECUTION) {
		row_put(&e->at_once[kind], &new);
		return;
	}
	VEC_PUSH(e->due, e->count, e->cap);
	for (; i && before(&e->due[i - 1], &new); i--)
		e->due[i] = e->due[i - 1];
	e->due[i] = new;
}

struct event events_take(struct events *e)
{
	const struct event_row *row = events_at_once(e);

	if (row->count && (!e->count || before(&row->items[row->first], &e->due[e->count - 1])))
		return row_take(&e->at_once[row - e->at_once]);
	return e->due[--e->count].event;
}
