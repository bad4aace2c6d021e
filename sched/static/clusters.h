/* sched/static/clusters.h - tasks put together in clusters, and the graph of these. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_CLUSTERS_H
#define SCHED_STATIC_CLUSTERS_H

#include <stdint.h>

struct dag;

/* Every task is in one cluster; a cluster's tasks are in the graph's topological order. */
struct clusters {
	uint32_t n;
	uint32_t *of;    /* per task */
	uint32_t *first; /* per cluster, n + 1: into tasks[] */
	uint32_t *tasks;
};

/* of[]: a number below n for each task of `d`, every number used; it is taken over. clusters_fini() frees all. */
void clusters_init(struct clusters *c, const struct dag *d, uint32_t *of, uint32_t n);
void clusters_fini(struct clusters *c);

/*
 * Two clusters are connected where tasks of them are; acyclic clusterings have an order. What a cluster reads of one
 * piece of data that one task wrote crosses the edge once.
 */
struct cluster_graph {
	uint32_t n, nedges;
	uint32_t *succ_first, *succ;
	uint32_t *order;  /* topological; NULL when the graph has a cycle */
	uint64_t *bytes;  /* per edge: data */
	uint32_t *pieces; /* per edge: pieces of it */
	struct arena *arena;
};

void cluster_graph_init(struct cluster_graph *g, const struct dag *d, const struct clusters *c);
void cluster_graph_fini(struct cluster_graph *g);

#endif
