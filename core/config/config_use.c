/* core/config/config_use.c - what of a config a machine gets: its setting, its fallback, or nothing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_use.h"

#include <math.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/table.h"

struct config_fallback config_fallback_of(const struct config *c)
{
	if (config_needs_library(c))
		return c->fallback;
	return (struct config_fallback){.policy = c->policy, .knobs = c->knobs};
}

/* Whether `few` has the architectures of `many`, and nowhere more workers. */
static int is_part(const int few[ARCH_COUNT], const int many[ARCH_COUNT])
{
	for (int a = 0; a < ARCH_COUNT; a++)
		if (few[a] > many[a] || !few[a] != !many[a])
			return 0;
	return 1;
}

/* Sum of the logarithms of the factors between the numbers of workers; INFINITY where the architectures differ. */
static double distance(const int x[ARCH_COUNT], const int y[ARCH_COUNT])
{
	double sum = 0;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!x[a] != !y[a])
			return INFINITY;
		if (x[a])
			sum += fabs(log((double)x[a] / y[a]));
	}
	return sum;
}

/* NULL: the machine that the config was made for. */
static const struct config_fewer *nearest(const struct config *c, const int workers[ARCH_COUNT])
{
	const struct config_fewer *best = NULL;
	double least = distance(c->workers, workers);

	for (int i = 0; i < c->fallback.nfewer; i++) {
		double d = distance(c->fallback.fewer[i].workers, workers);

		if (d < least) {
			least = d;
			best = &c->fallback.fewer[i];
		}
	}
	return best;
}

enum config_use config_use_of(const struct config *c, const int workers[ARCH_COUNT], char why[CONFIG_USE_WHY])
{
	const struct config_fallback f = config_fallback_of(c);
	const struct config_fewer *replayed;
	char counts[CONFIG_WORKERS_TEXT], setting[16], fallback[16];
	struct ht_err differs = {""};

	*why = '\0';
	if (config_fits_workers(c, workers, &differs) == 0)
		return CONFIG_USE_SETTING;
	snprintf(why, CONFIG_USE_WHY, "%.400s", differs.text);
	if (!f.nfewer || !is_part(workers, c->workers))
		return *f.policy ? CONFIG_USE_FALLBACK : CONFIG_USE_NOTHING;
	replayed = nearest(c, workers);
	if (!replayed) {
		snprintf(why, CONFIG_USE_WHY, "%.400s, nearly all of them", differs.text);
		return CONFIG_USE_SETTING;
	}
	snprintf(why, CONFIG_USE_WHY, "%.280s; replayed on %.60s its setting takes %s, %.40s %s", differs.text,
	         config_workers_text(counts, replayed->workers), time_text(setting, replayed->setting_ns), f.policy,
	         time_text(fallback, replayed->fallback_ns));
	return replayed->fallback_ns < replayed->setting_ns ? CONFIG_USE_FALLBACK : CONFIG_USE_SETTING;
}
