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
	int *place; /* per handle */
	uint32_t nhandles;
	uint32_t nlive, nwithout; /* live tasks; those that write data without an owner, since the last cut */
	uint32_t ncut;            /* live tasks at the last cut */
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
	free(o);
}

int owners_of(const struct owners *o, uint32_t handle)
{
	return handle < o->nhandles ? o->place[handle] : PLACES_NONE;
}

static void grow(struct owners *o, uint32_t nhandles)
{
	if (nhandles <= o->nhandles)
		return;
	o->place = ht_realloc(o->place, nhandles, sizeof(*o->place));
	for (uint32_t h = o->nhandles; h < nhandles; h++)
		o->place[h] = PLACES_NONE;
	o->nhandles = nhandles;
}

void owners_set(struct owners *o, uint32_t handle, int place)
{
	grow(o, o->world->dag->nhandles);
	o->place[handle] = place;
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

int owners_is_planned(const struct owners *o)
{
	return o->is_planned;
}

void owners_done(struct owners *o)
{
	o->nlive -= o->nlive > 0;
}

/*
 * on[i]: the device that gets what the plan gives to device i, of those of its speed the one that owns most of it
 * already, the largest first.
 */
static void give_again(const struct owners *o, const struct placement_base *b, const int *planned, int *on)
{
	size_t n = (size_t)b->ndevices;
	double *owned = ht_alloc(n * n + 1, sizeof(*owned));
	uint8_t *is_given = ht_alloc(n + 1, 1), *has = ht_alloc(n + 1, 1);
	int *device_at = ht_alloc((size_t)b->places.n + 1, sizeof(*device_at));

	for (size_t i = 0; i < n; i++)
		device_at[b->device[i]] = (int)i;
	for (uint32_t h = 0; h < o->nhandles && h < b->dag->nhandles; h++) {
		if (planned[h] == PLACES_NONE || o->place[h] == PLACES_NONE || o->place[h] == b->places.cpus)
			continue;
		owned[(size_t)device_at[planned[h]] * n + (size_t)device_at[o->place[h]]] +=
			(double)b->dag->handle_bytes[h];
	}
	for (size_t k = 0; k < n; k++) {
		size_t from = n, to = n;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				if (!is_given[i] && !has[j] && b->share[i] == b->share[j] &&
				    (from == n || owned[i * n + j] > owned[from * n + to] ||
				     (i == j && owned[i * n + j] == owned[from * n + to] && from != to))) {
					from = i;
					to = j;
				}
		on[b->device[from]] = b->device[to];
		is_given[from] = has[to] = 1;
	}
	free(owned);
	free(is_given);
	free(has);
	free(device_at);
}

static void take_plan(struct owners *o, const struct placement_base *b, const struct placement_plan *p)
{
	int *on = ht_alloc((size_t)b->places.n + 1, sizeof(*on));

	give_again(o, b, p->owner, on);
	grow(o, b->dag->nhandles);
	for (uint32_t h = 0; h < b->dag->nhandles; h++)
		if (p->owner[h] != PLACES_NONE)
			o->place[h] = on[p->owner[h]];
	free(on);
}

struct dag *owners_plan(struct owners *o)
{
	struct placement_base b;
	struct placement_plan p;
	struct dag *d;
	int is_without = o->nwithout >= OWNERS_FEWEST && o->nwithout > o->nlive / 2;

	if (o->base->ndevices == 0 || o->is_planned ||
	    (!is_without && (o->nlive <= OWNERS_FEWEST || o->nlive <= 2 * o->ncut)))
		return NULL;
	o->nwithout = 0;
	o->ncut = o->nlive;
	d = o->world->snapshot(o->world->ctx);
	/* A task that nobody here can run is another context's. */
	if (placement_base_init(&b, d, o->world->machine, o->world->copies_take_time, NULL) == 0) {
		placement_plan_init(&p, &b, o->knobs);
		take_plan(o, &b, &p);
		placement_plan_fini(&p);
		placement_base_fini(&b);
	}
	return d;
}
