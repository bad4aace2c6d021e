/* core/dag/csr.c - a directed graph as two arrays a direction, and its topological order. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/csr.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"

/* Successors of every node in the order of the edges: a stable counting sort. */
static void sort_by_from(struct csr *g, csr_edge_fn *edge, const void *ctx, size_t nedges)
{
	memset(g->succ_first, 0, ((size_t)g->n + 1) * sizeof(*g->succ_first));
	for (size_t i = 0; i < nedges; i++)
		g->succ_first[edge(ctx, i).from + 1]++;
	for (uint32_t v = 0; v < g->n; v++)
		g->succ_first[v + 1] += g->succ_first[v];
	for (size_t i = 0; i < nedges; i++) {
		struct csr_edge e = edge(ctx, i);

		g->succ[g->succ_first[e.from]++] = e.to;
	}
	memmove(g->succ_first + 1, g->succ_first, (size_t)g->n * sizeof(*g->succ_first));
	g->succ_first[0] = 0;
}

/* `lists` by one end, each in ascending order, become `out` by the other end, also ascending. */
static void transpose(uint32_t n, const uint32_t *first, const uint32_t *lists, uint32_t *out_first, uint32_t *out)
{
	memset(out_first, 0, ((size_t)n + 1) * sizeof(*out_first));
	for (uint32_t i = 0; i < first[n]; i++)
		out_first[lists[i] + 1]++;
	for (uint32_t v = 0; v < n; v++)
		out_first[v + 1] += out_first[v];
	for (uint32_t v = 0; v < n; v++) {
		for (uint32_t i = first[v]; i < first[v + 1]; i++)
			out[out_first[lists[i]]++] = v;
	}
	memmove(out_first + 1, out_first, (size_t)n * sizeof(*out_first));
	out_first[0] = 0;
}

static int has_duplicates(const struct csr *g)
{
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t i = g->pred_first[v] + 1; i < g->pred_first[v + 1]; i++)
			if (g->pred[i] == g->pred[i - 1])
				return 1;
	return 0;
}

/* Lists are ascending: equal neighbours in a list are duplicates. times[]: of what stays, how often it was there. */
static void drop_duplicates(uint32_t n, uint32_t *first, uint32_t *lists, uint8_t *times)
{
	uint32_t kept = 0;

	for (uint32_t v = 0, begin = 0; v < n; v++) {
		uint32_t end = first[v + 1], start = kept;

		for (uint32_t i = begin; i < end; i++) {
			if (kept == start || lists[kept - 1] != lists[i]) {
				lists[kept] = lists[i];
				times[kept++] = 1;
			} else if (times[kept - 1] < UINT8_MAX) {
				times[kept - 1]++;
			}
		}
		begin = end;
		first[v + 1] = kept;
	}
}

/* As transpose(), of what belongs to each element. */
static uint8_t *transpose_times(struct arena *a, const struct csr *g)
{
	uint8_t *out = arena_alloc(a, g->nedges, 1);
	uint32_t *at = ht_alloc(g->n, sizeof(*at));

	memcpy(at, g->succ_first, (size_t)g->n * sizeof(*at));
	for (uint32_t i = 0; i < g->nedges; i++)
		out[at[g->pred[i]]++] = g->pred_times[i];
	free(at);
	return out;
}

/* Leaves one of each edge, and how often it was there. */
static void join_duplicates(struct csr *g, struct arena *a)
{
	uint8_t *times = ht_alloc(g->nedges, 1);

	drop_duplicates(g->n, g->pred_first, g->pred, times);
	g->nedges = g->pred_first[g->n];
	g->pred_times = arena_alloc(a, g->nedges, 1);
	memcpy(g->pred_times, times, g->nedges);
	free(times);
}

void csr_read(struct csr *g, struct arena *a, uint32_t n, csr_edge_fn *edge, const void *ctx, size_t nedges)
{
	*g = (struct csr){.n = n, .nedges = (uint32_t)nedges};
	g->succ_first = arena_alloc(a, (size_t)n + 1, sizeof(*g->succ_first));
	g->succ = arena_alloc(a, nedges, sizeof(*g->succ));
	sort_by_from(g, edge, ctx, nedges);
}

void csr_complete(struct csr *g, struct arena *a)
{
	g->pred_first = arena_alloc(a, (size_t)g->n + 1, sizeof(*g->pred_first));
	g->pred = arena_alloc(a, g->nedges, sizeof(*g->pred));
	transpose(g->n, g->succ_first, g->succ, g->pred_first, g->pred);
	if (has_duplicates(g))
		join_duplicates(g, a);
	transpose(g->n, g->pred_first, g->pred, g->succ_first, g->succ);
	if (g->pred_times)
		g->succ_times = transpose_times(a, g);
}

struct ends {
	const uint32_t *from, *to;
};

static struct csr_edge edge_of_ends(const void *ctx, size_t i)
{
	const struct ends *e = ctx;

	return (struct csr_edge){e->from[i], e->to[i]};
}

void csr_build(struct csr *g, struct arena *a, uint32_t n, const uint32_t *from, const uint32_t *to, size_t nedges)
{
	csr_read(g, a, n, edge_of_ends, &(struct ends){from, to}, nedges);
	csr_complete(g, a);
}

static int is_lower(const uint32_t *a, const uint32_t *b)
{
	return *a < *b;
}

HEAP(lowest, uint32_t, is_lower, HEAP_NO_PLACES)

/* Every node left over has a predecessor that is left over: walking back must meet a node again. */
static void find_cycle(const struct csr *g, const uint32_t *left, uint32_t cycle[2])
{
	unsigned char *seen = ht_alloc(g->n, 1);
	uint32_t v = 0, next;

	while (!left[v])
		v++;
	for (;; v = next) {
		uint32_t i = g->pred_first[v];

		seen[v] = 1;
		while (!left[g->pred[i]])
			i++;
		next = g->pred[i];
		if (seen[next])
			break;
	}
	cycle[0] = next;
	cycle[1] = v;
	free(seen);
}

int csr_goes_up(const struct csr *g)
{
	int up = 1;

	for (uint32_t v = 0; v < g->n && up; v++) {
		uint32_t end = g->pred_first[v + 1];

		up = end == g->pred_first[v] || g->pred[end - 1] < v;
	}
	return up;
}

int csr_order(const struct csr *g, uint32_t *order, uint32_t cycle[2])
{
	uint32_t *left, *heap, nheap = 0, done = 0, v;

	if (csr_goes_up(g)) {
		for (v = 0; v < g->n; v++)
			order[v] = v;
		return 0;
	}
	left = ht_alloc(g->n, sizeof(*left));
	heap = ht_alloc(g->n, sizeof(*heap));
	for (v = 0; v < g->n; v++) {
		left[v] = g->pred_first[v + 1] - g->pred_first[v];
		if (!left[v])
			lowest_up(heap, nheap++, &v, NULL);
	}
	while (nheap) {
		v = heap[0];
		lowest_drop(heap, --nheap, NULL);
		order[done++] = v;
		for (uint32_t i = g->succ_first[v]; i < g->succ_first[v + 1]; i++) {
			if (--left[g->succ[i]] == 0)
				lowest_up(heap, nheap++, &g->succ[i], NULL);
		}
	}
	if (done < g->n)
		find_cycle(g, left, cycle);
	free(left);
	free(heap);
	return done < g->n ? -1 : 0;
}
