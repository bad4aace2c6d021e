/* sched/static/planner.c - a static schedule in the making: when a group of tasks would end on each worker. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/static/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"
#include "core/trace/trace.h"
#include "sched/policy.h"
#include "sched/static/clusters.h"
#include "sched/static/copier.h"
#include "sched/static/gaps.h"
#include "sched/static/schedule.h"

struct planner {
	const struct dag *d;
	const struct machine *m;
	const struct clusters *c; /* NULL: a group is a task */
	int timed;                /* copies take time */
	struct transfer_costs routes;
	struct copier *copier; /* NULL: links are free */
	struct gaps *gaps;
	struct schedule *s;
	uint64_t *valid;            /* per handle: nodes that have it, or will */
	double *arrival;            /* per handle and node: when; meaningful where valid */
	uint32_t *seen, pass;       /* per handle: the last pass that met it */
	uint32_t *position, ntaken; /* per task */
	struct worker_kinds kinds;
	double *length;                   /* per kind: of the group that is looked at; NAN: cannot run there */
	double ready[MACHINE_MAX_NODES];  /* of the group that is looked at */
	double released;                  /* its last predecessor's end, before which nobody asks for a copy */
	double copied[MACHINE_MAX_NODES]; /* of that group: the end of the last copy to the node */
};

struct planner *planner_create(const struct policy_world *w, const struct clusters *c, enum planner_links links)
{
	struct planner *p = ht_alloc(1, sizeof(*p));
	const struct dag *d = w->dag;

	p->d = d;
	p->m = w->machine;
	p->c = c;
	p->timed = w->copies_take_time && d->nhandles > 0;
	p->gaps = gaps_create(p->m->nworkers);
	p->s = schedule_create(d->ntasks, p->m->nworkers);
	p->position = ht_alloc(d->ntasks, sizeof(*p->position));
	worker_kinds_init(&p->kinds, d, p->m);
	p->length = ht_alloc((size_t)p->kinds.n, sizeof(*p->length));
	if (!p->timed)
		return p;
	transfer_costs_init(&p->routes, p->m, 1);
	p->copier = links == LINKS_SHARED ? copier_create(p->m) : NULL;
	p->seen = ht_alloc(d->nhandles, sizeof(*p->seen));
	p->valid = ht_alloc(d->nhandles, sizeof(*p->valid));
	p->arrival = ht_alloc((size_t)d->nhandles * (size_t)p->m->nnodes, sizeof(*p->arrival));
	for (uint32_t h = 0; h < d->nhandles; h++) {
		int home = d->handle_home[h];

		/* What another machine than the recorded one lacks a node for is in its main memory. */
		if (home >= 0)
			p->valid[h] = UINT64_C(1) << (home < p->m->nnodes ? home : 0);
	}
	return p;
}

void planner_free(struct planner *p)
{
	if (!p)
		return;
	gaps_free(p->gaps);
	copier_free(p->copier);
	schedule_free(p->s);
	free(p->position);
	worker_kinds_fini(&p->kinds);
	free(p->length);
	if (p->timed)
		transfer_costs_fini(&p->routes);
	free(p->seen);
	free(p->valid);
	free(p->arrival);
	free(p);
}

/* The tasks of a group, in topological order. */
static const uint32_t *tasks_of(const struct planner *p, const uint32_t *group, uint32_t *count)
{
	*count = p->c ? p->c->first[*group + 1] - p->c->first[*group] : 1;
	return p->c ? p->c->tasks + p->c->first[*group] : group;
}

/* When a node can have the data, in ns; 0 for data that no node has. With `keep` the links are taken for the copy. */
static double arrival_at(struct planner *p, uint32_t handle, int node, int keep)
{
	const double *arrival = p->arrival + (size_t)handle * (size_t)p->m->nnodes;
	double bytes = (double)p->d->handle_bytes[handle], first = INFINITY;
	int source = 0;

	if (!p->valid[handle])
		return 0;
	if (p->valid[handle] >> node & 1)
		return arrival[node];
	for (uint64_t bits = p->valid[handle]; bits; bits &= bits - 1) {
		int from = __builtin_ctzll(bits);
		double at = fmax(arrival[from], p->copier ? p->released : 0) +
		            transfer_cost_ns(&p->routes, from, node, bytes);

		source = at < first ? from : source;
		first = fmin(first, at);
	}
	if (!p->copier)
		return first;
	first = fmax(fmax(arrival[source], p->released), p->copied[node]);
	p->copied[node] = copier_copy(p->copier, source, node, bytes, first, keep);
	return p->copied[node];
}

/* When the nodes of `nodes` have the data enters p->ready; with `keep` they have it from then on. */
static void wait_for(struct planner *p, uint32_t handle, uint64_t nodes, int keep)
{
	for (uint64_t bits = nodes; bits; bits &= bits - 1) {
		int node = __builtin_ctzll(bits);
		double at = arrival_at(p, handle, node, keep);

		p->ready[node] = fmax(p->ready[node], at);
		if (!keep || !p->valid[handle])
			continue;
		p->valid[handle] |= UINT64_C(1) << node;
		p->arrival[(size_t)handle * (size_t)p->m->nnodes + (size_t)node] = at;
	}
}

/* wait_for() each piece of data that the group reads and did not write itself before. */
static void wait_for_data(struct planner *p, const uint32_t *tasks, uint32_t n, uint64_t nodes, int keep)
{
	p->pass++;
	memset(p->copied, 0, sizeof(p->copied));
	for (uint32_t i = 0; i < n; i++) {
		const struct dag_task *t = &p->d->tasks[tasks[i]];

		for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++) {
			const struct data_access *x = &p->d->accesses[a];

			if (x->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX) ||
			    p->seen[x->handle] == p->pass)
				continue;
			p->seen[x->handle] = p->pass;
			if (x->mode & ACCESS_R)
				wait_for(p, x->handle, nodes, keep);
		}
	}
}

static double length_on(const struct planner *p, int worker)
{
	return p->length[p->kinds.of[worker]];
}

/* The lengths of the group, and when its data can be there. */
static void look(struct planner *p, uint32_t group)
{
	uint32_t n;
	const uint32_t *tasks = tasks_of(p, &group, &n);
	uint64_t nodes = 0;
	double ready = 0;

	for (int k = 0; k < p->kinds.n; k++)
		p->length[k] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = tasks[i];

		for (int k = 0; k < p->kinds.n; k++) {
			int64_t cost = worker_kind_cost(&p->kinds.kind[k], p->d, t);

			p->length[k] += cost < 0 ? NAN : (double)cost;
		}
		for (uint32_t e = p->d->pred_first[t]; e < p->d->pred_first[t + 1]; e++) {
			uint32_t before = p->d->pred[e];

			if (!p->c || p->c->of[before] != group)
				ready = fmax(ready, p->s->end_ns[before]);
		}
	}
	for (int k = 0; k < p->kinds.n; k++)
		nodes |= isnan(p->length[k]) ? 0 : p->kinds.kind[k].nodes;
	p->released = ready;
	for (int i = 0; i < p->m->nnodes; i++)
		p->ready[i] = ready;
	if (p->timed)
		wait_for_data(p, tasks, n, nodes, 0);
}

static struct planner_place place_on(const struct planner *p, int worker)
{
	const struct machine_worker *w = &p->m->workers[worker];
	double length = length_on(p, worker);
	struct planner_place x = {.worker = worker};

	x.start_ns = gaps_find(p->gaps, worker, p->ready[w->node], length);
	x.end_ns = x.start_ns + length;
	return x;
}

struct planner_place planner_on(struct planner *p, uint32_t group, int worker)
{
	look(p, group);
	return isnan(length_on(p, worker)) ? (struct planner_place){.worker = -1} : place_on(p, worker);
}

struct planner_place planner_best(struct planner *p, uint32_t group)
{
	struct planner_place best = {.worker = -1, .end_ns = INFINITY};

	look(p, group);
	for (int i = 0; i < p->m->nworkers; i++) {
		struct planner_place x;

		/* Not even at once; never with NAN. */
		if (!(p->ready[p->m->workers[i].node] + length_on(p, i) < best.end_ns))
			continue;
		x = place_on(p, i);
		if (x.end_ns < best.end_ns)
			best = x;
	}
	return best;
}

/* The data that the group wrote is on that node alone, from its end on. */
static void write_data(struct planner *p, const uint32_t *tasks, uint32_t n, int node, double end)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct dag_task *t = &p->d->tasks[tasks[i]];

		for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++) {
			uint32_t h = p->d->accesses[a].handle, mode = p->d->accesses[a].mode;

			if (!(mode & ACCESS_W) || mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX))
				continue;
			p->valid[h] = UINT64_C(1) << node;
			p->arrival[(size_t)h * (size_t)p->m->nnodes + (size_t)node] = end;
		}
	}
}

void planner_take(struct planner *p, uint32_t group, struct planner_place place)
{
	const struct machine_worker *w = &p->m->workers[place.worker];
	uint32_t n;
	const uint32_t *tasks = tasks_of(p, &group, &n);
	double at = place.start_ns;

	gaps_take(p->gaps, place.worker, place.start_ns, length_on(p, place.worker));
	for (uint32_t i = 0; i < n; i++) {
		p->s->worker[tasks[i]] = place.worker;
		p->s->start_ns[tasks[i]] = at;
		at += (double)worker_kind_cost(&p->kinds.kind[p->kinds.of[place.worker]], p->d, tasks[i]);
		p->s->end_ns[tasks[i]] = at;
		p->position[tasks[i]] = p->ntaken++;
	}
	if (!p->timed)
		return;
	wait_for_data(p, tasks, n, UINT64_C(1) << w->node, 1);
	write_data(p, tasks, n, w->node, place.end_ns);
}

struct schedule *planner_finish(struct planner *p)
{
	struct schedule *s = p->s;

	schedule_finish(s, p->position);
	p->s = NULL;
	return s;
}
