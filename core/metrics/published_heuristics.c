/* core/metrics/published_heuristics.c - the scores of Flint, Paillat and Bramas' AutoHeteroprio, 2022. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/metrics/heuristic.h"

#define SCORE(fn, expression) \
	static double fn(const struct heuristic_input *in, const double *k) \
	{ \
		(void)k; \
		return expression; \
	}

SCORE(prws, in->nod / in->cost * in->released + in->diff)
SCORE(purws, in->urt / in->cost * in->released + in->diff)
SCORE(offset, (in->urt + k[0]) * (in->diff + k[1]))
SCORE(soft, (1 + in->urt) * softplus(in->diff))

static double interpolation(const struct heuristic_input *in, const double *k)
{
	double r = rpg(in->urt);

	(void)k;
	return r * (1 + in->urt) * (1 + in->diff) - (1 - r) * softplus(-in->diff);
}

static double ntc(const struct heuristic_input *in, const double *k)
{
	double r = fmax(in->rel_diff, 1 / in->rel_diff); /* max_rel_diff, eq 16 */

	return in->diff + k[0] * in->nod * exp(-k[1] * r * r);
}

#define EQ(numbers) .note = "eq " numbers, .source = "AutoHeteroprio, eq " numbers

const struct heuristic published_heuristics[PUBLISHED_HEURISTICS] = {
	[HEURISTIC_PRWS] = {.name = "PRWS",
                            .summary = "parallel released work per second",
                            .equation = "NOD / z * S + diff",
                            EQ("9"),
                            .score = prws},
	[HEURISTIC_PURWS] = {.name = "PURWS",
                             .summary = "parallel useful released work per second",
                             .equation = "URT / z * S + diff",
                             EQ("10"),
                             .score = purws},
	[HEURISTIC_OFFSET] = {.name = "offset",
                              .summary = "useful released time times difference, both displaced",
                              .equation = "(URT + alpha) * (diff + beta)",
                              EQ("11"),
                              .knobs = {{"alpha", 1.3}, {"beta", 1}},
                              .score = offset},
	[HEURISTIC_SOFTPLUS] = {.name = "softplus",
                                .summary = "useful released time times a difference that is never negative",
                                .equation = "(1 + URT) * ln(1 + exp(diff))",
                                EQ("12"),
                                .score = soft},
	[HEURISTIC_INTERPOLATION] = {.name = "interpolation",
                                     .summary = "between the softplus model, without released work, and the offset "
                                                "model, with much",
                                     .equation = "r (1+URT)(1+diff) - (1-r) ln(1+exp(-diff)), r = rpg(URT)",
                                     EQ("13, 14"),
                                     .score = interpolation},
	[HEURISTIC_NTC] = {.name = "NTC", /* NOD-time combination */
                           .summary = "difference, and released tasks where the architectures are close",
                           .equation = "diff + alpha * NOD * exp(-beta * max_rel_diff^2)",
                           EQ("15, 16"),
                           .knobs = {{"alpha", 0.3}, {"beta", 0.5}},
                           .score = ntc},
};
