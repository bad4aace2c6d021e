/* core/metrics/bound_lp.c - the linear programs of the bounds: the one file that knows lp_solve. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Of the area and mixed bounds: columns are T and, per class and architecture, the share x(p,a) of the class done
 * there. The rows of the area bound come first: one per architecture (its work is at most N_a T), then one per class
 * (its shares are 1 in all). A chain adds columns y(p,a), the share of class p that is on the chain and done on a, and
 * rows: the y of a class are its share of the chain, y(p,a) <= x(p,a), and the time of all y is at most T. Times are
 * divided by the sum of the best works, so that all numbers are about 1 whatever the unit.
 *
 * The simplex starts from a feasible basis: every class is done where it takes the least time, and T is what the most
 * loaded architecture or the longest chain then takes. It needs fewer steps from there, and rounds less.
 */
#include "core/metrics/bound_lp.h"

#include <lpsolve/lp_lib.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"

/* Columns count from 1, and T is the first. */
enum { COLUMN_T = 1 };

struct program {
	lprec *lp;
	const struct bound_problem *b;
	double scale;
	int *x; /* column of x(p,a), 0: p cannot run on a */
	/* The row that is being written. */
	double *values;
	int *columns, n;
	/* The starting basis: of each row its slack (0) or a column. */
	int *basis;
	size_t nrows, cap;
	double longest; /* the largest T that a row asks for at the start */
	int longest_row;
};

/* The architecture where class p takes least time. */
static int best_arch(const struct bound_problem *b, int p)
{
	int best = -1;

	for (int a = 0; a < b->narchs; a++) {
		double w = b->work[p * b->narchs + a];

		if (w >= 0 && (best < 0 || w < b->work[p * b->narchs + best]))
			best = a;
	}
	return best;
}

static double best_work(const struct bound_problem *b, int p)
{
	return b->work[p * b->narchs + best_arch(b, p)];
}

/* Numbers the columns of x and writes the first one of the chains. Returns the number of all columns. */
static int number_columns(struct program *g, int *first_y)
{
	const struct bound_problem *b = g->b;
	int count = COLUMN_T;

	for (int i = 0; i < b->nclasses * b->narchs; i++)
		if (b->work[i] >= 0)
			g->x[i] = ++count;
	*first_y = count + 1;
	for (int i = 0; i < b->nchains; i++)
		for (int k = 0; k < b->chains[i].count; k++)
			for (int a = 0; a < b->narchs; a++)
				count += b->work[b->chains[i].classes[k] * b->narchs + a] >= 0;
	return count;
}

static void put(struct program *g, int column, double value)
{
	if (value == 0)
		return;
	g->columns[g->n] = column;
	g->values[g->n++] = value;
}

/* `basic`: the column that is basic in the row at the start, 0 for its slack. */
static void end_row(struct program *g, int type, double bound, int basic)
{
	add_constraintex(g->lp, g->n, g->values, g->columns, type, bound);
	g->n = 0;
	*VEC_PUSH(g->basis, g->nrows, g->cap) = basic;
}

/* As end_row(), of a row that holds if T is at least `least` at the start. */
static void end_time_row(struct program *g, double least)
{
	end_row(g, LE, 0, 0);
	if (least > g->longest) {
		g->longest = least;
		g->longest_row = (int)g->nrows - 1;
	}
}

static void put_area(struct program *g)
{
	const struct bound_problem *b = g->b;

	for (int a = 0; a < b->narchs; a++) {
		double load = 0;

		put(g, COLUMN_T, -b->workers[a]);
		for (int p = 0; p < b->nclasses; p++) {
			int i = p * b->narchs + a;

			if (!g->x[i])
				continue;
			put(g, g->x[i], b->work[i] / g->scale);
			load += best_arch(b, p) == a ? b->work[i] : 0;
		}
		end_time_row(g, load / b->workers[a]);
	}
	for (int p = 0; p < b->nclasses; p++) {
		for (int a = 0; a < b->narchs; a++)
			if (g->x[p * b->narchs + a])
				put(g, g->x[p * b->narchs + a], 1);
		end_row(g, EQ, 1, g->x[p * b->narchs + best_arch(b, p)]);
	}
}

/* The columns of the chain are `y` and the following. Returns the first column after them. */
static int put_chain(struct program *g, const struct bound_chain *c, int y)
{
	const struct bound_problem *b = g->b;
	double length = 0;
	int first = y;

	for (int k = 0; k < c->count; k++) {
		int p = c->classes[k], begin = y, basic = 0;

		for (int a = 0; a < b->narchs; a++) {
			int x = g->x[p * b->narchs + a];

			if (!x)
				continue;
			basic = a == best_arch(b, p) ? y : basic;
			put(g, x, -1);
			put(g, y++, 1);
			end_row(g, LE, 0, 0);
		}
		while (begin < y)
			put(g, begin++, 1);
		end_row(g, EQ, c->shares[k], basic);
		length += c->shares[k] * best_work(b, p);
	}
	put(g, COLUMN_T, -1);
	y = first;
	for (int k = 0; k < c->count; k++)
		for (int a = 0; a < b->narchs; a++) {
			double work = b->work[c->classes[k] * b->narchs + a];

			if (work >= 0)
				put(g, y++, work / g->scale);
		}
	end_time_row(g, length);
	return y;
}

/* Of each row of lp_solve's basis: minus the row for its slack, minus the rows and the column for a column. */
static void set_start(struct program *g)
{
	int rows = (int)g->nrows, *basis = ht_alloc(g->nrows + 1, sizeof(*basis));

	g->basis[g->longest_row] = COLUMN_T;
	for (int r = 1; r <= rows; r++)
		basis[r] = g->basis[r - 1] ? -(rows + g->basis[r - 1]) : -r;
	set_basis(g->lp, basis, FALSE);
	set_simplextype(g->lp, SIMPLEX_PRIMAL_PRIMAL);
	free(basis);
}

/*
 * lp_solve 5.5 refuses some small programs, whose optimum it has found, for the accuracy of a step (ACCURACYERROR, of
 * its default simplex on scaled numbers). Another way to the optimum has other steps.
 */
static int solve_either_way(lprec *lp)
{
	int status = solve(lp);

	for (int scaled = 1; status != OPTIMAL && scaled >= 0; scaled--) {
		default_basis(lp);
		set_simplextype(lp, SIMPLEX_PRIMAL_PRIMAL);
		if (!scaled) {
			unscale(lp);
			set_scaling(lp, SCALE_NONE);
		}
		status = solve(lp);
	}
	return status;
}

static void read_solution(const struct program *g, double *t, double *done, double *price)
{
	const struct bound_problem *b = g->b;
	double *of, *dual;

	get_ptr_variables(g->lp, &of); /* column c is of[c - 1] */
	*t = of[COLUMN_T - 1] * g->scale;
	for (int i = 0; done && i < b->nclasses * b->narchs; i++)
		done[i] = g->x[i] ? of[g->x[i] - 1] : 0;
	if (!price)
		return;
	/* Row r is dual[r - 1]; of a row <= it is at most 0, but for rounding. */
	get_ptr_sensitivity_rhs(g->lp, &dual, NULL, NULL);
	for (int a = 0; a < b->narchs; a++)
		price[a] = dual[a] < 0 ? -dual[a] : 0;
}

int bound_lp(const struct bound_problem *b, double *t, double *done, double *price, struct ht_err *err)
{
	struct program g = {.b = b};
	int ncolumns, y = COLUMN_T + 1, status;

	*t = 0;
	for (int i = 0; done && i < b->nclasses * b->narchs; i++)
		done[i] = 0;
	for (int a = 0; price && a < b->narchs; a++)
		price[a] = 0;
	for (int p = 0; p < b->nclasses; p++)
		g.scale += best_work(b, p);
	if (g.scale <= 0)
		return 0;
	g.x = ht_alloc((size_t)b->nclasses * (size_t)b->narchs, sizeof(*g.x));
	ncolumns = number_columns(&g, &y);
	g.values = ht_alloc((size_t)ncolumns, sizeof(*g.values));
	g.columns = ht_alloc((size_t)ncolumns, sizeof(*g.columns));
	g.lp = make_lp(0, ncolumns);
	set_verbose(g.lp, NEUTRAL);
	set_obj(g.lp, COLUMN_T, 1);
	set_add_rowmode(g.lp, TRUE);
	put_area(&g);
	for (int i = 0; i < b->nchains; i++)
		y = put_chain(&g, &b->chains[i], y);
	set_add_rowmode(g.lp, FALSE);
	set_start(&g);
	status = solve_either_way(g.lp);
	if (status == OPTIMAL)
		read_solution(&g, t, done, price);
	else
		ht_err_set(err, "the linear program of a bound was not solved: status=%d classes=%d chains=%d", status,
		           b->nclasses, b->nchains);
	delete_lp(g.lp);
	free(g.basis);
	free(g.values);
	free(g.columns);
	free(g.x);
	return status == OPTIMAL ? 0 : -1;
}

/* Columns are T and the shares; a row of the game takes at most T, and the shares are 1 in all. */
int bound_game(const double *at, int nrows, int ncolumns, double *value, double *weights, double *shares,
               struct ht_err *err)
{
	double *values = ht_alloc((size_t)ncolumns + 1, sizeof(*values)), scale = 0, *of;
	int *columns = ht_alloc((size_t)ncolumns + 1, sizeof(*columns)), status;
	lprec *lp = make_lp(0, COLUMN_T + ncolumns);

	for (int i = 0; i < nrows * ncolumns; i++)
		scale = at[i] > scale ? at[i] : scale;
	scale = scale > 0 ? scale : 1;
	set_verbose(lp, NEUTRAL);
	set_obj(lp, COLUMN_T, 1);
	set_add_rowmode(lp, TRUE);
	for (int c = 0; c <= ncolumns; c++)
		columns[c] = COLUMN_T + c;
	for (int r = 0; r < nrows; r++) {
		values[0] = -1;
		for (int c = 0; c < ncolumns; c++)
			values[c + 1] = at[c * nrows + r] / scale;
		add_constraintex(lp, ncolumns + 1, values, columns, LE, 0);
	}
	for (int c = 0; c < ncolumns; c++)
		values[c + 1] = 1;
	add_constraintex(lp, ncolumns, values + 1, columns + 1, EQ, 1);
	set_add_rowmode(lp, FALSE);
	status = solve_either_way(lp);
	if (status == OPTIMAL) {
		get_ptr_variables(lp, &of);
		*value = of[0] * scale;
		for (int c = 0; c < ncolumns; c++)
			shares[c] = of[c + 1];
		get_ptr_sensitivity_rhs(lp, &of, NULL, NULL);
		for (int r = 0; r < nrows; r++)
			weights[r] = of[r] < 0 ? -of[r] : 0;
	} else {
		ht_err_set(err, "the linear program of a bound was not solved: status=%d rows=%d columns=%d", status,
		           nrows, ncolumns);
	}
	delete_lp(lp);
	free(values);
	free(columns);
	return status == OPTIMAL ? 0 : -1;
}
