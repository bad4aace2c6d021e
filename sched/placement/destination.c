/* sched/placement/destination.c - whose queue a task goes to: that of the owner of what it writes, or the CPUs'. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A task goes to the queue of the device that owns what it writes, unless the CPUs are not much slower, and that device
 * has other work:
 *
 *   cost(t, CPU) < q cost(t, owner)   and
 *   B(CPUs) + C(t, CPUs) + cost(t, CPU) < b A(owner) + C(t, owner) + cost(t, owner) + s (R - rank(t))
 *   B(place)    = sum of cost(t, place) over the tasks in its queue / workers there
 *   A(owner)    = B(owner), or, where R >= W, the share of that which comes before t, as if ranks were spread evenly;
 *                 with waiting=all always B(owner)
 *   W           = what the devices take for all that is left, if they share it (work_left.h)
 *   C(t, place) = what copies delay t there, if they take long for what t takes: twice their own time, and what is left
 *                 of those for tasks that went there before, when B(place) is executed (coming.h)
 *   R           = the highest upward rank of the tasks in queues, or that of t
 *
 * So CPUs get the tasks that lose least by it, as many as they can do while devices do the others. R - rank(t) is what
 * t may be late by without any path through it being longer than what is left of the longest one: what is not urgent
 * may wait for CPUs. While work is what ends last, a device that is spared a task does another one, so all that waits
 * counts. While a path is, the owner would execute an urgent task next, however much waits behind it.
 */
#include "sched/placement/destination.h"

#include <math.h>

#include "sched/placement/owners.h"
#include "sched/placement/placement_state.h"

/* The device that could run it first, if all began with what waits. PLACES_NONE: none can. */
static int earliest_device(const struct placement *s, uint32_t task)
{
	int best = PLACES_NONE;
	double best_end = INFINITY;

	for (int i = 0; i < s->base->ndevices; i++) {
		int place = s->base->device[i];
		int64_t cost = placement_cost(s, task, place);
		double end = placement_backlog(s, place) + (double)cost;

		if (cost >= 0 && end < best_end) {
			best = place;
			best_end = end;
		}
	}
	return best;
}

/* A task that writes nothing goes to the owner of the largest that it reads. */
static int owner_of(struct placement *s, uint32_t task)
{
	uint32_t h = data_graph_written(s->world.dag, task);
	int place;

	if (h == DATA_GRAPH_NONE)
		h = data_graph_read(s->world.dag, task);
	place = h == DATA_GRAPH_NONE ? PLACES_NONE : s->owners ? owners_of(s->owners, h) : s->owner[h];
	if (place != PLACES_NONE && placement_cost(s, task, place) >= 0)
		return place;
	place = earliest_device(s, task);
	if (s->owners && h != DATA_GRAPH_NONE)
		owners_set(s->owners, h, place);
	return place;
}

/* By the plan. PLACES_NONE: it says nothing of it. */
static int planned_place(const struct placement *s, uint32_t task)
{
	int worker;

	if (!s->owners)
		return s->place ? s->place[task] : PLACES_NONE;
	worker = s->world.planned_worker ? s->world.planned_worker(s->world.ctx, task) : -1;
	return worker < 0 ? PLACES_NONE : s->base->places.of[worker];
}

/* Of the work that waits there, the share before the task, if scores are spread evenly. Among equals it is the last. */
static double backlog_before(const struct placement *s, uint32_t task, int place)
{
	const struct minmaxheap_item *first = place_queue_highest(&s->queues[place]);
	double score = placement_score(s, task), above = first ? first->score - score : -1, span;

	if (above < 0)
		return 0;
	span = first->score - fmin(place_queue_lowest_score(&s->queues[place]), score);
	return placement_backlog(s, place) * (span > 0 ? above / span : 1);
}

/* Whether the CPUs take it from the device `owner`; where nothing waits, or with what waits now. */
static int cpus_take(const struct placement *s, uint32_t task, int owner, int waits)
{
	const struct placement_knobs *k = placement_knobs_of(s, task);
	int cpus = s->base->places.cpus;
	double here = cpus == PLACES_NONE ? -1 : (double)placement_cost(s, task, cpus);
	double there = (double)placement_cost(s, task, owner), highest;

	if (here < 0 || here >= k->q * there)
		return 0;
	if (!waits)
		return here < there;
	highest = fmax(placement_rank(s, task), placement_highest_rank(s));
	here += placement_backlog(s, cpus) + coming_delay_ns(s, task, cpus);
	there += coming_delay_ns(s, task, owner) + k->s * (highest - placement_rank(s, task));
	if (k->waiting == PLACEMENT_WAITING_BEFORE && work_left_is_narrow(s, highest))
		there += k->b * backlog_before(s, task, owner);
	else
		there += k->b * placement_backlog(s, owner);
	return here < there;
}

int destination_of(struct placement *s, uint32_t task, int waits)
{
	int place = planned_place(s, task);

	if (place != PLACES_NONE && placement_cost(s, task, place) >= 0)
		return place;
	place = owner_of(s, task);
	return place == PLACES_NONE || cpus_take(s, task, place, waits) ? s->base->places.cpus : place;
}
