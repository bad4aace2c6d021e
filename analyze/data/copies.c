/* analyze/data/copies.c - what a run copied from memory node to memory node, and why. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/copies.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
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

static void count_copy(struct copies_link *l, const struct trace_copy *c, uint8_t flags)
{
	l->copies++;
	l->bytes += c->size_bytes;
	l->group_bytes[copy_group_of(c, flags)] += c->size_bytes;
	if (flags & COPY_AGAIN)
		l->again_bytes += c->size_bytes;
}

/* Copies come by their start; *until is the end of what has been counted. */
static void count_busy(struct copies_link *l, const struct trace_copy *c, int64_t *until)
{
	int64_t from = c->start_ns > *until ? c->start_ns : *until;

	if (c->end_ns == TIME_NONE || c->end_ns <= from)
		return;
	l->busy_ns += c->end_ns - from;
	*until = c->end_ns;
}

/* Of each MPI rank apart they are in that order; the node numbers of all ranks mean the same. */
static struct radix_item *copies_by_start(const struct trace *t)
{
	struct radix_item *order = ht_alloc(t->ncopies, sizeof(*order));

	for (size_t i = 0; i < t->ncopies; i++)
		order[i] = (struct radix_item){.key = (uint64_t)(t->copies[i].start_ns + TIME_LIMIT), .value = i};
	radix_sort(order, t->ncopies);
	return order;
}

static void fill(struct copies_link *table, int64_t *until, const struct trace *t, const struct data_state *s,
                 struct copies_link *all)
{
	struct radix_item *order = copies_by_start(t);
	int64_t all_until = INT64_MIN;
	size_t n = (size_t)t->nnodes;

	for (size_t i = 0; i < n * n; i++) {
		table[i] = (struct copies_link){.from = (int)(i / n), .to = (int)(i % n)};
		until[i] = INT64_MIN;
	}
	for (size_t i = 0; i < t->ncopies; i++) {
		const struct trace_copy *c = &t->copies[order[i].value];
		uint8_t flags = s->copies[order[i].value];
		size_t k = (size_t)c->from * n + (size_t)c->to;

		count_copy(&table[k], c, flags);
		count_copy(all, c, flags);
		count_busy(&table[k], c, &until[k]);
		count_busy(all, c, &all_until);
	}
	free(order);
}

void copies_init(struct copies *x, const struct trace *t, const struct machine *m, const struct data_state *s)
{
	size_t n = (size_t)t->nnodes * (size_t)t->nnodes;
	int64_t *until = ht_alloc(n, sizeof(*until));

	*x = (struct copies){.all = {.from = -1, .to = -1}, .at = ht_alloc(n, sizeof(*x->at))};
	fill(x->at, until, t, s, &x->all);
	for (size_t i = 0; i < n; i++) {
		struct copies_link *l = &x->at[i];
		const struct machine_link *link = NULL;

		if (!l->copies)
			continue;
		if (l->from < m->nnodes && l->to < m->nnodes)
			link = machine_link_between(m, l->from, l->to);
		l->bytes_per_s = link ? link->bytes_per_s : 0;
		x->at[x->count++] = *l;
	}
	free(until);
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

const char *memory_name(const struct machine *m, int node, char buf[32])
{
	if (node < 0 || node >= m->nnodes)
		snprintf(buf, 32, "node %d", node);
	else if (m->nodes[node].arch != ARCH_CPU)
		snprintf(buf, 32, "%s %d", arch_name(m->nodes[node].arch), m->nodes[node].devid);
	else if (m->nodes[node].devid > 0)
		snprintf(buf, 32, "main memory %d", m->nodes[node].devid);
	else
		snprintf(buf, 32, "main memory");
	return buf;
}

const char *link_name(const struct machine *m, int from, int to, char buf[72])
{
	char a[32], b[32];

	snprintf(buf, 72, "%s > %s", memory_name(m, from, a), memory_name(m, to, b));
	return buf;
}

const char *rate_text(char buf[16], double bytes_per_s)
{
	if (!(bytes_per_s > 0))
		snprintf(buf, 16, "-");
	else if (bytes_per_s < 1e8)
		snprintf(buf, 16, "%.3g MB/s", bytes_per_s / 1e6);
	else
		snprintf(buf, 16, "%.*f GB/s", bytes_per_s < 99.5e9 ? bytes_per_s < 9.995e9 ? 2 : 1 : 0,
		         bytes_per_s / 1e9);
	return buf;
}
