/* sched/placement/theft.c - what a worker whose queue is empty takes from those of other places. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * It looks at the place with the most work waiting, and takes, of its tasks with f cost(t, here) + C(t, here) <
 * B(there) and cost(t, here) <= r cost(t, there), one with the smallest cost(t, here) / cost(t, there), of those the
 * one with the lowest rank; where there is none, it looks at the place with the second most. B and C are those of
 * destination.c. Nobody steals the task with the highest rank of a queue: while tasks become ready one by one, whoever
 * is awake would take the most urgent of them, which comes first. Nor do CPUs take a task that they would have done
 * only after the devices have done all that is left, R < W <= cost(t, CPU) + C(t, CPU).
 *
 * Where what tasks write is sent to other MPI ranks, and no plan says what these wait for, r is at most
 * AMONG_RANKS_RATIO: there a device is often idle because it waits for other ranks, and then a CPU would take what they
 * wait for, and keep it for as long as the device takes for many tasks.
 *
 * Where copies of what tasks read take as long as the tasks (bus_load.h), and there is no plan, r is at most
 * FULL_BUS_RATIO: a CPU needs the data that a device has, and the device needs it back.
 *
 * A queue is a heap for each group of tasks of about equal costs everywhere, so the rule looks at one task a group.
 */
#include "sched/placement/theft.h"

#include <math.h>

#include "sched/placement/placement_state.h"

#define AMONG_RANKS_RATIO 2.0
#define FULL_BUS_RATIO    1.0

/* The knob r, of a task with the knobs `k`. */
static double most_ratio(const struct placement *s, const struct placement_knobs *k)
{
	if (s->is_planned || k != &s->knobs)
		return k->r;
	if (s->world.dag->nsends)
		return fmin(k->r, AMONG_RANKS_RATIO);
	return s->fills_bus ? fmin(k->r, FULL_BUS_RATIO) : k->r;
}

/* Whether the devices would have done all that is left before the thief has done the task. */
static int ends_last(const struct placement *s, uint32_t task, int thief, int64_t here)
{
	return thief == s->base->places.cpus && (double)here + coming_delay_ns(s, task, thief) >= (double)s->left.ns &&
	       !work_left_is_narrow(s, placement_highest_rank(s));
}

struct minmaxheap *theft_group(const struct placement *s, int thief, int from)
{
	const struct place_queue *q = &s->queues[from];
	const struct minmaxheap_item *highest = place_queue_highest(q);
	double waiting = placement_backlog(s, from), best_ratio = INFINITY;
	struct minmaxheap *best = NULL;

	for (uint32_t g = 0; g < s->groups.n; g++) {
		struct minmaxheap *h = &q->groups[g];
		const struct minmaxheap_item *lowest = h->count ? minmaxheap_lowest(h) : NULL;
		const struct placement_knobs *k;
		int64_t here, there;
		double ratio;

		if (!lowest || lowest->number == highest->number)
			continue;
		k = placement_knobs_of(s, lowest->task);
		here = placement_cost(s, lowest->task, thief);
		there = placement_cost(s, lowest->task, from);
		ratio = there > 0 ? (double)here / (double)there : 1;
		if (here < 0 || ratio > most_ratio(s, k) || k->f * (double)here >= waiting)
			continue;
		if (ratio > best_ratio || (ratio == best_ratio && !minmaxheap_before(minmaxheap_lowest(best), lowest)))
			continue;
		if (k->f * (double)here + coming_delay_ns(s, lowest->task, thief) >= waiting)
			continue;
		if (ends_last(s, lowest->task, thief, here))
			continue;
		best = h;
		best_ratio = ratio;
	}
	return best;
}

int theft_next_victim(const struct placement *s, int thief, int last)
{
	int best = PLACES_NONE;

	for (int i = 0; i < s->base->places.n; i++) {
		if (i == thief || i == last || !s->queues[i].count)
			continue;
		if (last != PLACES_NONE && (placement_backlog(s, i) > placement_backlog(s, last) ||
		                            (placement_backlog(s, i) == placement_backlog(s, last) && i < last)))
			continue;
		if (best == PLACES_NONE || placement_backlog(s, i) > placement_backlog(s, best))
			best = i;
	}
	return best;
}
