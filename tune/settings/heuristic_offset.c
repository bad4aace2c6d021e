/* tune/settings/heuristic_offset.c - the offset model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/heuristic.h"

static double score(const struct heuristic_input *in, const double *knobs)
{
	return (in->urt + knobs[0]) * (in->diff + knobs[1]);
}

const struct heuristic heuristic_offset = {
	.name = "offset",
	.summary = "useful released time times difference, both displaced",
	.equation = "(URT + alpha) * (diff + beta)",
	.source = "AutoHeteroprio, eq 11",
	.knobs = {{"alpha", 1.3}, {"beta", 1}},
	.score = score,
};
