/* analyze/data/traffic.c - what a run copied between memories, how busy links were, and the least time for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/traffic.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

struct gather {
	struct traffic *x;
	struct idmap index; /* rank, from, to -> link + 1 */
	int64_t *until;     /* of each link: it is busy until then */
	size_t cap, cap_until, nuntil;
};

static size_t link_of(struct gather *g, const struct trace_copy *c)
{
	uint64_t key = (uint64_t)(uint32_t)c->rank << 32 | (uint64_t)(uint16_t)c->from << 16 | (uint16_t)c->to;
	uint32_t at = idmap_get(&g->index, key);

	if (at != IDMAP_NONE)
		return at;
	at = (uint32_t)g->x->nlinks;
	idmap_put(&g->index, key, at);
	*VEC_PUSH(g->x->links, g->x->nlinks,
	          g->cap) = (struct traffic_link){.rank = c->rank, .from = c->from, .to = c->to, .least_ns = -1};
	*VEC_PUSH(g->until, g->nuntil, g->cap_until) = INT64_MIN;
	return at;
}

/* Copies come by start, so one moment a link says how far it has been busy. */
static void add(struct gather *g, const struct trace_copy *c, int64_t first_ns, int64_t last_ns)
{
	int64_t from = c->start_ns, to = c->end_ns == TIME_NONE ? from : c->end_ns;
	struct traffic_link *l;
	double part = 1;
	size_t at;

	if (to < first_ns || from > last_ns || c->from == c->to)
		return;
	if (from < first_ns || to > last_ns) {
		int64_t cut_from = from < first_ns ? first_ns : from, cut_to = to > last_ns ? last_ns : to;

		part = to > from ? (double)(cut_to - cut_from) / (double)(to - from) : 1;
		from = cut_from;
		to = cut_to;
	}
	at = link_of(g, c);
	l = &g->x->links[at];
	l->copies++;
	l->bytes += (uint64_t)((double)c->size_bytes * part);
	if (to > g->until[at]) {
		l->busy_ns += to - (from > g->until[at] ? from : g->until[at]);
		g->until[at] = to;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct traffic_link *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* Rounded down, so that it stays below what the bytes need. */
static int64_t least(uint64_t bytes, double bytes_per_s)
{
	double ns = bytes_per_s > 0 ? (double)bytes / bytes_per_s * 1e9 : -1;

	return ns >= 0 && ns < (double)TIME_LIMIT ? (int64_t)floor(ns) : -1;
}

static void find_least(struct traffic *x, const struct machine *m)
{
	for (int i = 0; i < x->nlinks; i++) {
		struct traffic_link *l = &x->links[i];
		const struct machine_link *link = NULL;

		if (l->from >= 0 && l->from < m->nnodes && l->to >= 0 && l->to < m->nnodes)
			link = machine_link_between(m, l->from, l->to);
		if (!link)
			continue;
		l->least_ns = least(l->bytes, link->bytes_per_s);
		if (m->nodes[l->from].arch != ARCH_CPU || m->nodes[l->to].arch != ARCH_CPU)
			x->host_bytes += l->bytes;
		x->least_ns = l->least_ns > x->least_ns ? l->least_ns : x->least_ns;
	}
	if (x->host_bytes)
		x->host_least_ns = least(x->host_bytes, machine_host_bytes_per_s(m));
	x->least_ns = x->host_least_ns > x->least_ns ? x->host_least_ns : x->least_ns;
}

void traffic_init(struct traffic *x, const struct trace *t, const struct machine *m)
{
	struct gather g = {.x = x};
	int64_t first_ns, span_ns = trace_makespan_ns(t, &first_ns);

	*x = (struct traffic){.recorded = t->ncopies > 0, .host_least_ns = -1, .least_ns = -1};
	for (size_t i = 0; i < t->ncopies; i++)
		add(&g, &t->copies[i], first_ns, first_ns + span_ns);
	for (int i = 0; i < x->nlinks; i++)
		x->bytes += x->links[i].bytes;
	if (x->nlinks)
		qsort(x->links, (size_t)x->nlinks, sizeof(*x->links), by_place);
	if (t->nranks <= 1)
		find_least(x, m);
	idmap_fini(&g.index);
	free(g.until);
}

void traffic_fini(struct traffic *x)
{
	free(x->links);
	*x = (struct traffic){0};
}
