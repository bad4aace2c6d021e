/* analyze/data/data_event.h - what happens to data in a trace, in the order of time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_DATA_EVENT_H
#define ANALYZE_DATA_DATA_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/radix_sort.h"

struct trace;

/*
 * In the order that those of one ns have: a copy has arrived before the task that waited for it starts, a task is
 * ready before its copies begin, and the states that StarPU records lie within the eviction that they belong to.
 */
enum data_event_kind {
	EVENT_REGISTER = 0, /* index: handle */
	EVENT_EVICTING,     /* of trace.memory */
	EVENT_COPIED,       /* copy: its end */
	EVENT_STATE,        /* of trace.states */
	EVENT_EVICTED,      /* of trace.memory */
	EVENT_FREED,        /* of trace.memory */
	EVENT_ALLOCATED,    /* of trace.memory */
	EVENT_READY,        /* task: pushed */
	EVENT_START,        /* task: an executed one */
	EVENT_COPYING,      /* copy: its start */
	EVENT_UNREGISTER,   /* handle */
};

/* Linear in the trace. Data whose registration was not recorded is registered at the first event. */
struct data_events {
	struct radix_item *at;
	size_t count;
	int64_t origin_ns; /* the first event, in times of the trace; 0 when there is none */
};

void data_events_init(struct data_events *e, const struct trace *t);
void data_events_fini(struct data_events *e);

static inline int64_t data_event_ns(const struct data_events *e, size_t i)
{
	return e->origin_ns + (int64_t)(e->at[i].key >> 4);
}

static inline enum data_event_kind data_event_kind(const struct data_events *e, size_t i)
{
	return (enum data_event_kind)(e->at[i].key & 15);
}

static inline uint32_t data_event_index(const struct data_events *e, size_t i)
{
	return (uint32_t)e->at[i].value;
}

#endif
