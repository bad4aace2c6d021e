/* core/dag/csr.h - a directed graph as two arrays a direction, and its topological order. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_CSR_H
#define CORE_DAG_CSR_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/* Successors of v: succ[succ_first[v]] .. succ[succ_first[v + 1] - 1], ascending, each once; predecessors alike. */
struct csr {
	uint32_t n, nedges;
	uint32_t *succ_first, *succ;
	uint32_t *pred_first, *pred;
	uint8_t *succ_times, *pred_times; /* how often each was given, at most 255; NULL: all once */
};

/*
 * Edge i is from[i] -> to[i], both below n; any order, duplicates allowed, nedges below UINT32_MAX. Time and memory are
 * linear. The arrays live in `a`.
 */
void csr_build(struct csr *g, struct arena *a, uint32_t n, const uint32_t *from, const uint32_t *to, size_t nedges);

/* The same of edges that are made when they are asked for: edge(ctx, i), the same whenever it is called. */
struct csr_edge {
	uint32_t from, to;
};
typedef struct csr_edge csr_edge_fn(const void *ctx, size_t i);

/* In two steps: the first reads the edges, which the second, and half of the arrays, does not need any more. */
void csr_read(struct csr *g, struct arena *a, uint32_t n, csr_edge_fn *edge, const void *ctx, size_t nedges);
void csr_complete(struct csr *g, struct arena *a);

/* Where `to` is among the neighbours list[first[v]] .. list[first[v + 1] - 1], ascending; UINT32_MAX: it is not. */
static inline uint32_t csr_find(const uint32_t *first, const uint32_t *list, uint32_t v, uint32_t to)
{
	uint32_t lo = first[v], hi = first[v + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (list[mid] < to)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < first[v + 1] && list[lo] == to ? lo : UINT32_MAX;
}

/* Every edge goes up, as those of tasks in order of submission do: the indices are a topological order. */
int csr_goes_up(const struct csr *g);

/*
 * The topological order that takes the smallest index first, into order[n]; returns 0. On a cycle returns -1 and
 * cycle[0] -> cycle[1] is an edge of one (the same node twice for an edge to itself).
 */
int csr_order(const struct csr *g, uint32_t *order, uint32_t cycle[2]);

#endif
