/* sched/placement/plan.c - which memory each piece of data belongs to, and how urgent each task is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"
#include "core/metrics/rank.h"
#include "sched/placement/bus_load.h"

/* So that ranks are times. */
static const double HOP_NS = 1e6;

static const char *const rank_names[] = {"mean", "least", "geometric", "hops"};
static const char *const prefetch_names[] = {"least", "next", "all"};
static const char *const objective_names[] = {"cut", "volume"};

const struct knob placement_knob_table[] = {
	WORD_KNOB(placement_knobs, rank, "rank", "mean|least|geometric|hops", PLACEMENT_RANK_GEOMETRIC),
	NUMBER_KNOB(placement_knobs, least, "least", "WEIGHT", 0.5, 1),
	NUMBER_KNOB(placement_knobs, transfers, "transfers", "FACTOR", 1, 1e9),
	COUNT_KNOB(placement_knobs, windows, "windows", "N", 4, 1, PLACEMENT_MAX_WINDOWS),
	WORD_KNOB(placement_knobs, objective, "objective", "cut|volume", PARTITION_CUT),
	NUMBER_KNOB(placement_knobs, balance, "balance", "WEIGHT", PARTITION_BALANCE, 1e9),
	COUNT_KNOB(placement_knobs, effort, "effort", "N", 1, 1, 100),
	COUNT_KNOB(placement_knobs, seed, "seed", "N", 1, 0, UINT32_MAX),
	WORD_KNOB(placement_knobs, distribute, "distribute", "no|yes", 0),
	WORD_KNOB(placement_knobs, prefetch, "prefetch", "least|next|all", PLACEMENT_PREFETCH_NEXT),
	COUNT_KNOB(placement_knobs, ahead, "ahead", "N", 0, 0, PLACEMENT_MOST_AHEAD),
	NUMBER_KNOB(placement_knobs, q, "q", "FACTOR", 20, PLACEMENT_ANY_RATIO),
	NUMBER_KNOB(placement_knobs, b, "b", "FACTOR", 1, 1e9),
	NUMBER_KNOB(placement_knobs, s, "s", "FACTOR", 0.2, 1e9),
	NUMBER_KNOB(placement_knobs, f, "f", "FACTOR", 0.5, 1e9),
	NUMBER_KNOB(placement_knobs, r, "r", "FACTOR", PLACEMENT_ANY_RATIO, PLACEMENT_ANY_RATIO),
	WORD_KNOB(placement_knobs, waiting, "waiting", "before|all", PLACEMENT_WAITING_BEFORE),
	COUNT_KNOB(placement_knobs, plan, "plan", "N", 0, 0, UINT32_MAX),
	LAST_KNOB,
};

int placement_knobs_read(struct placement_knobs *k, const char *options, struct ht_err *err)
{
	return knobs_read("placement", placement_knob_table, options, k, err);
}

char *placement_knobs_text(const struct placement_knobs *k)
{
	char searched[32] = "", ahead[32] = "";

	if (k->plan)
		snprintf(searched, sizeof(searched), ",plan=%" PRId64, k->plan);
	if (k->ahead)
		snprintf(ahead, sizeof(ahead), ",ahead=%" PRId64, k->ahead);
	return ht_asprintf("rank=%s,least=%.10g,transfers=%.10g,windows=%" PRId64
	                   ",objective=%s,balance=%.10g,effort=%" PRId64 ",seed=%" PRId64
	                   ",distribute=%s,prefetch=%s%s,q=%.10g,b=%.10g,s=%.10g,f=%.10g,r=%.10g%s%s",
	                   rank_names[k->rank], k->least, k->transfers, k->windows, objective_names[k->objective],
	                   k->balance, k->effort, k->seed, k->distribute ? "yes" : "no", prefetch_names[k->prefetch],
	                   ahead, k->q, k->b, k->s, k->f, k->r,
	                   k->waiting == PLACEMENT_WAITING_ALL ? ",waiting=all" : "", searched);
}

static double least_cost(const struct places *p, uint32_t class_id)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < p->n; i++) {
		int64_t cost = places_cost(p, class_id, i);

		least = cost >= 0 && cost < least ? cost : least;
	}
	return least == INT64_MAX ? 0 : (double)least;
}

static double length_of(const struct placement_base *b, uint32_t task, const struct placement_knobs *k)
{
	double mean = b->mean_ns[task], least = least_cost(&b->places, b->dag->tasks[task].class_id);

	switch ((enum placement_rank)k->rank) {
	case PLACEMENT_RANK_MEAN: return mean;
	case PLACEMENT_RANK_LEAST: return least;
	case PLACEMENT_RANK_GEOMETRIC:
		return k->least == 0.5 ? sqrt(least * mean) : pow(least, k->least) * pow(mean, 1 - k->least);
	case PLACEMENT_RANK_HOPS: return HOP_NS;
	}
	return mean;
}

/* Numbers that are not negative have bits in their own order. */
static uint64_t bits_of(double x)
{
	union {
		double real;
		uint64_t bits;
	} u = {.real = x + 0.0};

	return u.bits;
}

/* Lengths are per task, transfers per edge, NULL: none. */
static void set_order(struct placement_order *o, const struct dag *d, const double *length, const double *transfer)
{
	const struct rank_graph g = {d->ntasks, d->order, d->succ_first, d->succ,
	                             length,    transfer, d->sends,      d->nsends};
	struct radix_item *sorted = ht_alloc((size_t)d->ntasks + 1, sizeof(*sorted));
	int32_t priority = 0;

	rank_upward(&g, o->rank);
	for (uint32_t t = 0; t < d->ntasks; t++)
		sorted[t] = (struct radix_item){bits_of(o->rank[t]), t};
	radix_sort(sorted, d->ntasks);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		priority += i && sorted[i].key != sorted[i - 1].key;
		o->priority[sorted[i].value] = priority;
	}
	free(sorted);
}

void placement_order_alloc(struct placement_order *o, uint32_t ntasks)
{
	o->rank = ht_alloc((size_t)ntasks + 1, sizeof(*o->rank));
	o->priority = ht_alloc((size_t)ntasks + 1, sizeof(*o->priority));
}

void placement_order_init(struct placement_order *o, const struct placement_base *b, const struct placement_knobs *k)
{
	const struct dag *d = b->dag;
	double *length = ht_alloc((size_t)d->ntasks + 1, sizeof(*length)), *transfer = NULL;

	for (uint32_t t = 0; t < d->ntasks; t++)
		length[t] = length_of(b, t, k);
	if (b->transfer_ns && k->rank != PLACEMENT_RANK_HOPS && k->transfers > 0) {
		transfer = ht_alloc((size_t)d->nedges + 1, sizeof(*transfer));
		for (uint32_t e = 0; e < d->nedges; e++)
			transfer[e] = k->transfers * b->transfer_ns[e];
	}
	placement_order_alloc(o, d->ntasks);
	set_order(o, d, length, transfer);
	free(length);
	free(transfer);
}

void placement_order_by_places(struct placement_order *o, const struct placement_base *b, const int *place,
                               double transfers)
{
	const struct dag *d = b->dag;
	double *length = ht_alloc((size_t)d->ntasks + 1, sizeof(*length));
	double *transfer = ht_alloc((size_t)d->nedges + 1, sizeof(*transfer));

	for (uint32_t t = 0; t < d->ntasks; t++) {
		length[t] = (double)places_cost(&b->places, d->tasks[t].class_id, place[t]);
		for (uint32_t e = d->succ_first[t]; b->transfer_ns && e < d->succ_first[t + 1]; e++)
			transfer[e] = place[t] != place[d->succ[e]] ? transfers * b->transfer_ns[e] : 0;
	}
	set_order(o, d, length, transfer);
	free(length);
	free(transfer);
}

void placement_order_fini(struct placement_order *o)
{
	free(o->rank);
	free(o->priority);
}

/* How much of all that devices execute each could do in one unit of time, where it can run any of it. */
static void find_shares(struct placement_base *b)
{
	const struct dag *d = b->dag;
	double sum = 0;

	for (int i = 0; i < b->ndevices; i++) {
		double on_fastest = 0, here = 0;

		for (uint32_t c = 0; c < d->nclasses; c++) {
			int fastest = places_fastest_device(&b->places, c);
			int64_t cost = places_cost(&b->places, c, b->device[i]);

			if (fastest == PLACES_NONE || cost < 0)
				continue;
			on_fastest += (double)d->classes[c].count * (double)places_cost(&b->places, c, fastest);
			here += (double)d->classes[c].count * (double)cost;
		}
		b->share[i] = here > 0 ? on_fastest / here : 1;
		b->share[i] *= b->places.place[b->device[i]].nworkers;
		sum += b->share[i];
	}
	for (int i = 0; i < b->ndevices; i++)
		b->share[i] /= sum;
}

static void find_places(struct placement_base *b)
{
	places_init(&b->places, b->dag, b->machine);
	b->device = ht_alloc((size_t)b->places.n, sizeof(*b->device));
	b->share = ht_alloc((size_t)b->places.n, sizeof(*b->share));
	for (int i = 0; i < b->places.n; i++)
		if (i != b->places.cpus)
			b->device[b->ndevices++] = i;
}

void placement_base_init_places(struct placement_base *b, const struct dag *d, const struct machine *m)
{
	*b = (struct placement_base){.dag = d, .machine = m};
	find_places(b);
}

int placement_base_init(struct placement_base *b, const struct dag *d, const struct machine *m, int copies_take_time,
                        struct ht_err *err)
{
	struct ranks ranks;

	if (ranks_init(&ranks, d, m, err) != 0)
		return -1;
	*b = (struct placement_base){.dag = d, .machine = m, .mean_ns = ranks.length_ns};
	ranks.length_ns = NULL;
	if (copies_take_time) {
		b->transfer_ns = ranks.transfer_ns;
		ranks.transfer_ns = NULL;
	}
	ranks_fini(&ranks);
	find_places(b);
	b->work_ns = ht_alloc((size_t)d->ntasks + 1, sizeof(*b->work_ns));
	for (uint32_t t = 0; t < d->ntasks; t++) {
		int fastest = places_fastest_device(&b->places, d->tasks[t].class_id);

		if (fastest != PLACES_NONE)
			b->work_ns[t] = (double)places_cost(&b->places, d->tasks[t].class_id, fastest);
	}
	find_shares(b);
	data_graph_init(&b->data, d);
	return 0;
}

void placement_base_fini(struct placement_base *b)
{
	places_fini(&b->places);
	data_graph_fini(&b->data);
	free(b->mean_ns);
	free(b->transfer_ns);
	free(b->work_ns);
	free(b->device);
	free(b->share);
}

/* exchanged[a * n + b]: the weight of edges between two parts. */
static double *exchanges(const struct partition_graph *g, const uint32_t *part, size_t n)
{
	double *sum = ht_alloc(n * n, sizeof(*sum));

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			sum[part[v] * n + part[g->neighbour[e]]] += g->edge_weight[e];
	return sum;
}

/* What the copies between the part on device a, and that on device b, and all others take, in some unit. */
static double distance_of(const struct placement_base *b, const struct transfer_costs *costs, const double *exchanged,
                          const uint32_t *part_on, int a)
{
	double sum = 0;
	int from = b->places.place[b->device[a]].node;

	for (int i = 0; i < b->ndevices; i++) {
		int to = b->places.place[b->device[i]].node;

		sum += exchanged[part_on[a] * (uint32_t)b->ndevices + part_on[i]] *
		       (costs->ns_per_byte[from * costs->nnodes + to] + costs->ns_per_byte[to * costs->nnodes + from]);
	}
	return sum;
}

/*
 * Devices of equal speed exchange their parts as long as that brings those nearer that exchange much; part_on[i] is the
 * part on device i.
 */
static void give_parts(const struct placement_base *b, const uint32_t *part, uint32_t *part_on)
{
	struct transfer_costs costs;
	double *exchanged = exchanges(&b->data.graph, part, (size_t)b->ndevices);
	int better = 1;

	transfer_costs_init(&costs, b->machine, 1);
	for (int round = 0; better && round < 16; round++) {
		better = 0;
		for (int i = 0; i < b->ndevices; i++)
			for (int k = i + 1; k < b->ndevices; k++) {
				uint32_t x = part_on[i];
				double before, after;

				if (b->share[i] != b->share[k])
					continue;
				before = distance_of(b, &costs, exchanged, part_on, i) +
				         distance_of(b, &costs, exchanged, part_on, k);
				part_on[i] = part_on[k];
				part_on[k] = x;
				after = distance_of(b, &costs, exchanged, part_on, i) +
				        distance_of(b, &costs, exchanged, part_on, k);
				if (after < before * (1 - 1e-9)) {
					better = 1;
				} else {
					part_on[k] = part_on[i];
					part_on[i] = x;
				}
			}
	}
	transfer_costs_fini(&costs);
	free(exchanged);
}

/* Of each vertex the device that owns it. NULL: most have none. */
static uint32_t *find_homes(const struct placement_base *b, const int *owner)
{
	uint32_t *home = ht_alloc((size_t)b->data.graph.n + 1, sizeof(*home)), n = 0;

	for (uint32_t h = 0; h < b->dag->nhandles; h++) {
		uint32_t v = b->data.vertex[h], i = 0;

		if (v >= b->data.graph.nreaders)
			continue;
		while (i < (uint32_t)b->ndevices && b->device[i] != owner[h])
			i++;
		home[v] = i < (uint32_t)b->ndevices ? i : PARTITION_NONE;
		n += home[v] != PARTITION_NONE;
	}
	for (uint32_t v = b->data.graph.nreaders; v < b->data.graph.n; v++)
		home[v] = PARTITION_NONE;
	if (n > b->data.graph.nreaders / 2)
		return home;
	free(home);
	return NULL;
}

/* A datum that is only read comes once to each device that reads it, however many tasks do there. */
static enum partition_objective objective_of(const struct placement_base *b, const struct placement_knobs *k)
{
	return b->data.graph.nreaders < b->data.graph.n ? PARTITION_VOLUME : (enum partition_objective)k->objective;
}

/* The plan has its order. `owner` as in placement_plan_init_again(), or NULL. */
static void find_owners(struct placement_plan *p, const struct placement_base *b, const struct placement_knobs *k,
                        const int *owner)
{
	uint32_t *home = owner ? find_homes(b, owner) : NULL;
	struct partition_options o = {.nparts = (uint32_t)b->ndevices,
	                              .share = b->share,
	                              .objective = objective_of(b, k),
	                              .balance = k->balance,
	                              .effort = (uint32_t)k->effort,
	                              .seed = (uint32_t)k->seed,
	                              .home = home};
	uint32_t *part = ht_alloc((size_t)b->data.graph.n + 1, sizeof(*part));
	uint32_t *part_on = ht_alloc((size_t)b->ndevices + 1, sizeof(*part_on));
	int *device_of = ht_alloc((size_t)b->ndevices + 1, sizeof(*device_of));

	p->owner = ht_alloc((size_t)b->dag->nhandles + 1, sizeof(*p->owner));
	if (b->ndevices) {
		struct partition_graph g = b->data.graph;

		g.nweights = (uint32_t)k->windows;
		g.weight = data_graph_windows(&b->data, b->dag, p->order.rank, b->work_ns, g.nweights);
		partition(&g, &o, part);
		free(g.weight);
		p->fills_bus = bus_load_is_full(b, part);
		for (int i = 0; i < b->ndevices; i++)
			part_on[i] = (uint32_t)i;
		if (!home)
			give_parts(b, part, part_on);
		for (int i = 0; i < b->ndevices; i++)
			device_of[part_on[i]] = b->device[i];
	}
	for (uint32_t h = 0; h < b->dag->nhandles; h++) {
		uint32_t v = b->data.vertex[h];

		p->owner[h] = v >= b->data.graph.nreaders || !b->ndevices ? PLACES_NONE : device_of[part[v]];
	}
	free(part);
	free(part_on);
	free(device_of);
	free(home);
}

void placement_plan_init(struct placement_plan *p, const struct placement_base *b, const struct placement_knobs *k)
{
	placement_plan_init_again(p, b, k, NULL);
}

void placement_plan_init_again(struct placement_plan *p, const struct placement_base *b,
                               const struct placement_knobs *k, const int *owner)
{
	*p = (struct placement_plan){.base = b};
	placement_order_init(&p->order, b, k);
	find_owners(p, b, k, owner);
}

void placement_plan_init_owned(struct placement_plan *p, const struct placement_base *b,
                               const struct placement_knobs *k, const int *owner)
{
	*p = (struct placement_plan){.base = b};
	placement_order_init(&p->order, b, k);
	p->owner = ht_alloc((size_t)b->dag->nhandles + 1, sizeof(*p->owner));
	memcpy(p->owner, owner, b->dag->nhandles * sizeof(*p->owner));
}

/* Windows are those of the ranks. */
int placement_knobs_cut_alike(const struct placement_knobs *a, const struct placement_knobs *b)
{
	return a->rank == b->rank && a->least == b->least && a->transfers == b->transfers && a->windows == b->windows &&
	       a->objective == b->objective && a->balance == b->balance && a->effort == b->effort && a->seed == b->seed;
}

void placement_plan_init_ordered(struct placement_plan *p, const struct placement_base *b,
                                 const struct placement_knobs *k, const struct placement_order *order)
{
	*p = (struct placement_plan){.base = b, .order = *order};
	find_owners(p, b, k, NULL);
}

void placement_plan_fini(struct placement_plan *p)
{
	placement_order_fini(&p->order);
	free(p->owner);
	free(p->place);
}
