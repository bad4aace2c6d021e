/* core/dag/data_flow.h - which task made what another one reads, and how much data goes along each edge of a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_DATA_FLOW_H
#define CORE_DAG_DATA_FLOW_H

#include <stdint.h>

struct dag;

#define DATA_FLOW_NOBODY UINT32_MAX

/*
 * A task reads what the last writer before it, in the graph's topological order, has left. Scratch data and parts of a
 * reduction are local to a worker and flow nowhere. What is read twice by one task flows once. Data goes along an edge
 * only where the graph has that edge: the writer and the reader may be connected through others alone.
 */
struct data_flow {
	uint32_t *producer; /* per access of the dag: its last writer; DATA_FLOW_NOBODY: not read, or not written */
	uint64_t *bytes;    /* per edge, as dag->succ */
	uint32_t *pieces;   /* per edge: pieces of data */
};

void data_flow_init(struct data_flow *f, const struct dag *d);
void data_flow_fini(struct data_flow *f);

#endif
