/* sched/placement/task_copies.c - what it takes to have the data of a task where it is to be executed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/task_copies.h"

#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "sched/placement/plan.h"
#include "sched/policy.h"

/* Of the cost of a task; how often their time counts. */
static const double LONG = 1.0 / 16, COUNTED = 2;

void task_copies_init(struct task_copies *c, const struct policy_world *w, const struct placement_base *b)
{
	c->world = w;
	c->base = b;
	transfer_costs_init(&c->costs, w->machine, 1);
}

void task_copies_fini(struct task_copies *c)
{
	transfer_costs_fini(&c->costs);
}

static int node_of(const struct task_copies *c, int place)
{
	return c->base->places.place[place].node;
}

double task_copies_all_ns(const struct task_copies *c, uint32_t task, int place)
{
	const struct dag *d = c->world->dag;
	const struct dag_task *t = &d->tasks[task];
	double sum = 0;

	for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++)
		if (d->accesses[a].mode & ACCESS_R)
			sum += transfer_cost_ns(&c->costs, 0, node_of(c, place),
			                        (double)d->handle_bytes[d->accesses[a].handle]);
	return sum;
}

int task_copies_are_long(const struct task_copies *c, uint32_t task)
{
	const struct places *p = &c->base->places;
	uint32_t class_id = c->world->dag->tasks[task].class_id;
	int64_t cost = p->cpus == PLACES_NONE ? -1 : places_cost(p, class_id, p->cpus);
	int device;

	if (!c->world->copies_take_time || !c->base->ndevices)
		return 0;
	device = c->base->device[0];
	if (cost < 0)
		cost = places_cost(p, class_id, device);
	return cost >= 0 && task_copies_all_ns(c, task, device) > LONG * (double)cost;
}

double task_copies_ns(const struct task_copies *c, uint32_t task, int place)
{
	const struct policy_world *w = c->world;

	if (!w->transfer_ns || !task_copies_are_long(c, task))
		return 0;
	return (double)w->transfer_ns(w->ctx, task, c->base->places.place[place].worker);
}

double task_copies_delay_ns(const struct task_copies *c, uint32_t task, int place)
{
	return COUNTED * task_copies_ns(c, task, place);
}

uint64_t task_copies_lacking(const struct task_copies *c, uint32_t task, int place, int or_coming)
{
	const struct dag *d = c->world->dag;
	const struct dag_task *t = &d->tasks[task];
	uint64_t lacking = 0;

	for (uint32_t a = t->first_access; c->world->where && a < t->first_access + t->naccesses; a++) {
		const struct data_access *x = &d->accesses[a];
		uint64_t valid, coming;

		if (!(x->mode & ACCESS_R) || x->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX))
			continue;
		c->world->where(c->world->ctx, x->handle, &valid, &coming);
		if (valid && !((valid | (or_coming ? coming : 0)) >> node_of(c, place) & 1))
			lacking += d->handle_bytes[x->handle];
	}
	return lacking;
}
