/* analyze/data/memories.h - how much data each memory of a run held at most, and how often it was too small. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_MEMORIES_H
#define ANALYZE_DATA_MEMORIES_H

#include <stddef.h>
#include <stdint.h>

struct data_state;
struct trace;

/* StarPU allocates in chunks, so that what it has reserved on a device may be more. */
struct memories_node {
	uint64_t peak_bytes; /* of data that had memory there, valid or not */
	int64_t peak_ns;     /* when first, in times of the trace */
	uint64_t evictions;  /* data evicted because the memory was full */
};

struct memories {
	struct memories_node *at; /* [rank * nnodes + node], as the rank numbers it */
	size_t count, nnodes;
};

/* Empty where the trace has no events of memory: copies and tasks alone show allocations, but no memory given back. */
void memories_init(struct memories *x, const struct trace *t, const struct data_state *s);
void memories_fini(struct memories *x); /* also of a zeroed struct */

#endif
