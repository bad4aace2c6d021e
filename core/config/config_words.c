/* core/config/config_words.c - a config in a user's words: what it asks for, what it is, and the command for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/table.h"
#include "core/config/config.h"

static void add(char text[CONFIG_WORDS], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(char text[CONFIG_WORDS], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, CONFIG_WORDS - len, fmt, ap);
	va_end(ap);
}

static int has_knobs(const struct config *c)
{
	return c->knobs && *c->knobs;
}

enum config_effort config_effort(const struct config *c, const char *recorded)
{
	if (config_is_own(c))
		return CONFIG_EFFORT_OWN;
	if (strcmp(c->policy, "heteroprio") == 0)
		return CONFIG_EFFORT_BUCKETS;
	if (c->has_rank_priorities)
		return CONFIG_EFFORT_RANKS;
	if (has_knobs(c) || !starpu_env_is_plain(&c->starpu_env))
		return CONFIG_EFFORT_KNOBS;
	return recorded && strcmp(recorded, c->policy) == 0 ? CONFIG_EFFORT_NONE : CONFIG_EFFORT_SCHED;
}

static void add_variable(char text[CONFIG_WORDS], const char *name, const char *value)
{
	add(text, "%s%s=%s", *text ? " " : "", name, value);
}

char *config_variables(const struct config *c, char text[CONFIG_WORDS])
{
	struct config_knob_var knobs[CONFIG_KNOB_VARS];
	struct starpu_env_var vars[STARPU_ENV_MAX_VARS];
	char values[CONFIG_KNOB_TEXT];
	int n = has_knobs(c) && !config_is_own(c) ? config_knob_vars(c->knobs, knobs, values) : 0;

	*text = '\0';
	if (!config_needs_library(c))
		add_variable(text, "STARPU_SCHED", c->policy);
	for (int i = 0; i < n; i++)
		add_variable(text, knobs[i].name, knobs[i].shown);
	n = starpu_env_vars(&c->starpu_env, c->workers, vars);
	for (int i = 0; i < n; i++)
		add_variable(text, vars[i].name, vars[i].value);
	return text;
}

/* What distinguishes the tasks of a bucket from others of their codelet. */
static const char *distinction(const struct config *c)
{
	unsigned limits = 0;

	for (int b = 0; b < c->nbuckets; b++)
		for (int i = 0; i < c->buckets[b].nmembers; i++)
			limits |= c->buckets[b].members[i].limits;
	return limits & MEMBER_PRIORITY   ? "priority" :
	       limits & MEMBER_FOOTPRINT  ? "size of data" :
	       limits & MEMBER_SUBMISSION ? "order of submission" :
	                                    "codelet";
}

const char *config_words(const struct config *c, char text[CONFIG_WORDS])
{
	char variables[CONFIG_WORDS];

	config_variables(c, variables);
	*text = '\0';
	if (strcmp(c->policy, "heteroprio") == 0)
		add(text, "Heteroprio with %d bucket%s by %s%s", c->nbuckets, plural((uint64_t)c->nbuckets),
		    distinction(c), c->locality.enabled ? ", near their data" : "");
	else if (config_is_own(c))
		add(text, "%s by the scheduler library", c->policy);
	else if (c->has_rank_priorities)
		add(text, "%s with priorities from the scheduler library", c->policy);
	if (*variables)
		add(text, "%s%s", *text ? ", and " : "", variables);
	return text;
}

int config_candidates(const struct config *c)
{
	int n = 0;

	for (int i = 0; i < c->ntrials; i++)
		n += strcmp(c->trials[i].source, "replay") == 0 &&
		     strcmp(c->trials[i].name, CONFIG_TRIAL_RECORDED_ORDER) != 0;
	return n;
}
