/* sched/policy.c - the text form of a policy with its knobs, and what policies share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/base/err.h"
#include "core/base/nearest.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"

const struct policy *policy_find(const char *text, const char **options, struct ht_err *err)
{
	size_t len = strcspn(text, ":");
	char names[512] = "", meant[NEAREST_TEXT];
	struct nearest near = {.word = text, .len = len};

	for (int i = 0; policies[i]; i++) {
		if (strlen(policies[i]->name) == len && !strncmp(policies[i]->name, text, len)) {
			*options = text[len] ? text + len + 1 : "";
			return policies[i];
		}
		nearest_try(&near, policies[i]->name);
		if (strlen(names) + strlen(policies[i]->name) + 3 < sizeof(names)) {
			strcat(names, i ? ", " : "");
			strcat(names, policies[i]->name);
		}
	}
	ht_err_set(err, "no policy %.*s; there are: %s%s", (int)(len < 64 ? len : 64), text, names,
	           nearest_text(&near, "", meant));
	return NULL;
}

int64_t policy_cost_ns(const struct policy_world *w, uint32_t task, int worker)
{
	return w->cost_ns ? w->cost_ns(w->ctx, task, worker) : dag_cost(w->dag, task, w->machine->workers[worker].arch);
}

int64_t policy_expected_ns(const struct policy_world *w, uint32_t task, int worker)
{
	int64_t cost = policy_cost_ns(w, task, worker);

	return cost > 0 && w->dag->types[dag_type_of(w->dag, task)].has_no_model ? 0 : cost;
}

int32_t policy_no_priority(void *state, uint32_t task)
{
	(void)state, (void)task;
	return 0;
}
