/* core/metrics/bus_game.c - the game between rows, times that a makespan is not below, and assignments of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/bus_game.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/min_cut.h"

const double *bus_game_times(const struct bus_game *g, uint32_t t)
{
	return &g->time[g->d->tasks[t].class_id * (size_t)g->nplaces];
}

static double least_on(const struct bus_game *g, uint32_t t, enum side s)
{
	return g->least[s][g->d->tasks[t].class_id];
}

static void find_places(struct bus_game *g, const struct machine *m)
{
	const struct dag *d = g->d;

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		int on[SIDES] = {0};

		g->workers[a] = machine_workers_of(m, a);
		for (int w = 0; w < m->nworkers; w++)
			if (m->workers[w].arch == a)
				on[m->nodes[m->workers[w].node].arch == ARCH_CPU ? SIDE_MAIN : SIDE_DEVICES] = 1;
		for (enum side s = 0; s < SIDES; s++)
			if (on[s])
				g->places[g->nplaces++] = (struct bus_place){a, s};
	}
	g->time = ht_alloc((size_t)d->nclasses * (size_t)g->nplaces, sizeof(*g->time));
	for (enum side s = 0; s < SIDES; s++)
		g->least[s] = ht_alloc(d->nclasses, sizeof(*g->least[s]));
	for (uint32_t p = 0; p < d->nclasses; p++) {
		g->least[SIDE_MAIN][p] = g->least[SIDE_DEVICES][p] = INFINITY;
		for (int i = 0; i < g->nplaces; i++) {
			int64_t cost = dag_class_least(d, p, g->places[i].arch);
			double *least = &g->least[g->places[i].side][p];

			g->time[p * (size_t)g->nplaces + (size_t)i] = cost < 0 ? INFINITY : (double)cost;
			*least = fmin(*least, cost < 0 ? INFINITY : (double)cost);
		}
	}
}

double bus_game_copy_ns(const struct bus_game *g, uint32_t edge, enum side from, enum side to)
{
	return from == to ? 0 : two_sides_ns(&g->two, from, g->two.edge_bytes[edge]);
}

/* The longest paths to and from each task on each side, where the tasks before and after it are on their best sides. */
static void find_paths(struct bus_game *g)
{
	const struct dag *d = g->d;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);

		g->head[SIDE_DEVICES][t] = two_sides_ns(&g->two, SIDE_MAIN, g->two.home_bytes[t]);
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			for (enum side s = 0; s < SIDES; s++) {
				uint32_t p = d->pred[k];
				double stay = g->head[s][p] + least_on(g, p, s), start;
				enum side o = side_other(s);

				start = fmin(stay, g->head[o][p] + least_on(g, p, o) + bus_game_copy_ns(g, k, o, s));
				g->head[s][t] = fmax(g->head[s][t], start);
			}
	}
	for (uint32_t i = d->ntasks; i-- > 0;) {
		uint32_t t = dag_in_order(d, i);
		double all[SIDES];

		for (enum side s = 0; s < SIDES; s++)
			all[s] = least_on(g, t, s) + g->tail[s][t];
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			for (enum side s = 0; s < SIDES; s++) {
				enum side o = side_other(s);
				double *tail = &g->tail[s][d->pred[k]];

				*tail = fmax(*tail, fmin(all[s], bus_game_copy_ns(g, k, s, o) + all[o]));
			}
		g->known = fmax(g->known, fmin(g->head[SIDE_MAIN][t] + all[SIDE_MAIN],
		                               g->head[SIDE_DEVICES][t] + all[SIDE_DEVICES]));
	}
}

/* A copy out of a side begins after its producer there, and some reader on the other side begins after it. */
static void find_copy_paths(struct bus_game *g)
{
	for (uint32_t i = 0; i < g->two.nversions; i++) {
		const struct version *v = &g->two.versions[i];

		for (enum side s = 0; s < SIDES; s++) {
			enum side o = side_other(s);
			double tail = INFINITY;

			for (uint32_t k = v->first_reader; k < v->first_reader + v->nreaders; k++) {
				uint32_t t = g->two.readers[k].task;

				tail = fmin(tail, least_on(g, t, o) + g->tail[o][t]);
			}
			g->copy_tail[s][i] = tail;
			g->copy_head[s][i] = v->producer == TWO_SIDES_NOBODY ?
			                             0 :
			                             g->head[s][v->producer] + least_on(g, v->producer, s);
		}
	}
}

/* A version that one reader gets along an edge. */
static int is_direct(const struct bus_game *g, const struct version *v)
{
	return v->producer != TWO_SIDES_NOBODY && v->nreaders == 1 &&
	       g->two.readers[v->first_reader].edge != TWO_SIDES_NOBODY;
}

/* Returns the index of the new arc. */
static uint32_t add_arc(struct bus_game *g, struct min_cut_arc *arcs, uint32_t from, uint32_t to, enum side drawn)
{
	arcs[g->narcs] = (struct min_cut_arc){from, to};
	g->drawn[g->narcs] = drawn;
	return g->narcs++;
}

static void make_cut(struct bus_game *g)
{
	const struct dag *d = g->d;
	size_t most = d->nedges + SIDES * ((size_t)g->two.nreaders + g->two.nversions);
	struct min_cut_arc *arcs = ht_alloc(most, sizeof(*arcs));

	g->drawn = ht_alloc(most, sizeof(*g->drawn));
	g->nnodes = d->ntasks;
	for (uint32_t t = 0; t < d->ntasks; t++)
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			g->arc_of_edge[k] = g->two.edge_bytes[k] ? add_arc(g, arcs, d->pred[k], t, SIDES) :
			                                           TWO_SIDES_NOBODY;
	for (uint32_t i = 0; i < g->two.nversions; i++) {
		const struct version *v = &g->two.versions[i];

		for (enum side s = 0; s < SIDES; s++) {
			uint32_t node = TWO_SIDES_NOBODY, arc = TWO_SIDES_NOBODY;

			if (is_direct(g, v)) {
				arc = g->arc_of_edge[g->two.readers[v->first_reader].edge];
			} else if (g->two.nlinks[s] && (v->producer != TWO_SIDES_NOBODY || s == SIDE_MAIN)) {
				node = g->nnodes++;
				arc = v->producer == TWO_SIDES_NOBODY ? TWO_SIDES_NOBODY :
				                                        add_arc(g, arcs, v->producer, node, SIDES);
				for (uint32_t k = 0; k < v->nreaders; k++)
					add_arc(g, arcs, node, g->two.readers[v->first_reader + k].task, s);
			}
			g->node_of_version[s][i] = node;
			g->arc_of_version[s][i] = arc;
		}
	}
	g->cut = min_cut_create(g->nnodes, arcs, g->narcs);
	g->node_cost = ht_alloc(g->nnodes, sizeof(*g->node_cost));
	g->arc_price = ht_alloc(g->narcs, sizeof(*g->arc_price));
	g->costs = ht_alloc(g->nnodes, sizeof(*g->costs));
	g->prices = ht_alloc(g->narcs, sizeof(*g->prices));
	g->sides = ht_alloc(g->nnodes, sizeof(*g->sides));
	free(arcs);
}

void bus_game_init(struct bus_game *g, const struct dag *d, const struct machine *m, int64_t known_ns)
{
	*g = (struct bus_game){.d = d, .known = (double)known_ns};
	two_sides_init(&g->two, d, m);
	find_places(g, m);
	for (enum side s = 0; s < SIDES; s++) {
		g->head[s] = ht_alloc(d->ntasks, sizeof(*g->head[s]));
		g->tail[s] = ht_alloc(d->ntasks, sizeof(*g->tail[s]));
		g->copy_head[s] = ht_alloc(g->two.nversions, sizeof(*g->copy_head[s]));
		g->copy_tail[s] = ht_alloc(g->two.nversions, sizeof(*g->copy_tail[s]));
		g->arc_of_version[s] = ht_alloc(g->two.nversions, sizeof(*g->arc_of_version[s]));
		g->node_of_version[s] = ht_alloc(g->two.nversions, sizeof(*g->node_of_version[s]));
	}
	find_paths(g);
	find_copy_paths(g);
	g->arc_of_edge = ht_alloc(d->nedges, sizeof(*g->arc_of_edge));
	g->cost = ht_alloc((size_t)d->ntasks * (size_t)g->nplaces, sizeof(*g->cost));
	make_cut(g);
}

void bus_game_fini(struct bus_game *g)
{
	for (int r = 0; r < g->nrows; r++) {
		free(g->rows[r].tasks);
		free(g->rows[r].edges);
	}
	for (size_t c = 0; c < g->ncolumns; c++) {
		free(g->columns[c].places);
		free(g->columns[c].times);
	}
	free(g->columns);
	for (enum side s = 0; s < SIDES; s++) {
		free(g->least[s]);
		free(g->head[s]);
		free(g->tail[s]);
		free(g->copy_head[s]);
		free(g->copy_tail[s]);
		free(g->arc_of_version[s]);
		free(g->node_of_version[s]);
	}
	min_cut_free(g->cut);
	free(g->time);
	free(g->arc_of_edge);
	free(g->cost);
	free(g->node_cost);
	free(g->arc_price);
	free(g->costs);
	free(g->prices);
	free(g->drawn);
	free(g->sides);
	two_sides_fini(&g->two);
}

double bus_game_work_ns(const struct bus_game *g, const struct bus_row *r, uint32_t t, int place)
{
	enum side s = g->places[place].side;

	if ((int)g->places[place].arch != r->of || g->head[s][t] < r->head || g->tail[s][t] < r->tail)
		return 0;
	return bus_game_times(g, t)[place] / g->workers[r->of];
}

double bus_game_passage_ns(const struct bus_game *g, const struct bus_row *r, uint32_t version, enum side from)
{
	const struct passage *p = &g->two.passages[r->of];

	if (g->copy_head[from][version] < r->head || g->copy_tail[from][version] < r->tail || p->ns_per_byte[from] <= 0)
		return 0;
	return p->each_ns[from] + p->ns_per_byte[from] * (double)g->two.versions[version].bytes;
}

/* What the task at `at` adds to a row of a chain on a place, the first one with its head, the last with its tail. */
static double chain_ns(const struct bus_game *g, const struct bus_row *r, uint32_t at, int place)
{
	enum side s = g->places[place].side;
	uint32_t t = r->tasks[at];

	return (at ? 0 : g->head[s][t]) + bus_game_times(g, t)[place] + (at + 1 < r->ntasks ? 0 : g->tail[s][t]);
}

enum side bus_game_copied_from(const struct bus_game *g, const struct bus_column *c, const struct version *v)
{
	enum side from = v->producer == TWO_SIDES_NOBODY ? SIDE_MAIN : bus_game_side(g, c, v->producer);

	for (uint32_t k = v->first_reader; k < v->first_reader + v->nreaders; k++)
		if (bus_game_side(g, c, g->two.readers[k].task) != from)
			return from;
	return SIDES;
}

static double row_ns(const struct bus_game *g, const struct bus_row *r, const struct bus_column *c)
{
	double ns = r->head + r->tail;

	if (r->kind == ROW_WORK)
		for (uint32_t t = 0; t < g->d->ntasks; t++)
			ns += bus_game_work_ns(g, r, t, c->places[t]);
	for (uint32_t i = 0; r->kind == ROW_PASSAGE && i < g->two.nversions; i++) {
		enum side from = bus_game_copied_from(g, c, &g->two.versions[i]);

		ns += from == SIDES ? 0 : bus_game_passage_ns(g, r, i, from);
	}
	for (uint32_t i = 0; i < r->ntasks; i++) {
		ns += chain_ns(g, r, i, c->places[r->tasks[i]]);
		if (i)
			ns += bus_game_copy_ns(g, r->edges[i], bus_game_side(g, c, r->tasks[i - 1]),
			                       bus_game_side(g, c, r->tasks[i]));
	}
	return ns;
}

void bus_game_add_row(struct bus_game *g, struct bus_row row)
{
	g->rows[g->nrows] = row;
	for (size_t c = 0; c < g->ncolumns; c++)
		g->columns[c].times[g->nrows] = row_ns(g, &row, &g->columns[c]);
	g->nrows++;
}

/* Sums up what the rows ask of each node and arc. */
static void price_row(struct bus_game *g, const struct bus_row *r, double weight)
{
	if (r->kind == ROW_WORK)
		for (uint32_t t = 0; t < g->d->ntasks; t++)
			for (int i = 0; i < g->nplaces; i++)
				if (isfinite(bus_game_times(g, t)[i]))
					g->cost[t * (size_t)g->nplaces + (size_t)i] += weight *
					                                               bus_game_work_ns(g, r, t, i);
	for (uint32_t i = 0; r->kind == ROW_PASSAGE && i < g->two.nversions; i++)
		for (enum side s = 0; s < SIDES; s++) {
			double ns = weight * bus_game_passage_ns(g, r, i, s);

			if (g->arc_of_version[s][i] != TWO_SIDES_NOBODY)
				g->arc_price[g->arc_of_version[s][i]][s] += ns;
			else if (g->node_of_version[s][i] != TWO_SIDES_NOBODY)
				g->node_cost[g->node_of_version[s][i]][SIDE_DEVICES] += ns;
		}
	for (uint32_t i = 0; i < r->ntasks; i++) {
		for (int k = 0; k < g->nplaces; k++)
			if (isfinite(bus_game_times(g, r->tasks[i])[k]))
				g->cost[r->tasks[i] * (size_t)g->nplaces + (size_t)k] += weight * chain_ns(g, r, i, k);
		if (!i || g->arc_of_edge[r->edges[i]] == TWO_SIDES_NOBODY)
			continue;
		for (enum side s = 0; s < SIDES; s++)
			g->arc_price[g->arc_of_edge[r->edges[i]]][s] += weight * bus_game_copy_ns(g, r->edges[i], s,
			                                                                          side_other(s));
	}
}

/* The place of the side where the task costs least; -1: it cannot run there. */
static int best_place(const struct bus_game *g, uint32_t t, enum side s)
{
	const double *cost = &g->cost[t * (size_t)g->nplaces];
	int best = -1;

	for (int i = 0; i < g->nplaces; i++)
		if (g->places[i].side == s && isfinite(bus_game_times(g, t)[i]) && (best < 0 || cost[i] < cost[best]))
			best = i;
	return best;
}

/* Fills in what the cut has to minimise, in parts of a ns; returns how many of them a ns is. */
static double fill_cut(struct bus_game *g)
{
	double most = 0, scale;

	for (uint32_t v = 0; v < g->nnodes; v++)
		for (enum side s = 0; s < SIDES; s++) {
			int place = v < g->d->ntasks ? best_place(g, v, s) : -1;

			if (place >= 0)
				g->node_cost[v][s] = g->cost[v * (size_t)g->nplaces + (size_t)place];
			else if (v < g->d->ntasks)
				g->node_cost[v][s] = INFINITY;
			most += isfinite(g->node_cost[v][s]) ? g->node_cost[v][s] : 0;
		}
	for (uint32_t i = 0; i < g->narcs; i++)
		most += g->arc_price[i][SIDE_MAIN] + g->arc_price[i][SIDE_DEVICES];
	scale = most > 0 ? (double)(INT64_C(1) << 52) / most : 1;
	for (uint32_t v = 0; v < g->nnodes; v++)
		for (enum side s = 0; s < SIDES; s++)
			g->costs[v][s] = isfinite(g->node_cost[v][s]) ? (int64_t)(g->node_cost[v][s] * scale) :
			                                                MIN_CUT_NEVER;
	for (uint32_t i = 0; i < g->narcs; i++)
		for (enum side s = 0; s < SIDES; s++)
			g->prices[i][s] = g->drawn[i] == s ? MIN_CUT_NEVER : (int64_t)(g->arc_price[i][s] * scale);
	return scale;
}

double bus_game_answer(struct bus_game *g, const double *weights)
{
	struct bus_column *c = VEC_PUSH(g->columns, g->ncolumns, g->cap_columns);
	double bound = 0, scale;

	memset(g->cost, 0, (size_t)g->d->ntasks * (size_t)g->nplaces * sizeof(*g->cost));
	memset(g->node_cost, 0, g->nnodes * sizeof(*g->node_cost));
	memset(g->arc_price, 0, g->narcs * sizeof(*g->arc_price));
	for (int r = 0; r < g->nrows; r++) {
		if (weights[r] <= 0)
			continue;
		price_row(g, &g->rows[r], weights[r]);
		bound += weights[r] * (g->rows[r].head + g->rows[r].tail);
	}
	scale = fill_cut(g);
	/* Costs were rounded down, so that this is not above the least. */
	bound += (double)min_cut_find(g->cut, (const int64_t(*)[2])g->costs, (const int64_t(*)[2])g->prices, g->sides) /
	         scale;
	c->places = ht_alloc(g->d->ntasks, sizeof(*c->places));
	c->times = ht_alloc(BUS_GAME_ROWS, sizeof(*c->times));
	for (uint32_t t = 0; t < g->d->ntasks; t++)
		c->places[t] = (uint8_t)best_place(g, t, (enum side)g->sides[t]);
	for (int r = 0; r < g->nrows; r++)
		c->times[r] = row_ns(g, &g->rows[r], c);
	return bound;
}
