/* core/metrics/min_cut.h - the cheapest way to put the nodes of a graph on two sides. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_MIN_CUT_H
#define CORE_METRICS_MIN_CUT_H

#include <stdint.h>

/*
 * A node costs costs[node][side] on side 0 or 1, and an arc prices[arc][0] where its first node is on side 0 and its
 * second on side 1, prices[arc][1] in the opposite case. A minimum cut, found as a maximum flow: Dinic, "Algorithm for
 * solution of a problem of maximum flow in networks with power estimation", Soviet Math. Doklady 11, 1970. The arcs
 * are given once, for many cuts with other costs.
 */
struct min_cut;

struct min_cut_arc {
	uint32_t from, to; /* different nodes */
};

/* So much that it is never paid where that can be avoided. All other costs and prices, summed, have to be less. */
#define MIN_CUT_NEVER (INT64_MAX / 8)

/* Never NULL; `arcs` need not stay. min_cut_free() it. */
struct min_cut *min_cut_create(uint32_t nnodes, const struct min_cut_arc *arcs, uint32_t narcs);
void min_cut_free(struct min_cut *c);

/* Costs and prices are at least 0. Writes the side of each node, and returns what these sides cost: the least. */
int64_t min_cut_find(struct min_cut *c, const int64_t (*costs)[2], const int64_t (*prices)[2], uint8_t *sides);

/* What all cuts until now took: the halves of arcs that they looked at, some nanoseconds each. */
uint64_t min_cut_steps(const struct min_cut *c);

#endif
