/* replay/ready_count.c - how many tasks are ready over the time of a predicted execution. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A task that waits from `ready` to `start` adds that time to the intervals it waits in: parts of the first and the
 * last, and all of those between, which are counted by where they begin and end, and summed up at the end.
 */
#include "replay/ready_count.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "replay/sim/simulate.h"

static int64_t limit_ns(int64_t makespan_ns, uint32_t n, uint32_t i)
{
	return (int64_t)((double)makespan_ns / n * i);
}

/* The interval that has the time. */
static uint32_t place(const struct ready_interval *x, uint32_t n, int64_t makespan_ns, int64_t at_ns)
{
	uint32_t i = makespan_ns > 0 ? (uint32_t)((double)at_ns / (double)makespan_ns * n) : 0;

	i = i < n ? i : n - 1;
	while (i > 0 && at_ns < x[i].from_ns)
		i--;
	while (i + 1 < n && at_ns >= x[i].to_ns)
		i++;
	return i;
}

void ready_count(const struct execution_task *tasks, uint32_t ntasks, int64_t makespan_ns, uint32_t n,
                 struct ready_interval *intervals)
{
	int64_t *waiting = ht_alloc(n + 1, sizeof(*waiting)); /* changes of those that wait all of an interval */
	int64_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		intervals[i] = (struct ready_interval){.from_ns = limit_ns(makespan_ns, n, i),
		                                       .to_ns = i + 1 < n ? limit_ns(makespan_ns, n, i + 1) :
		                                                            makespan_ns};
	for (uint32_t t = 0; t < ntasks; t++) {
		int64_t ready = tasks[t].ready_ns, start = tasks[t].start_ns;
		uint32_t first = place(intervals, n, makespan_ns, ready);
		uint32_t last = place(intervals, n, makespan_ns, start);

		intervals[first].pushed++;
		intervals[last].popped++;
		if (first == last) {
			intervals[first].ready += (double)(start - ready);
			continue;
		}
		intervals[first].ready += (double)(intervals[first].to_ns - ready);
		intervals[last].ready += (double)(start - intervals[last].from_ns);
		waiting[first + 1]++;
		waiting[last]--;
	}
	for (uint32_t i = 0; i < n; i++) {
		double length = (double)(intervals[i].to_ns - intervals[i].from_ns);

		all += waiting[i];
		intervals[i].ready = length > 0 ? intervals[i].ready / length + (double)all : 0;
	}
	free(waiting);
}
