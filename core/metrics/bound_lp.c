/* core/metrics/bound_lp.c - the linear program of the area and mixed bounds: the one file that knows GLPK. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns are T and, per class and architecture, the share x(p,a) of the class done there; rows are one per class
 * (the shares are 1 in all) and one per architecture (its work is at most N_a T). A chain adds columns y(p,a), what of
 * its part of the class is done where: rows y(p,a) <= x(p,a), the y of a class are its part, and one for its time, at
 * most T. Times are divided by the sum of the best works, so that all numbers are about 1 whatever the unit.
 */
#include "core/metrics/bound_lp.h"

#include <glpk.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"

/* Non-zeros of the matrix, and the column of each x(p,a); 0: none. */
struct matrix {
	int *row, *column, *x;
	double *value;
	size_t n, cap;
};

static double best_sum(const struct bound_problem *b)
{
	double sum = 0;

	for (int p = 0; p < b->nclasses; p++) {
		double best = -1;

		for (int a = 0; a < b->narchs; a++) {
			double w = b->work[p * b->narchs + a];

			if (w >= 0 && (best < 0 || w < best))
				best = w;
		}
		sum += best > 0 ? best : 0;
	}
	return sum;
}

static void put(struct matrix *m, int row, int column, double value)
{
	if (value == 0)
		return;
	if (m->n >= m->cap) {
		m->cap = 2 * m->n + 64;
		m->row = ht_realloc(m->row, m->cap, sizeof(*m->row));
		m->column = ht_realloc(m->column, m->cap, sizeof(*m->column));
		m->value = ht_realloc(m->value, m->cap, sizeof(*m->value));
	}
	m->row[m->n] = row;
	m->column[m->n] = column;
	m->value[m->n++] = value;
}

static int add_column(glp_prob *lp)
{
	int column = glp_add_cols(lp, 1);

	glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
	return column;
}

static int add_row(glp_prob *lp, int type, double bound)
{
	int row = glp_add_rows(lp, 1);

	glp_set_row_bnds(lp, row, type, bound, bound);
	return row;
}

static void put_area(glp_prob *lp, struct matrix *m, const struct bound_problem *b, double scale)
{
	int archs = glp_add_rows(lp, b->narchs);

	glp_set_obj_coef(lp, add_column(lp), 1);
	for (int a = 0; a < b->narchs; a++) {
		glp_set_row_bnds(lp, archs + a, GLP_UP, 0, 0);
		put(m, archs + a, 1, -b->workers[a]);
	}
	for (int p = 0; p < b->nclasses; p++) {
		int all = add_row(lp, GLP_FX, 1);

		for (int a = 0; a < b->narchs; a++) {
			int i = p * b->narchs + a;

			if (b->work[i] < 0)
				continue;
			m->x[i] = add_column(lp);
			put(m, all, m->x[i], 1);
			put(m, archs + a, m->x[i], b->work[i] / scale);
		}
	}
}

static void put_chain(glp_prob *lp, struct matrix *m, const struct bound_problem *b, const struct bound_chain *c,
                      double scale)
{
	int time = add_row(lp, GLP_UP, 0);

	put(m, time, 1, -1);
	for (int k = 0; k < c->count; k++) {
		int part = add_row(lp, GLP_FX, c->shares[k]);

		for (int a = 0; a < b->narchs; a++) {
			int i = c->classes[k] * b->narchs + a, y, at_most;

			if (b->work[i] < 0)
				continue;
			y = add_column(lp);
			at_most = add_row(lp, GLP_UP, 0);
			put(m, part, y, 1);
			put(m, at_most, y, 1);
			put(m, at_most, m->x[i], -1);
			put(m, time, y, b->work[i] / scale);
		}
	}
}

static void read_shares(glp_prob *lp, const struct matrix *m, const struct bound_problem *b, double *done)
{
	for (int i = 0; i < b->nclasses * b->narchs; i++)
		done[i] = m->x[i] ? glp_get_col_prim(lp, m->x[i]) : 0;
}

/* The rows of the architectures are the first. */
static void read_prices(glp_prob *lp, const struct bound_problem *b, double *price)
{
	for (int a = 0; a < b->narchs; a++) {
		price[a] = -glp_get_row_dual(lp, 1 + a);
		if (price[a] < 0) /* by rounding */
			price[a] = 0;
	}
}

int bound_lp(const struct bound_problem *b, double *t, double *done, double *price, struct ht_err *err)
{
	double scale = best_sum(b);
	struct matrix m = {.n = 1}; /* GLPK counts from 1 */
	int status, rc = -1;
	glp_prob *lp;
	glp_smcp how;

	*t = 0;
	for (int i = 0; done && i < b->nclasses * b->narchs; i++)
		done[i] = 0;
	for (int a = 0; price && a < b->narchs; a++)
		price[a] = 0;
	if (scale <= 0)
		return 0;
	m.x = ht_alloc((size_t)b->nclasses * (size_t)b->narchs, sizeof(*m.x));
	glp_term_out(GLP_OFF);
	lp = glp_create_prob();
	glp_set_obj_dir(lp, GLP_MIN);
	put_area(lp, &m, b, scale);
	for (int i = 0; i < b->nchains; i++)
		put_chain(lp, &m, b, &b->chains[i], scale);
	glp_load_matrix(lp, (int)m.n - 1, m.row, m.column, m.value);
	glp_init_smcp(&how);
	how.msg_lev = GLP_MSG_OFF;
	how.presolve = GLP_ON;
	status = glp_simplex(lp, &how);
	if (status == 0 && glp_get_status(lp) == GLP_OPT) {
		*t = glp_get_obj_val(lp) * scale;
		if (done)
			read_shares(lp, &m, b, done);
		if (price)
			read_prices(lp, b, price);
		rc = 0;
	} else {
		ht_err_set(err, "the linear program of a bound was not solved: status=%d classes=%d chains=%d", status,
		           b->nclasses, b->nchains);
	}
	glp_delete_prob(lp);
	glp_free_env();
	free(m.row);
	free(m.column);
	free(m.value);
	free(m.x);
	return rc;
}
