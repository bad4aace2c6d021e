/* replay/events.c - what is due when in a simulation with threads, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/events.h"

#include <stdlib.h>

#include "core/alloc.h"

#define LATE (UINT64_C(1) << 63)
#define LATEST (UINT64_C(3) << 62)

void events_fini(struct events *e)
{
	free(e->items);
}

void events_moment(struct events *e)
{
	e->moments++;
	e->calls = 0;
}

static int before(const struct event *a, const struct event *b)
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
	return (uint64_t)e->moments << 32 | call | (kind == EVENT_LATE ? LATE : kind == EVENT_LATEST ? LATEST : 0);
}

uint64_t events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind)
{
	struct event new = { .at_ns = now + ns, .number = number_of(e, ns, kind), .thread = thread, .kind = kind };
	size_t i = e->count;

	VEC_PUSH(e->items, e->count, e->cap);
	for (; i && before(&new, &e->items[(i - 1) / 2]); i = (i - 1) / 2)
		e->items[i] = e->items[(i - 1) / 2];
	e->items[i] = new;
	return new.number;
}

struct event events_take(struct events *e)
{
	struct event top = e->items[0], last = e->items[--e->count];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < e->count; i = child) {
		if (child + 1 < e->count && before(&e->items[child + 1], &e->items[child]))
			child++;
		if (!before(&e->items[child], &last))
			break;
		e->items[i] = e->items[child];
	}
	e->items[i] = last;
	return top;
}
