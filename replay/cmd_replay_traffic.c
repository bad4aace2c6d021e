/* replay/cmd_replay_traffic.c - heterotune replay: what went over the links, and what memories held. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/cmd_replay_traffic.h"

#include <stdio.h>

#include "core/base/json.h"
#include "core/base/records.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "replay/memory/network.h"
#include "replay/memory/residency.h"
#include "replay/sim/simulate.h"

static const struct column link_columns[] = {
	{"from", NULL, COLUMN_COUNT, 0},
	{"to", NULL, COLUMN_COUNT, 0},
	{NULL, "from", COLUMN_TEXT, 0},
	{NULL, "to", COLUMN_TEXT, 0},
	{"transfers", "transfers", COLUMN_COUNT, 0},
	{"bytes", "bytes", COLUMN_BYTES, 0},
	{"busy_ns", "busy", COLUMN_NS, 0},
	{NULL, "of the makespan", COLUMN_SHARE, 0},
	{0},
};

/* Text shows those that were used. */
static struct records *links_of(const struct machine *m, const struct simulation *s)
{
	struct records *x = records_create(link_columns);
	char from[32], to[32];

	for (int i = 0; i < s->nlinks; i++) {
		const struct link_use *l = &s->links[i];

		records_add(x, V(l->from), V(l->to), V(machine_node_name(m, l->from, from)),
		            V(machine_node_name(m, l->to, to)), V(l->transfers), V(l->bytes), V(l->busy_ns),
		            V(s->makespan_ns > 0 ? (double)l->busy_ns / (double)s->makespan_ns : 0.0));
		if (!l->transfers)
			records_hide_row(x, RECORDS_TEXT);
	}
	return x;
}

static const struct column memory_columns[] = {
	{"node", NULL, COLUMN_COUNT, 0},
	{NULL, "memory", COLUMN_TEXT, 0},
	{NULL, "capacity", COLUMN_BYTES, 0},
	{"peak_bytes", "peak", COLUMN_BYTES, 0},
	{"evictions", "evictions", COLUMN_COUNT, 0},
	{"written_back_bytes", "written back", COLUMN_BYTES, 0},
	{0},
};

/* Text shows those that were too small. */
static struct records *memory_of(const struct machine *m, const struct simulation *s)
{
	struct records *x = records_create(memory_columns);
	char name[32];

	for (int i = 0; i < m->nnodes; i++) {
		const struct residency_use *u = &s->memory[i];

		records_add(x, V(i), V(machine_node_name(m, i, name)), V(m->nodes[i].capacity_bytes), V(u->peak_bytes),
		            V(u->evictions), V(u->written_back));
		if (!u->evictions)
			records_hide_row(x, RECORDS_TEXT);
	}
	return x;
}

void traffic_print(const struct machine *m, const struct simulation *s)
{
	struct records *tables[] = {links_of(m, s), memory_of(m, s)};
	char text[16];

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (machine_workers_of(m, a))
			printf("wait %-8s %s for data, all workers together\n", arch_name(a),
			       time_text(text, s->wait_ns[a]));
	for (int i = 0; i < 2; i++) {
		struct table *t = records_table(tables[i]);

		if (t) {
			putchar('\n');
			table_print(t, stdout);
		}
		table_free(t);
		records_free(tables[i]);
	}
}

void traffic_json(struct json *j, const struct machine *m, const struct simulation *s)
{
	struct records *links = links_of(m, s), *memory = memory_of(m, s);

	json_open(j, "wait_ns", '{');
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (machine_workers_of(m, a))
			json_int(j, arch_name(a), s->wait_ns[a]);
	json_close(j, '}');
	records_json(links, "links", j);
	records_json(memory, "memory", j);
	records_free(links);
	records_free(memory);
}
