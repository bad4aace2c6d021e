/* core/dag/dag.c - the task graph: what has to be finished before what, and what each task costs where. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"

#include <math.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"

int dag_device(const struct dag *d, enum arch arch, int devid)
{
	for (uint32_t i = 0; i < d->ndevices; i++) {
		if (d->devices[i].arch == arch && d->devices[i].devid == devid)
			return (int)i;
	}
	return -1;
}

int64_t dag_class_least(const struct dag *d, uint32_t class_id, enum arch a)
{
	int64_t least = d->classes[class_id].cost_ns[a];

	for (uint32_t i = 0; i < d->ndevices; i++) {
		int64_t own = d->device_cost_ns[class_id * (size_t)d->ndevices + i];

		if (d->devices[i].arch == a && own >= 0 && own < least)
			least = own;
	}
	return least;
}

uint32_t *dag_data_classes(const struct dag *d)
{
	uint32_t *first = ht_alloc((size_t)d->nclasses + 1, sizeof(*first));
	struct idmap of = {0};

	for (uint32_t c = 0; c < d->nclasses; c++) {
		const struct dag_class *class = &d->classes[c];
		uint64_t key = (uint64_t) class->codelet << 32 | dag_class_data_footprint(class);

		first[c] = idmap_get(&of, key);
		if (first[c] != IDMAP_NONE)
			continue;
		first[c] = c;
		idmap_put(&of, key, c);
	}
	idmap_fini(&of);
	return first;
}

arch_mask dag_class_archs(const struct dag_class *c)
{
	arch_mask archs = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		archs |= (arch_mask)((c->cost_ns[a] >= 0) << a);
	return archs;
}

enum arch dag_class_best(const struct dag_class *c, arch_mask archs)
{
	enum arch best = ARCH_NONE;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(archs >> a & 1) || c->cost_ns[a] < 0)
			continue;
		if (best == ARCH_NONE || c->cost_ns[a] < c->cost_ns[best])
			best = (enum arch)a;
	}
	return best;
}

/* A graph that shares all that it has with `d`. */
static struct dag *share(const struct dag *d)
{
	struct arena *a = arena_create();
	struct dag *shared = arena_alloc(a, 1, sizeof(*shared));

	*shared = *d;
	shared->arena = a;
	return shared;
}

struct dag *dag_with_priorities(const struct dag *d, const int32_t *priority)
{
	struct dag *other = share(d);

	other->tasks = arena_alloc(other->arena, d->ntasks, sizeof(*d->tasks));
	for (uint32_t t = 0; t < d->ntasks; t++) {
		other->tasks[t] = d->tasks[t];
		other->tasks[t].priority = priority[t];
	}
	return other;
}

struct dag *dag_with_homes(const struct dag *d, const int32_t *home)
{
	struct dag *moved = share(d);

	moved->handle_home = arena_alloc(moved->arena, d->nhandles, sizeof(*home));
	for (uint32_t i = 0; i < d->nhandles; i++)
		moved->handle_home[i] = home[i];
	return moved;
}

struct dag *dag_with_drivers_of(const struct dag *d, const struct dag *other)
{
	struct dag *same = share(d);

	same->types = arena_alloc(same->arena, d->ntypes, sizeof(*d->types));
	for (uint32_t i = 0; i < d->ntypes; i++) {
		struct dag_type *t = &same->types[i];

		*t = d->types[i];
		for (uint32_t k = 0; k < other->ntypes; k++) {
			if (strcmp(t->name, other->types[k].name) != 0)
				continue;
			t->synchronous = other->types[k].synchronous;
			t->asynchronous = other->types[k].asynchronous;
		}
	}
	return same;
}

/* Of a time that is known. */
static void shorten(int64_t *ns, double by)
{
	if (*ns > 0)
		*ns = llround((double)*ns * by);
}

struct dag *dag_with_faster(const struct dag *d, uint32_t type, enum arch a, double by)
{
	size_t ncosts = (size_t)d->nclasses * d->ndevices;
	struct dag *other = share(d);

	other->classes = arena_alloc(other->arena, d->nclasses, sizeof(*d->classes));
	other->device_cost_ns = arena_alloc(other->arena, ncosts, sizeof(*d->device_cost_ns));
	for (size_t i = 0; i < ncosts; i++)
		other->device_cost_ns[i] = d->device_cost_ns[i];
	for (uint32_t c = 0; c < d->nclasses; c++) {
		other->classes[c] = d->classes[c];
		if (d->classes[c].codelet != type)
			continue;
		shorten(&other->classes[c].cost_ns[a], by);
		shorten(&other->classes[c].deviation_ns[a], by);
		shorten(&other->classes[c].model_ns[a], by);
		if (a == ARCH_CPU)
			other->classes[c].company_ns *= (float)by;
		for (uint32_t i = 0; i < d->ndevices; i++)
			if (d->devices[i].arch == a)
				shorten(&other->device_cost_ns[c * (size_t)d->ndevices + i], by);
	}
	return other;
}

void dag_free(struct dag *d)
{
	if (d)
		arena_free(d->arena); /* the struct itself lives in it */
}
