/* core/metrics/bound_area.c - the area bound of a graph with very many classes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The area bound's program has a row per class, and what lp_solve takes grows with the square of them. Its dual has a
 * weight per architecture alone, at least 0 and 1 in all:
 *
 *   T = max over weights of sum_p min over a of weight(a) work(p,a) / N_a
 *
 * So any weights give a bound, and what is best against them, each class where it is cheapest, is an assignment. T is
 * the value of the game between architectures and assignments, and these are added as weights ask for them (Kelley,
 * "The cutting-plane method for solving convex programs", Journal of SIAM 8, 1960): a program of a few rows.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/metrics/bound_lp.h"

enum { MAX_ASSIGNMENTS = 400 };

/* The program is solved to this, as in bound_lp(). */
#define TOLERANCE 1e-9

/* The bound that the weights give; times[a] is what `a` takes for the classes that are cheapest there. */
static double answer(const struct bound_problem *b, const double *weights, double *times)
{
	double bound = 0;

	memset(times, 0, (size_t)b->narchs * sizeof(*times));
	for (int p = 0; p < b->nclasses; p++) {
		double least = 0, least_time = 0;
		int best = -1;

		for (int a = 0; a < b->narchs; a++) {
			double work = b->work[p * b->narchs + a], time = work / b->workers[a];

			if (work < 0)
				continue;
			if (best < 0 || weights[a] * time < least ||
			    (weights[a] * time == least && time < least_time)) {
				best = a;
				least = weights[a] * time;
				least_time = time;
			}
		}
		times[best] += least_time;
		bound += least;
	}
	return bound;
}

int bound_area(const struct bound_problem *b, double *t, double *price, struct ht_err *err)
{
	size_t n = (size_t)b->narchs;
	double *times = ht_alloc(MAX_ASSIGNMENTS * n, sizeof(*times)), *weights = ht_alloc(n, sizeof(*weights));
	double *shares = ht_alloc(MAX_ASSIGNMENTS, sizeof(*shares)), value, sum;
	int rc = 0;

	*t = -1;
	for (size_t a = 0; a < n; a++)
		weights[a] = 1.0 / (double)n;
	for (int k = 0; k < MAX_ASSIGNMENTS; k++) {
		double bound = answer(b, weights, &times[(size_t)k * n]);

		if (bound > *t) {
			*t = bound;
			for (size_t a = 0; a < n; a++)
				price[a] = bound > 0 ? weights[a] / b->workers[a] : 0;
		}
		rc = bound_game(times, b->narchs, k + 1, &value, weights, shares, err);
		if (rc != 0 || *t >= value * (1 - TOLERANCE))
			break;
		sum = 0;
		for (size_t a = 0; a < n; a++)
			sum += weights[a];
		for (size_t a = 0; a < n; a++)
			weights[a] = sum > 0 ? weights[a] / sum : 1.0 / (double)n;
	}
	free(times);
	free(weights);
	free(shares);
	return rc;
}
