/* analyze/data/time_breakdown.h - the makespan as a sum: the area bound, and what each cause adds to it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_TIME_BREAKDOWN_H
#define ANALYZE_DATA_TIME_BREAKDOWN_H

#include "analyze/data/worker_time.h"
#include "core/machine/arch.h"

struct bounds;
struct dag;
struct machine;
struct trace;

/*
 * The area bound's linear program has a price y(a) for the time of a worker of each architecture, with
 * sum_a N_a y(a) = 1, and the least that a task of class p costs at these prices, q(p) = min_a y(a) w(p,a), is in all
 * the bound itself (strong duality). So a makespan, which is that time of every worker at its price, is exactly
 *
 *   bound + sum over tasks of (y(a) w(p,a) - q(p)), executed on a: ran on a worker that is worth more for others
 *         + y(a) (time executing - sum of w(p,a)): took longer than the least that the class takes there
 *         + y(a) (time in each other state of worker_time.h).
 *
 * Idle CPUs beside GPUs that do nearly all of the work thus count by the work that they could have done. All in ns of
 * makespan; no term is negative but that of durations, where tasks were faster than expected.
 */
struct time_breakdown_part {
	double placement_ns, durations_ns;
	double state_ns[WORKER_STATES]; /* that of EXECUTING is 0 */
};

struct time_breakdown {
	double bound_ns;
	struct time_breakdown_part arch[ARCH_COUNT], all;
	int known; /* 0: the workers of some tasks are not known, or the machine has other workers than the run */
};

/* The terms above the bound, as tables name them: placement, durations, and the states but EXECUTING. */
enum {
	TIME_CAUSE_PLACEMENT,
	TIME_CAUSE_DURATIONS,
	TIME_CAUSE_FIRST_STATE,
	TIME_CAUSES = TIME_CAUSE_FIRST_STATE + WORKER_STATES - 1
};
extern const char *const time_cause_names[TIME_CAUSES]; /* "idle, ready" */
double time_cause_ns(const struct time_breakdown_part *part, int cause);

void time_breakdown_init(struct time_breakdown *x, const struct bounds *b, const struct dag *d, const struct machine *m,
                         const struct trace *t, const struct worker_times *times);

#endif
