/* sched/placement/owners.c - which memory data belongs to, where the graph grows while it is executed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/owners.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "sched/placement/plan.h"
#include "sched/policy.h"

struct owners {
	const struct policy_world *world;
	const struct placement_base *base;
	const struct placement_knobs *knobs;
	int *place;       /* per handle */
	uint64_t *number; /* of the data that it is the place of: its index may be given to other data */
	uint32_t nhandles;
	uint32_t nlive, nwithout; /* live tasks; those that write data without an owner, since the last cut */
	uint32_t ncut;            /* live tasks at the last cut */
	int is_part;              /* what was cut last was not whole */
	int is_planned;           /* the graph that is being submitted has a plan */
};

struct owners *owners_create(const struct policy_world *w, const struct placement_base *b,
                             const struct placement_knobs *k)
{
	struct owners *o = ht_alloc(1, sizeof(*o));

	o->world = w;
	o->base = b;
	o->knobs = k;
	return o;
}

void owners_free(struct owners *o)
{
	if (!o)
		return;
	free(o->place);
	free(o->number);
	free(o);
}

static uint64_t number_of(const struct owners *o, uint32_t handle)
{
	return o->world->data_number ? o->world->data_number(o->world->ctx, handle) : 0;
}

int owners_of(const struct owners *o, uint32_t handle)
{
	return handle < o->nhandles && o->number[handle] == number_of(o, handle) ? o->place[handle] : PLACES_NONE;
}

static void grow(struct owners *o, uint32_t nhandles)
{
	if (nhandles <= o->nhandles)
		return;
	o->place = ht_realloc(o->place, nhandles, sizeof(*o->place));
	o->number = ht_realloc(o->number, nhandles, sizeof(*o->number));
	for (uint32_t h = o->nhandles; h < nhandles; h++) {
		o->place[h] = PLACES_NONE;
		o->number[h] = 0;
	}
	o->nhandles = nhandles;
}

void owners_set(struct owners *o, uint32_t handle, int place)
{
	grow(o, o->world->dag->nhandles);
	o->place[handle] = place;
	o->number[handle] = number_of(o, handle);
}

int owners_added(struct owners *o, uint32_t task)
{
	uint32_t h = data_graph_written(o->world->dag, task);
	int before = h == DATA_GRAPH_NONE ? PLACES_NONE : owners_of(o, h);
	int worker;

	o->nlive++;
	if (h == DATA_GRAPH_NONE)
		return 0;
	worker = o->world->owner ? o->world->owner(o->world->ctx, h) : -1;
	o->is_planned = worker >= 0;
	if (worker < 0) {
		o->nwithout += before == PLACES_NONE;
		return 0;
	}
	owners_set(o, h, o->base->places.of[worker]);
	return before == PLACES_NONE;
}

void owners_plan_changed(struct owners *o)
{
	grow(o, o->world->dag->nhandles);
	for (uint32_t h = 0; h < o->nhandles; h++) {
		int worker = o->world->owner ? o->world->owner(o->world->ctx, h) : -1;

		if (worker >= 0)
			owners_set(o, h, o->base->places.of[worker]);
	}
}

void owners_done(struct owners *o)
{
	o->nlive -= o->nlive > 0;
}

int owners_are_due(struct owners *o, int is_whole)
{
	int is_without = o->nwithout >= OWNERS_FEWEST && o->nwithout > o->nlive / 2;
	int is_due = is_without || (o->nlive > OWNERS_FEWEST && o->nlive > 2 * o->ncut) || (is_whole && o->is_part);

	if (o->base->ndevices == 0 || o->is_planned || !is_due)
		return 0;
	o->is_part = !is_whole;
	o->nwithout = 0;
	o->ncut = o->nlive;
	return 1;
}

struct dag *owners_cut(struct owners *o, const uint32_t **task, int *fills_bus)
{
	struct placement_base b;
	struct placement_plan p;
	const uint32_t *handle;
	struct dag *d = o->world->part(o->world->ctx, task, &handle);
	int *place;

	/* A task that nobody here can run is another context's. */
	if (placement_base_init(&b, d, o->world->machine, o->world->copies_take_time, NULL) == 0) {
		place = ht_alloc(d->nhandles, sizeof(*place));
		for (uint32_t h = 0; h < d->nhandles; h++)
			place[h] = owners_of(o, handle[h]);
		placement_plan_init_again(&p, &b, o->knobs, place);
		*fills_bus = p.fills_bus;
		for (uint32_t h = 0; h < d->nhandles; h++)
			if (p.owner[h] != PLACES_NONE)
				owners_set(o, handle[h], p.owner[h]);
		placement_plan_fini(&p);
		placement_base_fini(&b);
		free(place);
	}
	return d;
}
