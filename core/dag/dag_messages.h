/* core/dag/dag_messages.h - what ranks send each other in a task graph of several. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_DAG_MESSAGES_H
#define CORE_DAG_DAG_MESSAGES_H

#include <stdint.h>

#include "core/dag/csr.h"

struct arena;
struct dag;
struct ht_err;
struct trace;

/*
 * A point is an event of one rank: its data can be sent, or has arrived. It happens when all tasks and points before
 * it are over, and, of an arrival, when all messages to it are there; what is behind it waits for that. A point that
 * messages are sent from is over when they have left.
 */
struct dag_point {
	int64_t submit_ns; /* not before; from the first submission of the graph */
	int32_t rank;
};

struct dag_message {
	uint64_t size_bytes;
	uint32_t send, arrival;          /* points */
	uint32_t from_handle, to_handle; /* data of either rank; UINT32_MAX: not known */
	uint32_t early;         /* data of the receiver that it is copied from, and then freed; UINT32_MAX: none */
	uint32_t trace_message; /* index in the trace */
};

/* `before`: vertex t is task t, vertex ntasks + p is point p; its edges are those of one rank with a point. */
struct dag_messages {
	struct dag_point *points;
	uint32_t npoints;
	struct dag_message *messages;
	uint32_t nmessages;
	struct csr before;
};

/*
 * The messages of a trace whose tasks are known; `node` maps tasks of the trace to those of `d`, TRACE_NONE for one
 * that is not there. All of it lives in the arena of `d`. NULL with the sentence where the graph would be too large.
 */
struct dag_messages *dag_messages_make(const struct dag *d, const struct trace *t, const uint32_t *node,
                                       struct ht_err *err);

/* A comparison of numbers of points by submit_ns, then by number, for qsort_r(), which gets the points. */
int dag_points_by_submission(const void *a, const void *b, void *points);

#endif
