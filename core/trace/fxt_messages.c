/* core/trace/fxt_messages.c - events of StarPU-MPI's sends and receives into the messages of a trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A message has four events, two of each rank: the send is posted and over, the receive is posted and over. MPI keeps
 * the order of messages with one tag between two ranks, so the n-th of one kind belongs to the n-th of another.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/trace/fxt_reader.h"

enum { MAX_RANKS = 1 << 15, SEND_POINT_TO_POINT = 0x100, SEND_COLLECTIVE = 0x101 };

static void add(struct fxt_reader *r, const struct fxt_message_event *e)
{
	if ((uint32_t)e->from < MAX_RANKS && (uint32_t)e->to < MAX_RANKS)
		*VEC_PUSH(r->messages, r->nmessages, r->cap_messages) = *e;
}

/* StarPU's number of a task of its own; -1: it made none, since the data is used in any order. */
static uint32_t task_of(struct fxt_reader *r, uint64_t job)
{
	return job == UINT64_MAX ? TRACE_NONE : fxt_task(r, job);
}

/*
 * The type is in front since 1.4 and in later versions of 1.3; the thread is before the handle where it is not. 1.5 has
 * the number of the task after it behind that of the task before it, here and where data has arrived.
 */
static void on_send(struct fxt_reader *r, const struct fxt_event *e, int64_t ns)
{
	uint32_t typed = e->nparams >= 7 &&
	                 (fxt_param(e, 0) == SEND_POINT_TO_POINT || fxt_param(e, 0) == SEND_COLLECTIVE);
	uint64_t handle = fxt_param(e, typed && e->nparams >= 9 ? 6 : 5);

	add(r, &(struct fxt_message_event){
		       .from = r->rank,
		       .to = (int32_t)fxt_param(e, typed),
		       .tag = fxt_param(e, typed + 1),
		       .kind = MESSAGE_SEND,
		       .ns = r->isend_ns == TIME_NONE ? ns : r->isend_ns,
		       .size_bytes = fxt_param(e, typed + 2),
		       .early = TRACE_NONE,
		       .task = task_of(r, fxt_param(e, typed + 3)),
		       .handle = handle ? trace_build_handle(&r->b, r->rank, handle) : TRACE_NONE,
	       });
	r->isend_ns = TIME_NONE;
}

int fxt_on_message(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct fxt_message_event m = {
		.ns = ns, .tag = fxt_param(e, 1), .task = TRACE_NONE, .handle = TRACE_NONE, .early = TRACE_NONE};
	int32_t other = (int32_t)fxt_param(e, 0);
	uint64_t handle;

	(void)err;
	switch (e->code) {
	case EV_MPI_SEND_BEGIN: r->isend_ns = ns; return 0;
	case EV_MPI_SEND: on_send(r, e, ns); return 0;
	default:
		m.kind = e->code == EV_MPI_RECEIVE ? MESSAGE_RECEIVE : MESSAGE_ARRIVED;
		m.from = other;
		m.to = r->rank;
	}
	handle = e->code == EV_MPI_RECEIVED ? fxt_param(e, 4) : 0;
	if (e->code == EV_MPI_RECEIVED)
		m.task = task_of(r, fxt_param(e, e->nparams >= 6 ? 3 : 2));
	if (handle)
		m.handle = trace_build_handle(&r->b, r->rank, handle);
	add(r, &m);
	return 0;
}

/* By the first of `n` numbers in which they differ. */
static int compare(const int64_t *x, const int64_t *y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Events of one rank are in the order of time. Tags are compared as their bits: any order will do. */
static int by_message(const void *a, const void *b)
{
	const struct fxt_message_event *x = a, *y = b;
	const int64_t of_x[] = {x->from, x->to, (int64_t)x->tag, x->kind, (int64_t)x->number};
	const int64_t of_y[] = {y->from, y->to, (int64_t)y->tag, y->kind, (int64_t)y->number};

	return compare(of_x, of_y, sizeof(of_x) / sizeof(*of_x));
}

static int is_same_row(const struct fxt_message_event *x, const struct fxt_message_event *y)
{
	return x->from == y->from && x->to == y->to && x->tag == y->tag;
}

/* The i-th message of those with one tag from one rank to another, whose events of kind k begin at first[k]. */
static void put(struct fxt_reader *r, const size_t *first, size_t i)
{
	const struct fxt_message_event *at[MESSAGE_KINDS];
	struct trace *t = r->b.t;
	struct trace_message *m;

	for (int k = 0; k < MESSAGE_KINDS; k++)
		at[k] = i < first[k + 1] - first[k] ? &r->messages[first[k] + i] : NULL;
	if (!at[MESSAGE_SEND] || !at[MESSAGE_ARRIVED]) {
		t->defects.unmatched++;
		return;
	}
	m = VEC_PUSH(t->messages, t->nmessages, r->b.cap_messages);
	*m = (struct trace_message){
		.post_ns = at[MESSAGE_SEND]->ns,
		.receive_ns = at[MESSAGE_RECEIVE] ? at[MESSAGE_RECEIVE]->ns : TIME_NONE,
		.arrive_ns = at[MESSAGE_ARRIVED]->ns,
		.size_bytes = at[MESSAGE_SEND]->size_bytes,
		.tag = at[MESSAGE_SEND]->tag,
		.send = at[MESSAGE_SEND]->task,
		.arrival = at[MESSAGE_ARRIVED]->task,
		.from_handle = at[MESSAGE_SEND]->handle,
		.to_handle = at[MESSAGE_ARRIVED]->handle,
		.early = at[MESSAGE_ARRIVED]->early,
		.from = at[MESSAGE_SEND]->from,
		.to = at[MESSAGE_SEND]->to,
	};
	if (m->send != TRACE_NONE && m->arrival != TRACE_NONE)
		trace_build_dep(&r->b, m->send, m->arrival, DEP_MESSAGE);
}

static int by_post(const void *a, const void *b)
{
	const struct trace_message *x = a, *y = b;
	const int64_t of_x[] = {x->post_ns, x->from, x->to, (int64_t)x->tag, x->arrive_ns};
	const int64_t of_y[] = {y->post_ns, y->from, y->to, (int64_t)y->tag, y->arrive_ns};

	return compare(of_x, of_y, sizeof(of_x) / sizeof(*of_x));
}

void fxt_match_messages(struct fxt_reader *r)
{
	struct trace *t = r->b.t;

	for (size_t i = 0; i < r->nmessages; i++)
		r->messages[i].number = i;
	if (r->nmessages)
		qsort(r->messages, r->nmessages, sizeof(*r->messages), by_message);
	for (size_t i = 0; i < r->nmessages;) {
		size_t first[MESSAGE_KINDS + 1] = {i}, most = 0;

		for (int k = 0; k < MESSAGE_KINDS; k++) {
			first[k + 1] = first[k];
			while (first[k + 1] < r->nmessages && r->messages[first[k + 1]].kind == k &&
			       is_same_row(&r->messages[first[k + 1]], &r->messages[i]))
				first[k + 1]++;
			most = first[k + 1] - first[k] > most ? first[k + 1] - first[k] : most;
		}
		for (size_t k = 0; k < most; k++)
			put(r, first, k);
		i = first[MESSAGE_KINDS];
	}
	if (t->nmessages)
		qsort(t->messages, t->nmessages, sizeof(*t->messages), by_post);
}
