/* auto/rank_sum.c - whether two samples differ: the rank-sum test of Wilcoxon, Mann and Whitney. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/rank_sum.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/alloc.h"

/* Twice the rank of a value among all, a whole number: two for each that is below, one for each as high, and one. */
static size_t twice_rank(int64_t value, const int64_t *all, size_t n)
{
	size_t twice = 1;

	for (size_t i = 0; i < n; i++)
		twice += (all[i] < value) + (all[i] <= value);
	return twice;
}

/*
 * ways[k * (most + 1) + sum]: to choose k of the values so that their doubled ranks have that sum. Each value is taken
 * into account in turn: a choice of k has it or has it not.
 */
static void count_ways(double *ways, size_t na, size_t most, const int64_t *all, size_t n)
{
	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t rank = twice_rank(all[i], all, n);

		for (size_t k = i + 1 < na ? i + 1 : na; k > 0; k--)
			for (size_t sum = most; sum >= rank; sum--)
				ways[k * (most + 1) + sum] += ways[(k - 1) * (most + 1) + sum - rank];
	}
}

double rank_sum_p(const int64_t *a, size_t na, const int64_t *b, size_t nb)
{
	int64_t all[2 * RANK_SUM_MAX];
	size_t n = na + nb, most = n * (n + 1), mean = na * (n + 1), sum = 0;
	double *ways = ht_alloc((na + 1) * (most + 1), sizeof(*ways)), far = 0, every = 0;

	assert(na > 0 && nb > 0 && na <= RANK_SUM_MAX && nb <= RANK_SUM_MAX);
	for (size_t i = 0; i < n; i++)
		all[i] = i < na ? a[i] : b[i - na];
	for (size_t i = 0; i < na; i++)
		sum += twice_rank(a[i], all, n);
	count_ways(ways, na, most, all, n);
	for (size_t s = 0; s <= most; s++) {
		double w = ways[na * (most + 1) + s];

		every += w;
		if ((s > mean ? s - mean : mean - s) >= (sum > mean ? sum - mean : mean - sum))
			far += w;
	}
	free(ways);
	return far / every;
}
