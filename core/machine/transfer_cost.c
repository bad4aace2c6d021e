/* core/machine/transfer_cost.c - what a copy between two memory nodes takes when nobody else is on the way. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/transfer_cost.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"

/* 0: there is no link. */
static int add_hop(struct transfer_costs *r, int i, const struct machine_link *l, double sharing)
{
	if (!l)
		return 0;
	r->latency_ns[i] += (double)l->latency_ns;
	r->ns_per_byte[i] += 1e9 / l->bytes_per_s * sharing;
	return 1;
}

static void find_way(struct transfer_costs *r, const struct machine *m, int from, int to, double sharing)
{
	const struct machine_link *out = machine_link_between(m, from, 0), *in = machine_link_between(m, 0, to);
	int i = from * r->nnodes + to;

	if (from == to || add_hop(r, i, machine_link_between(m, from, to), sharing) || !out || !in)
		return;
	add_hop(r, i, out, sharing);
	add_hop(r, i, in, sharing);
}

void transfer_costs_init(struct transfer_costs *r, const struct machine *m, double sharing)
{
	int n = m->nnodes, pairs = 0;
	char has_worker[MACHINE_MAX_NODES] = {0};

	*r = (struct transfer_costs){.nnodes = n};
	r->latency_ns = ht_alloc((size_t)n * (size_t)n, sizeof(*r->latency_ns));
	r->ns_per_byte = ht_alloc((size_t)n * (size_t)n, sizeof(*r->ns_per_byte));
	for (int i = 0; i < m->nworkers; i++)
		has_worker[m->workers[i].node] = 1;
	for (int from = 0; from < n; from++) {
		for (int to = 0; to < n; to++) {
			int i = from * n + to;

			find_way(r, m, from, to, sharing);
			if (from == to || !has_worker[from] || !has_worker[to])
				continue;
			pairs++;
			r->mean_latency_ns += r->latency_ns[i];
			r->mean_ns_per_byte += r->ns_per_byte[i];
		}
	}
	if (pairs) {
		r->mean_latency_ns /= pairs;
		r->mean_ns_per_byte /= pairs;
	}
}

void transfer_costs_fini(struct transfer_costs *r)
{
	free(r->latency_ns);
	free(r->ns_per_byte);
}
