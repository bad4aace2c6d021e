/* collect/machine_bus.c - links and memories of a machine, from StarPU's measurements of its bus. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/machine_bus.h"

#include <math.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"

/* 0 where the pair was not measured. */
static int measured(const struct bus *b, int from, int to, struct machine_link *l)
{
	double rate = b->bytes_per_us[from * b->size + to] * 1e6, ns = b->latency_us[from * b->size + to] * 1e3;

	if (from == to || !isfinite(rate) || rate <= 0)
		return 0;
	l->bytes_per_s = rate;
	l->latency_ns = ns >= 0 && ns <= (double)MACHINE_MOST_LATENCY_NS ? (int64_t)llround(ns) : 0;
	return 1;
}

/* All of the bus's: few, and a copy of another machine may cross any. */
static void add_segments(struct machine *m, const struct bus *b)
{
	m->segments = arena_alloc(m->arena, b->nsegments, sizeof(*m->segments));
	m->nsegments = (int)b->nsegments;
	for (size_t i = 0; i < b->nsegments; i++) {
		const struct bus_segment *s = &b->segments[i];

		m->segments[i] = (struct machine_segment){
			.name = arena_strndup(m->arena, s->name, strlen(s->name)),
			.bytes_per_s = s->bytes_per_s,
			.latency_ns = s->latency_ns,
		};
	}
	m->crossings = arena_alloc(m->arena, b->ncrossings, sizeof(*m->crossings));
	m->ncrossings = (int)b->ncrossings;
	for (size_t i = 0; i < b->ncrossings; i++)
		m->crossings[i] = b->crossings[i];
}

static void find_route(struct machine_link *l, const struct bus *b, int from, int to)
{
	const struct bus_route *r = bus_route_between(b, from, to);

	if (!r)
		return;
	l->first_crossing = r->first;
	l->ncrossings = r->count;
}

void machine_add_bus(struct machine *m, const struct bus *b)
{
	int place[MACHINE_MAX_NODES], numa = 0, n = 0;
	struct machine_link *links;

	add_segments(m, b);
	links = arena_alloc(m->arena, (size_t)(m->nnodes * m->nnodes), sizeof(*links));
	for (int i = 0; i < m->nnodes; i++) {
		const struct machine_node *node = &m->nodes[i];
		int devid;

		if (i && node->rank != m->nodes[i - 1].rank)
			numa = 0;
		devid = node->arch == ARCH_CPU ? numa++ : node->devid;
		place[i] = bus_node(b, node->arch, devid);
		if (devid < 64 && b->memory_bytes[node->arch][devid])
			m->nodes[i].capacity_bytes = b->memory_bytes[node->arch][devid];
	}
	for (int from = 0; from < m->nnodes; from++)
		for (int to = 0; to < m->nnodes; to++) {
			struct machine_link l = {.from = from, .to = to};

			if (m->nodes[from].rank != m->nodes[to].rank || place[from] < 0 || place[to] < 0 ||
			    !measured(b, place[from], place[to], &l))
				continue;
			find_route(&l, b, place[from], place[to]);
			links[n++] = l;
		}
	m->links = links;
	m->nlinks = n;
}
