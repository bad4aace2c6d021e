/* core/run/machine_trace.c - the machine a trace was recorded on, as far as its events show. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/machine_trace.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/machine/machine.h"
#include "core/run/network_trace.h"
#include "core/trace/trace.h"

/* Nodes per rank: node 0 of each is main memory, the others belong to the device whose workers use them. */
static int place_nodes(struct machine *m, const struct trace *t, const int *first, int nranks, struct ht_err *err)
{
	for (int i = 0, rank = 0; i < m->nnodes; i++) {
		rank += rank + 1 < nranks && i >= first[rank + 1];
		m->nodes[i] = (struct machine_node){.arch = ARCH_CPU, .rank = rank};
	}
	for (size_t i = 0; i < t->nworkers; i++) {
		const struct trace_worker *w = &t->workers[i];
		int node = first[w->rank] + (w->node < 0 ? 0 : w->node);

		if (node >= m->nnodes)
			return ht_err_set(err, "worker %d is on memory node %d, expected one below %d", w->id, w->node,
			                  m->nnodes);
		m->workers[i] = (struct machine_worker){
			.arch = w->arch,
			.devid = w->devid < 0 ? w->id : w->devid,
			.node = node,
			.binding = w->binding,
			.name = arena_strndup(m->arena, trace_text(t, w->name), strlen(trace_text(t, w->name))),
		};
		if (w->arch != ARCH_CPU) {
			m->nodes[node].arch = w->arch;
			m->nodes[node].devid = m->workers[i].devid;
		}
	}
	return 0;
}

struct machine *machine_from_trace(const struct trace *t, struct ht_err *err)
{
	struct machine *m;
	int nranks = 1, *first, total = 0;

	if (t->nworkers == 0 || t->nworkers > MACHINE_MAX_WORKERS) {
		ht_err_set(err, "the trace names %zu workers, expected 1 to %d", t->nworkers, MACHINE_MAX_WORKERS);
		return NULL;
	}
	for (size_t i = 0; i < t->nworkers; i++)
		if (t->workers[i].rank >= nranks)
			nranks = t->workers[i].rank + 1;
	first = ht_alloc((size_t)nranks, sizeof(*first));
	for (int r = 0; r < nranks; r++) {
		int nodes = 1;

		for (size_t i = 0; i < t->nworkers; i++)
			if (t->workers[i].rank == r && t->workers[i].node >= nodes)
				nodes = t->workers[i].node + 1;
		first[r] = total;
		total += nodes;
	}
	m = ht_alloc(1, sizeof(*m));
	m->arena = arena_create();
	m->name = arena_strndup(m->arena, t->host, strlen(t->host));
	m->nworkers = (int)t->nworkers;
	m->workers = arena_alloc(m->arena, t->nworkers, sizeof(*m->workers));
	m->nnodes = total;
	m->nodes = arena_alloc(m->arena, (size_t)total, sizeof(*m->nodes));
	if (total > MACHINE_MAX_NODES)
		ht_err_set(err, "the trace names %d memory nodes, expected at most %d", total, MACHINE_MAX_NODES);
	if (total > MACHINE_MAX_NODES || place_nodes(m, t, first, nranks, err) != 0) {
		machine_free(m);
		m = NULL;
	}
	free(first);
	if (m)
		network_measure(&m->network, t);
	return m;
}
