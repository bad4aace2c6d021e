/* analyze/report/report_workers.c - tables: where the time of the workers went, by architecture and of each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/table.h"
#include "core/trace/trace.h"

static void cells(struct table *t, const struct worker_times *x, const struct worker_time *w, int nworkers)
{
	double all = (double)x->elapsed_ns * nworkers;

	table_cell(t, "%" PRIu32, w->tasks);
	for (int s = 0; s < WORKER_STATES; s++)
		if (all > 0 && (s != WORKER_WAITING || x->waits_recorded) &&
		    (s != WORKER_SCHEDULING || x->runtime_recorded))
			table_cell(t, "%.1f %%", 100 * (double)w->ns[s] / all);
		else
			table_cell(t, "-");
}

static struct table *make_archs(const struct report *r)
{
	const struct worker_times *x = &r->times;
	struct table *t;

	if (x->unknown)
		return NULL;
	t = table_create("<arch|workers|tasks|executing|waiting|scheduling|idle, ready|starved|tail");
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!x->arch_workers[a])
			continue;
		table_cell(t, "%s", arch_name(a));
		table_cell(t, "%d", x->arch_workers[a]);
		cells(t, x, &x->arch[a], x->arch_workers[a]);
	}
	return t;
}

static struct table *make_workers(const struct report *r)
{
	const struct worker_times *x = &r->times;
	struct table *t;

	if (x->unknown || !r->each_worker)
		return NULL;
	t = table_create("<worker|tasks|executing|waiting|scheduling|idle, ready|starved|tail");
	for (size_t w = 0; w < x->nworkers; w++) {
		const struct trace_worker *worker = &x->trace->workers[w];

		if (x->trace->nranks > 1)
			table_cell(t, "%" PRId32 ": %.40s", worker->rank, trace_text(x->trace, worker->name));
		else
			table_cell(t, "%.40s", trace_text(x->trace, worker->name));
		cells(t, x, &x->workers[w], 1);
	}
	return t;
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
	.make = make_archs,
	.note = note,
};
const struct report_table report_workers = {
	.name = "workers",
	.title = "Time of each worker",
	.summary = "Where the time of each worker went, from the first start to the last end.",
	.make = make_workers,
};
