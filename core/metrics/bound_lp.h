/* core/metrics/bound_lp.h - the linear programs of the bounds, apart from what they are about. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_BOUND_LP_H
#define CORE_METRICS_BOUND_LP_H

struct ht_err;

/* A chain of tasks: so much of each class, 0 to 1, is on it. `classes` are distinct. */
struct bound_chain {
	int *classes;
	double *shares;
	int count;
};

/*
 * work[p * narchs + a] is the time of all of class p on a, < 0 where it cannot run; workers[a] > 0. Writes the smallest
 * T into *t; every class must have an architecture. The tasks of each chain, which are shared out as its part of their
 * class is, take at most T one after the other. done[p * narchs + a] (may be NULL) gets the share of p that a does,
 * price[a] (may be NULL) how much less T would be by per time unit that a has more: the dual of its row.
 */
struct bound_problem {
	int nclasses, narchs, nchains;
	const double *work;
	const int *workers;
	const struct bound_chain *chains;
};

int bound_lp(const struct bound_problem *b, double *t, double *done, double *price, struct ht_err *err);

/* The same without chains and without `done`, in time that is linear in the classes (bound_area.c). */
int bound_area(const struct bound_problem *b, double *t, double *price, struct ht_err *err);

/*
 * The value of a game: the least that a mixture of columns leaves the largest row, *value = min over shares of max over
 * rows r of sum_c shares[c] at[c * nrows + r], where the shares are 1 in all. weights[r], 1 in all, are the mixture of
 * rows against which no column is below the value.
 */
int bound_game(const double *at, int nrows, int ncolumns, double *value, double *weights, double *shares,
               struct ht_err *err);

#endif
