/* sched/static/clusters.c - tasks put together in clusters, and the graph of these. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/static/clusters.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/csr.h"
#include "core/dag/dag.h"
#include "core/dag/data_flow.h"

void clusters_init(struct clusters *c, const struct dag *d, uint32_t *of, uint32_t n)
{
	*c = (struct clusters){.n = n, .of = of};
	c->first = ht_alloc((size_t)n + 1, sizeof(*c->first));
	c->tasks = ht_alloc(d->ntasks, sizeof(*c->tasks));
	for (uint32_t t = 0; t < d->ntasks; t++)
		c->first[of[t] + 1]++;
	for (uint32_t i = 0; i < n; i++)
		c->first[i + 1] += c->first[i];
	for (uint32_t i = 0; i < d->ntasks; i++) /* first[k] runs up to where k + 1 begins */
		c->tasks[c->first[of[dag_in_order(d, i)]]++] = dag_in_order(d, i);
	for (uint32_t i = n; i > 0; i--)
		c->first[i] = c->first[i - 1];
	c->first[0] = 0;
}

void clusters_fini(struct clusters *c)
{
	free(c->of);
	free(c->first);
	free(c->tasks);
}

static void edge_data(struct cluster_graph *g, const struct dag *d, const struct clusters *c)
{
	uint32_t *reader = ht_alloc(d->nhandles, sizeof(*reader)); /* the last cluster + 1 */
	uint32_t *writer = ht_alloc(d->nhandles, sizeof(*writer)); /* whose data it read */
	struct data_flow f;

	data_flow_init(&f, d);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = c->tasks[i], to = c->of[t], first = d->tasks[t].first_access;

		for (uint32_t a = first; a < first + d->tasks[t].naccesses; a++) {
			uint32_t h = d->accesses[a].handle, p = f.producer[a], edge;

			if (p == DATA_FLOW_NOBODY || c->of[p] == to || (reader[h] == to + 1 && writer[h] == p))
				continue;
			reader[h] = to + 1;
			writer[h] = p;
			/* There is one wherever a task's data comes from a predecessor in another cluster. */
			edge = csr_find(g->succ_first, g->succ, c->of[p], to);
			if (edge == UINT32_MAX)
				continue;
			g->bytes[edge] += d->handle_bytes[h];
			g->pieces[edge]++;
		}
	}
	data_flow_fini(&f);
	free(reader);
	free(writer);
}

void cluster_graph_init(struct cluster_graph *g, const struct dag *d, const struct clusters *c)
{
	uint32_t *from = ht_alloc(d->nedges, sizeof(*from)), *to = ht_alloc(d->nedges, sizeof(*to)), cycle[2];
	struct csr csr;
	size_t n = 0;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			from[n] = c->of[t];
			to[n] = c->of[d->succ[e]];
			n += from[n] != to[n];
		}
	}
	*g = (struct cluster_graph){.n = c->n, .arena = arena_create()};
	csr_build(&csr, g->arena, c->n, from, to, n);
	free(from);
	free(to);
	g->nedges = csr.nedges;
	g->succ_first = csr.succ_first;
	g->succ = csr.succ;
	g->order = arena_alloc(g->arena, c->n, sizeof(*g->order));
	if (csr_order(&csr, g->order, cycle) < 0)
		g->order = NULL;
	g->bytes = arena_alloc(g->arena, g->nedges, sizeof(*g->bytes));
	g->pieces = arena_alloc(g->arena, g->nedges, sizeof(*g->pieces));
	edge_data(g, d, c);
}

void cluster_graph_fini(struct cluster_graph *g)
{
	arena_free(g->arena);
}
