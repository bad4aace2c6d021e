/* replay/sim/events.h - what is due when in a simulation with threads, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_EVENTS_H
#define REPLAY_SIM_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Who comes first of what is due at the same time: what was put there at an earlier moment; and of what was at the same
 * one, the last to go to sleep, before executions in their order. That is what SimGrid 3.32 does
 * (src/surf/cpu_cas01.cpp, CpuCas01::sleep, puts in front what src/kernel/resource/Model.cpp,
 * next_occurring_event_lazy, takes from there). What is due at once comes behind all that was due, in its order.
 *
 * Within a moment all threads go on in turns, from one lock to the next. One that looks after copies has many locks to
 * take before it comes to what concerns others, so EVENT_LATE is behind all that is not. CPUs all look after the same
 * memory, lock by lock one behind the other, and a device's thread after its own last (1.4.10,
 * src/datawizard/datawizard.c, __starpu_datawizard_progress): so over SimGrid CPUs are EVENT_LATEST, and ask for tasks
 * behind the devices.
 */
enum event_kind { EVENT_NAP, EVENT_LATE, EVENT_LATEST, EVENT_EXECUTION };

/* A thread's next step, or the end of a device's kernel, which wakes its thread (EVENT_EXECUTION). */
struct event {
	int32_t thread;
	enum event_kind kind;
};

/* One that is to come; of those of one time the smallest number is first. */
struct event_due {
	int64_t at_ns;
	uint64_t number;
	struct event event;
};

/* In the order in which they were put there: a ring. */
struct event_row {
	struct event_due *items;
	size_t first, count, cap; /* cap: a power of two */
};

/*
 * Zeroed: none. There are few at a time, one a thread and one a kernel, and most of those that are put there are among
 * the next: they stand in order, the next one last, and a new one moves those that are before it. What is due at once
 * needs no place among them.
 */
struct events {
	struct event_due *due;
	size_t count, cap;
	struct event_row at_once[EVENT_EXECUTION]; /* per kind before that one */
	uint32_t moments, calls;                   /* so far; in this one */
};

void events_fini(struct events *e);

/* Time has gone on. */
void events_moment(struct events *e);

/* Due `ns` from `now`. */
void events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind);

/* The next one; there is one. */
struct event events_take(struct events *e);

/* The first row with something that is due at once; the last one where nothing is. */
static inline const struct event_row *events_at_once(const struct events *e)
{
	const struct event_row *row = e->at_once;

	while (!row->count && row < &e->at_once[EVENT_EXECUTION - 1])
		row++;
	return row;
}

/* When it is; INT64_MAX: there is none. */
static inline int64_t events_next_ns(const struct events *e)
{
	int64_t due_ns = e->count ? e->due[e->count - 1].at_ns : INT64_MAX;
	const struct event_row *row = events_at_once(e);

	return row->count && row->items[row->first].at_ns < due_ns ? row->items[row->first].at_ns : due_ns;
}

#endif
