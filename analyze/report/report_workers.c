/* analyze/report/report_workers.c - tables: where the time of the workers went, by architecture and of each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/trace/trace.h"

/* The last ones of both tables. */
static const struct column state_columns[] = {
	{"tasks", "tasks", COLUMN_COUNT, 0},    {"executing_ns", NULL, COLUMN_NS, 0},
	{"waiting_ns", NULL, COLUMN_NS, 0},     {"scheduling_ns", NULL, COLUMN_NS, 0},
	{"ready_ns", NULL, COLUMN_NS, 0},       {"starved_ns", NULL, COLUMN_NS, 0},
	{"tail_ns", NULL, COLUMN_NS, 0},        {NULL, "executing", COLUMN_SHARE, 0},
	{NULL, "waiting", COLUMN_SHARE, 0},     {NULL, "scheduling", COLUMN_SHARE, 0},
	{NULL, "idle, ready", COLUMN_SHARE, 0}, {NULL, "starved", COLUMN_SHARE, 0},
	{NULL, "tail", COLUMN_SHARE, 0},        {0},
};

static void add_states(struct records *out, const struct worker_times *x, const struct worker_time *w, int nworkers)
{
	double all = (double)x->elapsed_ns * nworkers;

	records_add(out, V(w->tasks));
	for (int s = 0; s < WORKER_STATES; s++)
		records_add(out, V(w->ns[s]));
	for (int s = 0; s < WORKER_STATES; s++)
		records_add(out, V(all > 0 && (s != WORKER_WAITING || x->waits_recorded) &&
		                                   (s != WORKER_SCHEDULING || x->runtime_recorded) ?
		                           (double)w->ns[s] / all :
		                           NAN));
}

static const struct column arch_columns[] = {
	{"arch", "arch", COLUMN_TEXT, 0},
	{"workers", "workers", COLUMN_COUNT, 0},
	{0},
};

static void fill_archs(const struct report *r, struct records *out)
{
	const struct worker_times *x = &r->times;

	records_columns(out, state_columns);
	for (enum arch a = 0; a < ARCH_COUNT && !x->unknown; a++)
		if (x->arch_workers[a]) {
			records_add(out, V(arch_name(a)), V(x->arch_workers[a]));
			add_states(out, x, &x->arch[a], x->arch_workers[a]);
		}
}

static const struct column worker_columns[] = {
	{"rank", NULL, COLUMN_COUNT, 0},
	{NULL, "worker", COLUMN_TEXT, 0},
	{"worker", NULL, COLUMN_TEXT, COLUMN_NO_JSON},
	{"name", NULL, COLUMN_TEXT, COLUMN_NO_CSV},
	{"arch", NULL, COLUMN_TEXT, 0},
	{0},
};

static void fill_workers(const struct report *r, struct records *out)
{
	const struct worker_times *x = &r->times;

	records_columns(out, state_columns);
	for (size_t w = 0; w < x->nworkers && !x->unknown; w++) {
		const struct trace_worker *worker = &x->trace->workers[w];
		const char *name = trace_text(x->trace, worker->name);
		char shown[64];

		if (x->trace->nranks > 1)
			snprintf(shown, sizeof(shown), "%d: %.40s", (int)worker->rank, name);
		else
			snprintf(shown, sizeof(shown), "%.40s", name);
		records_add(out, V(worker->rank), V((const char *)shown), V(name), V(name), V(arch_name(worker->arch)));
		add_states(out, x, &x->workers[w], 1);
	}
}

static int are_workers_shown(const struct report *r)
{
	return r->each_worker;
}

static void note(const struct report *r, char text[REPORT_NOTE])
{
	snprintf(text, REPORT_NOTE,
	         "Waiting is for data; idle workers either leave ready tasks that they could run, are "
	         "starved of\nsuch tasks, or have nothing left to do (tail).%s%s",
	         r->times.waits_recorded ? "" :
	                                   "\nFetches of data were not recorded: they count as idle or scheduling.",
	         r->times.runtime_recorded ? "" : "\nWhat the runtime did was not recorded: its time counts as idle.");
}

const struct report_table report_worker_time = {
	.name = "worker-time",
	.title = "Time of the workers",
	.summary = "Where the time of the workers of each architecture went, from the first start to the last end.",
	.columns = arch_columns,
	.fill = fill_archs,
	.note = note,
};

const struct report_table report_workers = {
	.name = "workers",
	.title = "Time of each worker",
	.summary = "Where the time of each worker went, from the first start to the last end.",
	.columns = worker_columns,
	.is_shown = are_workers_shown,
	.fill = fill_workers,
};
