/* analyze/report/report_memories.c - table: how much data each memory held at most. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/data/timeline.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

static int64_t capacity(const struct report *r, size_t node)
{
	return node < (size_t)r->run->machine->nnodes ? r->run->machine->nodes[node].capacity_bytes : 0;
}

/* Times count from the timeline's 0, the first submission. */
static int64_t peak_ns(const struct report *r, const struct memories_node *m)
{
	int64_t ns = m->peak_ns - r->timeline->origin_ns;

	return ns > 0 ? ns : 0;
}

static struct table *make(const struct report *r)
{
	const struct memories *x = &r->memories;
	struct table *t;
	char name[32], bytes[16], span[16];

	if (!x->count || r->run->trace->nranks > 1)
		return NULL;
	t = table_create("<memory|size|data at most|first at|evictions");
	for (size_t i = 0; i < x->count; i++) {
		table_cell(t, "%s", memory_name(r->run->machine, (int)i, name));
		if (capacity(r, i) > 0)
			table_cell(t, "%s", bytes_text(bytes, (double)capacity(r, i)));
		else
			table_cell(t, "-");
		table_cell(t, "%s", bytes_text(bytes, (double)x->at[i].peak_bytes));
		table_cell(t, "%s", time_text(span, peak_ns(r, &x->at[i])));
		table_cell(t, "%" PRIu64, x->at[i].evictions);
	}
	return t;
}

void report_memories_json(const struct report *r, struct json *j)
{
	char name[32];

	json_open(j, "memories", '[');
	for (size_t i = 0; i < r->memories.count; i++) {
		json_open(j, NULL, '{');
		json_str(j, "name", memory_name(r->run->machine, (int)i, name));
		if (capacity(r, i) > 0)
			json_int(j, "size_bytes", capacity(r, i));
		else
			json_null(j, "size_bytes");
		json_int(j, "peak_bytes", (int64_t)r->memories.at[i].peak_bytes);
		json_int(j, "peak_ns", peak_ns(r, &r->memories.at[i]));
		json_int(j, "evictions", (int64_t)r->memories.at[i].evictions);
		json_close(j, '}');
	}
	json_close(j, ']');
}

const struct report_table report_memories = {
	.name = "memories",
	.title = "Memories",
	.summary = "How much data each memory held at most, and how often some was evicted to make room.",
	.make = make,
};
