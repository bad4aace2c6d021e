/* core/metrics/bound_lp.h - the linear program of the area and mixed bounds, apart from what it is about. */
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

#endif
