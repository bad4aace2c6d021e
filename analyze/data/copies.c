/* analyze/data/copies.c - what a run copied from memory node to memory node, why, and the least time for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/copies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

const char *const copy_group_names[COPY_GROUPS] = {"fetch", "prefetch", "idle", "eviction"};

enum copy_group copy_group_of(const struct trace_copy *c, uint8_t flags)
{
	static const enum copy_group groups[COPY_CAUSES] = {
		[COPY_FETCH] = COPY_GROUP_FETCH,
		[COPY_TASK_PREFETCH] = COPY_GROUP_PREFETCH,
		[COPY_PREFETCH] = COPY_GROUP_PREFETCH,
		[COPY_IDLE_FETCH] = COPY_GROUP_IDLE,
	};

	return flags & COPY_WRITEBACK ? COPY_GROUP_EVICTION : groups[c->cause];
}

/* Links as they first appear; each with the time until which it is known to be busy, and was so in the run. */
struct gather {
	struct copies *x;
	struct idmap index; /* rank, from, to -> link */
	struct busy {
		int64_t until, run_until;
	} * busy;
	size_t cap, nbusy, cap_busy;
	int64_t first_ns, last_ns; /* of the run */
};

static size_t link_of(struct gather *g, const struct trace_copy *c)
{
	uint64_t key = (uint64_t)(uint32_t)c->rank << 32 | (uint64_t)(uint16_t)c->from << 16 | (uint16_t)c->to;
	uint32_t at = idmap_get(&g->index, key);

	if (at != IDMAP_NONE)
		return at;
	at = (uint32_t)g->x->count;
	idmap_put(&g->index, key, at);
	*VEC_PUSH(g->x->at, g->x->count,
	          g->cap) = (struct copies_link){.rank = c->rank, .from = c->from, .to = c->to, .run.least_ns = -1};
	*VEC_PUSH(g->busy, g->nbusy, g->cap_busy) = (struct busy){INT64_MIN, INT64_MIN};
	return at;
}

static void count_copy(struct copies_link *l, const struct trace_copy *c, uint8_t flags)
{
	l->copies++;
	l->bytes += c->size_bytes;
	l->group_bytes[copy_group_of(c, flags)] += c->size_bytes;
	if (flags & COPY_AGAIN)
		l->again_bytes += c->size_bytes;
}

/* The copies of a rank come by start, so one time a link says until when it has been busy. */
static void count_busy(int64_t *busy_ns, int64_t *until, int64_t from, int64_t to)
{
	if (to <= *until)
		return;
	*busy_ns += to - (from > *until ? from : *until);
	*until = to;
}

static void count_in_run(const struct gather *g, struct copies_run *run, int64_t *until, const struct trace_copy *c,
                         uint8_t flags, int64_t end_ns)
{
	int64_t from = c->start_ns > g->first_ns ? c->start_ns : g->first_ns;
	int64_t to = end_ns < g->last_ns ? end_ns : g->last_ns;
	double part = end_ns > c->start_ns ? (double)(to - from) / (double)(end_ns - c->start_ns) : 1;

	if (to < from || (to == from && end_ns > c->start_ns))
		return;
	run->copies++;
	run->bytes += (uint64_t)((double)c->size_bytes * part);
	run->group_bytes[copy_group_of(c, flags)] += (uint64_t)((double)c->size_bytes * part);
	count_busy(&run->busy_ns, until, from, to);
}

static int by_place(const void *a, const void *b)
{
	const struct copies_link *x = a, *y = b;

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

/* NULL: the machine has none. */
static const struct machine_link *link_in(const struct machine *m, const struct copies_link *l)
{
	int from = machine_rank_node(m, l->rank, l->from), to = machine_rank_node(m, l->rank, l->to);

	return from < 0 || to < 0 ? NULL : machine_link_between(m, from, to);
}

static void find_least(struct copies *x, const struct machine *m)
{
	uint64_t host = 0; /* of this rank */

	for (size_t i = 0; i < x->count; i++) {
		struct copies_link *l = &x->at[i];
		const struct machine_link *link = link_in(m, l);

		if (i && l->rank != l[-1].rank)
			host = 0;
		l->bytes_per_s = link ? link->bytes_per_s : 0;
		if (!link || !l->run.copies)
			continue;
		l->run.least_ns = least(l->run.bytes, link->bytes_per_s);
		if (m->nodes[link->from].arch != ARCH_CPU || m->nodes[link->to].arch != ARCH_CPU)
			host += l->run.bytes;
		if (host > x->host_bytes)
			x->host_bytes = host;
		x->least_ns = l->run.least_ns > x->least_ns ? l->run.least_ns : x->least_ns;
	}
	if (x->host_bytes)
		x->host_least_ns = least(x->host_bytes, machine_host_bytes_per_s(m));
	x->least_ns = x->host_least_ns > x->least_ns ? x->host_least_ns : x->least_ns;
}

void copies_init(struct copies *x, const struct trace *t, const struct machine *m, const struct data_state *s)
{
	struct gather g = {.x = x};

	g.last_ns = trace_makespan_ns(t, &g.first_ns);
	g.last_ns += g.first_ns;
	*x = (struct copies){.all = {.rank = -1, .from = -1, .to = -1, .run.least_ns = -1},
	                     .host_least_ns = -1,
	                     .least_ns = -1};
	for (size_t i = 0; i < t->ncopies; i++) {
		const struct trace_copy *c = &t->copies[i];
		int64_t end_ns = c->end_ns == TIME_NONE ? c->start_ns : c->end_ns;
		uint8_t flags = s ? s->copies[i] : 0;
		size_t k;

		if (c->from == c->to) /* within a memory */
			continue;
		k = link_of(&g, c);
		count_copy(&x->at[k], c, flags);
		count_copy(&x->all, c, flags);
		count_busy(&x->at[k].busy_ns, &g.busy[k].until, c->start_ns, end_ns);
		count_in_run(&g, &x->at[k].run, &g.busy[k].run_until, c, flags, end_ns);
	}
	for (size_t i = 0; i < x->count; i++) {
		x->all.run.copies += x->at[i].run.copies;
		x->all.run.bytes += x->at[i].run.bytes;
	}
	if (x->count)
		qsort(x->at, x->count, sizeof(*x->at), by_place);
	find_least(x, m);
	idmap_fini(&g.index);
	free(g.busy);
}

void copies_fini(struct copies *x)
{
	free(x->at);
	*x = (struct copies){0};
}

static int by_bytes(const void *x, const void *y, void *ctx)
{
	const struct copies *l = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	uint64_t a = l->at[i].bytes, b = l->at[k].bytes;

	return a != b ? (a < b) - (a > b) : (i > k) - (i < k);
}

uint32_t *copies_by_bytes(const struct copies *x)
{
	uint32_t *order = ht_alloc(x->count, sizeof(*order));

	for (size_t i = 0; i < x->count; i++)
		order[i] = (uint32_t)i;
	if (x->count)
		qsort_r(order, x->count, sizeof(*order), by_bytes, (void *)x);
	return order;
}

const char *link_from_name(const struct machine *m, const struct copies_link *l, char buf[48])
{
	char name[32], rank[16] = "";

	if (l->rank || machine_ranks(m) > 1)
		snprintf(rank, sizeof(rank), "%d: ", l->rank);
	snprintf(buf, 48, "%s%s", rank, machine_rank_node_name(m, l->rank, l->from, name));
	return buf;
}

const char *link_name(const struct machine *m, const struct copies_link *l, char buf[96])
{
	char from[48], to[32];

	snprintf(buf, 96, "%s > %s", link_from_name(m, l, from), machine_rank_node_name(m, l->rank, l->to, to));
	return buf;
}
