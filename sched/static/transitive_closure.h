/* sched/static/transitive_closure.h - the transitive closure of a range of nodes of a graph, as a matrix of bits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_TRANSITIVE_CLOSURE_H
#define SCHED_STATIC_TRANSITIVE_CLOSURE_H

#include <stdint.h>

/*
 * The nodes of a graph are numbered in a topological order; the closure is over its nodes `first` to `first` + n - 1
 * and the paths among them. Bit j of row i is set where a path leads from first + i to first + j, so only bits above i
 * are. n nodes take n * n / 8 bytes, and edges * n / 64 steps to make.
 */
struct transitive_closure {
	uint32_t first, words; /* words of a row */
	uint64_t *bits;
};

/* Successors of v: succ[succ_first[v]] .. succ[succ_first[v + 1] - 1], all above v. transitive_closure_fini() frees. */
void transitive_closure_init(struct transitive_closure *c, const uint32_t *succ_first, const uint32_t *succ,
                             uint32_t first, uint32_t end);
void transitive_closure_fini(struct transitive_closure *c);

/* Whether a path leads from a to b, a < b, both of the range. */
static inline int transitive_closure_before(const struct transitive_closure *c, uint32_t a, uint32_t b)
{
	return c->bits[(uint64_t)(a - c->first) * c->words + (b - c->first) / 64] >> (b - c->first) % 64 & 1;
}

#endif
