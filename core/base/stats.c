/* core/base/stats.c - numbers sorted, medians, percentiles. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/stats.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"

void stats_sort_i64(int64_t *values, size_t n)
{
	const uint64_t sign = UINT64_C(1) << 63; /* flipped, negative numbers are below positive ones */
	uint64_t *keys = (uint64_t *)values;     /* the type that a signed one may be seen as */

	for (size_t i = 0; i < n; i++)
		keys[i] ^= sign;
	radix_sort_keys(keys, n);
	for (size_t i = 0; i < n; i++)
		keys[i] ^= sign;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void stats_sort_u32(uint32_t *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), compare_u32);
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort_double(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), compare_double);
}

int64_t stats_mean(const int64_t *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)values[i];
	return llround(sum / (double)n);
}

int64_t stats_median(int64_t *values, size_t n)
{
	stats_sort_i64(values, n);
	return n % 2 ? values[n / 2] : values[n / 2 - 1] + (values[n / 2] - values[n / 2 - 1]) / 2;
}

size_t stats_percentile(size_t n, int percent)
{
	return (n * (size_t)percent + 99) / 100 - 1;
}

/* The k-th smallest value is above the median, or as high, where at most k - 1 of n coins fall on one side. */
size_t stats_median_interval(size_t n)
{
	double ways = 1, outside = 0, every = pow(2, (double)n);
	size_t left_out = 0;

	for (size_t k = 0; 2 * k < n; k++) {
		outside += 2 * ways / every;
		if (outside > 0.05)
			break;
		left_out = k;
		ways *= (double)(n - k) / (double)(k + 1);
	}
	return left_out;
}
