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
#include "plugin/report.h"
#include "plugin/starpu_api.h"

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

/* In *is_own whether it is the config's; NULL: none is named that StarPU has. */
static struct starpu_sched_policy *find(int *is_own)
{
	const char *users = getenv("HETEROTUNE_FALLBACK");
	struct starpu_sched_policy *policy = *own.policy ? starpu_api_policy(own.policy) : NULL;

	*is_own = policy != NULL;
	if (!policy && users && *users)
		policy = starpu_api_policy(users);
	if (policy)
		report_scheduler(*is_own ? own.policy : users);
	return policy;
}

static void end_if_strict(const char *why)
{
	const char *strict = getenv("HETEROTUNE_STRICT");

	if (!strict || strcmp(strict, "1") != 0)
		return;
	report_sentence("%s: the program is ended, since --strict asks for it", why);
	report_line("strict %s", why);
	_exit(REFUSED);
}

struct starpu_sched_policy *fallback_policy(const char *why)
{
	static char last[512];
	int is_own;
	struct starpu_sched_policy *policy = find(&is_own);

	/* StarPU looks a policy up twice where it is not found. */
	if (strncmp(last, why, sizeof(last) - 1) == 0)
		return policy;
	snprintf(last, sizeof(last), "%s", why);
	end_if_strict(why);
	if (is_own)
		report_sentence("%s: the program runs under %s%s%s%s, the fallback of the config", why, own.policy,
		                *own.knobs ? " (" : "", own.knobs, *own.knobs ? ")" : "");
	else
		report_sentence("%s: the program runs under %s%s", why,
		                policy ? getenv("HETEROTUNE_FALLBACK") : "the scheduler that it has without heterotune",
		                policy ? ", as without it" : "");
	report_line("plain %s", why);
	fallback_restore();
	if (is_own)
		put_knobs();
	return policy;
}

const struct starpu_sched_policy *fallback_begin(unsigned ctx, void (*deinit)(unsigned ctx), const char *why)
{
	int is_own, *workers = NULL, n;
	struct starpu_sched_policy *used, *other;

	end_if_strict(why);
	if (sp.missing_for_scheduling || !find(&is_own))
		return NULL;
	used = sp.starpu_sched_get_sched_policy_in_ctx(ctx);
	other = fallback_policy(why);
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
