/* analyze/data/messages.c - what ranks sent each other, and which tasks waited for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/messages.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "core/trace/trace.h"

#define NO_TASK UINT32_MAX

static const struct trace_task *recorded(const struct trace *t, const struct dag *d, uint32_t task)
{
	return &t->tasks[d->tasks[task].trace_task];
}

/* Of the tasks before the point that the message leaves from, the last to end. */
static uint32_t find_writer(const struct trace *t, const struct dag *d, uint32_t point)
{
	const struct csr *g = &d->messages->before;
	uint32_t v = d->ntasks + point, best = NO_TASK;

	for (uint32_t i = g->pred_first[v]; i < g->pred_first[v + 1]; i++) {
		uint32_t p = g->pred[i];

		if (p < d->ntasks && (best == NO_TASK || recorded(t, d, p)->end_ns > recorded(t, d, best)->end_ns))
			best = p;
	}
	return best;
}

/* When the task could have started but for messages, in times of the trace; TIME_NONE: that is not known. */
static int64_t ready_without(const struct trace *t, const struct dag *d, uint32_t task)
{
	int64_t ns = recorded(t, d, task)->submit_ns;

	for (uint32_t i = d->pred_first[task]; ns != TIME_NONE && i < d->pred_first[task + 1]; i++) {
		if (d->tasks[d->pred[i]].rank == d->tasks[task].rank && recorded(t, d, d->pred[i])->end_ns > ns)
			ns = recorded(t, d, d->pred[i])->end_ns;
	}
	return ns;
}

/* of_point: 1 + the last message to arrive at each point. */
static void find_waits(struct messages *x, const struct trace *t, const struct dag *d, const uint32_t *of_point)
{
	const struct csr *g = &d->messages->before;
	int64_t *longest = ht_alloc(x->count, sizeof(*longest));

	for (uint32_t task = 0; task < d->ntasks; task++) {
		struct message *last = NULL;
		int64_t ready, wait;

		for (uint32_t i = g->pred_first[task]; i < g->pred_first[task + 1]; i++) {
			uint32_t m = of_point[g->pred[i] - d->ntasks];

			if (m && (!last || x->at[m - 1].arrive_ns > last->arrive_ns))
				last = &x->at[m - 1];
		}
		if (!last)
			continue;
		ready = ready_without(t, d, task);
		wait = ready == TIME_NONE ? 0 : last->recorded->arrive_ns - ready;
		if (last->to_task == NO_TASK || wait > longest[last - x->at]) {
			last->to_task = task;
			longest[last - x->at] = wait;
		}
		if (wait <= 0)
			continue;
		last->wait_ns += wait;
		last->waiting++;
		x->ranks[d->tasks[task].rank].wait_ns += wait;
	}
	free(longest);
}

static void join_graph(struct messages *x, const struct trace *t, const struct dag *d)
{
	const struct dag_messages *g = d->messages;
	uint32_t *of_point = ht_alloc(g->npoints, sizeof(*of_point));

	for (uint32_t i = 0; i < g->nmessages; i++) {
		uint32_t m = g->messages[i].trace_message, *last = &of_point[g->messages[i].arrival];

		x->at[m].from_task = find_writer(t, d, g->messages[i].send);
		if (!*last || x->at[m].arrive_ns > x->at[*last - 1].arrive_ns)
			*last = m + 1;
	}
	find_waits(x, t, d, of_point);
	free(of_point);
}

struct under_way {
	int64_t start_ns, end_ns;
	int32_t rank;
};

static int by_rank_and_start(const void *a, const void *b)
{
	const struct under_way *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void find_communicating(struct messages *x, int64_t makespan_ns)
{
	struct under_way *u = ht_alloc(2 * x->count, sizeof(*u));
	size_t n = 0;

	for (size_t i = 0; i < x->count; i++) {
		int64_t start = x->at[i].post_ns > 0 ? x->at[i].post_ns : 0;
		int64_t end = x->at[i].arrive_ns < makespan_ns ? x->at[i].arrive_ns : makespan_ns;

		for (int into = 0; into < 2 && start < end; into++)
			u[n++] = (struct under_way){start, end, into ? x->at[i].recorded->to : x->at[i].recorded->from};
	}
	if (n)
		qsort(u, n, sizeof(*u), by_rank_and_start);
	for (size_t i = 0; i < n;) {
		int32_t rank = u[i].rank;
		int64_t until = 0;

		for (; i < n && u[i].rank == rank; i++) {
			int64_t from = u[i].start_ns > until ? u[i].start_ns : until;

			x->ranks[rank].communicating_ns += u[i].end_ns > from ? u[i].end_ns - from : 0;
			until = u[i].end_ns > until ? u[i].end_ns : until;
		}
	}
	free(u);
}

static int by_pair(const void *a, const void *b)
{
	const struct message *x = *(const struct message *const *)a, *y = *(const struct message *const *)b;

	if (x->recorded->from != y->recorded->from)
		return x->recorded->from < y->recorded->from ? -1 : 1;
	return (x->recorded->to > y->recorded->to) - (x->recorded->to < y->recorded->to);
}

static void sum_pairs(struct messages *x)
{
	const struct message **order = ht_alloc(x->count, sizeof(*order));
	int64_t *took = ht_alloc(x->count, sizeof(*took));

	for (size_t i = 0; i < x->count; i++)
		order[i] = &x->at[i];
	if (x->count)
		qsort(order, x->count, sizeof(*order), by_pair);
	x->pairs = ht_alloc(x->count, sizeof(*x->pairs));
	for (size_t i = 0; i < x->count;) {
		struct message_pair *p = &x->pairs[x->npairs++];
		size_t n = 0;

		p->from = order[i]->recorded->from;
		p->to = order[i]->recorded->to;
		for (; i < x->count && order[i]->recorded->from == p->from && order[i]->recorded->to == p->to; i++) {
			p->bytes += order[i]->recorded->size_bytes;
			p->wait_ns += order[i]->wait_ns;
			p->waiting += order[i]->waiting;
			took[n++] = order[i]->arrive_ns - order[i]->post_ns;
		}
		p->count = n;
		p->median_ns = stats_median(took, n);
	}
	free(order);
	free(took);
}

void messages_init(struct messages *x, const struct trace *t, const struct dag *d)
{
	int64_t first_ns, makespan_ns = trace_makespan_ns(t, &first_ns);

	*x = (struct messages){.count = t->nmessages, .nranks = t->nranks};
	x->at = ht_alloc(x->count, sizeof(*x->at));
	x->ranks = ht_alloc((size_t)x->nranks, sizeof(*x->ranks));
	for (size_t i = 0; i < x->count; i++) {
		const struct trace_message *m = &t->messages[i];

		x->at[i] = (struct message){.recorded = m,
		                            .post_ns = m->post_ns - first_ns,
		                            .arrive_ns = m->arrive_ns - first_ns,
		                            .from_task = NO_TASK,
		                            .to_task = NO_TASK};
		x->ranks[m->from].sent++;
		x->ranks[m->from].sent_bytes += m->size_bytes;
		x->ranks[m->to].received++;
		x->ranks[m->to].received_bytes += m->size_bytes;
	}
	if (d->messages)
		join_graph(x, t, d);
	find_communicating(x, makespan_ns);
	sum_pairs(x);
}

void messages_fini(struct messages *x)
{
	free(x->at);
	free(x->pairs);
	free(x->ranks);
	*x = (struct messages){0};
}

/* The job and the type of a task; empty where it is not known. */
static void put_task(struct csv *c, const struct trace *t, const struct dag *d, uint32_t task)
{
	if (task == NO_TASK) {
		csv_empty(c);
		csv_empty(c);
		return;
	}
	csv_int(c, (int64_t)recorded(t, d, task)->job);
	csv_text(c, d->types[dag_type_of(d, task)].name);
}

void messages_csv(const struct messages *x, const struct trace *t, const struct dag *d, struct csv *c)
{
	static const char *const names[] = {"from",     "to",        "tag",    "bytes",   "posted_ns", "arrived_ns",
	                                    "from_job", "from_type", "to_job", "to_type", "waiting",   "wait_ns"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		csv_raw(c, names[i]);
	csv_end(c);
	for (size_t i = 0; i < x->count; i++) {
		const struct message *m = &x->at[i];

		csv_int(c, m->recorded->from);
		csv_int(c, m->recorded->to);
		csv_int(c, (int64_t)m->recorded->tag);
		csv_int(c, (int64_t)m->recorded->size_bytes);
		csv_int(c, m->post_ns);
		csv_int(c, m->arrive_ns);
		put_task(c, t, d, m->from_task);
		put_task(c, t, d, m->to_task);
		csv_int(c, m->waiting);
		csv_int(c, m->wait_ns);
		csv_end(c);
	}
}
