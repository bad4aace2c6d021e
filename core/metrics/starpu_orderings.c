/* core/metrics/starpu_orderings.c - the 28 orderings of AutoHeteroprio in StarPU 1.4, by the numbers it gives them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scores of order_priorities() in StarPU 1.4's src/sched_policies/heteroprio.c, with the default of every
 * hyper-parameter. What differs from StarPU: nothing is added here for a type that has few samples; and scores that
 * overflow in StarPU do not, 14 on a type that one architecture alone runs, 15 on an architecture that is slower than
 * another by 710 average tasks.
 */
#include <math.h>

#include "core/metrics/heuristic.h"

/* StarPU weighs released work by the need of both architectures; that of the other one is 1 - its share of the type. */
static double need_other(const struct heuristic_input *in)
{
	return 1 - in->share_other;
}

static double need_diff(const struct heuristic_input *in)
{
	return in->idle - need_other(in);
}

static double relu(double x)
{
	return x > 0 ? x : 0;
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* 1 where both architectures take the same time, 0 far from it. */
static double closeness(const struct heuristic_input *in, double selectivity)
{
	double r = in->rel_diff > 1 ? in->rel_diff : 1 / in->rel_diff;

	return exp(-selectivity * (r - 1) * (r - 1));
}

#define SCORE(fn, expression) \
	static double fn(const struct heuristic_input *in, const double *k) \
	{ \
		const double U = in->nrt * in->idle + in->nrt_other * need_other(in), D = in->diff, t = in->cost; \
		(void)k, (void)U, (void)D, (void)t; \
		return expression; \
	}

SCORE(nod_time_combination, D + k[0] * closeness(in, k[1]) * in->nod)
SCORE(best_nods_score, (2 * (D > 0 ? 1 : exp(-k[0] * D * D)) - 1) * in->nod)
SCORE(urt_pure, U)
SCORE(urt_1, k[0] * U + D)
SCORE(urt_2, k[0] * U + D + k[1] * relu(in->share * in->share_other * need_diff(in)))
SCORE(dot_diff_pure, U *D)
SCORE(dot_diff_pure_2, (1 + U) * D)
SCORE(dot_rel_diff_pure, U * in->rel_diff)
SCORE(dot_rel_diff_pure_2, (1 + U) * in->rel_diff)
SCORE(dot_diff_2, (1 + U) * D + k[0] * t * need_diff(in))
SCORE(dot_diff_3, (1 + U) * D + k[0] * t * relu(need_diff(in)))
SCORE(dot_diff_4, (1 + U) * D - k[0] * t * relu(-need_diff(in)))
SCORE(dot_diff_5, (k[0] + U) * (k[1] + D))
SCORE(dot_diff_6, (1 + U) * softplus(D))
SCORE(dot_diff_7, rpg(U) * (1 + U) * (1 + D) - (1 - rpg(U)) * softplus(-D))
SCORE(dot_diff_8, (sigmoid(U) - 0.5) * (1 + U) * (1 + D) - (sigmoid(1 / U) - 0.5) * exp(-D))
SCORE(dot_diff_9, log(k[0] + U) * atan(D + k[1] * U))
SCORE(dot_diff_10, (k[0] + U) * atan(D) + k[1] * U)
SCORE(dot_diff_11, (k[0] + U) * (D + k[1] * U))
SCORE(per_seconds, U / t)
SCORE(per_seconds_2, (U + D) / t)
SCORE(per_seconds_diff, U / t + D)
SCORE(time_released_diff, U *(in->released_us + D) / t)
SCORE(urts_time_combination, D + k[0] * closeness(in, k[1]) * U)
SCORE(nods_per_second, in->nod / t)
SCORE(nods_time_released, in->nod * in->released_us / t)
SCORE(nods_time_released_diff, in->nod *(in->released_us + D) / t)

#define ORDERING(n, name_, equation_, score_, ...) \
	[n] = {.name = name_, \
	       .summary = name_, \
	       .note = name_, \
	       .equation = equation_, \
	       .source = "ordering policy " #n " of StarPU 1.4", \
	       .exclusive = EXCLUSIVE_AS_STARPU, \
	       .knobs = {__VA_ARGS__}, \
	       .score = score_}

const struct heuristic starpu_orderings[STARPU_ORDERINGS] = {
	ORDERING(0, "NOD_TIME_COMBINATION", "D + 0.3 exp(-0.5 (rd - 1)^2) NOD", nod_time_combination,
                 {"nod_multiplier", 0.3}, {"exp_selectivity", 0.5}),
	ORDERING(1, "BEST_NODS_SCORE", "m NOD, m = 2 (D > 0 ? 1 : exp(-0.5 D^2)) - 1", best_nods_score,
                 {"exp_selectivity", 0.5}),
	ORDERING(2, "BEST_NODS", "as 1", best_nods_score, {"exp_selectivity", 0.5}),
	ORDERING(3, "URT_PURE", "URT", urt_pure, {0}),
	ORDERING(4, "URT", "0.5 URT + D", urt_1, {"urt_multiplier", 0.5}),
	ORDERING(5, "URT_2", "0.5 URT + D + 2 relu(prop prop_o N)", urt_2, {"urt_multiplier", 0.5},
                 {"arch_need_multiplier", 2}),
	ORDERING(6, "URT_DOT_DIFF_PURE", "URT D", dot_diff_pure, {0}),
	ORDERING(7, "URT_DOT_DIFF_PURE_2", "(1 + URT) D", dot_diff_pure_2, {0}),
	ORDERING(8, "URT_DOT_REL_DIFF_PURE", "URT R", dot_rel_diff_pure, {0}),
	ORDERING(9, "URT_DOT_REL_DIFF_PURE_2", "(1 + URT) R", dot_rel_diff_pure_2, {0}),
	ORDERING(10, "URT_DOT_DIFF_2", "(1 + URT) D + t N", dot_diff_2, {"arch_need_multiplier", 1}),
	ORDERING(11, "URT_DOT_DIFF_3", "(1 + URT) D + t relu(N)", dot_diff_3, {"arch_need_multiplier", 1}),
	ORDERING(12, "URT_DOT_DIFF_4", "(1 + URT) D - t relu(-N)", dot_diff_4, {"arch_need_multiplier", 1}),
	ORDERING(13, "URT_DOT_DIFF_5", "(1.3 + URT) (1 + D)", dot_diff_5, {"nod_offset", 1.3}, {"arch_diff_offset", 1}),
	ORDERING(14, "URT_DOT_DIFF_6", "(1 + URT) ln(1 + exp(D))", dot_diff_6, {0}),
	ORDERING(15, "URT_DOT_DIFF_7", "r (1+URT)(1+D) - (1-r) ln(1+exp(-D)), r = rpg(URT)", dot_diff_7, {0}),
	ORDERING(16, "URT_DOT_DIFF_8", "(s(U)-0.5)(1+U)(1+D) - (s(1/U)-0.5) exp(-D), U = URT", dot_diff_8, {0}),
	ORDERING(17, "URT_DOT_DIFF_9", "ln(1.3 + URT) atan(D + URT)", dot_diff_9, {"nod_offset", 1.3},
                 {"arch_diff_offset", 1}),
	ORDERING(18, "URT_DOT_DIFF_10", "(1.3 + URT) atan(D) + URT", dot_diff_10, {"nod_offset", 1.3},
                 {"arch_diff_offset", 1}),
	ORDERING(19, "URT_DOT_DIFF_11", "(1.3 + URT) (D + URT)", dot_diff_11, {"nod_offset", 1.3},
                 {"arch_diff_offset", 1}),
	ORDERING(20, "URTS_PER_SECONDS", "URT / t", per_seconds, {0}),
	ORDERING(21, "URTS_PER_SECONDS_2", "(URT + D) / t", per_seconds_2, {0}),
	ORDERING(22, "URTS_PER_SECONDS_DIFF", "URT / t + D", per_seconds_diff, {0}),
	ORDERING(23, "URTS_TIME_RELEASED_DIFF", "URT (S + D) / t", time_released_diff, {0}),
	ORDERING(24, "URTS_TIME_COMBINATION", "D + 0.3 exp(-0.5 (rd - 1)^2) URT", urts_time_combination,
                 {"nod_multiplier", 0.3}, {"exp_selectivity", 0.5}),
	ORDERING(25, "NODS_PER_SECOND", "NOD / t", nods_per_second, {0}),
	ORDERING(26, "NODS_TIME_RELEASED", "NOD S / t", nods_time_released, {0}),
	ORDERING(27, "NODS_TIME_RELEASED_DIFF", "NOD (S + D) / t", nods_time_released_diff, {0}),
};
