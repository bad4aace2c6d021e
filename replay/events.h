/* replay/events.h - what is due when in a simulation with threads, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_EVENTS_H
#define REPLAY_EVENTS_H

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
	int64_t at_ns;
	uint64_t number;
	int32_t thread;
	enum event_kind kind;
};

/* Zeroed: none. A binary heap. */
struct events {
	struct event *items;
	size_t count, cap;
	uint32_t moments, calls; /* so far; in this one */
};

void events_fini(struct events *e);

/* Time has gone on. */
void events_moment(struct events *e);

/* Due `ns` from `now`: the number by which it is known. */
uint64_t events_put(struct events *e, int64_t now, int64_t ns, int thread, enum event_kind kind);

/* The next one; there is one. */
struct event events_take(struct events *e);

/* When it is; INT64_MAX: there is none. */
static inline int64_t events_next_ns(const struct events *e)
{
	return e->count ? e->items[0].at_ns : INT64_MAX;
}

#endif
