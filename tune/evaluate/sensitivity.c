/* tune/evaluate/sensitivity.c - what each part of a setting brings: the makespan without it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"
#include "tune/settings/setting.h"

struct changes {
	struct sensitivity *s;
	const struct config *names;
	const struct setting *base;
	struct setting *settings;
	struct starpu_env starpu_env, *starpu_settings; /* of the base, and of each change */
	size_t most;
};

/* One more change; NULL: there are enough. */
static struct setting *add(struct changes *c)
{
	struct setting *made = c->s->count < c->most ? &c->settings[c->s->count++] : NULL;

	if (made) {
		*made = *c->base;
		c->starpu_settings[c->s->count - 1] = c->starpu_env;
	}
	return made;
}

static char *text(struct changes *c)
{
	return c->s->items[c->s->count - 1].what;
}

static void exchange(struct changes *c, int a, int i)
{
	int first = c->base->list[a][i], second = c->base->list[a][i + 1];
	struct setting *s = add(c);

	if (!s)
		return;
	s->list[a][i] = (uint8_t)second;
	s->list[a][i + 1] = (uint8_t)first;
	snprintf(text(c), SENSITIVITY_TEXT, "%s: %s before %s", arch_name((enum arch)a),
	         SHORT_NAME(c->names->buckets[first].name), SHORT_NAME(c->names->buckets[second].name));
}

static void leave_out(struct changes *c, int a, int i)
{
	int b = c->base->list[a][i];
	struct setting *s = setting_users(c->base, b) > 1 ? add(c) : NULL;

	if (!s)
		return;
	setting_remove(s, (enum arch)a, i);
	setting_normalise(s);
	snprintf(text(c), SENSITIVITY_TEXT, "%s: %s at all", arch_name((enum arch)a),
	         SHORT_NAME(c->names->buckets[b].name));
}

static void scale(struct changes *c, int a, int b, double by)
{
	struct setting *s = c->base->factor[b][a] > 0 ? add(c) : NULL;

	if (!s)
		return;
	s->factor[b][a] *= by;
	setting_normalise(s);
	snprintf(text(c), SENSITIVITY_TEXT, "%s: slow factor %.3g of %s, not %s", arch_name((enum arch)a),
	         c->base->factor[b][a], SHORT_NAME(c->names->buckets[b].name), by > 0 ? "twice" : "none");
}

static void plain_environment(struct changes *c)
{
	char what[STARPU_ENV_TEXT];

	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		if (c->starpu_env.value[k] && add(c)) {
			c->starpu_settings[c->s->count - 1].value[k] = 0;
			snprintf(text(c), SENSITIVITY_TEXT, "startup: %s",
			         starpu_env_text(what, (enum starpu_env_knob)k, c->starpu_env.value[k]));
		}
}

static void no_locality(struct changes *c)
{
	struct setting *s = c->base->locality.enabled ? add(c) : NULL;

	if (!s)
		return;
	s->locality = (struct config_locality){0};
	snprintf(text(c), SENSITIVITY_TEXT, "locality: %s", *c->base->locality.push ? c->base->locality.push : "AUTO");
}

/* Place by place, so that the fronts of all lists come before the end of any. */
static void make(struct changes *c)
{
	const struct setting *s = c->base;

	plain_environment(c);
	no_locality(c);
	for (int i = 0; i < CONFIG_MAX_BUCKETS; i++)
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (i >= s->count[a])
				continue;
			if (i + 1 < s->count[a])
				exchange(c, a, i);
			leave_out(c, a, i);
			scale(c, a, s->list[a][i], 0);
			scale(c, a, s->list[a][i], 2);
		}
}

static int by_effect(const void *pa, const void *pb)
{
	const struct sensitivity_item *a = pa, *b = pb;

	return a->effect > b->effect ? -1 : a->effect < b->effect;
}

/* The replications of the base are the last ones: every change is compared replication by replication. */
static void measure(struct sensitivity *s, const struct trial *trials, int replications)
{
	const struct trial *base = trials + s->count * (size_t)replications;
	double *ratio = ht_alloc((size_t)replications, sizeof(*ratio));

	for (size_t i = 0; i < s->count; i++) {
		for (int d = 0; d < replications; d++) {
			int64_t ns = trials[i * (size_t)replications + (size_t)d].makespan_ns;

			ratio[d] = ns == EVALUATOR_NEVER ?
			                   INFINITY :
			                   (double)ns / (double)(base[d].makespan_ns > 0 ? base[d].makespan_ns : 1);
		}
		stats_sort_double(ratio, (size_t)replications);
		s->items[i].effect = ratio[replications / 2] - 1;
		s->items[i].worst = ratio[0] - 1;
	}
	free(ratio);
}

int sensitivity_of(struct sensitivity *s, struct evaluator *e, int graph, const struct finalist *x, int replications,
                   int most, struct ht_err *err)
{
	struct changes c = {
		.s = s,
		.base = x->setting,
		.starpu_env = x->id.starpu_env,
		.settings = ht_alloc(SENSITIVITY_MAX, sizeof(*c.settings)),
		.starpu_settings = ht_alloc(SENSITIVITY_MAX, sizeof(*c.starpu_settings)),
	};
	struct config *names = evaluator_config(e, x->setting);
	struct trial *trials;
	size_t n;
	int rc;

	s->count = 0;
	c.names = names;
	c.most = most < SENSITIVITY_MAX ? (size_t)most : SENSITIVITY_MAX;
	make(&c);
	n = (s->count + 1) * (size_t)replications;
	trials = ht_alloc(n, sizeof(*trials));
	for (size_t i = 0; i < n; i++) {
		size_t change = i / (size_t)replications;

		trials[i] = finalist_trial(x, graph, (int)(i % (size_t)replications));
		if (change < s->count) {
			trials[i].setting = &c.settings[change];
			trials[i].starpu_env = c.starpu_settings[change];
		}
	}
	rc = evaluator_run(e, trials, n, EVALUATOR_ALWAYS, err);
	if (rc == 0) {
		measure(s, trials, replications);
		qsort(s->items, s->count, sizeof(s->items[0]), by_effect);
	}
	free(trials);
	free(c.settings);
	free(c.starpu_settings);
	config_free(names);
	return rc;
}
