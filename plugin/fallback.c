/* plugin/fallback.c - the scheduler that a program gets where it does not get the setting of its config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * StarPU reads the variables of prefetch and pipeline after it has looked up the policy, those of a policy's knobs when
 * the policy is set up; the number of CPU workers has been read before.
 *
 * A context has a copy of its policy's struct (1.4, src/core/sched_policy.c, load_sched_policy()), which workers read
 * at any time: another policy takes its place without a change of the functions there.
 */
#include "plugin/fallback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config_use.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"

enum { REFUSED = 125 }; /* as of env(1) */

static struct {
	char policy[64], knobs[CONFIG_KNOB_TEXT];
} own; /* of the config; policy "": none */

void fallback_of(const struct config *c)
{
	struct config_fallback f = c ? config_fallback_of(c) : (struct config_fallback){"", "", NULL, 0};

	snprintf(own.policy, sizeof(own.policy), "%s", f.policy);
	snprintf(own.knobs, sizeof(own.knobs), "%s", f.knobs);
}

/* NAME=VALUE or NAME, a line each, as they were before the config. */
void fallback_restore(void)
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

static void put_knobs(void)
{
	struct config_knob_var knobs[CONFIG_KNOB_VARS];
	char text[CONFIG_KNOB_TEXT];
	int n = config_knob_vars(own.knobs, knobs, text);

	for (int i = 0; i < n; i++)
		setenv(knobs[i].name, knobs[i].value, 1);
}

/* What the program gets. */
struct choice {
	struct starpu_sched_policy *policy; /* NULL: none is named that StarPU has */
	const char *name, *named;           /* other than `named` where that cannot take over */
	int is_own;                         /* the config's */
};

static int wants_tree(const struct starpu_sched_policy *policy)
{
	return POLICY_FUNCTION(policy, sp.layout->policy.worker_type, enum starpu_worker_collection_type) ==
	       STARPU_WORKER_TREE;
}

/*
 * `used` is the policy of the context that the choice is to take over, NULL where it begins with its context. A context
 * gets the kind of collection of its workers with its first policy, and lws takes it to be a tree (1.4,
 * src/sched_policies/work_stealing_policy.c, lws_add_workers()): in its place comes ws.
 */
static struct choice find(const struct starpu_sched_policy *used)
{
	const char *users = getenv("HETEROTUNE_FALLBACK");
	struct choice c = {.policy = *own.policy ? starpu_api_policy(own.policy) : NULL, .named = own.policy};

	c.is_own = c.policy != NULL;
	if (!c.policy && users && *users) {
		c.policy = starpu_api_policy(users);
		c.named = users;
	}
	c.name = c.named;
	if (c.policy && used && wants_tree(c.policy) && !wants_tree(used)) {
		c.policy = starpu_api_policy("ws");
		c.name = "ws";
	}
	return c;
}

void fallback_end_if_strict(const char *why)
{
	const char *strict = getenv("HETEROTUNE_STRICT");

	if (!strict || strcmp(strict, "1") != 0)
		return;
	report_sentence("%s: the program is ended, since --strict asks for it", why);
	report_line("strict %s", why);
	_exit(REFUSED);
}

/* Those of `own` are for its policy alone. */
static int has_knobs(const struct choice *c)
{
	return c->is_own && c->name == c->named && *own.knobs;
}

/* Says why there is a fallback, and which. */
static void say(const struct choice *c, const char *why)
{
	const char *end = *why && why[strlen(why) - 1] == '?' ? "" : ":";

	if (!c->policy)
		report_sentence("%s%s the program runs under the scheduler that it has without heterotune", why, end);
	else if (c->name != c->named)
		report_sentence("%s%s the program runs under %s: %s, %s, cannot take over from another scheduler", why,
		                end, c->name, c->named,
		                c->is_own ? "the fallback of the config" : "which it has without heterotune");
	else
		report_sentence("%s%s the program runs under %s%s%s%s%s", why, end, c->name, has_knobs(c) ? " (" : "",
		                has_knobs(c) ? own.knobs : "", has_knobs(c) ? ")" : "",
		                c->is_own ? ", the fallback of the config" : ", as without it");
}

static struct starpu_sched_policy *fallback_take(const struct choice *c, const char *why)
{
	static char last[512];

	if (c->policy)
		report_scheduler(c->name);
	/* StarPU looks a policy up twice where it is not found. */
	if (strncmp(last, why, sizeof(last) - 1) == 0)
		return c->policy;
	snprintf(last, sizeof(last), "%s", why);
	fallback_end_if_strict(why);
	say(c, why);
	report_line("plain %s", why);
	fallback_restore();
	if (has_knobs(c))
		put_knobs();
	return c->policy;
}

struct starpu_sched_policy *fallback_policy(const char *why)
{
	const struct choice c = find(NULL);

	return fallback_take(&c, why);
}

int fallback_instead(unsigned ctx)
{
	struct starpu_sched_policy *used;
	const struct starpu_sched_policy *other;

	if (sp.missing_for_scheduling)
		return -1;
	used = sp.starpu_sched_get_sched_policy_in_ctx(ctx);
	other = find(used).policy;
	if (!other) /* lws and ws leave the tasks of a worker that is removed where they are */
		other = starpu_api_policy("prio");
	if (!other)
		return -1;
	memcpy(used, other, sp.layout->policy.size);
	POLICY_FUNCTION(used, sp.layout->policy.init_sched, policy_context_fn *)(ctx);
	return 0;
}

const struct starpu_sched_policy *fallback_begin(unsigned ctx, void (*deinit)(unsigned ctx), const char *why)
{
	int *workers = NULL, n;
	struct starpu_sched_policy *used, *other;
	struct choice c;

	fallback_end_if_strict(why);
	if (sp.missing_for_scheduling)
		return NULL;
	used = sp.starpu_sched_get_sched_policy_in_ctx(ctx);
	c = find(used);
	if (!c.policy)
		return NULL;
	other = fallback_take(&c, why);
	n = (int)sp.starpu_sched_ctx_get_workers_list(ctx, &workers);
	deinit(ctx);
	POLICY_FUNCTION(other, sp.layout->policy.init_sched, policy_context_fn *)(ctx);
	if (POLICY_FUNCTION(other, sp.layout->policy.add_workers, policy_workers_fn *))
		POLICY_FUNCTION(other, sp.layout->policy.add_workers, policy_workers_fn *)(ctx, workers, (unsigned)n);
	/* Whether the policy prefetches, else StarPU does at a push: no task has been passed on yet. */
	if (POLICY_FUNCTION(used, sp.layout->policy.prefetches, int) !=
	    POLICY_FUNCTION(other, sp.layout->policy.prefetches, int))
		POLICY_FUNCTION(used, sp.layout->policy.prefetches,
		                int) = POLICY_FUNCTION(other, sp.layout->policy.prefetches, int);
	free(workers);
	return other;
}
