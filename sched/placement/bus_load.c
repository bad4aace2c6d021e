/* sched/placement/bus_load.c - whether copies or tasks are what takes long. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/bus_load.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/transfer_cost.h"
#include "sched/placement/plan.h"

/* In how many parts a vertex is read; seen[part] is marked with the vertex, from 1. */
static uint32_t count_readers(const struct partition_graph *g, uint32_t v, const uint32_t *part, uint32_t *seen)
{
	uint32_t n = 0;

	for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
		uint32_t u = g->neighbour[e];

		if (u >= g->nreaders || (v < g->nreaders && part[u] == part[v]) || seen[part[u]] == v + 1)
			continue;
		seen[part[u]] = v + 1;
		n++;
	}
	return n;
}

static double bytes_of(const struct placement_base *b, const uint32_t *part)
{
	const struct partition_graph *g = &b->data.graph;
	uint32_t *seen = ht_alloc((size_t)b->ndevices + 1, sizeof(*seen));
	double bytes = 0;

	for (uint32_t h = 0; h < b->dag->nhandles; h++) {
		uint32_t v = b->data.vertex[h];

		if (v == DATA_GRAPH_NONE)
			continue;
		bytes += (double)b->dag->handle_bytes[h] *
		         (count_readers(g, v, part, seen) + (v < g->nreaders ? 2 : 0));
	}
	free(seen);
	return bytes;
}

/* INFINITY: no device has a link. */
static double least_ns_per_byte(const struct placement_base *b)
{
	struct transfer_costs costs;
	double least = INFINITY;

	transfer_costs_init(&costs, b->machine, 1);
	for (int i = 0; i < b->ndevices; i++) {
		double ns = costs.ns_per_byte[b->places.place[b->device[i]].node];

		least = ns > 0 && ns < least ? ns : least;
	}
	transfer_costs_fini(&costs);
	return least;
}

int bus_load_is_full(const struct placement_base *b, const uint32_t *part)
{
	double work_ns = 0, fastest = 0, ns_per_byte;

	if (!b->transfer_ns || b->data.graph.nreaders == b->data.graph.n || b->ndevices < 2)
		return 0;
	for (uint32_t t = 0; t < b->dag->ntasks; t++)
		work_ns += b->work_ns[t];
	for (int i = 0; i < b->ndevices; i++)
		fastest = b->share[i] > fastest ? b->share[i] : fastest;
	ns_per_byte = least_ns_per_byte(b);
	return ns_per_byte < INFINITY && bytes_of(b, part) * ns_per_byte >= work_ns * fastest;
}
