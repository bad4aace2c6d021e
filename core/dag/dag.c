/* core/dag/dag.c - the task graph: what has to be finished before what, and what each task costs where. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"

#include <stdlib.h>

#include "core/base/alloc.h"

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

int64_t dag_best_cost(const struct dag *d, uint32_t t, arch_mask archs)
{
	const struct dag_class *c = &d->classes[d->tasks[t].class_id];
	enum arch best = dag_class_best(c, archs);

	return best == ARCH_NONE ? -1 : c->cost_ns[best];
}

struct dag *dag_with_homes(const struct dag *d, const int32_t *home)
{
	struct arena *a = arena_create();
	struct dag *moved = arena_alloc(a, 1, sizeof(*moved));

	*moved = *d;
	moved->arena = a;
	moved->handle_home = arena_alloc(a, d->nhandles, sizeof(*home));
	for (uint32_t i = 0; i < d->nhandles; i++)
		moved->handle_home[i] = home[i];
	return moved;
}

void dag_free(struct dag *d)
{
	if (d)
		arena_free(d->arena); /* the struct itself lives in it */
}

static const char *check_lists(uint32_t n, const uint32_t *first, const uint32_t *lists, uint32_t nedges)
{
	if (first[0] != 0 || first[n] != nedges)
		return "an edge list does not cover all edges";
	for (uint32_t v = 0; v < n; v++) {
		if (first[v] > first[v + 1])
			return "an edge list ends before it begins";
		for (uint32_t i = first[v]; i < first[v + 1]; i++) {
			if (lists[i] >= n)
				return "an edge leads to no task";
			if (i > first[v] && lists[i] <= lists[i - 1])
				return "an edge list is not ascending";
		}
	}
	return NULL;
}

static const char *check_order(const struct dag *d)
{
	uint32_t *position = ht_alloc(d->ntasks, sizeof(*position));
	const char *broken = NULL;

	for (uint32_t i = 0; i < d->ntasks && !broken; i++) {
		if (d->order[i] >= d->ntasks || position[d->order[i]])
			broken = "the order is not a permutation of the tasks";
		else
			position[d->order[i]] = i + 1;
	}
	for (uint32_t v = 0; v < d->ntasks && !broken; v++) {
		for (uint32_t i = d->succ_first[v]; i < d->succ_first[v + 1]; i++) {
			uint32_t s = d->succ[i], k = d->pred_first[s];

			if (position[s] <= position[v])
				broken = "the order has a task before one of its predecessors";
			while (k < d->pred_first[s + 1] && d->pred[k] != v)
				k++;
			if (k == d->pred_first[s + 1])
				broken = "a successor does not know its predecessor";
		}
	}
	free(position);
	return broken;
}

static const char *check_tasks(const struct dag *d)
{
	uint32_t counted = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_task *t = &d->tasks[i];

		if (t->class_id >= d->nclasses)
			return "a task has no class";
		if (t->type != d->classes[t->class_id].codelet)
			return "a task's type is not its class's";
		if (t->first_access > d->naccesses || t->naccesses > d->naccesses - t->first_access)
			return "a task's accesses are out of range";
		if (t->submit_ns < 0)
			return "a task was submitted before the first one";
	}
	for (uint32_t c = 0; c < d->nclasses; c++) {
		if (d->classes[c].codelet >= d->ntypes)
			return "a class has no type";
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (d->classes[c].cost_ns[a] < -1)
				return "a cost is negative";
			if (d->classes[c].cost_ns[a] >= 0 && !(d->types[d->classes[c].codelet].where >> a & 1))
				return "a class has a cost where its type cannot run";
		}
		counted += d->classes[c].count;
	}
	return counted == d->ntasks ? NULL : "the counts of the classes do not add up to the tasks";
}

const char *dag_check(const struct dag *d)
{
	const char *broken = check_lists(d->ntasks, d->succ_first, d->succ, d->nedges);

	if (!broken)
		broken = check_lists(d->ntasks, d->pred_first, d->pred, d->nedges);
	if (!broken)
		broken = check_order(d);
	if (!broken)
		broken = check_tasks(d);
	for (uint32_t i = 0; i < d->naccesses && !broken; i++) {
		if (d->accesses[i].handle >= d->nhandles)
			broken = "an access is to no data";
	}
	return broken;
}
