/* core/metrics/rank.c - how far each task is from the ends of the graph: ranks, earliest and latest starts. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/rank.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/dag/data_flow.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"

static uint32_t in_order(const struct rank_graph *g, uint32_t i)
{
	return g->order ? g->order[i] : i;
}

void rank_upward(const struct rank_graph *g, double *rank)
{
	double *sent = ht_alloc(g->nsends ? (size_t)g->n : 0, sizeof(*sent)), highest = 0;
	uint32_t s = g->nsends;

	for (uint32_t i = g->n; i-- > 0;) {
		uint32_t t = in_order(g, i);
		double longest;

		for (; s && g->sends[s - 1].before > i; s--)
			sent[g->sends[s - 1].task] = fmax(sent[g->sends[s - 1].task], highest);
		longest = g->nsends ? sent[t] : 0;
		for (uint32_t e = g->succ_first[t]; e < g->succ_first[t + 1]; e++)
			longest = fmax(longest, rank[g->succ[e]] + (g->transfer_ns ? g->transfer_ns[e] : 0));
		rank[t] = g->length_ns[t] + longest;
		highest = fmax(highest, rank[t]);
	}
	free(sent);
}

void rank_downward(const struct rank_graph *g, double *rank)
{
	for (uint32_t i = 0; i < g->n; i++)
		rank[i] = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t t = in_order(g, i);
		double end = rank[t] + g->length_ns[t];

		for (uint32_t e = g->succ_first[t]; e < g->succ_first[t + 1]; e++) {
			uint32_t s = g->succ[e];

			rank[s] = fmax(rank[s], end + (g->transfer_ns ? g->transfer_ns[e] : 0));
		}
	}
}

double *rank_class_lengths(const struct dag *d, const struct machine *m)
{
	double *length = ht_alloc(d->nclasses, sizeof(*length));
	struct worker_kinds kinds;

	worker_kinds_init(&kinds, d, m);
	for (uint32_t c = 0; c < d->nclasses; c++) {
		double sum = 0;
		int count = 0;

		for (int i = 0; i < kinds.n; i++) {
			int64_t cost = worker_kind_class_cost(&kinds.kind[i], d, c);

			if (cost < 0)
				continue;
			sum += (double)cost * kinds.kind[i].nworkers;
			count += kinds.kind[i].nworkers;
		}
		length[c] = count ? sum / count : NAN;
	}
	worker_kinds_fini(&kinds);
	return length;
}

static int nobody_runs(const struct dag *d, uint32_t task, struct ht_err *err)
{
	return ht_err_set(err, "no worker of the machine can run task %u (%s)", (unsigned)task,
	                  d->types[dag_type_of(d, task)].name);
}

int ranks_init(struct ranks *r, const struct dag *d, const struct machine *m, struct ht_err *err)
{
	struct transfer_costs routes;
	struct data_flow flow;
	struct rank_graph g = {.n = d->ntasks, .order = d->order, .succ_first = d->succ_first, .succ = d->succ};
	double *of_class = rank_class_lengths(d, m);

	*r = (struct ranks){.length_ns = ht_alloc(d->ntasks, sizeof(*r->length_ns))};
	for (uint32_t t = 0; t < d->ntasks; t++) {
		r->length_ns[t] = of_class[d->tasks[t].class_id];
		if (isnan(r->length_ns[t])) {
			free(of_class);
			ranks_fini(r);
			return nobody_runs(d, t, err);
		}
	}
	free(of_class);
	transfer_costs_init(&routes, m, 1);
	data_flow_init(&flow, d);
	r->transfer_ns = ht_alloc(d->nedges, sizeof(*r->transfer_ns));
	for (uint32_t e = 0; e < d->nedges; e++)
		r->transfer_ns[e] = flow.pieces[e] * routes.mean_latency_ns +
		                    (double)flow.bytes[e] * routes.mean_ns_per_byte;
	data_flow_fini(&flow);
	transfer_costs_fini(&routes);
	r->upward_ns = ht_alloc(d->ntasks, sizeof(*r->upward_ns));
	r->downward_ns = ht_alloc(d->ntasks, sizeof(*r->downward_ns));
	g.length_ns = r->length_ns;
	g.transfer_ns = r->transfer_ns;
	rank_upward(&g, r->upward_ns);
	rank_downward(&g, r->downward_ns);
	return 0;
}

void ranks_fini(struct ranks *r)
{
	free(r->length_ns);
	free(r->transfer_ns);
	free(r->upward_ns);
	free(r->downward_ns);
}

int32_t rank_priority(double upward_ns)
{
	double us = upward_ns / 1e3;

	return us < INT32_MAX ? (int32_t)us : INT32_MAX;
}

/* Per class: what it takes on the fastest kind; -1: none can run it. */
static int64_t *best_costs(const struct dag *d, const struct worker_kinds *k)
{
	int64_t *cost = ht_alloc(d->nclasses, sizeof(*cost));

	for (uint32_t c = 0; c < d->nclasses; c++) {
		int best = worker_kinds_class_best(k, d, c);

		cost[c] = best < 0 ? -1 : worker_kind_class_cost(&k->kind[best], d, c);
	}
	return cost;
}

/* Per task; those of the tasks of one rank where `d` is its part. NULL: as ranks_init(). */
static int32_t *rank_priorities(const struct dag *d, const struct machine *m, struct ht_err *err)
{
	struct rank_graph g = {d->ntasks, d->order, d->succ_first, d->succ, NULL, NULL, d->sends, d->nsends};
	struct worker_kinds kinds;
	struct ranks r;
	int32_t *priority;
	int64_t *least;

	if (ranks_init(&r, d, m, err) != 0)
		return NULL;
	worker_kinds_init(&kinds, d, m);
	least = best_costs(d, &kinds);
	for (uint32_t t = 0; t < d->ntasks; t++)
		r.length_ns[t] = sqrt(r.length_ns[t] * (double)least[d->tasks[t].class_id]);
	g.length_ns = r.length_ns;
	g.transfer_ns = r.transfer_ns;
	rank_upward(&g, r.upward_ns);
	priority = ht_alloc((size_t)d->ntasks + 1, sizeof(*priority));
	for (uint32_t t = 0; t < d->ntasks; t++)
		priority[t] = rank_priority(r.upward_ns[t]);
	free(least);
	worker_kinds_fini(&kinds);
	ranks_fini(&r);
	return priority;
}

/* Puts those of one rank among those of all. -1: as ranks_init(). */
static int rank_alone(const struct dag *d, const struct machine *m, int rank, int32_t *priority, struct ht_err *err)
{
	uint32_t *place = ht_alloc(d->ntasks, sizeof(*place));
	struct dag *part = dag_of_rank(d, rank, place);
	int32_t *own = rank_priorities(part, m, err);

	for (uint32_t t = 0; own && t < d->ntasks; t++)
		if (d->tasks[t].rank == rank)
			priority[t] = own[place[t]];
	dag_free(part);
	free(place);
	free(own);
	return own ? 0 : -1;
}

struct dag *rank_dag(const struct dag *d, const struct machine *m, enum rank_scope scope, struct ht_err *err)
{
	struct dag *ranked = NULL;
	int32_t *priority;

	if (d->nranks <= 1 || scope == RANKS_TOGETHER) {
		priority = rank_priorities(d, m, err);
	} else {
		priority = ht_alloc(d->ntasks, sizeof(*priority));
		for (int i = 0; i < d->nranks && priority; i++)
			if (rank_alone(d, m, i, priority, err) != 0) {
				free(priority);
				priority = NULL;
			}
	}
	if (priority)
		ranked = dag_with_priorities(d, priority);
	free(priority);
	return ranked;
}

static void find_start_times(struct start_times *s, const struct dag *d, const int64_t *cost)
{
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);
		int64_t end = s->earliest_ns[t] + cost[d->tasks[t].class_id];

		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			if (s->earliest_ns[d->succ[e]] < end)
				s->earliest_ns[d->succ[e]] = end;
		}
		s->length_ns = end > s->length_ns ? end : s->length_ns;
	}
	for (uint32_t i = d->ntasks; i-- > 0;) {
		uint32_t t = dag_in_order(d, i);
		int64_t end = s->length_ns;

		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
			end = s->latest_ns[d->succ[e]] < end ? s->latest_ns[d->succ[e]] : end;
		s->latest_ns[t] = end - cost[d->tasks[t].class_id];
	}
}

int start_times_init(struct start_times *s, const struct dag *d, const struct worker_kinds *k, struct ht_err *err)
{
	int64_t *cost = best_costs(d, k);

	for (uint32_t t = 0; t < d->ntasks; t++) {
		if (cost[d->tasks[t].class_id] >= 0)
			continue;
		free(cost);
		return nobody_runs(d, t, err);
	}
	*s = (struct start_times){.earliest_ns = ht_alloc(d->ntasks, sizeof(*s->earliest_ns))};
	s->latest_ns = ht_alloc(d->ntasks, sizeof(*s->latest_ns));
	find_start_times(s, d, cost);
	free(cost);
	return 0;
}

void start_times_fini(struct start_times *s)
{
	free(s->earliest_ns);
	free(s->latest_ns);
}
