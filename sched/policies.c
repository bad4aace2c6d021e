/* sched/policies.c - the table of policies, and the text form of a policy with its knobs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"

const struct policy *const policies[] = {
	&policy_eager,
	&policy_prio,
	&policy_heteroprio,
	&policy_laheteroprio,
	&policy_autoheteroprio,
	&policy_dm,
	&policy_dmda,
	&policy_dmdap,
	&policy_dmdar,
	&policy_dmdas,
	&policy_lws,
	&policy_ws,
	&policy_random,
	&policy_modular_heft_prio,
	&policy_modular_heteroprio,
	&policy_heft,
	&policy_cpop,
	&policy_cluster_heft,
	&policy_online_heft,
	&policy_critical_path,
	&policy_multreeprio,
	&policy_inspirit,
	NULL,
};

const struct policy *policy_find(const char *text, const char **options, struct ht_err *err)
{
	size_t len = strcspn(text, ":");
	char names[512] = "";

	for (int i = 0; policies[i]; i++) {
		if (strlen(policies[i]->name) == len && !strncmp(policies[i]->name, text, len)) {
			*options = text[len] ? text + len + 1 : "";
			return policies[i];
		}
		if (strlen(names) + strlen(policies[i]->name) + 3 < sizeof(names)) {
			strcat(names, i ? ", " : "");
			strcat(names, policies[i]->name);
		}
	}
	ht_err_set(err, "no policy %.*s; there are: %s", (int)(len < 64 ? len : 64), text, names);
	return NULL;
}

int policy_knob(const char *options, const char *name, const char **value)
{
	size_t len = strlen(name);

	while (*options) {
		size_t part = strcspn(options, ",");

		if (part > len && !strncmp(options, name, len) && options[len] == '=') {
			*value = options + len + 1;
			return (int)(part - len - 1);
		}
		options += part + (options[part] == ',');
	}
	return -1;
}

int policy_knob_number(const char *policy, const char *options, const char *name, double limit, double *value,
                       struct ht_err *err)
{
	const char *text;
	char *end;
	double x;
	int len = policy_knob(options, name, &text);

	if (len < 0)
		return 0;
	x = strtod(text, &end);
	if (!len || end != text + len || !(x >= 0) || x > limit)
		return ht_err_set(err, "policy %s: %s is a number from 0 to %g, found \"%.*s\"", policy, name, limit,
		                  len < 64 ? len : 64, text);
	*value = x;
	return 0;
}

/* `name` of `len` bytes is one of the words of "a|b|c". */
static int is_word_of(const char *words, const char *name, size_t len)
{
	for (;;) {
		size_t word = strcspn(words, "|");

		if (word == len && !strncmp(words, name, len))
			return 1;
		if (!words[word])
			return 0;
		words += word + 1;
	}
}

int policy_knobs_check(const char *policy, const char *options, const char *known, struct ht_err *err)
{
	while (*options) {
		size_t part = strcspn(options, ","), name = strcspn(options, "=,");

		if (name == part || part > 64)
			return ht_err_set(err, "policy %s: expected NAME=VALUE, found \"%.*s\"", policy,
			                  (int)(part < 64 ? part : 64), options);
		if (!name || !is_word_of(known, options, name))
			return ht_err_set(err, "policy %s has no knob \"%.*s\"; it has: %s", policy, (int)name, options,
			                  *known ? known : "none");
		options += part + (options[part] == ',');
	}
	return 0;
}

int64_t policy_cost_ns(const struct policy_world *w, uint32_t task, int worker)
{
	return w->cost_ns ? w->cost_ns(w->ctx, task, worker) : dag_cost(w->dag, task, w->machine->workers[worker].arch);
}

int32_t policy_no_priority(void *state, uint32_t task)
{
	(void)state, (void)task;
	return 0;
}
