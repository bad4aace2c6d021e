/* sched/static/heft.c - HEFT: by decreasing upward rank, each on the worker that ends it first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for heterogeneous computing", IEEE
 * TPDS 13(3), 2002, section 4.1, on the whole graph before it runs:
 *
 *   up(t) = w(t) + max over successors s of (c(t,s) + up(s))       w, c: means over workers and nodes (rank.h)
 *
 * Tasks are taken by decreasing up(t), which is a topological order, among equal ones in the graph's. Each goes to the
 * worker that ends it first, copies and insertion into idle intervals included (planner.h). The schedule is then
 * followed: worker and order stay, times are those that come.
 */
#include "sched/static/heft.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"
#include "core/metrics/rank.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "sched/static/clusters.h"
#include "sched/static/planner.h"
#include "sched/static/schedule.h"

/* Mean over the workers that can run all of the cluster; 0 where none can, which heft_plan() reports. */
static double *cluster_lengths(const struct policy_world *w, const struct clusters *c)
{
	double *length = ht_alloc(c->n, sizeof(*length));
	struct worker_kinds kinds;

	worker_kinds_init(&kinds, w->dag, w->machine);
	for (uint32_t i = 0; i < c->n; i++) {
		double all = 0;
		int count = 0;

		for (int k = 0; k < kinds.n; k++) {
			double sum = 0;

			for (uint32_t t = c->first[i]; t < c->first[i + 1] && sum >= 0; t++) {
				int64_t cost = worker_kind_cost(&kinds.kind[k], w->dag, c->tasks[t]);

				sum = cost < 0 ? -1 : sum + (double)cost;
			}
			if (sum < 0)
				continue;
			all += sum * kinds.kind[k].nworkers;
			count += kinds.kind[k].nworkers;
		}
		length[i] = count ? all / count : 0;
	}
	worker_kinds_fini(&kinds);
	return length;
}

/* Upward ranks of the clusters, and their topological order. */
static int rank_clusters(const struct policy_world *w, const struct clusters *c, double *rank, uint32_t *order,
                         struct ht_err *err)
{
	struct cluster_graph g;
	struct rank_graph ranked;
	struct transfer_costs routes;
	double *length, *transfer;

	cluster_graph_init(&g, w->dag, c);
	if (!g.order) {
		cluster_graph_fini(&g);
		return ht_err_set(err, "the graph of the clusters has a cycle");
	}
	transfer_costs_init(&routes, w->machine, 1);
	length = cluster_lengths(w, c);
	transfer = ht_alloc(g.nedges, sizeof(*transfer));
	for (uint32_t e = 0; e < g.nedges && w->copies_take_time; e++)
		transfer[e] = g.pieces[e] * routes.mean_latency_ns + (double)g.bytes[e] * routes.mean_ns_per_byte;
	ranked = (struct rank_graph){.n = g.n,
	                             .order = g.order,
	                             .succ_first = g.succ_first,
	                             .succ = g.succ,
	                             .length_ns = length,
	                             .transfer_ns = transfer};
	rank_upward(&ranked, rank);
	for (uint32_t i = 0; i < g.n; i++)
		order[i] = g.order[i];
	transfer_costs_fini(&routes);
	cluster_graph_fini(&g);
	free(length);
	free(transfer);
	return 0;
}

static int rank_tasks(const struct policy_world *w, double *rank, uint32_t *order, struct ht_err *err)
{
	const struct dag *d = w->dag;
	struct rank_graph g = {.n = d->ntasks, .order = d->order, .succ_first = d->succ_first, .succ = d->succ};
	struct ranks r;

	if (ranks_init(&r, d, w->machine, err) < 0)
		return -1;
	g.length_ns = r.length_ns;
	g.transfer_ns = w->copies_take_time ? r.transfer_ns : NULL;
	rank_upward(&g, rank);
	for (uint32_t i = 0; i < d->ntasks; i++)
		order[i] = dag_in_order(d, i);
	ranks_fini(&r);
	return 0;
}

struct ranking {
	const double *rank;
	const uint32_t *position;
};

static int by_rank(const void *a, const void *b, void *arg)
{
	const struct ranking *by = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (by->rank[x] != by->rank[y])
		return by->rank[x] > by->rank[y] ? -1 : 1;
	return by->position[x] < by->position[y] ? -1 : by->position[x] > by->position[y];
}

struct schedule *heft_plan(const struct policy_world *w, const struct clusters *c, enum planner_links links,
                           struct ht_err *err)
{
	uint32_t n = c ? c->n : w->dag->ntasks, *order = ht_alloc(n, sizeof(*order));
	uint32_t *position = ht_alloc(n, sizeof(*position));
	double *rank = ht_alloc(n, sizeof(*rank));
	struct ranking by = {rank, position};
	struct planner *p = planner_create(w, c, links);
	struct schedule *s = NULL;
	uint32_t i = 0;

	if ((c ? rank_clusters(w, c, rank, order, err) : rank_tasks(w, rank, order, err)) < 0)
		goto out;
	for (i = 0; i < n; i++)
		position[order[i]] = i;
	qsort_r(order, n, sizeof(*order), by_rank, &by);
	for (i = 0; i < n; i++) {
		struct planner_place place = planner_best(p, order[i]);

		if (place.worker < 0) {
			ht_err_set(err, "no worker of the machine can run all tasks of cluster %u", (unsigned)order[i]);
			goto out;
		}
		planner_take(p, order[i], place);
	}
	s = planner_finish(p);
out:
	planner_free(p);
	free(order);
	free(position);
	free(rank);
	return s;
}

struct heft_knobs {
	int links;
};

static const struct knob knobs[] = {PLANNER_LINKS_KNOB(heft_knobs, links), LAST_KNOB};

static void *heft_create(const struct policy *self, const struct policy_world *w, const char *options,
                         struct ht_err *err)
{
	struct heft_knobs k;
	struct schedule *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = heft_plan(w, NULL, (enum planner_links)k.links, err);
	return s ? follow_create(w, s) : NULL;
}

const struct policy policy_heft = {
	.name = "heft",
	.summary = "a schedule made before the run: by upward rank, the worker that ends it first",
	.knobs = knobs,
	.create = heft_create,
	.free = follow_free,
	.added = follow_added,
	.push = follow_push,
	.pop = follow_pop,
	.priority = follow_priority,
};
