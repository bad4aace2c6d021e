/* analyze/data/bmd.h - which memory nodes LAHeteroprio's formulas would have named in a run, and how steady they are. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_BMD_H
#define ANALYZE_DATA_BMD_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/data/data_state.h"
#include "sched/heteroprio/locality.h"

struct dag;
struct machine;
struct timeline;

/*
 * Best memory node difference (Bramas 2019, "Automatic DLAF selection"): the tasks for which a formula names another
 * node when they are popped than it named when they were pushed, over all tasks. Each is asked about the data as it was
 * just before. LaRU names the node of the worker that pushes, then of the one that pops: its difference is the share of
 * tasks that went to another node.
 *
 * Ties: by the printed formulas the pusher's node wins both times, so that only a change of the data makes a
 * difference; StarPU's code takes the caller's, which at the pop is another. Only valid copies count as there; in
 * StarPU those that have been asked for do, too.
 */
struct bmd_count {
	uint64_t tasks; /* popped */
	uint64_t changed[LOCALITY_FORMULAS];
};

struct bmd_slice {
	struct bmd_count so_far;            /* at its end, by the printed formulas */
	uint64_t chosen[LOCALITY_FORMULAS]; /* pushes in it for which the automatic choice took the formula */
};

struct bmd {
	struct bmd_count paper, starpu;
	uint64_t ran_there[LOCALITY_FORMULAS]; /* tasks that ran on the node that it named at their push */
	uint64_t chosen[LOCALITY_FORMULAS];    /* pushes */
	uint64_t chosen_changed;               /* tasks for which the formula chosen at the push changes its mind */
	int has_transfers;                     /* 0: the machine has no links, MC names nothing */
	int pushers_recorded;                  /* 0: assumed to be the worker of the predecessor that ended last */
	enum data_source source;
	struct bmd_slice *slices; /* of equal parts of the run, 0 to span_ns of the timeline */
	size_t nslices;
};

/*
 * The lowest BMD so far, at each push: the paper's automatic choice. Linear in tasks and their data, times nodes.
 * `state` is of the timeline's trace; nslices may be 0. bmd_fini() also of a zeroed struct.
 */
void bmd_init(struct bmd *b, const struct timeline *tl, const struct dag *d, const struct machine *m,
              const struct data_state *state, size_t nslices);
void bmd_fini(struct bmd *b);

/* changed / tasks; NAN without tasks, or for MC without transfers. */
double bmd_ratio(const struct bmd *b, const struct bmd_count *c, enum locality_formula f);

#endif
