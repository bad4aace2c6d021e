/* tests/unit/test_rank_sum.c - the rank-sum test against published tables, and against its definition. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/rank_sum.h"

#include <math.h>

#include "tests/lib/check.h"

static void check_near(double found, double expected)
{
	if (fabs(found - expected) > 1e-12)
		CHECK_STR("found another p", "expected it");
}

/* Of 252 ways to choose five of ten, 1, 1, 2, 3 and 5 have U = 0, 1, 2, 3 and 4 (Mann and Whitney 1947, table I). */
static void without_ties_it_is_the_table(void)
{
	const int64_t a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10}, u1[] = {1, 2, 3, 4, 6}, v1[] = {5, 7, 8, 9, 10};
	const int64_t u4[] = {1, 2, 3, 6, 7}, v4[] = {4, 5, 8, 9, 10};

	check_near(rank_sum_p(a, 5, b, 5), 2.0 / 252);
	check_near(rank_sum_p(b, 5, a, 5), 2.0 / 252);
	check_near(rank_sum_p(u1, 5, v1, 5), 4.0 / 252);
	check_near(rank_sum_p(u4, 5, v4, 5), 2.0 * (1 + 1 + 2 + 3 + 5) / 252);
	check_near(rank_sum_p(a, 4, b, 4), 2.0 / 70);
	check_near(rank_sum_p(a, 3, b, 3), 2.0 / 20);
	check_near(rank_sum_p(a, 1, b, 1), 1);
}

/* {1, 1} and {1, 2}: each 1 has the rank 2, so the sum is 4 in 3 of 6 ways and 6 in 3; all are as far from 5. */
static void equal_values_share_their_ranks(void)
{
	const int64_t a[] = {1, 1}, b[] = {1, 2}, same[] = {7, 7, 7, 7};

	check_near(rank_sum_p(a, 2, b, 2), 1);
	check_near(rank_sum_p(same, 4, same, 4), 1);
}

/* Every division of some values, one after the other, beside what the function counts. */
static void it_is_its_definition(void)
{
	const int64_t values[] = {3, 1, 4, 1, 5, 9, 2, 6, 5}, first = 4, n = 9;
	int64_t a[9], b[9];

	for (unsigned mine = 0; mine < 1u << n; mine++) {
		int far = 0, every = 0;
		double sum = 0;
		size_t na = 0, nb = 0;

		if (__builtin_popcount(mine) != first || mine % 7)
			continue;
		for (unsigned other = 0; other < 1u << n; other++) {
			double theirs = 0;

			sum = 0;
			if (__builtin_popcount(other) != first)
				continue;
			for (int i = 0; i < n; i++) {
				double rank = 0.5;

				for (int k = 0; k < n; k++)
					rank += (values[k] < values[i]) * 0.5 + (values[k] <= values[i]) * 0.5;
				sum += mine >> i & 1 ? rank : 0;
				theirs += other >> i & 1 ? rank : 0;
			}
			every++;
			far += fabs(theirs - 20) >= fabs(sum - 20);
		}
		for (int i = 0; i < n; i++)
			if (mine >> i & 1)
				a[na++] = values[i];
			else
				b[nb++] = values[i];
		check_near(rank_sum_p(a, na, b, nb), (double)far / every);
	}
}

int main(void)
{
	RUN(without_ties_it_is_the_table);
	RUN(equal_values_share_their_ranks);
	RUN(it_is_its_definition);
	return check_done();
}
