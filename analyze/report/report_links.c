/* analyze/report/report_links.c - table: what each link between memories carried, and how long that has to take. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { MAX_ROWS = 16 };

static int by_busy(const void *a, const void *b)
{
	const struct traffic_link *x = *(const struct traffic_link *const *)a;
	const struct traffic_link *y = *(const struct traffic_link *const *)b;

	if (x->busy_ns != y->busy_ns)
		return x->busy_ns < y->busy_ns ? 1 : -1;
	return x < y ? -1 : 1;
}

const char *report_node_name(const struct report *r, int node, char buf[32])
{
	if (r->run->trace->nranks <= 1)
		return memory_name(r->run->machine, node, buf);
	snprintf(buf, 32, "node %d", node);
	return buf;
}

static struct table *make(const struct report *r)
{
	const struct traffic *x = &r->traffic;
	const struct traffic_link **order;
	struct table *t;
	char from[32], to[32], text[16];

	if (!x->nlinks)
		return NULL;
	order = ht_alloc((size_t)x->nlinks, sizeof(*order));
	for (int i = 0; i < x->nlinks; i++)
		order[i] = &x->links[i];
	qsort(order, (size_t)x->nlinks, sizeof(*order), by_busy);
	t = table_create("<from|<to|copies|bytes|busy|of the run|at least");
	for (int i = 0; i < x->nlinks && i < MAX_ROWS; i++) {
		const struct traffic_link *l = order[i];

		report_node_name(r, l->from, from);
		report_node_name(r, l->to, to);
		if (r->run->trace->nranks > 1)
			table_cell(t, "%" PRId32 ": %s", l->rank, from);
		else
			table_cell(t, "%s", from);
		table_cell(t, "%s", to);
		table_cell(t, "%" PRIu64, l->copies);
		table_cell(t, "%s", bytes_text(text, (double)l->bytes));
		table_cell(t, "%s", time_text(text, l->busy_ns));
		table_cell(t, "%.1f %%", r->makespan_ns > 0 ? 100 * (double)l->busy_ns / (double)r->makespan_ns : 0);
		table_cell(t, "%s", time_text(text, l->least_ns));
	}
	free(order);
	return t;
}

static void note(const struct report *r, char text[REPORT_NOTE])
{
	const struct traffic *x = &r->traffic;
	char bytes[16], least[16], more[48] = "";

	if (x->nlinks > MAX_ROWS)
		snprintf(more, sizeof(more), "The busiest %d of %d links. ", MAX_ROWS, x->nlinks);
	if (x->least_ns < 0)
		snprintf(text, REPORT_NOTE, "%sHow fast the links are is not known.", more);
	else
		snprintf(text, REPORT_NOTE,
		         "%sThe run moved %s; at the measured bandwidths, and with all\ndevices behind one "
		         "host link, this takes %s at least, %.0f %% of the run.",
		         more, bytes_text(bytes, (double)x->bytes), time_text(least, x->least_ns),
		         r->makespan_ns > 0 ? 100 * (double)x->least_ns / (double)r->makespan_ns : 0);
}

const struct report_table report_links = {
	.name = "links",
	.title = "Links between memories",
	.summary =
		"What was copied between memories while tasks ran, how long copies were under way, and the least time that "
		"so many bytes take there.",
	.make = make,
	.note = note,
};
