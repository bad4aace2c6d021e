/* tests/lib/invariants.c - what always holds of the central structures. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/invariants.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/perfmodel/model_parts.h"
#include "core/trace/trace.h"
#include "generate/graph.h"

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
		if (dag_in_order(d, i) >= d->ntasks || position[dag_in_order(d, i)])
			broken = "the order is not a permutation of the tasks";
		else
			position[dag_in_order(d, i)] = i + 1;
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
		if (dag_type_of(d, i) >= d->ntypes)
			return "a task has no type";
		if (t->first_access > d->naccesses || t->naccesses > d->naccesses - t->first_access)
			return "a task's accesses are out of range";
		if (dag_submit_ns(d, i) < 0)
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

const char *graph_check(const struct graph *g)
{
	size_t counted = 0;

	if (g->nfirst != g->ntasks + 1 || g->access_first[g->ntasks] != g->naccesses)
		return "the accesses of the tasks are not those of the graph";
	for (size_t i = 0; i < g->naccesses; i++)
		if (g->accesses[i].handle >= g->nhandles)
			return "an access is to no data";
	if (g->pred_first[0] != 0 || g->pred_first[g->ntasks] != g->npreds)
		return "the dependencies of the tasks are not those of the graph";
	for (size_t t = 0; t < g->ntasks; t++) {
		if (g->task_type[t] >= g->ntypes)
			return "a task has no type";
		for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++) {
			if (g->pred[k] >= t)
				return "a task waits for one that was not submitted before it";
			if (k > g->pred_first[t] && g->pred[k] < g->pred[k - 1])
				return "the predecessors of a task are not ascending";
			if (g->depth[g->pred[k]] <= g->depth[t])
				return "a task is not deeper than its successor";
		}
	}
	for (size_t i = 0; i < g->ntypes; i++)
		counted += g->types[i].count;
	return counted == g->ntasks ? NULL : "the counts of the types do not add up to the tasks";
}

const char *model_check(const struct model *m)
{
	if (!m->symbol || !m->host)
		return "a model has no symbol or no host";
	if (m->version < 42 || m->version > 45)
		return "a model's version is not between 42 and 45";
	for (size_t i = 0; i < m->nentries; i++) {
		const struct model_entry *e = &m->entries[i];

		if (e->arch < 0 || e->arch >= ARCH_COUNT)
			return "a row has no architecture";
		if (e->impl >= MODEL_MAX_IMPLS || e->samples == 0 || e->size_bytes < 0)
			return "a row has no samples, a negative size or an implementation above 63";
		if (!isfinite(e->mean_us) || e->mean_us < 0 || !isfinite(e->deviation_us) || e->deviation_us < 0)
			return "a row's mean or deviation is negative or not finite";
		if (!isfinite(e->flops) || e->flops < 0)
			return "a row's flops are negative or not finite";
		if (i && (e[-1].arch > e->arch || (e[-1].arch == e->arch && e[-1].footprint > e->footprint)))
			return "the rows are not in the order of architecture and footprint";
	}
	return NULL;
}

const char *timeline_check(const struct timeline *tl)
{
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);

		if (k.push_ns < 0 || k.push_ns > k.pop_ns || k.pop_ns > k.start_ns || k.start_ns > k.end_ns)
			return "the times of a task are not in order";
		if (k.end_ns > tl->span_ns || k.start_ns < tl->first_ns)
			return "a task lies outside the run";
		if (k.type >= tl->ntypes)
			return "a task has a type that is not in the trace";
		if (k.worker < 0 || (size_t)k.worker >= tl->trace->nworkers)
			return "a task has a worker that is not in the trace";
	}
	return NULL;
}
