/* core/bound_lp.c - the linear program of the area bound: the one file that knows GLPK. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns are T and, per class and architecture, the share x(p,a) of the class done there; rows are one per class
 * (the shares are 1 in all) and one per architecture (its work is at most N_a T). Times are divided by the sum of the
 * best works, so that all numbers are about 1 whatever the unit.
 */
#include "core/bound_lp.h"

#include <glpk.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/err.h"

static double best_sum(int nclasses, int narchs, const double *work)
{
	double sum = 0;

	for (int p = 0; p < nclasses; p++) {
		double best = -1;

		for (int a = 0; a < narchs; a++) {
			double w = work[p * narchs + a];

			if (w >= 0 && (best < 0 || w < best))
				best = w;
		}
		sum += best > 0 ? best : 0;
	}
	return sum;
}

static void fill(glp_prob *lp, int nclasses, int narchs, const double *work, double scale)
{
	int row[3], column = 1;
	double value[3];

	glp_set_obj_dir(lp, GLP_MIN);
	glp_add_rows(lp, nclasses + narchs);
	for (int p = 0; p < nclasses; p++)
		glp_set_row_bnds(lp, p + 1, GLP_FX, 1, 1);
	glp_add_cols(lp, 1);
	glp_set_col_bnds(lp, 1, GLP_LO, 0, 0);
	glp_set_obj_coef(lp, 1, 1);
	for (int a = 0; a < narchs; a++)
		glp_set_row_bnds(lp, nclasses + a + 1, GLP_UP, 0, 0);
	for (int p = 0; p < nclasses; p++) {
		for (int a = 0; a < narchs; a++) {
			if (work[p * narchs + a] < 0)
				continue;
			glp_add_cols(lp, 1);
			column++;
			glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
			row[1] = p + 1;
			value[1] = 1;
			row[2] = nclasses + a + 1;
			value[2] = work[p * narchs + a] / scale;
			glp_set_mat_col(lp, column, value[2] > 0 ? 2 : 1, row, value);
		}
	}
}

int bound_lp(int nclasses, int narchs, const double *work, const int *workers, double *t, struct ht_err *err)
{
	double scale = best_sum(nclasses, narchs, work);
	int *rows = ht_alloc((size_t)narchs + 1, sizeof(*rows)), status, rc = -1;
	double *values = ht_alloc((size_t)narchs + 1, sizeof(*values));
	glp_prob *lp;
	glp_smcp how;

	*t = 0;
	if (scale <= 0) {
		rc = 0;
		goto out;
	}
	glp_term_out(GLP_OFF);
	lp = glp_create_prob();
	fill(lp, nclasses, narchs, work, scale);
	for (int a = 0; a < narchs; a++) {
		rows[a + 1] = nclasses + a + 1;
		values[a + 1] = -workers[a];
	}
	glp_set_mat_col(lp, 1, narchs, rows, values);
	glp_init_smcp(&how);
	how.msg_lev = GLP_MSG_OFF;
	how.presolve = GLP_ON;
	status = glp_simplex(lp, &how);
	if (status == 0 && glp_get_status(lp) == GLP_OPT) {
		*t = glp_get_obj_val(lp) * scale;
		rc = 0;
	} else {
		ht_err_set(err, "the area bound's linear program was not solved: status=%d classes=%d", status,
		           nclasses);
	}
	glp_delete_prob(lp);
	glp_free_env();
out:
	free(rows);
	free(values);
	return rc;
}
