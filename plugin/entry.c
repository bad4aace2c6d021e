/* plugin/entry.c - the scheduler library that StarPU loads: which policy a program gets. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * StarPU (1.4 and later) loads the library that STARPU_SCHED_LIB names and asks it for a policy by name before it looks
 * among its own. "heterotune" is the policy of the config that HETEROTUNE_CONFIG names, else the one of
 * HETEROTUNE_POLICY, else placement, which needs no config. Where there is no such policy, since the config is
 * missing, damaged or of another machine, or StarPU is of a version that is not known, the program gets the fallback
 * (fallback.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/table.h"
#include "core/config/config_match.h"
#include "core/config/config_use.h"
#include "core/config/config_words.h"
#include "core/machine/machine.h"
#include "plugin/fallback.h"
#include "plugin/follow.h"
#include "plugin/heteroprio.h"
#include "plugin/heteroprio_setup.h"
#include "plugin/priorities.h"
#include "plugin/ranks.h"
#include "plugin/recording.h"
#include "plugin/starpu/guard.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/world.h"

#define EXPORT __attribute__((visibility("default")))

/* "ranks:NAME", or a policy of sched/ with its knobs. */
static struct starpu_sched_policy *named_policy(const char *text, struct config *c, struct ht_err *err)
{
	if (strncmp(text, "ranks:", 6) == 0)
		return ranks_policy(text + 6, c, err);
	return world_policy(text, c, err);
}

struct opening {
	const char *path;
	struct config *config;
	enum config_use use;
	char why[CONFIG_USE_WHY], words[CONFIG_WORDS + CONFIG_WORKERS_TEXT + 64];
	struct ht_err *err;
};

/* What the config asks for and what it is made for: all that is known before there are tasks. */
static void describe(struct opening *o)
{
	char words[CONFIG_WORDS], workers[CONFIG_WORKERS_TEXT];
	struct config_match *match = config_match_create(o->config);
	int nkinds = config_match_nkinds(match);

	config_match_free(match);
	snprintf(o->words, sizeof(o->words), "%s, tuned for %d codelet%s on %s", config_words(o->config, words), nkinds,
	         plural((uint64_t)nkinds), config_workers_text(workers, o->config->workers));
}

/* Reads the config, and sees what of it the machine gets: the workers are known when StarPU looks a policy up. */
static void open_config(void *arg)
{
	struct opening *o = arg;
	int workers[ARCH_COUNT];
	char *machine;

	o->config = config_load(o->path, o->err);
	heteroprio_workers(workers);
	if (!o->config)
		return;
	machine = machine_host();
	o->use = config_use_of(o->config, machine, workers, o->why);
	free(machine);
	if (o->use == CONFIG_USE_POLICY)
		config_strip(o->config);
	describe(o);
}

/* The policy of `c`, which it takes. NULL with the sentence. */
static struct starpu_sched_policy *setting_of(struct config *c, const char *path, struct ht_err *err)
{
	struct starpu_sched_policy *policy;
	char text[2 * WORLD_POLICY_TEXT]; /* what is cut off here is too long there */

	if (strcmp(c->policy, "heteroprio") == 0 && !config_is_own(c))
		return heteroprio_policy(c, path, err);
	if (!config_needs_library(c)) {
		policy = starpu_api_policy(c->policy);
		if (!policy)
			ht_err_set(err, "this StarPU has no policy \"%s\"", c->policy);
		config_free(c);
	} else {
		snprintf(text, sizeof(text), "%s%s%s%s", c->has_rank_priorities ? "ranks:" : "", c->policy,
		         *c->knobs && !c->has_rank_priorities ? ":" : "", c->has_rank_priorities ? "" : c->knobs);
		policy = named_policy(text, c, err);
	}
	if (policy)
		report_line("tuned %s", path);
	return policy;
}

static void set_plans(void *config)
{
	follow_set(config);
}

/*
 * Contexts that the program makes itself have the policy of its first one: the policies of the library share the
 * buckets and plans of one config, whatever has become of its file since. NULL: none is in use.
 */
static struct starpu_sched_policy *policy_in_use(void)
{
	struct starpu_sched_policy *used[] = {world_in_use(), ranks_in_use(), heteroprio_in_use()};

	return used[0] ? used[0] : used[1] ? used[1] : used[2];
}

/*
 * The policy of the config at `path`. NULL with the sentence, or without one where `name` is another scheduler than the
 * config's, which then counts: in a shell with an exported environment programs may also run without the config.
 */
static struct starpu_sched_policy *policy_of(const char *path, const char *name, struct ht_err *err)
{
	static int is_said;
	struct opening o = {.path = path, .err = err};
	const char *strict = getenv("HETEROTUNE_STRICT");
	struct starpu_sched_policy *policy;
	char policy_name[64];
	int is_tuned;

	if (guarded(open_config, &o) != 0)
		ht_err_set(err, "%s: there is no memory for it", path);
	if (o.config && strcmp(name, "heterotune") != 0 && strcmp(name, o.config->policy) != 0) {
		config_free(o.config);
		return priorities_policy(name);
	}
	fallback_of(o.config);
	if (!o.config)
		return NULL;
	if ((o.use != CONFIG_USE_SETTING && o.use != CONFIG_USE_POLICY) ||
	    (*o.why && strict && strcmp(strict, "1") == 0)) {
		ht_err_set(err, "%s: %s", path, o.why);
		config_free(o.config);
		return NULL;
	}
	is_tuned = o.use == CONFIG_USE_SETTING;
	if (!is_tuned)
		fallback_restore();
	if (guarded(set_plans, o.config) != 0) {
		ht_err_set(err, "%s: there is no memory for its plan", path);
		config_free(o.config);
		return NULL;
	}
	if (*o.why)
		report_sentence("%s: %s: its %s", path, o.why,
		                is_tuned ? "setting is used" : "scheduler is used without what was tuned");
	snprintf(policy_name, sizeof(policy_name), "%s", o.config->policy);
	policy = setting_of(o.config, path, err);
	if (policy)
		report_scheduler(policy_name);
	if (policy && !is_tuned)
		report_line("untuned %s", path);
	if (policy && is_tuned && !is_said++)
		report_note("%s: %s", path, o.words);
	return policy;
}

static struct starpu_sched_policy *config_policy(const char *name)
{
	const char *path = getenv("HETEROTUNE_CONFIG"), *named = getenv("HETEROTUNE_POLICY"),
		   *missing = starpu_api_open();
	struct starpu_sched_policy *policy;
	struct ht_err err = {""};

	if (missing)
		return fallback_policy(missing);
	policy = policy_in_use();
	if (policy)
		return policy;
	if (!path || !*path)
		policy = named_policy(named && *named ? named : "placement", NULL, &err);
	else
		policy = policy_of(path, name, &err);
	return policy || !*err.text ? policy : fallback_policy(err.text);
}

EXPORT struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
	const char *asked = getenv("STARPU_SCHED");

	/* A config of one of StarPU's own schedulers has its name, and so have exported environments of old. */
	if (strcmp(name, "heterotune") == 0 || (getenv("HETEROTUNE_CONFIG") && asked && strcmp(name, asked) == 0))
		return recording_policy(config_policy(name));
	return recording_policy(priorities_policy(name));
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
