/* core/machine/transfer_cost.c - what a copy between two memory nodes takes when nobody else is on the way. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/transfer_cost.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"

static int hop(const struct machine *m, int from, int to, double *latency_ns, double *ns_per_byte)
{
	const struct machine_link *l = machine_link_between(m, from, to);

	if (!l)
		return 0;
	*latency_ns += (double)l->latency_ns;
	*ns_per_byte += 1e9 / l->bytes_per_s;
	return 1;
}

static void way(const struct machine *m, int from, int to, double *latency_ns, double *ns_per_byte)
{
	*latency_ns = *ns_per_byte = 0;
	if (from == to || hop(m, from, to, latency_ns, ns_per_byte))
		return;
	if (hop(m, from, 0, latency_ns, ns_per_byte) && hop(m, 0, to, latency_ns, ns_per_byte))
		return;
	*latency_ns = *ns_per_byte = 0;
}

void transfer_costs_init(struct transfer_costs *r, const struct machine *m)
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

			way(m, from, to, &r->latency_ns[i], &r->ns_per_byte[i]);
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
