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

/*
 * A place for an event, which the caller sets. Events are built where they stay: one that is copied right after its
 * members were set, which are smaller than what a copy loads at a time, waits until they are in the cache.
 */
static struct event *row_place(struct event_row *r)
{
	if (r->count == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct event *items = ht_alloc(cap, sizeof(*items));

		for (size_t i = 0; i < r->count; i++)
			items[i] = *row_at(r, i);
		free(r->items);
		*r = (struct event_row){.items = items, .count = r->count, .cap = cap};
	}
	return row_at(r, r->count++);
}

static struct event *at_once_place(struct events *e, enum event_kind kind)
{
	e->nat_once++;
	return row_place(&e->at_once[kind]);
}

/* Before those of `due` that are before it. */
static struct event *due_place(struct events *e, int64_t at_ns, uint64_t number)
{
	size_t i = e->count;

	VEC_PUSH(e->due, e->count, e->cap);
	for (; i; i--) {
		const struct event *x = &e->due[i - 1];

		if (x->at_ns != at_ns ? x->at_ns > at_ns : x->number > number)
			break;
		e->due[i] = *x;
	}
	return &e->due[i];
}

static struct event *last_place(struct events *e)
{
	if (e->last.count)
		*due_place(e, e->last.at_ns, e->last.number) = e->last;
	return &e->last;
}

void events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind)
{
	uint64_t number = number_of(e, ns, kind);
	struct event *new;

	if (kind == EVENT_EXECUTION)
		new = due_place(e, now + ns, number);
	else if (!ns)
		new = at_once_place(e, kind);
	else
		new = last_place(e);
	*new = (struct event){now + ns, number, thread, EVENT_ALONE, 1, kind};
}

/* The last event without a delay, if threads that are put with that number and kind join it; else NULL. */
static struct event *at_once_tail(const struct events *e, uint64_t number, enum event_kind kind)
{
	const struct event_row *row = &e->at_once[kind];
	struct event *tail = row->count ? row_at(row, row->count - 1) : NULL;

	return tail && tail->last_thread != EVENT_ALONE && tail->number + (uint64_t)tail->count == number ? tail : NULL;
}

static void join_tail(struct events *e, struct event *tail, int thread, int last_thread, int count)
{
	e->follower[tail->last_thread] = thread;
	tail->last_thread = last_thread;
	tail->count += count;
}

void events_join(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind)
{
	uint64_t number = number_of(e, ns, kind);
	struct event *last = &e->last, *tail = ns ? NULL : at_once_tail(e, number, kind);

	if (tail) {
		join_tail(e, tail, thread, thread, 1);
	} else if (ns && last->count && last->last_thread != EVENT_ALONE && last->at_ns == now + ns &&
	           last->number == number + 1) {
		e->follower[thread] = last->thread;
		last->thread = thread;
		last->number = number;
		last->count++;
	} else {
		struct event *new = ns ? last_place(e) : at_once_place(e, kind);

		*new = (struct event){now + ns, number, thread, thread, 1, kind};
	}
}

void events_put_group(struct events *e, int64_t now, const struct event *taken, enum event_kind kind)
{
	uint64_t number = number_of(e, 0, kind);
	struct event *tail = at_once_tail(e, number, kind);

	e->calls += (uint32_t)taken->count - 1;
	if (tail)
		join_tail(e, tail, taken->thread, taken->last_thread, taken->count);
	else
		*at_once_place(e, kind) = (struct event){now,          number, taken->thread, taken->last_thread,
		                                         taken->count, kind};
}

void events_put_back(struct events *e, const struct event *rest)
{
	*due_place(e, rest->at_ns, rest->number) = *rest;
}
