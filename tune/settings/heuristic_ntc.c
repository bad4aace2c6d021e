/* tune/settings/heuristic_ntc.c - NTC: the NOD-time combination. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tune/settings/heuristic.h"

static double score(const struct heuristic_input *in, const double *knobs)
{
	double r = fmax(in->rel_diff, 1 / in->rel_diff); /* max_rel_diff, eq 16 */

	return in->diff + knobs[0] * in->nod * exp(-knobs[1] * r * r);
}

const struct heuristic heuristic_ntc = {
	.name = "NTC",
	.summary = "difference, and released tasks where the architectures are close",
	.equation = "diff + alpha * NOD * exp(-beta * max_rel_diff^2)",
	.source = "AutoHeteroprio, eq 15, 16",
	.knobs = {{"alpha", 0.3}, {"beta", 0.5}},
	.score = score,
};
