/* analyze/report/report_copies.c - table: why data was copied, over which link, and what of it again. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { SHOWN = 12 }; /* unless all are asked for */

static void add(struct copies_link *sum, const struct copies_link *l)
{
	sum->copies += l->copies;
	sum->bytes += l->bytes;
	for (int c = 0; c < COPY_GROUPS; c++)
		sum->group_bytes[c] += l->group_bytes[c];
	sum->again_bytes += l->again_bytes;
}

static void bytes_cell(struct table *t, uint64_t bytes)
{
	char text[16];

	if (bytes)
		table_cell(t, "%s", bytes_text(text, (double)bytes));
	else
		table_cell(t, "-");
}

static void cells(struct table *t, const char *name, const struct copies_link *l)
{
	table_cell(t, "%s", name);
	table_cell(t, "%" PRIu64, l->copies);
	bytes_cell(t, l->bytes);
	for (int c = 0; c < COPY_GROUPS; c++)
		bytes_cell(t, l->group_bytes[c]);
	bytes_cell(t, l->again_bytes);
}

static struct table *make(const struct report *r)
{
	const struct copies *x = &r->copies;
	struct copies_link others = {0};
	uint32_t *order;
	struct table *t;
	size_t shown = r->each_copy || x->count <= SHOWN ? x->count : SHOWN - 1;
	char name[72];

	if (!x->count)
		return NULL;
	order = copies_by_bytes(x);
	t = table_create("<link|copies|bytes|fetch|prefetch|idle|eviction|again");
	for (size_t i = 0; i < x->count; i++) {
		const struct copies_link *l = &x->at[order[i]];

		if (i < shown)
			cells(t, link_name(r->run->machine, l->from, l->to, name), l);
		else
			add(&others, l);
	}
	if (shown < x->count) {
		snprintf(name, sizeof(name), "%zu others", x->count - shown);
		cells(t, name, &others);
	}
	if (x->count > 1)
		cells(t, "all", &x->all);
	free(order);
	return t;
}

static void note(const struct report *r, char text[REPORT_NOTE])
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

void report_copies_csv(const struct report *r, FILE *f)
{
	const struct copies *x = &r->copies;
	struct csv c = {.f = f};

	fputs("from,to,from_name,to_name,copies,bytes", f);
	for (int k = 0; k < COPY_GROUPS; k++)
		fprintf(f, ",%s_bytes", copy_group_names[k]);
	fputs(",again_bytes,busy_ns,bandwidth_bytes_per_s\n", f);
	for (size_t i = 0; i < x->count; i++) {
		const struct copies_link *l = &x->at[i];
		char name[32];

		csv_int(&c, l->from);
		csv_int(&c, l->to);
		csv_text(&c, memory_name(r->run->machine, l->from, name));
		csv_text(&c, memory_name(r->run->machine, l->to, name));
		csv_int(&c, (int64_t)l->copies);
		csv_int(&c, (int64_t)l->bytes);
		for (int k = 0; k < COPY_GROUPS; k++)
			csv_int(&c, (int64_t)l->group_bytes[k]);
		csv_int(&c, (int64_t)l->again_bytes);
		csv_int(&c, l->busy_ns);
		csv_num(&c, l->bytes_per_s > 0 ? l->bytes_per_s : NAN);
		csv_end(&c);
	}
}

static void json_link(struct json *j, const struct machine *m, const struct copies_link *l)
{
	char name[32];

	json_open(j, NULL, '{');
	json_int(j, "from", l->from);
	json_int(j, "to", l->to);
	json_str(j, "from_name", memory_name(m, l->from, name));
	json_str(j, "to_name", memory_name(m, l->to, name));
	json_int(j, "copies", (int64_t)l->copies);
	json_int(j, "bytes", (int64_t)l->bytes);
	for (int c = 0; c < COPY_GROUPS; c++) {
		snprintf(name, sizeof(name), "%s_bytes", copy_group_names[c]);
		json_int(j, name, (int64_t)l->group_bytes[c]);
	}
	json_int(j, "again_bytes", (int64_t)l->again_bytes);
	json_int(j, "busy_ns", l->busy_ns);
	json_num(j, "bandwidth_bytes_per_s", l->bytes_per_s > 0 ? l->bytes_per_s : NAN);
	json_close(j, '}');
}

void report_copies_json(const struct report *r, struct json *j)
{
	if (r->data)
		json_str(j, "data_states", r->data->source == DATA_RECORDED ? "recorded" : "rebuilt");
	else
		json_null(j, "data_states");
	json_open(j, "copies", '[');
	for (size_t i = 0; i < r->copies.count; i++)
		json_link(j, r->run->machine, &r->copies.at[i]);
	json_close(j, ']');
}

const struct report_table report_copies = {
	.name = "copies",
	.title = "Copies by cause",
	.summary =
		"Why data was copied over each link: for a task that waited, ahead of a task, at idle times, or to evict it "
		"from a full memory.",
	.make = make,
	.note = note,
};
