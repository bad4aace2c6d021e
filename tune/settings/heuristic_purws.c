/* tune/settings/heuristic_purws.c - PURWS: parallel useful released work per second. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/heuristic.h"

static double score(const struct heuristic_input *in, const double *knobs)
{
	(void)knobs;
	return in->urt / in->cost * in->released + in->diff;
}

const struct heuristic heuristic_purws = {
	.name = "PURWS",
	.summary = "parallel useful released work per second",
	.equation = "URT / w * S + diff",
	.source = "AutoHeteroprio, eq 10",
	.score = score,
};
