/* analyze/report/report_copies.c - tables: what each link between memories carried, why, and the least time for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { SHOWN = 12 }; /* unless all are asked for */

/* What text shows of all links is busiest first and may be cut short; CSV and JSON have each link in its order. */
static const struct column copies_columns[] = {
	{"rank", NULL, COLUMN_COUNT, COLUMN_NO_CSV},
	{"from", NULL, COLUMN_COUNT, 0},
	{"to", NULL, COLUMN_COUNT, 0},
	{"from_name", NULL, COLUMN_TEXT, 0},
	{"to_name", NULL, COLUMN_TEXT, 0},
	{NULL, "link", COLUMN_TEXT, 0},
	{"copies", "copies", COLUMN_COUNT, 0},
	{"bytes", "bytes", COLUMN_BYTES, COLUMN_ZERO},
	{"fetch_bytes", "fetch", COLUMN_BYTES, COLUMN_ZERO},
	{"prefetch_bytes", "prefetch", COLUMN_BYTES, COLUMN_ZERO},
	{"idle_bytes", "link idle", COLUMN_BYTES, COLUMN_ZERO},
	{"eviction_bytes", "eviction", COLUMN_BYTES, COLUMN_ZERO},
	{"again_bytes", "again", COLUMN_BYTES, COLUMN_ZERO},
	{"busy_ns", NULL, COLUMN_NS, 0},
	{"bandwidth_bytes_per_s", NULL, COLUMN_REAL, 0},
	{"rank", NULL, COLUMN_COUNT, COLUMN_NO_JSON},
	{"run_copies", NULL, COLUMN_COUNT, 0},
	{"run_bytes", NULL, COLUMN_BYTES, 0},
	{"run_busy_ns", NULL, COLUMN_NS, 0},
	{"run_least_ns", NULL, COLUMN_NS, 0},
	{0},
};

static void add_row(const struct report *r, struct records *x, const struct copies_link *l, const char *link,
                    enum records_form hidden)
{
	const struct machine *m = r->run->machine;
	char from[32], to[32];

	records_add(x, V(l->rank), V(l->from), V(l->to), V(machine_rank_node_name(m, l->rank, l->from, from)),
	            V(machine_rank_node_name(m, l->rank, l->to, to)), V(link), V(l->copies), V(l->bytes));
	for (int c = 0; c < COPY_GROUPS; c++)
		records_add(x, V(l->group_bytes[c]));
	records_add(x, V(l->again_bytes), V(l->busy_ns), V(l->bytes_per_s > 0 ? l->bytes_per_s : NAN), V(l->rank),
	            V(l->run.copies), V(l->run.bytes), V(l->run.busy_ns), V(l->run.least_ns));
	records_hide_row(x, hidden);
}

static void fill_copies(const struct report *r, struct records *x)
{
	const struct copies *k = &r->copies;
	struct copies_link others = {0};
	uint32_t *order = copies_by_bytes(k);
	size_t shown = r->each_copy || k->count <= SHOWN ? k->count : SHOWN - 1;
	char name[96];

	for (size_t i = 0; i < k->count; i++)
		add_row(r, x, &k->at[i], "", RECORDS_TEXT);
	for (size_t i = 0; i < k->count; i++) {
		const struct copies_link *l = &k->at[order[i]];

		if (i < shown) {
			add_row(r, x, l, link_name(r->run->machine, l, name), RECORDS_DATA);
		} else {
			others.copies += l->copies;
			others.bytes += l->bytes;
			for (int c = 0; c < COPY_GROUPS; c++)
				others.group_bytes[c] += l->group_bytes[c];
			others.again_bytes += l->again_bytes;
		}
	}
	snprintf(name, sizeof(name), "%zu others", k->count - shown);
	if (shown < k->count)
		add_row(r, x, &others, name, RECORDS_DATA);
	if (k->count > 1)
		add_row(r, x, &k->all, "all", RECORDS_DATA);
	free(order);
}

static void note_copies(const struct report *r, char text[REPORT_NOTE])
{
	int rebuilt = r->data->source == DATA_REBUILT, unnamed = 0;

	for (size_t i = 0; i < r->run->trace->ncopies; i++)
		unnamed |= r->run->trace->copies[i].handle == TRACE_NONE;
	snprintf(text, REPORT_NOTE,
	         "All that was recorded, also before the first task and after the last one. Again: of a "
	         "version\nthat the destination had had before.%s%s",
	         rebuilt && !unnamed ? "\nEvictions were not recorded: their copies count as fetches." : "",
	         unnamed ? "\nOf what data the copies are was not recorded." : "");
}

const struct report_table report_copies = {
	.name = "copies",
	.title = "Copies by cause",
	.summary =
		"Why data was copied over each link: for a task that waited, ahead of a task, at idle times, or to evict it "
		"from a full memory.",
	.columns = copies_columns,
	.fill = fill_copies,
	.note = note_copies,
};

void report_copies_json(const struct report *r, struct json *j)
{
	json_open(j, "copies_in_run", '{');
	json_int(j, "bytes", (int64_t)r->copies.all.run.bytes);
	json_time(j, "least_ns", r->copies.least_ns);
	json_time(j, "host_least_ns", r->copies.host_least_ns);
	json_close(j, '}');
	if (r->data)
		json_str(j, "data_states", r->data->source == DATA_RECORDED ? "recorded" : "rebuilt");
	else
		json_null(j, "data_states");
	report_table_json(&report_copies, r, "copies", j);
}

enum { MAX_ROWS = 16 };

static int by_busy(const void *a, const void *b)
{
	const struct copies_link *x = *(const struct copies_link *const *)a;
	const struct copies_link *y = *(const struct copies_link *const *)b;

	if (x->run.busy_ns != y->run.busy_ns)
		return x->run.busy_ns < y->run.busy_ns ? 1 : -1;
	return x < y ? -1 : 1;
}

static size_t links_of_run(const struct report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->copies.count; i++)
		n += r->copies.at[i].run.copies > 0;
	return n;
}

static const struct column links_columns[] = {
	{NULL, "from", COLUMN_TEXT, 0},    {NULL, "to", COLUMN_TEXT, 0},
	{NULL, "copies", COLUMN_COUNT, 0}, {NULL, "bytes", COLUMN_BYTES, 0},
	{NULL, "busy", COLUMN_NS, 0},      {NULL, "of the run", COLUMN_SHARE, 0},
	{NULL, "at least", COLUMN_NS, 0},  {0},
};

static void fill_links(const struct report *r, struct records *x)
{
	const struct copies_link **order = ht_alloc(r->copies.count, sizeof(*order));
	const struct machine *m = r->run->machine;
	size_t n = 0;

	for (size_t i = 0; i < r->copies.count; i++)
		if (r->copies.at[i].run.copies)
			order[n++] = &r->copies.at[i];
	if (n)
		qsort(order, n, sizeof(*order), by_busy);
	for (size_t i = 0; i < n && i < MAX_ROWS; i++) {
		const struct copies_run *l = &order[i]->run;
		char from[48], to[32];

		records_add(x, V(link_from_name(m, order[i], from)),
		            V(machine_rank_node_name(m, order[i]->rank, order[i]->to, to)), V(l->copies), V(l->bytes),
		            V(l->busy_ns), V(r->makespan_ns > 0 ? (double)l->busy_ns / (double)r->makespan_ns : 0.0),
		            V(l->least_ns));
	}
	free(order);
}

static void note_links(const struct report *r, char text[REPORT_NOTE])
{
	const struct copies *x = &r->copies;
	size_t n = links_of_run(r);
	char bytes[16], least[16], more[64] = "";

	if (n > MAX_ROWS)
		snprintf(more, sizeof(more), "The busiest %d of %zu links. ", MAX_ROWS, n);
	if (x->least_ns < 0)
		snprintf(text, REPORT_NOTE, "%sHow fast the links are is not known.", more);
	else
		snprintf(text, REPORT_NOTE,
		         "%sThe run moved %s; at the measured bandwidths, and with all\ndevices%s behind one "
		         "host link, this takes %s at least, %.0f %% of the run.",
		         more, bytes_text(bytes, (double)x->all.run.bytes),
		         r->run->trace->nranks > 1 ? " of a rank" : "", time_text(least, x->least_ns),
		         r->makespan_ns > 0 ? 100 * (double)x->least_ns / (double)r->makespan_ns : 0);
}

const struct report_table report_links = {
	.name = "links",
	.title = "Links between memories",
	.summary =
		"What was copied between memories while tasks ran, how long copies were in flight, and the least time that "
		"so many bytes take there.",
	.columns = links_columns,
	.fill = fill_links,
	.note = note_links,
};
