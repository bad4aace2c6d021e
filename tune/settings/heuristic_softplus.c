/* tune/settings/heuristic_softplus.c - the softplus model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/heuristic.h"

static double score(const struct heuristic_input *in, const double *knobs)
{
	(void)knobs;
	return (1 + in->urt) * softplus(in->diff);
}

const struct heuristic heuristic_softplus = {
	.name = "softplus",
	.summary = "useful released time times a difference that is never negative",
	.equation = "(1 + URT) * ln(1 + exp(diff))",
	.source = "AutoHeteroprio, eq 12",
	.score = score,
};
