/* replay/sim/events.h - what is due when in a simulation with threads, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_EVENTS_H
#define REPLAY_SIM_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The order of events that are due at one time. An event that was put at an earlier time is before one that was put
 * later. Of events that were put at one time, delays are before executions; of delays the one that was put last is
 * first, of executions the one that was put first. That is what SimGrid 3.32 does (src/surf/cpu_cas01.cpp,
 * CpuCas01::sleep, puts in front what src/kernel/resource/Model.cpp, next_occurring_event_lazy, takes from there). An
 * event that is put without a delay is after all that are due already.
 *
 * Threads that go on at one time take turns, from one lock to the next. A thread that polls copies takes many locks
 * before it does what concerns other threads, so EVENT_LATE is after the others. CPUs all poll the same memory, one
 * after the other for each lock, and the thread of a device polls its own memory last (1.4.10,
 * src/datawizard/datawizard.c, __starpu_datawizard_progress): so over SimGrid CPUs are EVENT_LATEST, and ask for tasks
 * after the devices.
 */
enum event_kind { EVENT_DELAY, EVENT_LATE, EVENT_LATEST, EVENT_EXECUTION };

/* The end of a delay of a thread, or the end of a device's kernel, which wakes its thread (EVENT_EXECUTION). */
struct event {
	int32_t thread;
	enum event_kind kind;
};

/* Of events of one time the smallest number is first. */
struct event_due {
	int64_t at_ns;
	uint64_t number;
	struct event event;
};

/* Events in the order in which they were put: a ring. */
struct event_row {
	struct event_due *items;
	size_t first, count, cap; /* cap: a power of two */
};

/*
 * Zeroed: no events. There are few at a time, one a thread and one a kernel, and most that are put are among the next
 * that are taken: `due` is sorted, the next event last, and a new event moves those that are before it. Events without
 * a delay stand in rings of their own.
 */
struct events {
	struct event_due *due;
	size_t count, cap;
	struct event_row at_once[EVENT_EXECUTION]; /* per kind before that one */
	uint32_t times, calls;                     /* different times so far; events that were put at this one */
};

void events_fini(struct events *e);

/* To be called whenever the time has changed. */
void events_advance(struct events *e);

/* An event of the thread that is due `ns` from `now`. */
void events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind);

/* Removes and returns the next event; there must be one. */
struct event events_take(struct events *e);

/* The first ring that has an event; the last one where none has. */
static inline const struct event_row *events_at_once(const struct events *e)
{
	const struct event_row *row = e->at_once;

	while (!row->count && row < &e->at_once[EVENT_EXECUTION - 1])
		row++;
	return row;
}

/* When the next event is due; INT64_MAX: there is none. */
static inline int64_t events_next_ns(const struct events *e)
{
	int64_t due_ns = e->count ? e->due[e->count - 1].at_ns : INT64_MAX;
	const struct event_row *row = events_at_once(e);

	return row->count && row->items[row->first].at_ns < due_ns ? row->items[row->first].at_ns : due_ns;
}

#endif
