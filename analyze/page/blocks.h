/* analyze/page/blocks.h - what a chart of a page draws: tasks, or several of a worker together where there are many. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_BLOCKS_H
#define ANALYZE_PAGE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct execution;

struct block {
	uint32_t task;  /* in the execution: the longest of the block */
	uint32_t count; /* tasks */
	int64_t start_ns, end_ns;
	uint32_t after; /* the block of the task that `task` waited for; EXECUTION_NONE */
	int64_t since_ns;
	uint8_t cause; /* enum execution_cause */
};

/* By start. slice_ns 0: each is one task; else those shorter than that share blocks. */
struct blocks {
	struct block *at;
	size_t n, cap;
	int64_t slice_ns;
};

/*
 * Of an execution with at most `most` tasks each is a block. Of others the time is cut into slices, so that there are
 * at most `most` blocks: tasks of a worker and a lane that lie in one slice are one. blocks_fini() frees.
 */
void blocks_init(struct blocks *b, const struct execution *e, size_t most);
void blocks_fini(struct blocks *b);

#endif
