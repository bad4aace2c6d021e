/* analyze/report/report_memories.c - table: how much data each memory held at most. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/timeline.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

static const struct column columns[] = {
	{"name", "memory", COLUMN_TEXT, 0},
	{"size_bytes", "size", COLUMN_BYTES, 0},
	{"peak_bytes", "data at most", COLUMN_BYTES, 0},
	{"peak_ns", "first at", COLUMN_NS, 0},
	{"evictions", "evictions", COLUMN_COUNT, 0},
	{0},
};

/* Times count from the timeline's 0, the first submission. */
static void fill(const struct report *r, struct records *x)
{
	const struct machine *m = r->run->machine;

	for (size_t i = 0; i < r->memories.count; i++) {
		const struct memories_node *u = &r->memories.at[i];
		int64_t capacity = i < (size_t)m->nnodes ? m->nodes[i].capacity_bytes : 0;
		int64_t peak_ns = u->peak_ns - r->timeline->origin_ns;
		char name[32];

		records_add(x, V(machine_node_name(m, (int)i, name)), V(capacity > 0 ? capacity : -1), V(u->peak_bytes),
		            V(peak_ns > 0 ? peak_ns : 0), V(u->evictions));
	}
}

static int is_shown(const struct report *r)
{
	return r->run->trace->nranks <= 1;
}

const struct report_table report_memories = {
	.name = "memories",
	.title = "Memories",
	.summary = "How much data each memory held at most, and how often some was evicted for other data.",
	.columns = columns,
	.is_shown = is_shown,
	.fill = fill,
};
