/* analyze/report/report_messages.c - tables: what each MPI rank did, and what ranks sent each other. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

static int has_ranks(const struct report *r)
{
	return r->messages.nranks > 0;
}

static const struct column rank_columns[] = {
	{NULL, "rank", COLUMN_TEXT, 0},
	{"rank", NULL, COLUMN_COUNT, 0},
	{"workers", "workers", COLUMN_COUNT, 0},
	{"tasks", "tasks", COLUMN_COUNT, 0},
	{"executing", "executing", COLUMN_SHARE, 0},
	{"waiting", "waiting", COLUMN_SHARE, 0},
	{"idle", "idle", COLUMN_SHARE, 0},
	{"communicating_ns", NULL, COLUMN_NS, 0},
	{NULL, "in flight", COLUMN_SHARE, 0},
	{"sent", NULL, COLUMN_COUNT, 0},
	{"sent_bytes", "sent", COLUMN_BYTES, COLUMN_ZERO},
	{"received", NULL, COLUMN_COUNT, 0},
	{"received_bytes", "received", COLUMN_BYTES, COLUMN_ZERO},
	{"wait_ns", "tasks waited", COLUMN_NS, 0},
	{0},
};

/* The time of the workers of a rank; -1: of all. Returns how many there are. */
static int sum_workers(const struct worker_times *x, int rank, struct worker_time *sum)
{
	int n = 0;

	*sum = (struct worker_time){0};
	for (size_t w = 0; w < x->nworkers; w++) {
		if (rank >= 0 && x->trace->workers[w].rank != rank)
			continue;
		for (int s = 0; s < WORKER_STATES; s++)
			sum->ns[s] += x->workers[w].ns[s];
		sum->tasks += x->workers[w].tasks;
		n++;
	}
	return n;
}

static void add_rank(const struct report *r, struct records *out, int rank, const struct message_rank *m,
                     const char *name)
{
	struct worker_time sum;
	int n = sum_workers(&r->times, rank, &sum);
	double all = r->times.unknown ? NAN : (double)r->times.elapsed_ns * n;
	double share = rank >= 0 && r->makespan_ns > 0 ? (double)m->communicating_ns / (double)r->makespan_ns : NAN;

	records_add(out, V(name), V(rank), V(n), V(r->times.unknown ? -1 : (int64_t)sum.tasks),
	            V((double)sum.ns[WORKER_EXECUTING] / all),
	            V(r->times.waits_recorded ? (double)sum.ns[WORKER_WAITING] / all : NAN),
	            V((double)(sum.ns[WORKER_READY] + sum.ns[WORKER_STARVED] + sum.ns[WORKER_TAIL]) / all),
	            V(rank >= 0 ? m->communicating_ns : -1), V(share), V(m->sent), V(m->sent_bytes), V(m->received),
	            V(m->received_bytes), V(m->wait_ns));
}

static void fill_ranks(const struct report *r, struct records *out)
{
	struct message_rank all = {0};
	char name[16];

	for (int i = 0; i < r->messages.nranks; i++) {
		const struct message_rank *m = &r->messages.ranks[i];

		snprintf(name, sizeof(name), "%d", i);
		add_rank(r, out, i, m, name);
		all.sent += m->sent;
		all.sent_bytes += m->sent_bytes;
		all.received += m->received;
		all.received_bytes += m->received_bytes;
		all.wait_ns += m->wait_ns;
	}
	add_rank(r, out, -1, &all, "all");
	records_hide_row(out, RECORDS_DATA);
}

static void note_ranks(const struct report *r, char note[REPORT_NOTE])
{
	(void)r;
	snprintf(note, REPORT_NOTE,
	         "In flight: a message from or to the rank was under way. Tasks waited: nothing but a message "
	         "kept them, summed over the tasks.");
}

const struct report_table report_ranks = {
	.name = "ranks",
	.title = "Ranks",
	.summary = "Where the time of the workers of each MPI rank went, and what it sent and received.",
	.columns = rank_columns,
	.is_shown = has_ranks,
	.fill = fill_ranks,
	.note = note_ranks,
};

static const struct column pair_columns[] = {
	{"from", "from", COLUMN_COUNT, 0},         {"to", "to", COLUMN_COUNT, 0},
	{"messages", "messages", COLUMN_COUNT, 0}, {"bytes", "bytes", COLUMN_BYTES, 0},
	{"median_ns", "median", COLUMN_NS, 0},     {"waiting", "tasks that waited", COLUMN_COUNT, 0},
	{"wait_ns", "for", COLUMN_NS, 0},          {0},
};

static void fill_pairs(const struct report *r, struct records *out)
{
	for (size_t i = 0; i < r->messages.npairs; i++) {
		const struct message_pair *p = &r->messages.pairs[i];

		records_add(out, V(p->from), V(p->to), V(p->count), V(p->bytes), V(p->median_ns), V(p->waiting),
		            V(p->wait_ns));
	}
}

const struct report_table report_messages = {
	.name = "messages",
	.title = "Messages between ranks",
	.summary = "What ranks sent each other, the median time from send to arrival, and what waited for it.",
	.columns = pair_columns,
	.is_shown = has_ranks,
	.fill = fill_pairs,
};
