/* auto/rank_sum.h - whether two samples differ: the rank-sum test of Wilcoxon, Mann and Whitney. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_RANK_SUM_H
#define AUTO_RANK_SUM_H

#include <stddef.h>
#include <stdint.h>

enum { RANK_SUM_MAX = 64 }; /* values in a sample */

/*
 * The share of all ways to divide the na + nb values (each sample 1 to RANK_SUM_MAX) under which the sum of the ranks
 * of the first sample is as far from its mean as it is, or farther: a small one says that the samples differ. Exact,
 * also for equal values, which share the mean of their ranks. H. B. Mann and D. R. Whitney, On a test of whether one of
 * two random variables is stochastically larger than the other, Annals of Mathematical Statistics 18 (1947); for equal
 * values M. Hollander, D. A. Wolfe and E. Chicken, Nonparametric Statistical Methods (2014), 4.1.
 */
double rank_sum_p(const int64_t *a, size_t na, const int64_t *b, size_t nb);

#endif
