/* replay/sim/events.c - what is due when in a simulation with threads, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/events.h"

#include <stdlib.h>

#include "core/base/alloc.h"

#define LATE   (UINT64_C(1) << 63)
#define LATEST (UINT64_C(3) << 62)

void events_init(struct events *e, int nthreads)
{
	*e = (struct events){.last.at_ns = INT64_MAX};
	e->follower = ht_alloc((size_t)nthreads, sizeof(*e->follower));
}

void events_fini(struct events *e)
{
	free(e->follower);
	free(e->due);
	for (int i = 0; i < EVENT_EXECUTION; i++)
		free(e->at_once[i].items);
}

void events_advance(struct events *e)
{
	e->times++;
	e->calls = 0;
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

static struct event *row_at(const struct event_row *r, size_t i)
{
	return &r->items[(r->first + i) & (r->cap - 1)];
}

static void row_put(struct event_row *r, const struct event *new)
{
	if (r->count == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct event *items = ht_alloc(cap, sizeof(*items));

		for (size_t i = 0; i < r->count; i++)
			items[i] = *row_at(r, i);
		free(r->items);
		*r = (struct event_row){.items = items, .count = r->count, .cap = cap};
	}
	*row_at(r, r->count++) = *new;
}

static void due_put(struct events *e, const struct event *new)
{
	size_t i = e->count;

	VEC_PUSH(e->due, e->count, e->cap);
	for (; i && event_before(&e->due[i - 1], new); i--)
		e->due[i] = e->due[i - 1];
	e->due[i] = *new;
}

static void put_at_once(struct events *e, const struct event *new)
{
	row_put(&e->at_once[new->kind], new);
	e->nat_once++;
}

static void put_last(struct events *e, const struct event *new)
{
	if (e->last.count)
		due_put(e, &e->last);
	e->last = *new;
}

void events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind)
{
	const struct event new = {now + ns, number_of(e, ns, kind), thread, EVENT_ALONE, 1, kind};

	if (kind == EVENT_EXECUTION)
		due_put(e, &new);
	else if (!ns)
		put_at_once(e, &new);
	else
		put_last(e, &new);
}

/* After the threads of the event that was put just before it. */
static void join_at_once(struct events *e, const struct event *new)
{
	struct event_row *row = &e->at_once[new->kind];
	struct event *tail = row->count ? row_at(row, row->count - 1) : NULL;

	if (!tail || tail->last_thread == EVENT_ALONE || tail->number + (uint64_t)tail->count != new->number) {
		put_at_once(e, new);
		return;
	}
	e->follower[tail->last_thread] = new->thread;
	tail->last_thread = new->last_thread;
	tail->count += new->count;
}

void events_join(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind)
{
	const struct event new = {now + ns, number_of(e, ns, kind), thread, thread, 1, kind};
	struct event *last = &e->last;

	if (!ns) {
		join_at_once(e, &new);
	} else if (last->count && last->last_thread != EVENT_ALONE && last->at_ns == new.at_ns &&
	           last->number == new.number + 1) {
		e->follower[thread] = last->thread;
		last->thread = thread;
		last->number = new.number;
		last->count++;
	} else {
		put_last(e, &new);
	}
}

void events_put_group(struct events *e, int64_t now, const struct event *taken, enum event_kind kind)
{
	struct event new = *taken;

	new.at_ns = now;
	new.number = number_of(e, 0, kind);
	new.kind = kind;
	e->calls += (uint32_t)taken->count - 1;
	join_at_once(e, &new);
}

void events_put_back(struct events *e, const struct event *rest)
{
	due_put(e, rest);
}
