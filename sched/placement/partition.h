/* sched/placement/partition.h - a graph cut into parts of given shares, each of several weights balanced. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_PARTITION_H
#define SCHED_PLACEMENT_PARTITION_H

#include <stdint.h>

/*
 * Undirected: each edge stands at both of its ends, with the same weight. A vertex has `nweights` weights.
 */
struct partition_graph {
	uint32_t n;
	uint32_t nreaders; /* the first ones: a part receives what these of its vertices are neighbours of */
	uint32_t nweights;
	uint32_t *first;      /* [n + 1] */
	uint32_t *neighbour;  /* neighbours of v: neighbour[first[v]] .. neighbour[first[v + 1] - 1], ascending */
	int32_t *edge_weight; /* as `neighbour`, at least 1 */
	int32_t *weight;      /* [v * nweights + i] */
	int32_t *size;        /* per vertex, at least 1: what each part receives that has a reader beside the vertex */
};

/* What is to be small: the weight of edges between parts, or the sizes of what parts receive. */
enum partition_objective { PARTITION_CUT, PARTITION_VOLUME };

#define PARTITION_NONE    UINT32_MAX
#define PARTITION_BALANCE 16

struct partition_options {
	uint32_t nparts;     /* at least 1 */
	const double *share; /* per part, positive, of sum 1: its part of each weight */
	enum partition_objective objective;
	double balance;  /* how much balance weighs beside the objective: PARTITION_BALANCE, or more or less */
	uint32_t effort; /* 1, or how many times as long it may take */
	uint32_t seed;   /* other seeds, other partitions of about the same quality */
	/* NULL, or per vertex: the part that it is in so far, or PARTITION_NONE; what moves counts by its size. */
	const uint32_t *home;
};

/*
 * part[n] is written. The same input gives the same parts. Balance is an aim beside the objective: with
 * PARTITION_BALANCE a part has a few hundredths more than its share of a weight that many vertices have. Time is
 * linear in vertices, and in edges where the vertices that move have many.
 */
void partition(const struct partition_graph *g, const struct partition_options *o, uint32_t *part);

#endif
