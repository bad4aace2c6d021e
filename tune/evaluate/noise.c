/* tune/evaluate/noise.c - whether one of two is faster, or it is chance: the same replications of jitter under both. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/noise.h"

#include <math.h>

#include "tune/evaluate/evaluator.h"

static double ratio(const struct trial *t, const struct trial *to)
{
	if (t->makespan_ns < 0 || t->makespan_ns == EVALUATOR_NEVER)
		return 1e6;
	return (double)t->makespan_ns / fmax((double)to->makespan_ns, 1);
}

struct noise noise_of_ratio(const struct trial *trials, const struct trial *to, int n)
{
	struct noise x = {0, 0};
	double squares = 0;

	for (int i = 0; i < n; i++)
		x.mean += ratio(&trials[i], &to[i]) / n;
	for (int i = 0; i < n; i++)
		squares += pow(ratio(&trials[i], &to[i]) - x.mean, 2);
	if (n > 1)
		x.error = sqrt(squares / (n - 1) / n);
	return x;
}
