/* sched/placement/placement_state.h - what the policy placement knows while it is asked. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_PLACEMENT_STATE_H
#define SCHED_PLACEMENT_PLACEMENT_STATE_H

#include "core/dag/dag.h"
#include "sched/placement/class_groups.h"
#include "sched/placement/coming.h"
#include "sched/placement/place_queue.h"
#include "sched/placement/plan.h"
#include "sched/placement/plan_knobs.h"
#include "sched/placement/sent_ahead.h"
#include "sched/placement/task_copies.h"
#include "sched/placement/work_left.h"
#include "sched/policy.h"

struct owners;

enum { PLACEMENT_MOST_UNDECIDED = 64 };

struct placement {
	struct policy_world world;
	struct placement_knobs knobs;
	struct plan_knobs of_plans; /* where the graph grows */
	struct placement_base own_base;
	struct placement_plan own_plan;
	const struct placement_base *base;
	const struct placement_order *order;
	const int *owner, *place;   /* of the plan, as in struct placement_plan */
	int is_planned;             /* the whole graph, by the caller or a config */
	int fills_bus;              /* as in struct placement_plan, where nothing is planned */
	struct class_groups groups; /* those of the queues */
	struct owners *owners;      /* where the graph grows, in place of `owner` and `order`; else NULL */
	struct task_copies copies;
	struct coming coming;
	struct work_left left;
	double device_bytes;        /* the memory of all devices; 0: not known, or it does not matter */
	uint64_t data_bytes;        /* of the graph; where it grows the world knows */
	struct place_queue *queues; /* per place */
	int *asleep, *woken; /* per place: workers that got no task; of them those that were woken and have not asked */
	unsigned char *sleeps; /* per worker: enum sleep of placement.c */
	int64_t *queued_ns;    /* per task: its cost where it waits, as it was then; costs may change */
	size_t cap_queued;
	uint64_t puts;
	uint64_t changes;   /* of queues and costs */
	uint64_t *empty_at; /* per place: after how many of them its workers found no task; 0: they did not */
	struct sent_ahead sent;
	/* Where the graph grows: the first tasks that are live and have no plan, while several may fit. */
	uint32_t undecided[PLACEMENT_MOST_UNDECIDED];
	int nundecided;
};

/* The costs of a class that is new; where the graph grows, what a task of its class takes now. */
void placement_add_class(struct placement *s, uint32_t class_id);
void placement_look_at_class(struct placement *s, uint32_t task);

/* Those of the plan of its graph, or of the policy. */
static inline const struct placement_knobs *placement_knobs_of(const struct placement *s, uint32_t task)
{
	const struct placement_knobs *planned = plan_knobs_of(&s->of_plans, task);

	return planned ? planned : &s->knobs;
}

/* ns; -1: it cannot run there. */
static inline int64_t placement_cost(const struct placement *s, uint32_t task, int place)
{
	return places_cost(&s->base->places, s->world.dag->tasks[task].class_id, place);
}

/* Work that waits, for each worker of the place. */
static inline double placement_backlog(const struct placement *s, int place)
{
	return (double)s->queues[place].waiting_ns / s->base->places.place[place].nworkers;
}

static inline double placement_rank(const struct placement *s, uint32_t task)
{
	return s->owners ? s->world.rank_ns(s->world.ctx, task) : s->order->rank[task];
}

/* Of what waits in queues; 0: nothing does. */
static inline double placement_highest_rank(const struct placement *s)
{
	double highest = 0;

	for (int i = 0; i < s->base->places.n; i++) {
		const struct minmaxheap_item *first = place_queue_highest(&s->queues[i]);
		double rank = first ? placement_rank(s, first->task) : 0;

		highest = rank > highest ? rank : highest;
	}
	return highest;
}

/* By which queues are sorted. */
static inline double placement_score(const struct placement *s, uint32_t task)
{
	return s->owners ? placement_rank(s, task) : s->order->priority[task];
}

/* Microseconds of rank are enough to order copies by. */
static inline int32_t placement_priority_of(const struct placement *s, uint32_t task)
{
	double rank;

	if (!s->owners)
		return s->order->priority[task];
	rank = placement_rank(s, task) / 1000;
	return rank < INT32_MAX ? (int32_t)rank : INT32_MAX;
}

#endif
