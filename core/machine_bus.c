/* core/machine_bus.c - links and memories of a machine, from StarPU's measurements of its bus. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine_bus.h"

#include <math.h>

#include "core/alloc.h"
#include "core/machine.h"

static int is_main_memory(const struct machine_node *n)
{
	return n->arch == ARCH_CPU;
}

void machine_add_bus(struct machine *m, const struct bus *b)
{
	int place[MACHINE_MAX_NODES], numa = 0, n = 0;
	struct machine_link *links = arena_alloc(m->arena, (size_t)(m->nnodes * m->nnodes), sizeof(*links));

	for (int i = 0; i < m->nnodes; i++) {
		const struct machine_node *node = &m->nodes[i];
		int devid = is_main_memory(node) ? numa++ : node->devid;

		place[i] = bus_node(b, node->arch, devid);
		if (devid < 64 && b->memory_bytes[node->arch][devid])
			m->nodes[i].capacity_bytes = b->memory_bytes[node->arch][devid];
	}
	for (int from = 0; from < m->nnodes; from++)
		for (int to = 0; to < m->nnodes; to++) {
			double rate, latency;

			if (from == to || place[from] < 0 || place[to] < 0)
				continue;
			rate = b->bytes_per_us[place[from] * b->size + place[to]];
			latency = b->latency_us[place[from] * b->size + place[to]];
			if (!isfinite(rate) || rate <= 0)
				continue;
			links[n++] = (struct machine_link){
				.from = from, .to = to, .bytes_per_s = rate * 1e6,
				.latency_ns = isfinite(latency) ? (int64_t)llround(latency * 1e3) : 0,
			};
		}
	m->links = links;
	m->nlinks = n;
}
