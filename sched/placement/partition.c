/* sched/placement/partition.c - a graph cut into parts of given shares, each of several weights balanced. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Simulated annealing: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science 220, 1983. What is
 * minimised is
 *
 *   C / C_max + balance sum over parts p and weights i of max(0, w_i(p) / (share(p) w_i) - 1)^2 / (parts * weights)
 *
 * with C the weight of the edges between parts, or the sizes received. A step moves one vertex to another part; the
 * temperature falls from HOT to COLD over n, so that a step which makes a typical vertex' part worse is usual first and
 * rare in the end. Where vertices are in parts already it begins with those at WARM, and each vertex that is elsewhere
 * adds STAY times its share of all sizes. Each vertex has a table of its edges into each part: with PARTITION_CUT the
 * change of C is found in constant time.
 *
 * METIS (METIS_PartGraphKway with a constraint for each weight) gave plans of the same quality in three to six times
 * the time; besides, it draws from the C library's rand(), which all threads of a program share.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/rng.h"
#include "sched/placement/partition.h"

/* Of vertices: small graphs get more sweeps, since a vertex that has gone wrong needs another to change places with. */
enum { SWEEPS = 100, LEAST_SWEEPS = 10, LEAST_STEPS = 20000, MOST_STEPS = 20000000, FINAL_SWEEPS = 5 };

static const double HOT = 1, WARM = 0.05, COLD = 0.01, STAY = 1;
static const double NEVER = 40; /* worse by so many temperatures: once in 10^17 steps */

/* Weights are handled two at a time: of gcc's vectors this one needs no extension of x86-64 or ARMv8. */
enum { PAIR = 2 };
typedef double pair __attribute__((vector_size(16), may_alias));
typedef int64_t pair_mask __attribute__((vector_size(16)));

struct annealing {
	const struct partition_graph *g;
	const struct partition_options *o;
	uint32_t *part;
	int64_t *into;   /* [v * nparts + p]: weight of v's edges to part p */
	uint32_t *links; /* [v * nparts + p]: how many of them are to readers */
	double *size;    /* per vertex, as a share of the most that can be received */
	uint32_t stride; /* nweights, rounded up to pairs */
	double *load;    /* [p * stride + i]: over its share */
	double *weight;  /* [v * stride + i]: of all */
	uint32_t *end;   /* per vertex: it has no weights from this one on */
	double edge_unit;
	double penalty_unit;
	struct rng rng;
};

/* Without a branch, which nothing could predict. */
static pair positive(pair x)
{
	return (pair)((pair_mask)x & (x > 0));
}

/* What the penalty of part p grows by when the vertex comes (sign 1) or goes (-1). */
static double penalty_change(const struct annealing *s, uint32_t p, uint32_t v, double sign)
{
	const double *load = &s->load[(size_t)p * s->stride], *w = &s->weight[(size_t)v * s->stride];
	const double factor = sign / s->o->share[p];
	double sum = 0;

	for (uint32_t i = 0; i < s->end[v]; i += PAIR) {
		pair before = *(const pair *)&load[i] - 1, after = before + factor * *(const pair *)&w[i], grows;

		before = positive(before);
		after = positive(after);
		grows = after * after - before * before;
		sum += grows[0];
		sum += grows[1];
	}
	return sum * s->penalty_unit;
}

static double cut_change(const struct annealing *s, uint32_t v, uint32_t to)
{
	const int64_t *into = &s->into[(size_t)v * s->o->nparts];

	return (double)(into[s->part[v]] - into[to]) * s->edge_unit;
}

static double volume_change(const struct annealing *s, uint32_t v, uint32_t to)
{
	const struct partition_graph *g = s->g;
	uint32_t n = s->o->nparts, from = s->part[v];
	const uint32_t *links = &s->links[(size_t)v * n];
	double change = s->size[v] * ((links[from] > 0) - (links[to] > 0));

	for (uint32_t e = g->first[v]; v < g->nreaders && e < g->first[v + 1]; e++) {
		uint32_t u = g->neighbour[e];
		const uint32_t *of = &s->links[(size_t)u * n];

		change -= s->size[u] * ((s->part[u] != from) & (of[from] == 1));
		change += s->size[u] * ((s->part[u] != to) & (of[to] == 0));
	}
	return change;
}

static void move(struct annealing *s, uint32_t v, uint32_t to)
{
	const struct partition_graph *g = s->g;
	uint32_t n = s->o->nparts, from = s->part[v];

	for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
		size_t u = (size_t)g->neighbour[e] * n;

		s->into[u + from] -= g->edge_weight[e];
		s->into[u + to] += g->edge_weight[e];
		s->links[u + from] -= v < g->nreaders;
		s->links[u + to] += v < g->nreaders;
	}
	for (uint32_t i = 0; i < s->end[v]; i += PAIR) {
		const pair w = *(const pair *)&s->weight[(size_t)v * s->stride + i];

		*(pair *)&s->load[(size_t)from * s->stride + i] -= w / s->o->share[from];
		*(pair *)&s->load[(size_t)to * s->stride + i] += w / s->o->share[to];
	}
	s->part[v] = to;
}

/* From where v was so far, or back. */
static double stay_change(const struct annealing *s, uint32_t v, uint32_t to)
{
	uint32_t home = s->o->home[v];

	return STAY * s->size[v] * (s->o->nparts - 1) * ((home == s->part[v]) - (home == to));
}

/* Of what grows by more than `most` only that much: the part that the vertex comes to is then not looked at. */
static double change_of(const struct annealing *s, uint32_t v, uint32_t to, double most)
{
	double change = s->o->objective == PARTITION_CUT ? cut_change(s, v, to) : volume_change(s, v, to);

	if (s->o->home)
		change += stay_change(s, v, to);
	change += penalty_change(s, s->part[v], v, -1);
	return change > most ? change : change + penalty_change(s, to, v, 1);
}

/* Where all are readers, those without neighbours count, too. */
static int is_received(const struct partition_graph *g, uint32_t v)
{
	return g->nreaders == g->n || (g->first[v] < g->first[v + 1] && g->neighbour[g->first[v]] < g->nreaders);
}

static void set_units(struct annealing *s)
{
	const struct partition_graph *g = s->g;
	double edges = 0, sizes = 0, *sum = ht_alloc((size_t)g->nweights + 1, sizeof(*sum));

	for (uint32_t e = 0; e < g->first[g->n]; e++)
		edges += g->edge_weight[e];
	for (uint32_t v = 0; v < g->n; v++)
		sizes += is_received(g, v) ? g->size[v] : 0;
	for (size_t i = 0; i < (size_t)g->n * g->nweights; i++)
		sum[i % g->nweights] += g->weight[i];
	s->edge_unit = edges > 0 ? 2 / edges : 0; /* each edge is there twice */
	s->penalty_unit = s->o->balance / s->o->nparts / g->nweights;
	for (uint32_t v = 0; v < g->n; v++)
		s->size[v] = is_received(g, v) ? g->size[v] / (sizes * (s->o->nparts - 1)) : 0;
	for (size_t at = 0; at < (size_t)g->n * g->nweights; at++) {
		uint32_t v = (uint32_t)(at / g->nweights), i = (uint32_t)(at % g->nweights);

		s->weight[(size_t)v * s->stride + i] = sum[i] > 0 ? g->weight[at] / sum[i] : 0;
		if (g->weight[at] > 0)
			s->end[v] = i + 1;
	}
	free(sum);
}

static void begin(struct annealing *s)
{
	const struct partition_graph *g = s->g;
	uint32_t n = s->o->nparts;

	s->into = ht_alloc((size_t)g->n * n, sizeof(*s->into));
	s->links = ht_alloc((size_t)g->n * n, sizeof(*s->links));
	s->size = ht_alloc(g->n, sizeof(*s->size));
	s->stride = (g->nweights + PAIR - 1) / PAIR * PAIR;
	s->load = ht_alloc((size_t)n * s->stride + 1, sizeof(*s->load));
	s->weight = ht_alloc((size_t)g->n * s->stride + 1, sizeof(*s->weight));
	s->end = ht_alloc((size_t)g->n + 1, sizeof(*s->end));
	set_units(s);
	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t home = s->o->home ? s->o->home[v] : PARTITION_NONE;
		uint32_t p = s->part[v] = home != PARTITION_NONE ? home : rng_below(&s->rng, n);

		for (uint32_t i = 0; i < g->nweights; i++)
			s->load[(size_t)p * s->stride + i] += s->weight[(size_t)v * s->stride + i] / s->o->share[p];
	}
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			size_t at = (size_t)v * n + s->part[g->neighbour[e]];

			s->into[at] += g->edge_weight[e];
			s->links[at] += g->neighbour[e] < g->nreaders;
		}
}

/* A change that makes it worse by so many temperatures, where `any` is drawn from [0, 1). */
static int is_taken(double any, double worse)
{
	return worse < NEVER && any < exp(-worse);
}

/* As many steps as there are vertices; temperature 0: none that makes it worse. */
static void sweep(struct annealing *s, double temperature)
{
	uint32_t n = s->o->nparts;

	for (uint32_t i = 0; i < s->g->n; i++) {
		uint32_t v = rng_below(&s->rng, s->g->n), to = (s->part[v] + 1 + rng_below(&s->rng, n - 1)) % n;
		double change = change_of(s, v, to, NEVER * temperature);

		if (change <= 0 || (temperature > 0 && is_taken(rng_real(&s->rng), change / temperature)))
			move(s, v, to);
	}
}

void partition(const struct partition_graph *g, const struct partition_options *o, uint32_t *part)
{
	struct annealing s = {.g = g, .o = o, .part = part, .rng = {o->seed}};
	double first = o->home ? WARM : HOT;
	int sweeps = SWEEPS;

	if (g->n == 0 || o->nparts < 2) {
		for (uint32_t v = 0; v < g->n; v++)
			part[v] = 0;
		return;
	}
	if (g->n < LEAST_STEPS / SWEEPS)
		sweeps = (int)(LEAST_STEPS / g->n);
	else if (g->n > MOST_STEPS / SWEEPS)
		sweeps = g->n > MOST_STEPS / LEAST_SWEEPS ? LEAST_SWEEPS : (int)(MOST_STEPS / g->n);
	sweeps *= (int)o->effort;
	begin(&s);
	for (int i = 0; i < sweeps; i++)
		sweep(&s, first * pow(COLD / first, (double)i / (sweeps - 1)) / g->n);
	for (int i = 0; i < FINAL_SWEEPS; i++)
		sweep(&s, 0);
	free(s.into);
	free(s.links);
	free(s.size);
	free(s.load);
	free(s.weight);
	free(s.end);
}
