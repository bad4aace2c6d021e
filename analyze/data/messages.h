/* analyze/data/messages.h - what ranks sent each other, and which tasks waited for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_MESSAGES_H
#define ANALYZE_DATA_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

struct csv;
struct dag;
struct trace;

/*
 * Times are from the first start of a task of the run. A message is under way from its send to its arrival. A task
 * waits for the last of its messages to arrive, from when it had been submitted and its predecessors of its own rank
 * had ended; that time counts for this message.
 */
struct message {
	const struct trace_message *recorded;
	int64_t post_ns, arrive_ns;
	int64_t wait_ns;             /* summed over the tasks that waited for it */
	uint32_t from_task, to_task; /* of the graph: the last writer before, and the task that waited longest, else the
	                               * first to read; UINT32_MAX: not known */
	uint32_t waiting;            /* tasks that waited */
};

struct message_pair {
	int32_t from, to;
	uint64_t count, bytes;
	int64_t median_ns; /* of being under way */
	int64_t wait_ns;
	uint32_t waiting;
};

struct message_rank {
	uint64_t sent, received, sent_bytes, received_bytes;
	int64_t communicating_ns; /* some message of it was under way, between the first start and the last end of a task */
	int64_t wait_ns;          /* of its tasks */
};

struct messages {
	struct message *at; /* as in the trace */
	size_t count;
	struct message_pair *pairs; /* by (from, to) */
	size_t npairs;
	struct message_rank *ranks; /* one a rank of the trace */
	int nranks;
};

/* `d` is the graph of `t`, which is borrowed. messages_fini() frees. */
void messages_init(struct messages *x, const struct trace *t, const struct dag *d);
void messages_fini(struct messages *x);

/* A line a message, below one of names. */
void messages_csv(const struct messages *x, const struct trace *t, const struct dag *d, struct csv *c);

#endif
