/* sched/heteroprio/nearby.c - Heteroprio's buckets split by memory node: where to push, where to pop. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/heteroprio/nearby.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"

enum { NAUTOMATIC = LOCALITY_FORMULAS - LOCALITY_FIRST_AUTOMATIC };

/* Nodes: the pusher's, and what the formulas named at the push. */
struct push {
	uint8_t pusher, named[NAUTOMATIC];
};

struct nearby {
	const struct policy_world *w;
	enum locality_rules rules;
	int formula; /* enum locality_formula */
	int nnodes, main_node;
	int step[ARCH_COUNT], subgroup[ARCH_COUNT]; /* 0: StarPU's default */
	int *worker_of;                             /* per node: its last worker, -1: it has none */
	double *transfer;                           /* per node, for MC */
	struct locality_datum *data;                /* of one task */
	size_t cap_data;
	struct locality_access **order; /* per node */
	int *norder;
	uint16_t **places;   /* per node, the inverse of order */
	double *distance;    /* of transfers, nnodes * nnodes */
	struct push *pushes; /* per task; NULL: nobody asks */
	uint64_t changed[LOCALITY_FORMULAS], pops;
};

void nearby_free(struct nearby *n)
{
	if (!n)
		return;
	for (int i = 0; i < n->nnodes; i++)
		free(n->order[i]);
	for (int i = 0; i < n->nnodes; i++)
		free(n->places[i]);
	free(n->places);
	free(n->worker_of);
	free(n->transfer);
	free(n->data);
	free(n->order);
	free(n->norder);
	free(n->distance);
	free(n->pushes);
	free(n);
}

static int read_push(struct nearby *n, const char *policy, const struct knob_text *push,
                     const struct config_locality *config, struct ht_err *err)
{
	char name[16] = "AUTO";

	if (push->at)
		snprintf(name, sizeof(name), "%.*s", push->len, push->at);
	else if (config && *config->push)
		memcpy(name, config->push, sizeof(name));
	n->formula = locality_find(name);
	if (n->formula < 0)
		return ht_err_set(err,
		                  "policy %s: push is LaRU, MC, LS_SDH, LS_SDH2, LS_SDHB, LC_SMWB or AUTO, found "
		                  "\"%s\"",
		                  policy, name);
	return 0;
}

static void look_at_machine(struct nearby *n)
{
	const struct machine *m = n->w->machine;
	double *times = ht_alloc((size_t)(n->nnodes * n->nnodes), sizeof(*times));

	for (int i = 0; i < n->nnodes; i++)
		n->worker_of[i] = -1;
	for (int i = m->nworkers - 1; i >= 0; i--) {
		if (n->worker_of[m->workers[i].node] < 0)
			n->worker_of[m->workers[i].node] = i;
		if (m->workers[i].arch == ARCH_CPU)
			n->main_node = m->workers[i].node; /* of the first CPU worker in the end */
	}
	locality_transfer_times(m, times);
	locality_transfer_distance(times, n->nnodes, n->distance);
	free(times);
}

struct nearby *nearby_create(const struct policy_world *w, enum locality_rules rules, const char *policy,
                             const struct nearby_knobs *knobs, const struct config_locality *config, struct ht_err *err)
{
	struct nearby *n;
	size_t nodes = (size_t)w->machine->nnodes;

	if (nodes > LOCALITY_MAX_NODES)
		return ht_err_set(err, "locality works with at most %d memory nodes, the machine has %zu",
		                  LOCALITY_MAX_NODES, nodes),
		       NULL;
	if (rules == LOCALITY_STARPU && nodes > STARPU_LOCALITY_NODES)
		return ht_err_set(err, "StarPU's locality works with at most %d memory nodes, the machine has %zu",
		                  STARPU_LOCALITY_NODES, nodes),
		       NULL;
	n = ht_alloc(1, sizeof(*n));
	n->w = w;
	n->rules = rules;
	n->nnodes = (int)nodes;
	n->order = ht_alloc(nodes, sizeof(*n->order));
	n->norder = ht_alloc(nodes, sizeof(*n->norder));
	n->places = ht_alloc(nodes, sizeof(*n->places));
	n->worker_of = ht_alloc(nodes, sizeof(*n->worker_of));
	n->transfer = ht_alloc(nodes, sizeof(*n->transfer));
	n->distance = ht_alloc(nodes * nodes, sizeof(*n->distance));
	if (read_push(n, policy, &knobs->push, config, err) != 0) {
		nearby_free(n);
		return NULL;
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		n->step[a] = knobs->step[a] || !config ? knobs->step[a] : config->step[a];
		n->subgroup[a] = knobs->subgroup[a] || !config ? knobs->subgroup[a] : config->subgroup[a];
	}
	if (n->formula == LOCALITY_AUTO && rules == LOCALITY_PAPER)
		n->pushes = ht_alloc(w->dag->ntasks, sizeof(*n->pushes));
	look_at_machine(n);
	return n;
}

static void map_node(struct nearby *n, int node, const int length[ARCH_COUNT], const double *distance, int *nearest)
{
	enum arch a = n->w->machine->nodes[node].arch;
	int all = n->nnodes - 1;
	int step = n->step[a] ? n->step[a] : a == ARCH_CPU ? 1 : length[a];
	int close = n->subgroup[a] ? n->subgroup[a] : a == ARCH_CPU ? all : 1;

	locality_nearest(distance, n->nnodes, node, nearest);
	n->order[node] = ht_realloc(n->order[node], (size_t)(length[a] * n->nnodes) + 1, sizeof(**n->order));
	n->norder[node] = locality_access_order(nearest, n->nnodes, length[a], step > 0 ? step : 1,
	                                        close < all ? close : all, n->order[node]);
	n->places[node] = ht_realloc(n->places[node], (size_t)(length[a] * n->nnodes) + 1, sizeof(**n->places));
	for (int i = 0; i < n->norder[node]; i++)
		n->places[node][n->order[node][i].slot * (uint32_t)n->nnodes + n->order[node][i].node] = (uint16_t)i;
}

void nearby_map(struct nearby *n, const int length[ARCH_COUNT], const int *slot)
{
	size_t nn = (size_t)(n->nnodes * n->nnodes);
	double *priority = ht_alloc(nn, sizeof(*priority)), *distance = ht_alloc(nn, sizeof(*distance));
	int *nearest = ht_alloc((size_t)n->nnodes, sizeof(*nearest));
	const struct machine_node *nodes = n->w->machine->nodes;

	for (int i = 0; i < n->nnodes; i++) {
		for (int j = 0; j < n->nnodes; j++)
			priority[i * n->nnodes + j] =
				locality_priority_distance(&slot[nodes[i].arch * CONFIG_MAX_BUCKETS],
			                                   &slot[nodes[j].arch * CONFIG_MAX_BUCKETS],
			                                   CONFIG_MAX_BUCKETS);
	}
	locality_distance(LOCALITY_ALPHA, priority, n->distance, n->nnodes, distance);
	for (int i = 0; i < n->nnodes; i++)
		map_node(n, i, length, distance, nearest);
	free(priority);
	free(distance);
	free(nearest);
}

const struct locality_access *nearby_order(const struct nearby *n, int node, int *count)
{
	*count = n->norder[node];
	return n->order[node];
}

const uint16_t *nearby_places(const struct nearby *n, int node, int *nslots)
{
	*nslots = n->norder[node] / n->nnodes;
	return n->places[node];
}

int nearby_formula(const struct nearby *n)
{
	return n->formula;
}

/* What the formulas are made of. */
static struct locality_task describe(struct nearby *n, uint32_t task, int pusher)
{
	const struct dag *d = n->w->dag;
	const struct dag_task *t = &d->tasks[task];
	uint32_t ndata = 0;

	if (t->naccesses > n->cap_data) {
		n->cap_data = 2 * (size_t)t->naccesses;
		n->data = ht_realloc(n->data, n->cap_data, sizeof(*n->data));
	}
	for (uint32_t i = 0; i < t->naccesses; i++) {
		const struct data_access *x = &d->accesses[t->first_access + i];
		uint64_t valid = 0, coming = 0;

		if (!locality_counts(n->rules, x->mode))
			continue;
		n->w->where(n->w->ctx, x->handle, &valid, &coming);
		n->data[ndata++] = (struct locality_datum){
			.bytes = d->handle_bytes[x->handle],
			.there = n->rules == LOCALITY_STARPU ? valid | coming : valid,
			.written = locality_is_write(x->mode),
		};
	}
	return (struct locality_task){.data = n->data, .ndata = ndata, .nnodes = n->nnodes, .pusher = pusher};
}

static int node_by(struct nearby *n, uint32_t task, const struct locality_task *t)
{
	struct locality_task with = *t;

	if (n->formula == LOCALITY_MC) {
		for (int i = 0; i < n->nnodes; i++)
			n->transfer[i] = n->worker_of[i] < 0 ?
			                         NAN :
			                         (double)n->w->transfer_ns(n->w->ctx, task, n->worker_of[i]);
		with.transfer = n->transfer;
	}
	if (n->formula == LOCALITY_AUTO)
		return locality_node(n->rules, LOCALITY_LC_SMWB, t);
	return locality_node(n->rules, (enum locality_formula)n->formula, &with);
}

int nearby_put(struct nearby *n, uint32_t task, int releaser)
{
	int pusher = releaser < 0 ? n->main_node : n->w->machine->workers[releaser].node;
	int named[LOCALITY_FORMULAS];
	struct locality_task t;

	if (n->formula == LOCALITY_LARU)
		return pusher;
	t = describe(n, task, pusher);
	if (!n->pushes)
		return node_by(n, task, &t);
	locality_nodes(n->rules, &t, named);
	n->pushes[task].pusher = (uint8_t)pusher;
	for (int i = 0; i < NAUTOMATIC; i++)
		n->pushes[task].named[i] = (uint8_t)named[LOCALITY_FIRST_AUTOMATIC + i];
	return named[locality_automatic(n->rules, n->changed, n->pops)];
}

void nearby_taken(struct nearby *n, uint32_t task)
{
	int named[LOCALITY_FORMULAS];
	struct locality_task t;

	if (!n->pushes)
		return;
	t = describe(n, task, n->pushes[task].pusher);
	locality_nodes(n->rules, &t, named);
	for (int i = 0; i < NAUTOMATIC; i++) {
		int f = LOCALITY_FIRST_AUTOMATIC + i;

		n->changed[f] += named[f] != n->pushes[task].named[i];
	}
	n->pops++;
}
