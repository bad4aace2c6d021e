/* core/bound_lp.h - the linear program of the area bound, apart from what it is about. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BOUND_LP_H
#define CORE_BOUND_LP_H

struct ht_err;

/*
 * work[p * narchs + a] is the time of all of class p on a, < 0 where it cannot run; workers[a] > 0. Writes the smallest
 * T into *t; every class must have an architecture.
 */
int bound_lp(int nclasses, int narchs, const double *work, const int *workers, double *t, struct ht_err *err);

#endif
