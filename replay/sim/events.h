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

enum { EVENT_ALONE = -1 };

/*
 * The end of a delay of a thread, or the end of a device's kernel, which wakes its thread (EVENT_EXECUTION). Threads
 * whose delays end at one time can be one event, where they were put one after the other: they take turns, and no other
 * event is between them unless one of them puts it.
 */
struct event {
	int64_t at_ns;
	uint64_t number; /* of events of one time the smallest is first; its threads have this one and the next */
	int32_t thread, last_thread, count; /* last_thread: EVENT_ALONE where no other may join */
	enum event_kind kind;
};

/* Events in the order in which they were put: a ring. */
struct event_row {
	struct event *items;
	size_t first, count, cap; /* cap: a power of two */
};

/*
 * There are few at a time, one a thread and one a kernel, and most that are put are among the next that are taken: the
 * one that was put last stands alone, the others are sorted in `due`, the next event last. Events without a delay stand
 * in rings of their own.
 */
struct events {
	struct event last; /* count 0: none, and at_ns is INT64_MAX */
	struct event *due;
	size_t count, cap;
	struct event_row at_once[EVENT_EXECUTION]; /* per kind before that one */
	size_t nat_once;                           /* events in them */
	int32_t *follower;                         /* per thread: the next one of its event */
	uint32_t times, calls;                     /* different times so far; events that were put at this one */
};

/* No events; events_fini() it. */
void events_init(struct events *e, int nthreads);
void events_fini(struct events *e);

/* To be called whenever the time has changed. */
void events_advance(struct events *e);

/* An event of the thread that is due `ns` from `now`. */
void events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind);

/* The same where the thread may share an event with others that are put so; not for EVENT_EXECUTION. */
void events_join(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind);

static inline int event_before(const struct event *a, const struct event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->number < b->number;
}

/* The next event, until the next call; where there is none, one without threads at INT64_MAX. */
static inline const struct event *events_first(const struct events *e)
{
	const struct event *first = &e->last;

	if (e->count && event_before(&e->due[e->count - 1], first))
		first = &e->due[e->count - 1];
	for (const struct event_row *row = e->at_once; e->nat_once; row++)
		if (row->count)
			return event_before(&row->items[row->first], first) ? &row->items[row->first] : first;
	return first;
}

/* Removes and returns events_first(). */
static inline struct event events_take(struct events *e, const struct event *first)
{
	struct event taken = *first;

	if (first == &e->last) {
		e->last.count = 0;
		e->last.at_ns = INT64_MAX;
	} else if (e->count && first == &e->due[e->count - 1]) {
		e->count--;
	} else {
		struct event_row *row = &e->at_once[taken.kind];

		row->first = (row->first + 1) & (row->cap - 1);
		row->count--;
		e->nat_once--;
	}
	return taken;
}

/* Of an event that was taken: the first of its threads, which is removed from it. */
static inline int events_take_thread(const struct events *e, struct event *taken)
{
	int thread = taken->thread;

	taken->thread = e->follower[thread];
	taken->number++;
	taken->count--;
	return thread;
}

/* Puts back what is left of an event that was taken. */
void events_put_back(struct events *e, const struct event *rest);

/* All threads of a taken event go on without a delay, in their order. */
void events_put_group(struct events *e, int64_t now, const struct event *taken, enum event_kind kind);

#endif
