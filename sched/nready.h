/* sched/nready.h - INSPIRIT's controller: what is popped next, by how the number of ready tasks goes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_NREADY_H
#define SCHED_NREADY_H

#include <stdint.h>

/*
 * Wang et al., "INSPIRIT", 2024, figure 6, whose pseudocode leaves open where a slope is measured from, and what
 * happens between two decisions:
 *
 *   nready > peak: peak = nready, band = 0
 *   nready >= peak - s_dec, INC: when |nready - previous| >= s_inc, k = (nready - previous) / (t - t_previous);
 *       k < k_inc: by efficiency, k > k_inc: by ability; previous = nready, t_previous = t
 *   else DEC: nready > peak - s_dec band: by ability
 *       nready <= peak - s_dec (band + 1) + s_dec / 2: by efficiency, and
 *       nready <= peak - s_dec (band + 1): band += 1
 *
 * Where nothing applies the last mode goes on; before the first, tasks are popped in their order. The first slope is
 * measured from the first push, and a change in no time has an infinite one.
 */
enum nready_mode { NREADY_PUSHED, NREADY_ABILITY, NREADY_EFFICIENCY };

struct nready {
	double s_inc, s_dec; /* tasks */
	double k_inc;        /* tasks per ns */
	uint64_t ready, peak;
	double previous, previous_ns;
	uint32_t band;
	enum nready_mode mode;
};

void nready_push(struct nready *n, double now_ns);

/* Of the task that is popped now, which is ready until then. */
enum nready_mode nready_pop(struct nready *n, double now_ns);

#endif
