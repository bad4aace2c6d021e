/* analyze/findings/finding_spread.c - durations of a type that differ, and whether footprints explain it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/findings/finding.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/dag/dag.h"

#define SPREAD      0.30 /* standard deviation over mean */
#define MIN_TASKS   10   /* the deviation of fewer means little */
#define TIME_SHARE  0.02 /* of all time spent in tasks; less than that does not matter */
#define MOST_SEVERE 0.2  /* predictions are uncertain, which costs no time by itself */

/* By type and architecture; free() it. */
static struct finding_durations (*of_types(const struct finding_input *in,
                                           struct finding_durations (*groups)[ARCH_COUNT]))[ARCH_COUNT]
{
	struct finding_durations(*types)[ARCH_COUNT] = ht_alloc(in->dag->ntypes, sizeof(*types));

	for (uint32_t c = 0; c < in->dag->nclasses; c++)
		for (int a = 0; a < ARCH_COUNT; a++) {
			struct finding_durations *all = &types[in->dag->classes[c].codelet][a];

			all->n += groups[c][a].n;
			all->sum += groups[c][a].sum;
			all->squares += groups[c][a].squares;
		}
	return types;
}

static double deviation_of(const struct finding_durations *d)
{
	double mean = d->sum / d->n;

	return sqrt(fmax(0, d->squares / d->n - mean * mean));
}

/*
 * The share of the variance of the type on `a` that lies between its classes, that is, its footprints, of
 * which `refined` are of its model's making.
 */
static double explained(const struct finding_input *in, struct finding_durations (*groups)[ARCH_COUNT],
                        const struct finding_durations *all, uint32_t type, enum arch a, int *footprints, int *refined)
{
	double mean = all->sum / all->n, between = 0, variance = all->squares / all->n - mean * mean;

	*footprints = *refined = 0;
	for (uint32_t c = 0; c < in->dag->nclasses; c++) {
		const struct finding_durations *g = &groups[c][a];

		if (in->dag->classes[c].codelet != type || g->n <= 0)
			continue;
		++*footprints;
		*refined += in->dag->classes[c].is_refined;
		between += g->n * (g->sum / g->n - mean) * (g->sum / g->n - mean);
	}
	return variance > 0 ? fmin(1, between / all->n / variance) : 0;
}

/* time_share: of all time in tasks, that in those of the type on `a`. */
static void spread_of(const struct finding_input *in, const struct finding_check *self, struct findings *out,
                      struct finding_durations (*groups)[ARCH_COUNT], const struct finding_durations *all,
                      uint32_t type, enum arch a, double time_share)
{
	double mean_ns = all->sum / all->n, spread = deviation_of(all) / mean_ns, rest, share;
	const char *name = SHORT_NAME(in->dag->types[type].name);
	struct finding *f;
	char mean[16], of_size[64];
	int footprints, refined;

	share = explained(in, groups, all, type, a, &footprints, &refined);
	rest = spread * sqrt(fmax(0, 1 - share));
	if (footprints == 1)
		snprintf(of_size, sizeof(of_size), "though all have data of one size");
	else if (refined)
		snprintf(of_size, sizeof(of_size), "and what their model says explains %.0f %% of that", 100 * share);
	else
		snprintf(of_size, sizeof(of_size), "and %d sizes of their data explain %.0f %% of that", footprints,
		         100 * share);
	f = finding_add(out, self, rest >= SPREAD ? MOST_SEVERE * fmin(1, rest) * time_share : 0,
	                "Tasks of %s on %s take %s on average and differ by %.0f %% of that (standard deviation), %s",
	                name, arch_name(a), time_text(mean, llround(mean_ns)), 100 * spread, of_size);
	if (rest < SPREAD)
		finding_advise(
			f, "The models know the sizes; Heteroprio's buckets do not: a codelet of its own for each size "
			   "would let it order them");
	else
		finding_advise(
			f,
			"Look for other programs on the machine, several workers on "
			"one core, memory bandwidth, or work that depends on values; predictions for such tasks are uncertain");
	finding_show(f, {"mean_ns", mean_ns}, {"deviation_ns", deviation_of(all)}, {"executed", all->n},
	             {"footprints", footprints}, {"explained_share", share});
}

void finding_spread(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct finding_durations(*groups)[ARCH_COUNT] = finding_durations(in),
	       (*types)[ARCH_COUNT] = of_types(in, groups);
	double all = 0;

	for (uint32_t c = 0; c < in->dag->nclasses; c++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			all += groups[c][a].sum;
	for (uint32_t p = 0; p < in->dag->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct finding_durations *d = &types[p][a];

			if (d->n >= MIN_TASKS && d->sum > TIME_SHARE * all && deviation_of(d) > SPREAD * d->sum / d->n)
				spread_of(in, self, out, groups, d, p, a, d->sum / all);
		}
	free(types);
	free(groups);
}
