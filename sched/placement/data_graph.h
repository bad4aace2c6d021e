/* sched/placement/data_graph.h - the data of a task graph as a graph: what is written, and read with it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_DATA_GRAPH_H
#define SCHED_PLACEMENT_DATA_GRAPH_H

#include <stdint.h>

#include "sched/placement/partition.h"

struct dag;
struct radix_item;

#define DATA_GRAPH_NONE UINT32_MAX

/*
 * The datum by which a task is placed: the largest that it writes, the first of equals; DATA_GRAPH_NONE: it writes
 * none. Scratch data and parts of a reduction are a worker's own.
 */
uint32_t data_graph_written(const struct dag *d, uint32_t task);

/* The largest datum that the task reads, chosen alike. */
uint32_t data_graph_read(const struct dag *d, uint32_t task);

/* Whether it reads this one. */
int data_graph_reads(const struct dag *d, uint32_t task, uint32_t handle);

/*
 * Into users[].value, of `ntasks` items, in their order: the tasks that are the first to access the datum by which they
 * are placed, and read it. Returns how many.
 */
uint32_t data_graph_first_users(const struct dag *d, struct radix_item *users);

/*
 * Vertices are the data by which tasks are placed, graph.nreaders, and after them what such tasks only read, if tasks
 * that are placed by different data do. Edge h, k: the bytes of h, for each task that is placed by k and accesses h,
 * and the other way round. Without weights: those of data_graph_windows() may be set, and are freed with it.
 */
struct data_graph {
	struct partition_graph graph;
	uint32_t *vertex; /* per handle; DATA_GRAPH_NONE: none */
	uint32_t *of;     /* per task: the vertex it is placed by; DATA_GRAPH_NONE: none */
};

void data_graph_init(struct data_graph *g, const struct dag *d);
void data_graph_fini(struct data_graph *g);

/*
 * Weight i of a vertex, of 1 to `nwindows`: the sum of work[t] over the tasks t that are placed by it and are in
 * window i. Windows hold equal work, by decreasing rank; tasks of one rank that have more than a window have their
 * share of each. All of them add up to 10^8. free() it.
 */
int32_t *data_graph_windows(const struct data_graph *g, const struct dag *d, const double *rank, const double *work,
                            uint32_t nwindows);

#endif
