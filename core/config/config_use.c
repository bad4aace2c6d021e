/* core/config/config_use.c - what of a config a machine gets: its setting, its policy, its fallback, or nothing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_use.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/table.h"
#include "core/machine/machine.h"

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

static enum config_use use_elsewhere(const struct config *c)
{
	if (c->has_rank_priorities || strcmp(c->policy, "placement") == 0)
		return CONFIG_USE_POLICY;
	return *config_fallback_of(c).policy ? CONFIG_USE_FALLBACK : CONFIG_USE_NOTHING;
}

enum config_use config_use_of(const struct config *c, const char *machine, const int workers[ARCH_COUNT],
                              char why[CONFIG_USE_WHY])
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
		return use_elsewhere(c);
	if (!machine_names_match(machine, c->machine_name)) {
		snprintf(why, CONFIG_USE_WHY, "%.320s, and is %.64s, not %.64s", differs.text, machine,
		         c->machine_name);
		return use_elsewhere(c);
	}
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

void config_strip(struct config *c)
{
	c->knobs = "";
	c->nplans = 0;
	c->starpu_env = (struct starpu_env){{0}};
}

int config_use_on(struct config *c, const struct machine *m, char why[CONFIG_USE_WHY], struct ht_err *err)
{
	enum config_use use = CONFIG_USE_SETTING;
	char differs[CONFIG_USE_WHY] = "";
	int workers[ARCH_COUNT];

	for (int rank = 0; rank < machine_ranks(m) && !*differs; rank++) {
		machine_rank_counts(m, rank, workers);
		use = config_use_of(c, m->name, workers, differs);
	}
	if (use == CONFIG_USE_NOTHING)
		return ht_err_set(err, "%s", differs);
	if (use == CONFIG_USE_FALLBACK) {
		struct config_fallback f = config_fallback_of(c);

		config_strip(c);
		c->policy = f.policy;
		c->knobs = f.knobs;
		c->has_rank_priorities = 0;
	} else if (use == CONFIG_USE_POLICY) {
		config_strip(c);
	}
	*why = '\0';
	if (*differs)
		snprintf(why, CONFIG_USE_WHY, "%.400s: replayed is %s%.40s%s", differs,
		         use == CONFIG_USE_FALLBACK ? "its fallback, " : "",
		         use == CONFIG_USE_SETTING ? "its setting" : c->policy,
		         use == CONFIG_USE_POLICY ? " without what was tuned" : "");
	return 0;
}
