/* tune/settings/heuristic_prws.c - PRWS: parallel released work per second. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/heuristic.h"

static double score(const struct heuristic_input *in, const double *knobs)
{
	(void)knobs;
	return in->nod / in->cost * in->released + in->diff;
}

const struct heuristic heuristic_prws = {
	.name = "PRWS",
	.summary = "parallel released work per second",
	.equation = "NOD / w * S + diff",
	.source = "AutoHeteroprio, eq 9",
	.score = score,
};
