/* replay/cmd_replay_traffic.c - heterotune replay: what went over the links, and what memories held. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/cmd_replay_traffic.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/base/json.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "replay/sim/simulate.h"

static void cell_node(struct table *t, const struct machine *m, int node)
{
	int several = 0;

	for (int i = 0; i < m->nnodes; i++)
		several += m->nodes[i].arch == ARCH_CPU;
	if (m->nodes[node].arch == ARCH_CPU && several > 1)
		table_cell(t, "main memory %d", node);
	else if (m->nodes[node].arch == ARCH_CPU)
		table_cell(t, "main memory");
	else
		table_cell(t, "%s %d", arch_name(m->nodes[node].arch), m->nodes[node].devid);
}

static void print_links(const struct machine *m, const struct simulation *s)
{
	struct table *t = table_create("<from|<to|transfers|bytes|busy|of the makespan");
	char text[16];
	int used = 0;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (machine_workers_of(m, (enum arch)a))
			printf("wait %-8s %s for data, all workers together\n", arch_name((enum arch)a),
			       time_text(text, s->wait_ns[a]));
	}
	for (int i = 0; i < s->nlinks; i++) {
		const struct link_use *l = &s->links[i];

		if (!l->transfers)
			continue;
		used++;
		cell_node(t, m, l->from);
		cell_node(t, m, l->to);
		table_cell(t, "%" PRIu64, l->transfers);
		table_cell(t, "%s", bytes_text(text, (double)l->bytes));
		table_cell(t, "%s", time_text(text, l->busy_ns));
		table_cell(t, "%.1f %%", s->makespan_ns > 0 ? 100.0 * (double)l->busy_ns / (double)s->makespan_ns : 0);
	}
	if (used) {
		putchar('\n');
		table_print(t, stdout);
	}
	table_free(t);
}

/* Nothing where everything fitted. */
static void print_memory(const struct machine *m, const struct simulation *s)
{
	struct table *t = table_create("<memory|capacity|peak|evictions|written back");
	char text[16];
	int used = 0;

	for (int i = 0; i < m->nnodes; i++) {
		const struct memory_use *u = &s->memory[i];

		if (!u->evictions)
			continue;
		used++;
		cell_node(t, m, i);
		table_cell(t, "%s", bytes_text(text, (double)m->nodes[i].capacity_bytes));
		table_cell(t, "%s", bytes_text(text, (double)u->peak_bytes));
		table_cell(t, "%" PRIu64, u->evictions);
		table_cell(t, "%s", bytes_text(text, (double)u->written_back));
	}
	if (used) {
		putchar('\n');
		table_print(t, stdout);
	}
	table_free(t);
}

static void json_memory(struct json *j, const struct machine *m, const struct simulation *s)
{
	json_open(j, "memory", '[');
	for (int i = 0; i < m->nnodes; i++) {
		const struct memory_use *u = &s->memory[i];

		json_open(j, NULL, '{');
		json_int(j, "node", i);
		json_int(j, "peak_bytes", (int64_t)u->peak_bytes);
		json_int(j, "evictions", (int64_t)u->evictions);
		json_int(j, "written_back_bytes", (int64_t)u->written_back);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_links(struct json *j, const struct machine *m, const struct simulation *s)
{
	arch_mask archs = machine_archs(m);

	json_open(j, "wait_ns", '{');
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (archs >> a & 1)
			json_int(j, arch_name((enum arch)a), s->wait_ns[a]);
	}
	json_close(j, '}');
	json_open(j, "links", '[');
	for (int i = 0; i < s->nlinks; i++) {
		json_open(j, NULL, '{');
		json_int(j, "from", s->links[i].from);
		json_int(j, "to", s->links[i].to);
		json_int(j, "transfers", (int64_t)s->links[i].transfers);
		json_int(j, "bytes", (int64_t)s->links[i].bytes);
		json_int(j, "busy_ns", s->links[i].busy_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void traffic_print(const struct machine *m, const struct simulation *s)
{
	print_links(m, s);
	print_memory(m, s);
}

void traffic_json(struct json *j, const struct machine *m, const struct simulation *s)
{
	json_links(j, m, s);
	json_memory(j, m, s);
}
