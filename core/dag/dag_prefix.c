/* core/dag/dag_prefix.c - a part of a task graph, as a graph: its beginning, or what one MPI rank executes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/csr.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"

#define OUTSIDE UINT32_MAX

/* Old to new index. */
static uint32_t *renumber(const struct dag *d, uint32_t n)
{
	uint32_t *place = ht_alloc(d->ntasks, sizeof(*place)), next = 0;

	for (uint32_t i = 0; i < n; i++)
		place[dag_in_order(d, i)] = 1;
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
		part->types[dag_type_of(part, t)].count++;
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

/* The tasks that have a place. */
static struct dag *part_of(const struct dag *d, const uint32_t *place, uint32_t ntasks)
{
	struct arena *a = arena_create();
	struct dag *part = arena_alloc(a, 1, sizeof(*part));
	uint32_t n = 0;

	*part = *d;
	part->arena = a;
	part->ntasks = ntasks;
	part->nwaits = 0;
	part->tasks = arena_alloc(part->arena, part->ntasks, sizeof(*part->tasks));
	if (d->submit_ns)
		part->submit_ns = arena_alloc(part->arena, part->ntasks, sizeof(*part->submit_ns));
	for (uint32_t t = 0; t < d->ntasks; t++) {
		if (place[t] == OUTSIDE)
			continue;
		part->tasks[place[t]] = d->tasks[t];
		if (d->submit_ns)
			part->submit_ns[place[t]] = d->submit_ns[t];
	}
	part->order = arena_alloc(part->arena, part->ntasks, sizeof(*part->order));
	for (uint32_t i = 0; i < d->ntasks; i++)
		if (place[dag_in_order(d, i)] != OUTSIDE)
			part->order[n++] = place[dag_in_order(d, i)];
	count(part, d);
	copy_edges(part, d, place);
	return part;
}

/* Marks the points that wait for a task that is left out, for a point that does, or for a message from one. */
static unsigned char *find_cut_points(const struct dag *d, const uint32_t *place)
{
	const struct dag_messages *m = d->messages;
	unsigned char *cut = ht_alloc(m->npoints, 1);

	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t p = 0; p < m->npoints; p++) {
			uint32_t v = d->ntasks + p;

			for (uint32_t i = m->before.pred_first[v]; !cut[p] && i < m->before.pred_first[v + 1]; i++) {
				uint32_t pred = m->before.pred[i];

				cut[p] = pred < d->ntasks ? place[pred] == OUTSIDE : cut[pred - d->ntasks];
				changed |= cut[p];
			}
		}
		for (uint32_t i = 0; i < m->nmessages; i++) {
			if (!cut[m->messages[i].send] || cut[m->messages[i].arrival])
				continue;
			cut[m->messages[i].arrival] = 1;
			changed = 1;
		}
	}
	return cut;
}

/* Points keep their numbers; those that are cut have neither edges nor messages. */
static void cut_messages(struct dag *part, const struct dag *d, const uint32_t *place)
{
	const struct dag_messages *m = d->messages;
	struct dag_messages *made = arena_alloc(part->arena, 1, sizeof(*made));
	unsigned char *cut = find_cut_points(d, place);
	uint32_t *from = ht_alloc(m->before.nedges, sizeof(*from)), *to = ht_alloc(m->before.nedges, sizeof(*to)),
		 n = 0;

	*made = *m;
	made->messages = arena_alloc(part->arena, m->nmessages, sizeof(*made->messages));
	made->nmessages = 0;
	for (uint32_t i = 0; i < m->nmessages; i++)
		if (!cut[m->messages[i].send] && !cut[m->messages[i].arrival])
			made->messages[made->nmessages++] = m->messages[i];
	for (uint32_t v = 0; v < m->before.n; v++)
		for (uint32_t i = m->before.succ_first[v]; i < m->before.succ_first[v + 1]; i++) {
			uint32_t ends[2] = {v, m->before.succ[i]};
			int stays = 1;

			for (int k = 0; k < 2 && stays; k++) {
				stays = ends[k] < d->ntasks ? place[ends[k]] != OUTSIDE : !cut[ends[k] - d->ntasks];
				ends[k] = ends[k] < d->ntasks ? place[ends[k]] : ends[k] - d->ntasks + part->ntasks;
			}
			if (!stays)
				continue;
			from[n] = ends[0];
			to[n++] = ends[1];
		}
	csr_build(&made->before, part->arena, part->ntasks + made->npoints, from, to, n);
	part->messages = made;
	free(cut);
	free(from);
	free(to);
}

struct dag *dag_prefix(const struct dag *d, uint32_t n)
{
	uint32_t ntasks = n < d->ntasks ? n : d->ntasks, *place = renumber(d, ntasks);
	struct dag *part = part_of(d, place, ntasks);

	if (d->messages)
		cut_messages(part, d, place);
	free(place);
	return part;
}

/* The points of a rank that messages leave from, by submission; how many. */
static uint32_t find_sending(const struct dag_messages *m, int rank, uint32_t *sending)
{
	unsigned char *is_sending = ht_alloc((size_t)m->npoints + 1, 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nmessages; i++)
		is_sending[m->messages[i].send] = 1;
	for (uint32_t p = 0; p < m->npoints; p++)
		if (is_sending[p] && m->points[p].rank == rank)
			sending[n++] = p;
	free(is_sending);
	if (n)
		qsort_r(sending, n, sizeof(*sending), dag_points_by_submission, m->points);
	return n;
}

/* What the tasks of the part that are directly before such points have written. */
static void find_sends(struct dag *part, const struct dag *d, int rank, const uint32_t *place)
{
	const struct dag_messages *m = d->messages;
	const uint32_t *first = m->before.pred_first + d->ntasks;
	uint32_t *sending = ht_alloc((size_t)m->npoints + 1, sizeof(*sending)), before = 0;
	const uint32_t npoints = find_sending(m, rank, sending);
	size_t most = 0;

	for (uint32_t k = 0; k < npoints; k++)
		most += first[sending[k] + 1] - first[sending[k]];
	part->sends = arena_alloc(part->arena, most, sizeof(*part->sends));
	for (uint32_t k = 0; k < npoints; k++) {
		uint32_t p = sending[k];

		while (before < part->ntasks &&
		       dag_submit_ns(part, dag_in_order(part, before)) < m->points[p].submit_ns)
			before++;
		for (uint32_t i = first[p]; i < first[p + 1]; i++)
			if (m->before.pred[i] < d->ntasks)
				part->sends[part->nsends++] = (struct dag_send){place[m->before.pred[i]], before};
	}
	free(sending);
}

struct dag *dag_of_rank(const struct dag *d, int rank, uint32_t *place)
{
	struct dag *part;
	uint32_t n = 0;

	for (uint32_t t = 0; t < d->ntasks; t++)
		place[t] = d->tasks[t].rank == rank ? n++ : OUTSIDE;
	part = part_of(d, place, n);
	if (d->messages)
		find_sends(part, d, rank, place);
	part->invalidated = d->invalidated;
	part->ninvalidated = d->ninvalidated;
	part->nranks = 1;
	part->messages = NULL;
	return part;
}
