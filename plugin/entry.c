/* plugin/entry.c - the scheduler library that StarPU loads: which policy a program gets. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * StarPU (1.4 and later) loads the library that STARPU_SCHED_LIB names and asks it for a policy by name before it looks
 * among its own. "heterotune" is the policy of the config that HETEROTUNE_CONFIG names, else the one of
 * HETEROTUNE_POLICY, else dmdas with ranks, which needs no config. Where there is no such policy,
 * since the config is missing, damaged or of another machine, or StarPU is of a version that is not known, the program
 * runs with what it would have had: the STARPU_SCHED of the user, which `heterotune run` and the exported environment
 * leave in HETEROTUNE_FALLBACK, else what StarPU falls back to; and what the config had put into StarPU's environment
 * is taken back (HETEROTUNE_RESTORE).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "plugin/guard.h"
#include "plugin/heteroprio.h"
#include "plugin/priorities.h"
#include "plugin/ranks.h"
#include "plugin/report.h"
#include "plugin/starpu_api.h"
#include "plugin/world.h"

#define EXPORT __attribute__((visibility("default")))

/*
 * HETEROTUNE_RESTORE: NAME=VALUE or NAME, a line each, as they were before the config. StarPU reads those of prefetch
 * and pipeline after it has looked up the policy; the number of CPU workers is read before.
 */
static void restore_environment(void)
{
	const char *text = getenv("HETEROTUNE_RESTORE");
	char *lines = text ? strdup(text) : NULL, *state = NULL;

	for (char *line = lines ? strtok_r(lines, "\n", &state) : NULL; line; line = strtok_r(NULL, "\n", &state)) {
		char *value = strchr(line, '=');

		if (value)
			*value++ = '\0';
		if (value)
			setenv(line, value, 1);
		else
			unsetenv(line);
	}
	free(lines);
}

static struct starpu_sched_policy *refuse(const char *sentence)
{
	const char *name = getenv("HETEROTUNE_FALLBACK");
	struct starpu_sched_policy *fallback = name && *name ? starpu_api_policy(name) : NULL;
	static char last[512];

	/* StarPU looks a policy up twice where it is not found. */
	if (strncmp(last, sentence, sizeof(last) - 1) == 0)
		return fallback;
	snprintf(last, sizeof(last), "%s", sentence);
	report_sentence("%s: the program runs under %s%s", sentence,
	                fallback ? name : "the scheduler that it has without heterotune",
	                fallback ? ", as without it" : "");
	report_line("plain %s", sentence);
	restore_environment();
	return fallback;
}

/* "ranks:NAME", or a policy of sched/ with its knobs. */
static struct starpu_sched_policy *named_policy(const char *text, struct ht_err *err)
{
	if (strncmp(text, "ranks:", 6) == 0)
		return ranks_policy(text + 6, err);
	return world_policy(text, err);
}

struct opening {
	const char *path;
	struct config *config;
	struct ht_err *err;
};

/* Reads the config, and sees whether it fits the machine: the workers are known when StarPU looks a policy up. */
static void open_config(void *arg)
{
	struct opening *o = arg;
	int workers[ARCH_COUNT];
	struct config *c = config_load(o->path, o->err);

	heteroprio_workers(workers);
	if (c && config_fits_workers(c, workers, o->err) != 0) {
		ht_err_wrap(o->err, "%s", o->path);
		config_free(c);
		c = NULL;
	}
	o->config = c;
}

/* The policy of the config at `path`. NULL with the sentence. */
static struct starpu_sched_policy *policy_of(const char *path, struct ht_err *err)
{
	struct opening o = {path, NULL, err};
	struct starpu_sched_policy *policy;
	char text[512];

	if (guarded(open_config, &o) != 0)
		ht_err_set(err, "%s: there is no memory for it", path);
	if (!o.config)
		return NULL;
	if (!o.config->has_rank_priorities && strcmp(o.config->policy, "heteroprio") == 0)
		return heteroprio_policy(o.config, path, err);
	snprintf(text, sizeof(text), "%s%s%s%s", o.config->has_rank_priorities ? "ranks:" : "", o.config->policy,
	         *o.config->knobs && !o.config->has_rank_priorities ? ":" : "",
	         o.config->has_rank_priorities ? "" : o.config->knobs);
	policy = named_policy(text, err);
	if (policy)
		report_line("tuned %s", path);
	config_free(o.config);
	return policy;
}

static struct starpu_sched_policy *config_policy(void)
{
	const char *path = getenv("HETEROTUNE_CONFIG"), *named = getenv("HETEROTUNE_POLICY"),
		   *missing = starpu_api_open();
	struct starpu_sched_policy *policy;
	struct ht_err err = {""};

	if (missing)
		return refuse(missing);
	if (!path || !*path)
		policy = named_policy(named && *named ? named : "ranks:dmdas", &err);
	else
		policy = policy_of(path, &err);
	return policy ? policy : refuse(err.text);
}

EXPORT struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
	if (strcmp(name, "heterotune") == 0)
		return config_policy();
	/* What older exported environments say. */
	if (strcmp(name, "heteroprio") == 0 && getenv("HETEROTUNE_CONFIG"))
		return config_policy();
	return priorities_policy(name);
}

/* For STARPU_SCHED=help. */
EXPORT struct starpu_sched_policy **starpu_get_sched_lib_policies(void)
{
	static union starpu_policy shown;
	static struct starpu_sched_policy *list[2];
	const struct starpu_sched_policy *any;

	list[0] = NULL;
	any = starpu_api_open() ? NULL : starpu_api_policy("eager");
	if (any) {
		starpu_policy_copy(&shown, any);
		POLICY_FUNCTION(shown.bytes, sp.layout->policy.policy_name, const char *) = "heterotune";
		POLICY_FUNCTION(shown.bytes, sp.layout->policy.policy_description,
		                const char *) = "the scheduler of the config that HETEROTUNE_CONFIG names";
		list[0] = &shown.as_starpu_sees_it;
	}
	return list;
}
