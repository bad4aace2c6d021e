/* replay/ready_count.h - how many tasks are ready over the time of a predicted execution. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_READY_COUNT_H
#define REPLAY_READY_COUNT_H

#include <stdint.h>

struct execution_task;

struct ready_interval {
	int64_t from_ns, to_ns;
	double ready;            /* tasks that are ready and have not started, mean over the interval */
	uint32_t pushed, popped; /* became ready, and started, in it */
};

/*
 * Divides 0 to makespan_ns into `n` intervals, as equal as ns allow. Linear in tasks. What happens at the end of an
 * interval belongs to the next one, at the makespan to the last.
 */
void ready_count(const struct execution_task *tasks, uint32_t ntasks, int64_t makespan_ns, uint32_t n,
                 struct ready_interval *intervals);

#endif
