/* tune/settings/heuristic_interpolation.c - the interpolation model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tune/settings/heuristic.h"

/* eq 14: a quarter of a circle from (0, 0) to (1, 1). */
static double rpg(double x)
{
	if (x >= 1)
		return 1;
	return x <= 0 ? 0 : sqrt(x) * sqrt(2 - x);
}

static double score(const struct heuristic_input *in, const double *knobs)
{
	double r = rpg(in->urt);

	(void)knobs;
	return r * (1 + in->urt) * (1 + in->diff) - (1 - r) * softplus(-in->diff);
}

const struct heuristic heuristic_interpolation = {
	.name = "interpolation",
	.summary = "between the softplus model, without released work, and the offset model, with much",
	.equation = "r (1+URT)(1+diff) - (1-r) ln(1+exp(-diff)), r = rpg(URT)",
	.source = "AutoHeteroprio, eq 13, 14",
	.score = score,
};
