/* tests/unit/test_stats.c - numbers sorted, medians, percentiles, ratios. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/stats.h"

#include <math.h>

#include "tests/lib/check.h"

static void numbers_are_sorted(void)
{
	int64_t a[] = {3, INT64_MIN, -1, 0, INT64_MAX, -1, 2}, sorted[] = {INT64_MIN, -1, -1, 0, 2, 3, INT64_MAX};
	uint32_t b[] = {7, UINT32_MAX, 0, 7}, sorted_b[] = {0, 7, 7, UINT32_MAX};
	double c[] = {1.5, -INFINITY, INFINITY, -0.25, 1e-300}, sorted_c[] = {-INFINITY, -0.25, 1e-300, 1.5, INFINITY};

	stats_sort_i64(a, 7);
	stats_sort_u32(b, 4);
	stats_sort_double(c, 5);
	for (int i = 0; i < 7; i++)
		CHECK_INT(a[i], sorted[i]);
	for (int i = 0; i < 4; i++)
		CHECK_INT(b[i], sorted_b[i]);
	for (int i = 0; i < 5; i++)
		CHECK(c[i] == sorted_c[i]);
	stats_sort_i64(NULL, 0);
	stats_sort_u32(NULL, 0);
	stats_sort_double(NULL, 0);
}

static void median_is_in_the_middle(void)
{
	int64_t odd[] = {9, -5, 1}, even[] = {4, 1, 3, 2}, far[] = {INT64_MAX, INT64_MAX - 2}, one[] = {-7};

	CHECK_INT(stats_median(odd, 3), 1);
	CHECK_INT(stats_median(even, 4), 2);
	CHECK_INT(even[0], 1);
	CHECK_INT(stats_median(far, 2), INT64_MAX - 1);
	CHECK_INT(stats_median(one, 1), -7);
}

static void mean_is_rounded(void)
{
	int64_t a[] = {1, 2, 2}, large[] = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2};

	CHECK_INT(stats_mean(a, 1), 1);
	CHECK_INT(stats_mean(a, 2), 2);
	CHECK_INT(stats_mean(a, 3), 2);
	CHECK(stats_mean(large, 3) > INT64_MAX / 3);
}

/* The definition, of every percent and number: so many are not above it, and fewer with the value before. */
static void percentiles_are_nearest_ranks(void)
{
	int wrong = 0;

	CHECK_INT(stats_percentile(10, 90), 8);
	CHECK_INT(stats_percentile(11, 90), 9);
	CHECK_INT(stats_percentile(4, 50), 1);
	CHECK_INT(stats_percentile(1, 1), 0);
	for (size_t n = 1; n < 200; n++)
		for (size_t percent = 1; percent <= 100; percent++) {
			size_t i = stats_percentile(n, (int)percent);

			wrong += i >= n || 100 * (i + 1) < percent * n || 100 * i >= percent * n;
		}
	CHECK_INT(wrong, 0);
}

static void ratios(void)
{
	CHECK(stats_ratio(1, 4, 9) == 0.25);
	CHECK(stats_ratio(1, 0, 9) == 9);
	CHECK(stats_ratio(1, -1, 0) == 0);
}

/* [x(k), x(n+1-k)] where k is 1, 2, 3, 6 for n = 6, 9, 12, 20: Conover, Practical Nonparametric Statistics. */
static void median_intervals(void)
{
	static const size_t table[][2] = {{1, 0}, {5, 0}, {6, 0}, {8, 0}, {9, 1}, {11, 1}, {12, 2}, {20, 5}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		CHECK_INT(stats_median_interval(table[i][0]), table[i][1]);
}

int main(void)
{
	RUN(median_intervals);
	RUN(numbers_are_sorted);
	RUN(median_is_in_the_middle);
	RUN(mean_is_rounded);
	RUN(percentiles_are_nearest_ranks);
	RUN(ratios);
	return check_done();
}
