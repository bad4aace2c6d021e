/* core/metrics/bound_bus.c - the bus bound: no schedule is shorter, where data has to be where it is used. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A schedule puts each task on a side, main memory or the devices (two_sides.h), and there on an architecture: an
 * assignment. A row is a time that the makespan T of every schedule with this assignment is not below, a sum over its
 * tasks and over the copies that it needs:
 *
 *   work     the tasks of an architecture, divided by its workers; of those alone that cannot start before `head` and
 *            have `tail` after their end, it is head + tail + that
 *   passage  the copies that cross a part of the bus; the same with head and tail
 *   chain    tasks of which each needs the one before, one after the other, and the copies between them
 *
 * For weights of the rows, at least 0 and 1 in all, T is at least the weighted mean of the rows, and so at least the
 * least that this mean is for any assignment. To find that is a minimum cut: a task costs what it adds to the mean, the
 * least on each side; a version costs its copy where its producer is on one side and a reader on the other. So any
 * weights give a bound, and the best weights give the linear program in which a schedule may be a mixture of
 * assignments (Dantzig and Wolfe, "Decomposition principle for linear programs", Operations Research 8, 1960): the
 * value of a game between rows and assignments. Assignments are added as cuts find them, rows (chains, heads and tails)
 * as the mixture breaks them. Devices of one architecture are alike and nothing is copied between them, so a single
 * copy serves them all: what a schedule needs beyond that is not in the bound.
 *
 * Head and tail of a row are from longest paths with their copies. Its time holds for an assignment without such tasks
 * as well, because head + tail are at most a bound that is known already.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/bound_lp.h"
#include "core/metrics/min_cut.h"
#include "core/metrics/two_sides.h"

enum {
	MAX_CUTS = 240,
	MAX_CUT_TASKS = 3000000, /* cuts times tasks */
	MAX_ROWS = 40,
	MAX_IDLE = 3, /* times in turn that more rows have made nothing longer */
	BUCKETS = 48, /* heads and tails that are tried */
};

/* The program is solved to this, and a row counts as broken from here. */
#define TOLERANCE 5e-4

struct place {
	enum arch arch;
	enum side side;
};

#define NOBODY TWO_SIDES_NOBODY

enum row_kind { ROW_WORK, ROW_PASSAGE, ROW_CHAIN };

struct row {
	enum row_kind kind;
	int of; /* the architecture, or the passage */
	double head, tail;
	uint32_t *tasks, *edges; /* of a chain; edges[i] leads to tasks[i] */
	uint32_t ntasks;
};

/* An assignment: where each task is. */
struct column {
	uint8_t *places; /* per task */
	double *times;   /* per row */
	double share;    /* of the mixture */
};

struct game {
	const struct dag *d;
	struct two_sides two;
	struct place places[2 * ARCH_COUNT];
	int nplaces;
	int workers[ARCH_COUNT];
	double *time;         /* [class * nplaces + place], ns; INFINITY: it cannot run there */
	double *least[SIDES]; /* per class: the least of the side's places */
	double *head[SIDES];  /* per task: it cannot start on the side before */
	double *tail[SIDES];  /* per task: from its end on the side to that of the last task, at least */
	double *copy_head[SIDES], *copy_tail[SIDES]; /* per version: of a copy out of the side */
	double known;                                /* a bound */
	struct row rows[MAX_ROWS];
	int nrows;
	struct column *columns;
	size_t ncolumns, cap_columns;
	/*
	 * The cut: tasks are nodes, and the edges along which data goes are arcs. A version has that arc alone if it
	 * has one reader; else it has a node for each side: the side's is where the producer is, unless a reader on the
	 * other side has drawn it there.
	 */
	struct min_cut *cut;
	uint32_t nnodes, narcs;
	uint32_t *arc_of_edge;
	uint32_t *arc_of_version[SIDES], *node_of_version[SIDES];
	double *cost; /* [task * nplaces + place] */
	double (*node_cost)[SIDES], (*arc_price)[SIDES];
	int64_t (*costs)[2], (*prices)[2];
	enum side *drawn; /* per arc, from a version's node to a reader: the node's side is no other; SIDES: any arc */
	uint8_t *sides;
};

static const double *times_of(const struct game *g, uint32_t t)
{
	return &g->time[g->d->tasks[t].class_id * (size_t)g->nplaces];
}

static double least_on(const struct game *g, uint32_t t, enum side s)
{
	return g->least[s][g->d->tasks[t].class_id];
}

static void find_places(struct game *g, const struct machine *m)
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
				g->places[g->nplaces++] = (struct place){a, s};
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

/* From a task on side `from` to one on side `to` along the edge of dag.pred. */
static double copy_ns(const struct game *g, uint32_t edge, enum side from, enum side to)
{
	return from == to ? 0 : two_sides_ns(&g->two, from, g->two.edge_bytes[edge]);
}

/* The longest paths to and from each task on each side, where the tasks before and after it are on their best sides. */
static void find_paths(struct game *g)
{
	const struct dag *d = g->d;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = d->order[i];

		g->head[SIDE_DEVICES][t] = two_sides_ns(&g->two, SIDE_MAIN, g->two.home_bytes[t]);
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			for (enum side s = 0; s < SIDES; s++) {
				uint32_t p = d->pred[k];
				double stay = g->head[s][p] + least_on(g, p, s), start;
				enum side o = side_other(s);

				start = fmin(stay, g->head[o][p] + least_on(g, p, o) + copy_ns(g, k, o, s));
				g->head[s][t] = fmax(g->head[s][t], start);
			}
	}
	for (uint32_t i = d->ntasks; i-- > 0;) {
		uint32_t t = d->order[i];
		double all[SIDES];

		for (enum side s = 0; s < SIDES; s++)
			all[s] = least_on(g, t, s) + g->tail[s][t];
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			for (enum side s = 0; s < SIDES; s++) {
				enum side o = side_other(s);
				double *tail = &g->tail[s][d->pred[k]];

				*tail = fmax(*tail, fmin(all[s], copy_ns(g, k, s, o) + all[o]));
			}
		g->known = fmax(g->known, fmin(g->head[SIDE_MAIN][t] + all[SIDE_MAIN],
		                               g->head[SIDE_DEVICES][t] + all[SIDE_DEVICES]));
	}
}

/* A copy out of a side begins after its producer there, and some reader on the other side begins after it. */
static void find_copy_paths(struct game *g)
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
			g->copy_head[s][i] = v->producer == NOBODY ?
			                             0 :
			                             g->head[s][v->producer] + least_on(g, v->producer, s);
		}
	}
}

/* A version that one reader gets along an edge. */
static int is_direct(const struct game *g, const struct version *v)
{
	return v->producer != NOBODY && v->nreaders == 1 && g->two.readers[v->first_reader].edge != NOBODY;
}

/* Returns the index of the new arc. */
static uint32_t add_arc(struct game *g, struct min_cut_arc *arcs, uint32_t from, uint32_t to, enum side drawn)
{
	arcs[g->narcs] = (struct min_cut_arc){from, to};
	g->drawn[g->narcs] = drawn;
	return g->narcs++;
}

static void make_cut(struct game *g)
{
	const struct dag *d = g->d;
	size_t most = d->nedges + SIDES * ((size_t)g->two.nreaders + g->two.nversions);
	struct min_cut_arc *arcs = ht_alloc(most, sizeof(*arcs));

	g->drawn = ht_alloc(most, sizeof(*g->drawn));
	g->nnodes = d->ntasks;
	for (uint32_t t = 0; t < d->ntasks; t++)
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			g->arc_of_edge[k] = g->two.edge_bytes[k] ? add_arc(g, arcs, d->pred[k], t, SIDES) : NOBODY;
	for (uint32_t i = 0; i < g->two.nversions; i++) {
		const struct version *v = &g->two.versions[i];

		for (enum side s = 0; s < SIDES; s++) {
			uint32_t node = NOBODY, arc = NOBODY;

			if (is_direct(g, v)) {
				arc = g->arc_of_edge[g->two.readers[v->first_reader].edge];
			} else if (g->two.nlinks[s] && (v->producer != NOBODY || s == SIDE_MAIN)) {
				node = g->nnodes++;
				arc = v->producer == NOBODY ? NOBODY : add_arc(g, arcs, v->producer, node, SIDES);
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

static void game_init(struct game *g, const struct dag *d, const struct machine *m, int64_t known_ns)
{
	*g = (struct game){.d = d, .known = (double)known_ns};
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

static void game_fini(struct game *g)
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

/* What a task adds to a row of work on a place. */
static double work_ns(const struct game *g, const struct row *r, uint32_t t, int place)
{
	enum side s = g->places[place].side;

	if ((int)g->places[place].arch != r->of || g->head[s][t] < r->head || g->tail[s][t] < r->tail)
		return 0;
	return times_of(g, t)[place] / g->workers[r->of];
}

/* What a copy of a version out of a side adds to a row of a passage. */
static double passage_ns(const struct game *g, const struct row *r, uint32_t version, enum side from)
{
	const struct passage *p = &g->two.passages[r->of];

	if (g->copy_head[from][version] < r->head || g->copy_tail[from][version] < r->tail || p->ns_per_byte[from] <= 0)
		return 0;
	return p->each_ns[from] + p->ns_per_byte[from] * (double)g->two.versions[version].bytes;
}

/* What the task at `at` adds to a row of a chain on a place, the first one with its head, the last with its tail. */
static double chain_ns(const struct game *g, const struct row *r, uint32_t at, int place)
{
	enum side s = g->places[place].side;
	uint32_t t = r->tasks[at];

	return (at ? 0 : g->head[s][t]) + times_of(g, t)[place] + (at + 1 < r->ntasks ? 0 : g->tail[s][t]);
}

static enum side side_of(const struct game *g, const struct column *c, uint32_t t)
{
	return g->places[c->places[t]].side;
}

/* The side that the version has to be copied from to the other one; SIDES: neither. */
static enum side copied_from(const struct game *g, const struct column *c, const struct version *v)
{
	enum side from = v->producer == NOBODY ? SIDE_MAIN : side_of(g, c, v->producer);

	for (uint32_t k = v->first_reader; k < v->first_reader + v->nreaders; k++)
		if (side_of(g, c, g->two.readers[k].task) != from)
			return from;
	return SIDES;
}

static double row_ns(const struct game *g, const struct row *r, const struct column *c)
{
	double ns = r->head + r->tail;

	if (r->kind == ROW_WORK)
		for (uint32_t t = 0; t < g->d->ntasks; t++)
			ns += work_ns(g, r, t, c->places[t]);
	for (uint32_t i = 0; r->kind == ROW_PASSAGE && i < g->two.nversions; i++) {
		enum side from = copied_from(g, c, &g->two.versions[i]);

		ns += from == SIDES ? 0 : passage_ns(g, r, i, from);
	}
	for (uint32_t i = 0; i < r->ntasks; i++) {
		ns += chain_ns(g, r, i, c->places[r->tasks[i]]);
		if (i)
			ns += copy_ns(g, r->edges[i], side_of(g, c, r->tasks[i - 1]), side_of(g, c, r->tasks[i]));
	}
	return ns;
}

static void add_row(struct game *g, struct row row)
{
	g->rows[g->nrows] = row;
	for (size_t c = 0; c < g->ncolumns; c++)
		g->columns[c].times[g->nrows] = row_ns(g, &row, &g->columns[c]);
	g->nrows++;
}

/* Sums up what the rows ask of each node and arc. */
static void price_row(struct game *g, const struct row *r, double weight)
{
	if (r->kind == ROW_WORK)
		for (uint32_t t = 0; t < g->d->ntasks; t++)
			for (int i = 0; i < g->nplaces; i++)
				if (isfinite(times_of(g, t)[i]))
					g->cost[t * (size_t)g->nplaces + (size_t)i] += weight * work_ns(g, r, t, i);
	for (uint32_t i = 0; r->kind == ROW_PASSAGE && i < g->two.nversions; i++)
		for (enum side s = 0; s < SIDES; s++) {
			double ns = weight * passage_ns(g, r, i, s);

			if (g->arc_of_version[s][i] != NOBODY)
				g->arc_price[g->arc_of_version[s][i]][s] += ns;
			else if (g->node_of_version[s][i] != NOBODY)
				g->node_cost[g->node_of_version[s][i]][SIDE_DEVICES] += ns;
		}
	for (uint32_t i = 0; i < r->ntasks; i++) {
		for (int k = 0; k < g->nplaces; k++)
			if (isfinite(times_of(g, r->tasks[i])[k]))
				g->cost[r->tasks[i] * (size_t)g->nplaces + (size_t)k] += weight * chain_ns(g, r, i, k);
		if (!i || g->arc_of_edge[r->edges[i]] == NOBODY)
			continue;
		for (enum side s = 0; s < SIDES; s++)
			g->arc_price[g->arc_of_edge[r->edges[i]]][s] += weight *
			                                                copy_ns(g, r->edges[i], s, side_other(s));
	}
}

/* The place of the side where the task costs least; -1: it cannot run there. */
static int best_place(const struct game *g, uint32_t t, enum side s)
{
	const double *cost = &g->cost[t * (size_t)g->nplaces];
	int best = -1;

	for (int i = 0; i < g->nplaces; i++)
		if (g->places[i].side == s && isfinite(times_of(g, t)[i]) && (best < 0 || cost[i] < cost[best]))
			best = i;
	return best;
}

/* Fills in what the cut has to minimise, in parts of a ns; returns how many of them a ns is. */
static double fill_cut(struct game *g)
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

/* The bound that the weights of the rows give; the assignment that is the best against them becomes a column. */
static double answer(struct game *g, const double *weights)
{
	struct column *c = VEC_PUSH(g->columns, g->ncolumns, g->cap_columns);
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
	c->times = ht_alloc(MAX_ROWS, sizeof(*c->times));
	for (uint32_t t = 0; t < g->d->ntasks; t++)
		c->places[t] = (uint8_t)best_place(g, t, (enum side)g->sides[t]);
	for (int r = 0; r < g->nrows; r++)
		c->times[r] = row_ns(g, &g->rows[r], c);
	return bound;
}

/* The time that the rows take under the mixture of assignments that is best against them, and the rows' weights. */
static int solve_game(struct game *g, double *t, double weights[MAX_ROWS], struct ht_err *err)
{
	double *times = ht_alloc(g->ncolumns * (size_t)g->nrows, sizeof(*times));
	double *shares = ht_alloc(g->ncolumns, sizeof(*shares)), sum = 0;
	int rc;

	for (size_t c = 0; c < g->ncolumns; c++)
		memcpy(&times[c * (size_t)g->nrows], g->columns[c].times, (size_t)g->nrows * sizeof(*times));
	rc = bound_game(times, g->nrows, (int)g->ncolumns, t, weights, shares, err);
	for (size_t c = 0; c < g->ncolumns; c++)
		g->columns[c].share = shares[c] > 0 ? shares[c] : 0;
	for (int r = 0; r < g->nrows; r++)
		sum += weights[r];
	for (int r = 0; r < g->nrows; r++)
		weights[r] = sum > 0 ? weights[r] / sum : 1.0 / g->nrows;
	free(times);
	free(shares);
	return rc;
}

/* A sample: so much time with a head and a tail. */
struct piece {
	double head, tail, ns;
};

/*
 * The head and the tail, at most g->known together, for which head + tail + what the pieces with at least these take is
 * the most. Tried are BUCKETS of each. Returns that most.
 */
static double find_window(const struct game *g, const struct piece *pieces, size_t n, struct row *row)
{
	static const double none = INFINITY;
	double heads[BUCKETS], tails[BUCKETS], sum[BUCKETS + 1][BUCKETS + 1] = {{0}}, best = 0;
	double width = g->known / BUCKETS;

	for (int i = 0; i < BUCKETS; i++)
		heads[i] = tails[i] = none;
	for (size_t i = 0; i < n; i++) {
		int h = (int)fmin(pieces[i].head / width, BUCKETS - 1),
		    t = (int)fmin(pieces[i].tail / width, BUCKETS - 1);

		sum[h][t] += pieces[i].ns;
		heads[h] = fmin(heads[h], pieces[i].head);
		tails[t] = fmin(tails[t], pieces[i].tail);
	}
	for (int h = BUCKETS; h-- > 0;) {
		heads[h] = h + 1 < BUCKETS ? fmin(heads[h], heads[h + 1]) : heads[h];
		tails[h] = h + 1 < BUCKETS ? fmin(tails[h], tails[h + 1]) : tails[h];
	}
	for (int h = BUCKETS; h-- > 0;)
		for (int t = BUCKETS; t-- > 0;) {
			sum[h][t] += sum[h + 1][t] + sum[h][t + 1] - sum[h + 1][t + 1];
			if (heads[h] + tails[t] > g->known || heads[h] + tails[t] + sum[h][t] <= best)
				continue;
			best = heads[h] + tails[t] + sum[h][t];
			row->head = heads[h];
			row->tail = tails[t];
		}
	return best;
}

/* What the mixture spends on each place of a task, and on the copies of each version out of a side, as shares of 1. */
struct mixture {
	double *on;           /* [task * nplaces + place] */
	double *along[SIDES]; /* per edge of dag.pred: the producer is on the side, the reader is not */
	double *out[SIDES];   /* per version */
};

static void mixture_init(struct mixture *x, const struct game *g)
{
	const struct dag *d = g->d;

	x->on = ht_alloc((size_t)d->ntasks * (size_t)g->nplaces, sizeof(*x->on));
	for (enum side s = 0; s < SIDES; s++) {
		x->along[s] = ht_alloc(d->nedges, sizeof(*x->along[s]));
		x->out[s] = ht_alloc(g->two.nversions, sizeof(*x->out[s]));
	}
	for (size_t i = 0; i < g->ncolumns; i++) {
		const struct column *c = &g->columns[i];

		if (c->share <= 0)
			continue;
		for (uint32_t t = 0; t < d->ntasks; t++) {
			x->on[t * (size_t)g->nplaces + c->places[t]] += c->share;
			for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
				if (side_of(g, c, d->pred[k]) != side_of(g, c, t))
					x->along[side_of(g, c, d->pred[k])][k] += c->share;
		}
		for (uint32_t v = 0; v < g->two.nversions; v++) {
			enum side from = copied_from(g, c, &g->two.versions[v]);

			if (from != SIDES)
				x->out[from][v] += c->share;
		}
	}
}

static void mixture_fini(struct mixture *x)
{
	free(x->on);
	for (enum side s = 0; s < SIDES; s++) {
		free(x->along[s]);
		free(x->out[s]);
	}
}

static int is_new(const struct game *g, const struct row *row)
{
	for (int r = 0; r < g->nrows; r++)
		if (g->rows[r].kind == row->kind && g->rows[r].of == row->of && g->rows[r].head == row->head &&
		    g->rows[r].tail == row->tail)
			return 0;
	return 1;
}

/* A row of work or of a passage that takes longer than `t` in the mixture. Returns whether there is one. */
static int add_window(struct game *g, const struct mixture *x, enum row_kind kind, int of, double t)
{
	struct row row = {.kind = kind, .of = of};
	struct piece *pieces = ht_alloc(SIDES * ((size_t)g->d->ntasks + g->two.nversions), sizeof(*pieces));
	size_t n = 0;
	double most;

	for (uint32_t i = 0; kind == ROW_WORK && i < g->d->ntasks; i++)
		for (int k = 0; k < g->nplaces; k++) {
			double share = x->on[i * (size_t)g->nplaces + (size_t)k];
			enum side s = g->places[k].side;

			if (share > 0 && (int)g->places[k].arch == of)
				pieces[n++] = (struct piece){g->head[s][i], g->tail[s][i],
				                             share * work_ns(g, &row, i, k)};
		}
	for (uint32_t i = 0; kind == ROW_PASSAGE && i < g->two.nversions; i++)
		for (enum side s = 0; s < SIDES; s++)
			if (x->out[s][i] > 0)
				pieces[n++] = (struct piece){g->copy_head[s][i], g->copy_tail[s][i],
				                             x->out[s][i] * passage_ns(g, &row, i, s)};
	most = find_window(g, pieces, n, &row);
	free(pieces);
	if (most <= t * (1 + TOLERANCE) || !is_new(g, &row) || g->nrows == MAX_ROWS)
		return 0;
	add_row(g, row);
	return 1;
}

/* What the task takes on average in the mixture; with_head: from when it can start. */
static double mean_ns(const struct game *g, const struct mixture *x, uint32_t t, int with_head, int with_tail)
{
	double ns = 0;

	for (int i = 0; i < g->nplaces; i++) {
		double share = x->on[t * (size_t)g->nplaces + (size_t)i];
		enum side s = g->places[i].side;

		if (share > 0)
			ns += share *
			      (times_of(g, t)[i] + (with_head ? g->head[s][t] : 0) + (with_tail ? g->tail[s][t] : 0));
	}
	return ns;
}

/* The longest chain in the mixture, if it takes longer than `t`. */
static int add_chain(struct game *g, const struct mixture *x, double t)
{
	const struct dag *d = g->d;
	double *end = ht_alloc(d->ntasks, sizeof(*end)), length = 0;
	uint32_t *edge = ht_alloc(d->ntasks, sizeof(*edge)), last = NOBODY;
	struct row row = {.kind = ROW_CHAIN, .of = g->nrows};

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t v = d->order[i];

		/* From its own head on, or after the predecessor that makes it the latest. */
		edge[v] = NOBODY;
		end[v] = mean_ns(g, x, v, 1, 0);
		for (uint32_t k = d->pred_first[v]; k < d->pred_first[v + 1]; k++) {
			double start = end[d->pred[k]] +
			               x->along[SIDE_MAIN][k] * copy_ns(g, k, SIDE_MAIN, SIDE_DEVICES) +
			               x->along[SIDE_DEVICES][k] * copy_ns(g, k, SIDE_DEVICES, SIDE_MAIN);

			if (start + mean_ns(g, x, v, 0, 0) > end[v]) {
				end[v] = start + mean_ns(g, x, v, 0, 0);
				edge[v] = k;
			}
		}
		if (end[v] + mean_ns(g, x, v, 0, 1) - mean_ns(g, x, v, 0, 0) > length) {
			length = end[v] + mean_ns(g, x, v, 0, 1) - mean_ns(g, x, v, 0, 0);
			last = v;
		}
	}
	if (length > t * (1 + TOLERANCE) && g->nrows < MAX_ROWS) {
		for (uint32_t v = last; v != NOBODY; v = edge[v] == NOBODY ? NOBODY : d->pred[edge[v]])
			row.ntasks++;
		row.tasks = ht_alloc(row.ntasks, sizeof(*row.tasks));
		row.edges = ht_alloc(row.ntasks, sizeof(*row.edges));
		for (uint32_t v = last, i = row.ntasks; i-- > 0; v = edge[v] == NOBODY ? v : d->pred[edge[v]]) {
			row.tasks[i] = v;
			row.edges[i] = edge[v];
		}
		add_row(g, row);
	}
	free(end);
	free(edge);
	return row.tasks != NULL;
}

/* Rows that the mixture breaks at `t`. Returns how many. */
static int add_broken(struct game *g, double t)
{
	struct mixture x;
	int n = 0;

	mixture_init(&x, g);
	for (int a = 0; a < ARCH_COUNT; a++)
		n += g->workers[a] ? add_window(g, &x, ROW_WORK, a, t) : 0;
	for (int p = 0; p < g->two.npassages; p++)
		n += add_window(g, &x, ROW_PASSAGE, p, t);
	n += add_chain(g, &x, t);
	mixture_fini(&x);
	return n;
}

/* Whether the newest column takes less than `t` against the weights: it makes the mixture better. */
static int helps(const struct game *g, const double *weights, double t)
{
	double ns = 0;

	for (int r = 0; r < g->nrows; r++)
		ns += weights[r] * g->columns[g->ncolumns - 1].times[r];
	return ns < t * (1 - 1e-9);
}

/*
 * Cuts for weights halfway between the best so far and those of the program go less to and fro than cuts for the latter
 * (Wentges, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming", 1997); where such a cut does
 * not help, the next is for the program's.
 */
static int play(struct game *g, struct ht_err *err)
{
	double weights[MAX_ROWS], best[MAX_ROWS] = {0}, between[MAX_ROWS];
	double t = 0, before = 0, bound, best_bound, step = 0.5;
	int idle = 0, cuts = (int)fmin(MAX_CUTS, MAX_CUT_TASKS / (1.0 + g->d->ntasks));

	for (int a = 0; a < ARCH_COUNT; a++)
		if (g->workers[a])
			add_row(g, (struct row){.kind = ROW_WORK, .of = a});
	for (int p = 0; p < g->two.npassages; p++)
		add_row(g, (struct row){.kind = ROW_PASSAGE, .of = p});
	for (int r = 0; r < g->nrows; r++)
		best[r] = 1.0 / g->nrows;
	best_bound = answer(g, best);
	while (cuts-- > 0) {
		if (solve_game(g, &t, weights, err) != 0)
			return -1;
		g->known = fmax(g->known, best_bound);
		if (g->known >= t * (1 - TOLERANCE)) {
			idle = t <= before * (1 + TOLERANCE) ? idle + 1 : 0;
			if (idle == MAX_IDLE || !add_broken(g, t))
				break;
			before = fmax(t, before);
			continue;
		}
		for (int r = 0; r < g->nrows; r++)
			between[r] = step * weights[r] + (1 - step) * best[r];
		bound = answer(g, between);
		step = helps(g, weights, t) ? 0.5 : 1;
		if (bound > best_bound) {
			best_bound = bound;
			memcpy(best, between, (size_t)g->nrows * sizeof(*best)); /* those of later rows are 0 */
		}
	}
	return 0;
}

int bound_bus_ns(const struct dag *d, const struct machine *m, int64_t known_ns, int64_t *bus_ns, struct ht_err *err)
{
	struct game g;
	int rc = 0;

	game_init(&g, d, m, known_ns);
	*bus_ns = -1;
	if (g.two.npassages && g.two.nversions) {
		rc = play(&g, err);
		/* As the solver's values, rounded to the side on which it stays a bound. */
		*bus_ns = (int64_t)floor(g.known * (1 - 1e-8));
		*bus_ns = *bus_ns > known_ns ? *bus_ns : known_ns;
	}
	game_fini(&g);
	return rc;
}
