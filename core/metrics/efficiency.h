/* core/metrics/efficiency.h - INSPIRIT's inspiring efficiency: descendants that can complete within a window. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_EFFICIENCY_H
#define CORE_METRICS_EFFICIENCY_H

#include <stdint.h>

#include "core/machine/arch.h"

struct dag;

enum {
	EFFICIENCY_LIMIT = 4096,    /* a count stops there */
	EFFICIENCY_SAMPLE = 4096,   /* tasks that choose the window */
	EFFICIENCY_EDGES = 256,     /* looked at by the walk from a task, on average, */
	EFFICIENCY_EXTRA = 1 << 25, /* and so many more by all walks together */
};
#define EFFICIENCY_ENOUGH 0.9 /* of what the best window distinguishes */

/*
 * Wang et al., "INSPIRIT", 2024, sections 4.2 and 4.3. Efficiency of t in a window T: how many descendants of t can
 * complete within T after t starts, along the quickest chain from t to each, one task after the other, t included. What
 * else a task on the chain waits for counts as there already, as it does in the ability. So the efficiency grows with T
 * from 0 to ability - 1. A task takes what it takes on the fastest GPU architecture (CUDA, HIP, OpenCL) of `archs` that
 * can run it, else on the fastest architecture; no chain leads through a task that none can run. A duration of 0 counts
 * as 1 ns, the clock's resolution: windows have to grow from something.
 *
 * The window. Too small a one gives 0 everywhere, too large a one gives the ability again. Two tasks of different
 * groups, a group being a type in a topological layer (the most hops from a task without predecessors), are
 * distinguished by a window if their efficiencies in it differ; apart(T) is the share of all such pairs of a sample
 * that T distinguishes. Windows are tried from the least in which anything completes, each longer by the square root
 * of 2 than the one before, up to the length of the graph, or until walks meet tasks with more edges on average than
 * EFFICIENCY_EDGES + EFFICIENCY_EXTRA / tasks. T is the least one tried with apart(T) >= EFFICIENCY_ENOUGH * the
 * greatest apart.
 *
 * The sample is one task from each of EFFICIENCY_SAMPLE equal parts of the topological order, at a place in it that is
 * random but the same every time; all tasks where there are no more.
 *
 * Time: a walk is breadth-first and goes no further than the window, nor than EFFICIENCY_LIMIT tasks; as the window is
 * chosen, that is linear in the tasks. Memory: 52 bytes a task and 4 an edge until it returns.
 */
struct efficiency {
	uint32_t ntasks;
	uint32_t *counts; /* per task: 0 to EFFICIENCY_LIMIT */
	int64_t window_ns;
	double apart;      /* apart(T), 0 to 1; 0 where there is nothing to distinguish */
	double apart_best; /* the greatest of all windows tried */
	uint32_t limited;  /* tasks whose count stopped at EFFICIENCY_LIMIT */
};

/* Chooses the window. The struct is written over; efficiency_fini() frees what it holds. */
void efficiency_init(struct efficiency *e, const struct dag *d, arch_mask archs);
void efficiency_fini(struct efficiency *e);

/*
 * As efficiency_init(), with limits of the caller's: walks look at most at `edges` edges on average, not at
 * EFFICIENCY_EDGES + EFFICIENCY_EXTRA / tasks, and the sample has at most `sample` tasks, not EFFICIENCY_SAMPLE.
 */
void efficiency_init_coarse(struct efficiency *e, const struct dag *d, arch_mask archs, double edges, uint32_t sample);

/* In a given window; apart and apart_best are NAN. */
void efficiency_within(struct efficiency *e, const struct dag *d, arch_mask archs, int64_t window_ns);

#endif
