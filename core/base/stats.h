/* core/base/stats.h - numbers sorted, medians, means, percentiles, ratios. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_STATS_H
#define CORE_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Ascending; n may be 0. No NAN among doubles. */
void stats_sort_i64(int64_t *values, size_t n);
void stats_sort_u32(uint32_t *values, size_t n);
void stats_sort_double(double *values, size_t n);

/* The median of n values, at least 1, which it sorts: of two in the middle their mean, rounded to the lower one. */
int64_t stats_median(int64_t *values, size_t n);

/* The mean of n values, at least 1, rounded. */
int64_t stats_mean(const int64_t *values, size_t n);

/*
 * The index, among n sorted values (at least 1), of the smallest value that `percent` (1 to 100) of the values do not
 * exceed: the nearest-rank percentile.
 */
size_t stats_percentile(size_t n, int percent);

/*
 * How many of n values, at least 1, are left out at each end so that the others hold the median in at least 95 % of all
 * cases; 0 also where not even all of them do, with less than STATS_MEDIAN_VALUES. H. A. David and H. N. Nagaraja,
 * Order Statistics (2003), 7.1.
 */
size_t stats_median_interval(size_t n);
enum { STATS_MEDIAN_VALUES = 6 };

/* part / whole, and `otherwise` where whole is not above 0. */
static inline double stats_ratio(double part, double whole, double otherwise)
{
	return whole > 0 ? part / whole : otherwise;
}

#endif
