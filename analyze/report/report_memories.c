/* analyze/report/report_memories.c - table: how much data each memory held at most. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/timeline.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/machine/machine.h"
#include "core/run/run.h"

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
		int rank = (int)(i / r->memories.nnodes), node = (int)(i % r->memories.nnodes);
		int at = machine_rank_node(m, rank, node);
		int64_t capacity = at >= 0 ? m->nodes[at].capacity_bytes : 0;
		int64_t peak_ns = u->peak_ns - r->timeline->origin_ns;
		char name[32];

		if (at < 0 && !u->peak_bytes) /* another rank has more of them */
			continue;
		records_add(x,
		            V(at >= 0 ? machine_node_name(m, at, name) : machine_rank_node_name(m, rank, node, name)),
		            V(capacity > 0 ? capacity : -1), V(u->peak_bytes), V(peak_ns > 0 ? peak_ns : 0),
		            V(u->evictions));
	}
}

const struct report_table report_memories = {
	.name = "memories",
	.title = "Memories",
	.summary = "How much data each memory held at most, and how often some was evicted for other data.",
	.columns = columns,
	.fill = fill,
};
