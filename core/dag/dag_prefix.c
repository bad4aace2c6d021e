/* core/dag/dag_prefix.c - the beginning of a task graph, as a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/csr.h"
#include "core/dag/dag.h"

#define OUTSIDE UINT32_MAX

/* Old to new index. */
static uint32_t *renumber(const struct dag *d, uint32_t n)
{
	uint32_t *place = ht_alloc(d->ntasks, sizeof(*place)), next = 0;

	for (uint32_t i = 0; i < n; i++)
		place[d->order[i]] = 1;
	for (uint32_t t = 0; t < d->ntasks; t++)
		place[t] = place[t] ? next++ : OUTSIDE;
	return place;
}

/* Kinds and classes stay where they were, with the numbers of tasks that are left. */
static void count(struct dag *part, const struct dag *d)
{
	part->types = arena_alloc(part->arena, d->ntypes, sizeof(*part->types));
	memcpy(part->types, d->types, d->ntypes * sizeof(*part->types));
	part->classes = arena_alloc(part->arena, d->nclasses, sizeof(*part->classes));
	memcpy(part->classes, d->classes, d->nclasses * sizeof(*part->classes));
	for (uint32_t i = 0; i < d->ntypes; i++)
		part->types[i].count = 0;
	for (uint32_t i = 0; i < d->nclasses; i++)
		part->classes[i].count = 0;
	for (uint32_t t = 0; t < part->ntasks; t++) {
		part->types[part->tasks[t].type].count++;
		part->classes[part->tasks[t].class_id].count++;
	}
}

static void copy_edges(struct dag *part, const struct dag *d, const uint32_t *place)
{
	uint32_t *from = NULL, *to = NULL;
	size_t n = 0, capfrom = 0, nto = 0, capto = 0;
	struct csr g;

	for (uint32_t t = 0; t < d->ntasks; t++)
		for (uint32_t i = d->succ_first[t]; place[t] != OUTSIDE && i < d->succ_first[t + 1]; i++)
			for (uint32_t k = 0; place[d->succ[i]] != OUTSIDE && k < dag_times(d->succ_times, i); k++) {
				*VEC_PUSH(from, n, capfrom) = place[t];
				*VEC_PUSH(to, nto, capto) = place[d->succ[i]];
			}
	csr_build(&g, part->arena, part->ntasks, from, to, n);
	part->nedges = g.nedges;
	part->succ_first = g.succ_first;
	part->succ = g.succ;
	part->pred_first = g.pred_first;
	part->pred = g.pred;
	part->succ_times = g.succ_times;
	part->pred_times = g.pred_times;
	free(from);
	free(to);
}

struct dag *dag_prefix(const struct dag *d, uint32_t n)
{
	struct arena *a = arena_create();
	struct dag *part = arena_alloc(a, 1, sizeof(*part));
	uint32_t *place;

	*part = *d;
	part->arena = a;
	part->ntasks = n < d->ntasks ? n : d->ntasks;
	place = renumber(d, part->ntasks);
	part->tasks = arena_alloc(part->arena, part->ntasks, sizeof(*part->tasks));
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (place[t] != OUTSIDE)
			part->tasks[place[t]] = d->tasks[t];
	part->order = arena_alloc(part->arena, part->ntasks, sizeof(*part->order));
	for (uint32_t i = 0; i < part->ntasks; i++)
		part->order[i] = place[d->order[i]];
	count(part, d);
	copy_edges(part, d, place);
	free(place);
	return part;
}
