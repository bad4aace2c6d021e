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
#include "core/metrics/bound.h"
#include "core/metrics/bound_lp.h"
#include "core/metrics/bus_game.h"
#include "core/metrics/min_cut.h"

enum {
	MAX_CUTS = 240,
	MAX_CUT_TASKS = 3000000,   /* cuts times tasks */
	MAX_CUT_STEPS = 400000000, /* min_cut_steps(), a few seconds; factorisations of 10000 tasks take 10 million */
	MAX_IDLE = 3,              /* times in turn that more rows have made nothing longer */
	BUCKETS = 48,              /* heads and tails that are tried */
};

/* The program is solved to this, and a row counts as broken from here. */
#define TOLERANCE 5e-4

/*
 * The time that the rows take under the mixture of assignments that is best against them, and the rows' weights. -1:
 * the solver gave up; what was found until then is a bound.
 */
static int solve_game(struct bus_game *g, double *t, double weights[BUS_GAME_ROWS])
{
	struct ht_err given_up;
	double *times = ht_alloc(g->ncolumns * (size_t)g->nrows, sizeof(*times));
	double *shares = ht_alloc(g->ncolumns, sizeof(*shares)), sum = 0;
	int rc;

	for (size_t c = 0; c < g->ncolumns; c++)
		memcpy(&times[c * (size_t)g->nrows], g->columns[c].times, (size_t)g->nrows * sizeof(*times));
	rc = bound_game(times, g->nrows, (int)g->ncolumns, t, weights, shares, &given_up);
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
static double find_window(const struct bus_game *g, const struct piece *pieces, size_t n, struct bus_row *row)
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

static void mixture_init(struct mixture *x, const struct bus_game *g)
{
	const struct dag *d = g->d;

	x->on = ht_alloc((size_t)d->ntasks * (size_t)g->nplaces, sizeof(*x->on));
	for (enum side s = 0; s < SIDES; s++) {
		x->along[s] = ht_alloc(d->nedges, sizeof(*x->along[s]));
		x->out[s] = ht_alloc(g->two.nversions, sizeof(*x->out[s]));
	}
	for (size_t i = 0; i < g->ncolumns; i++) {
		const struct bus_column *c = &g->columns[i];

		if (c->share <= 0)
			continue;
		for (uint32_t t = 0; t < d->ntasks; t++) {
			x->on[t * (size_t)g->nplaces + c->places[t]] += c->share;
			for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
				if (bus_game_side(g, c, d->pred[k]) != bus_game_side(g, c, t))
					x->along[bus_game_side(g, c, d->pred[k])][k] += c->share;
		}
		for (uint32_t v = 0; v < g->two.nversions; v++) {
			enum side from = bus_game_copied_from(g, c, &g->two.versions[v]);

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

static int is_new(const struct bus_game *g, const struct bus_row *row)
{
	for (int r = 0; r < g->nrows; r++)
		if (g->rows[r].kind == row->kind && g->rows[r].of == row->of && g->rows[r].head == row->head &&
		    g->rows[r].tail == row->tail)
			return 0;
	return 1;
}

/* A row of work or of a passage that takes longer than `t` in the mixture. Returns whether there is one. */
static int add_window(struct bus_game *g, const struct mixture *x, enum row_kind kind, int of, double t)
{
	struct bus_row row = {.kind = kind, .of = of};
	struct piece *pieces = ht_alloc(SIDES * ((size_t)g->d->ntasks + g->two.nversions), sizeof(*pieces));
	size_t n = 0;
	double most;

	for (uint32_t i = 0; kind == ROW_WORK && i < g->d->ntasks; i++)
		for (int k = 0; k < g->nplaces; k++) {
			double share = x->on[i * (size_t)g->nplaces + (size_t)k];
			enum side s = g->places[k].side;

			if (share > 0 && (int)g->places[k].arch == of)
				pieces[n++] = (struct piece){g->head[s][i], g->tail[s][i],
				                             share * bus_game_work_ns(g, &row, i, k)};
		}
	for (uint32_t i = 0; kind == ROW_PASSAGE && i < g->two.nversions; i++)
		for (enum side s = 0; s < SIDES; s++)
			if (x->out[s][i] > 0)
				pieces[n++] = (struct piece){g->copy_head[s][i], g->copy_tail[s][i],
				                             x->out[s][i] * bus_game_passage_ns(g, &row, i, s)};
	most = find_window(g, pieces, n, &row);
	free(pieces);
	if (most <= t * (1 + TOLERANCE) || !is_new(g, &row) || g->nrows == BUS_GAME_ROWS)
		return 0;
	bus_game_add_row(g, row);
	return 1;
}

/* What the task takes on average in the mixture; with_head: from when it can start. */
static double mean_ns(const struct bus_game *g, const struct mixture *x, uint32_t t, int with_head, int with_tail)
{
	double ns = 0;

	for (int i = 0; i < g->nplaces; i++) {
		double share = x->on[t * (size_t)g->nplaces + (size_t)i];
		enum side s = g->places[i].side;

		if (share > 0)
			ns += share * (bus_game_times(g, t)[i] + (with_head ? g->head[s][t] : 0) +
			               (with_tail ? g->tail[s][t] : 0));
	}
	return ns;
}

/* The longest chain in the mixture, if it takes longer than `t`. */
static int add_chain(struct bus_game *g, const struct mixture *x, double t)
{
	const struct dag *d = g->d;
	double *end = ht_alloc(d->ntasks, sizeof(*end)), length = 0;
	uint32_t *edge = ht_alloc(d->ntasks, sizeof(*edge)), last = TWO_SIDES_NOBODY;
	struct bus_row row = {.kind = ROW_CHAIN, .of = g->nrows};

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t v = dag_in_order(d, i);

		/* From its own head on, or after the predecessor that makes it the latest. */
		edge[v] = TWO_SIDES_NOBODY;
		end[v] = mean_ns(g, x, v, 1, 0);
		for (uint32_t k = d->pred_first[v]; k < d->pred_first[v + 1]; k++) {
			double start = end[d->pred[k]] +
			               x->along[SIDE_MAIN][k] * bus_game_copy_ns(g, k, SIDE_MAIN, SIDE_DEVICES) +
			               x->along[SIDE_DEVICES][k] * bus_game_copy_ns(g, k, SIDE_DEVICES, SIDE_MAIN);

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
	if (length > t * (1 + TOLERANCE) && g->nrows < BUS_GAME_ROWS) {
		for (uint32_t v = last; v != TWO_SIDES_NOBODY;
		     v = edge[v] == TWO_SIDES_NOBODY ? TWO_SIDES_NOBODY : d->pred[edge[v]])
			row.ntasks++;
		row.tasks = ht_alloc(row.ntasks, sizeof(*row.tasks));
		row.edges = ht_alloc(row.ntasks, sizeof(*row.edges));
		for (uint32_t v = last, i = row.ntasks; i-- > 0;
		     v = edge[v] == TWO_SIDES_NOBODY ? v : d->pred[edge[v]]) {
			row.tasks[i] = v;
			row.edges[i] = edge[v];
		}
		bus_game_add_row(g, row);
	}
	free(end);
	free(edge);
	return row.tasks != NULL;
}

/* Rows that the mixture breaks at `t`. Returns how many. */
static int add_broken(struct bus_game *g, double t)
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
static int helps(const struct bus_game *g, const double *weights, double t)
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
static void play(struct bus_game *g)
{
	double weights[BUS_GAME_ROWS], best[BUS_GAME_ROWS] = {0}, between[BUS_GAME_ROWS];
	double t = 0, before = 0, bound, best_bound, step = 0.5;
	int idle = 0, cuts = (int)fmin(MAX_CUTS, MAX_CUT_TASKS / (1.0 + g->d->ntasks));

	for (int a = 0; a < ARCH_COUNT; a++)
		if (g->workers[a])
			bus_game_add_row(g, (struct bus_row){.kind = ROW_WORK, .of = a});
	for (int p = 0; p < g->two.npassages; p++)
		bus_game_add_row(g, (struct bus_row){.kind = ROW_PASSAGE, .of = p});
	for (int r = 0; r < g->nrows; r++)
		best[r] = 1.0 / g->nrows;
	best_bound = bus_game_answer(g, best);
	while (cuts-- > 0 && min_cut_steps(g->cut) < MAX_CUT_STEPS) {
		g->known = fmax(g->known, best_bound);
		if (solve_game(g, &t, weights) != 0)
			break;
		if (g->known >= t * (1 - TOLERANCE)) {
			idle = t <= before * (1 + TOLERANCE) ? idle + 1 : 0;
			if (idle == MAX_IDLE || !add_broken(g, t))
				break;
			before = fmax(t, before);
			continue;
		}
		for (int r = 0; r < g->nrows; r++)
			between[r] = step * weights[r] + (1 - step) * best[r];
		bound = bus_game_answer(g, between);
		step = helps(g, weights, t) ? 0.5 : 1;
		if (bound > best_bound) {
			best_bound = bound;
			memcpy(best, between, (size_t)g->nrows * sizeof(*best)); /* those of later rows are 0 */
		}
	}
	g->known = fmax(g->known, best_bound);
}

int64_t bound_bus_ns(const struct dag *d, const struct machine *m, int64_t known_ns)
{
	struct bus_game g;
	int64_t bus_ns = -1;

	bus_game_init(&g, d, m, known_ns);
	if (g.two.npassages && g.two.nversions) {
		play(&g);
		/* As the solver's values, rounded to the side on which it stays a bound. */
		bus_ns = (int64_t)floor(g.known * (1 - 1e-8));
		bus_ns = bus_ns > known_ns ? bus_ns : known_ns;
	}
	bus_game_fini(&g);
	return bus_ns;
}
