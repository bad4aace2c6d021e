/* replay/config_replay.c - a replay as a config has it: its policy and knobs, and StarPU as it starts it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/config_replay.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/metrics/rank.h"
#include "sched/placement/known_plan.h"
#include "sched/policy.h"

int config_replay_init(struct config_replay *x, const struct config *c, const struct run *run,
                       const struct scenario_options *o, struct ht_err *err)
{
	*x = (struct config_replay){.how = {.config = c}};
	if (scenario_open(&x->scenario, run, o, err) != 0)
		return -1;
	scenario_start(&x->scenario, &c->starpu_env);
	scenario_set(&x->scenario, &x->how);
	scenario_set_env(&c->starpu_env, &x->how);
	x->dag = x->scenario.dag;
	x->machine = x->scenario.machine;
	x->policy = ht_asprintf("%s%s%s", c->policy, c->knobs && *c->knobs ? ":" : "", c->knobs ? c->knobs : "");
	x->how.policy = policy_find(x->policy, &x->how.policy_options, err);
	if (!x->how.policy)
		return -1;
	if (c->has_rank_priorities)
		x->dag = x->ranked = rank_dag(x->dag, x->machine, known_plan_scope(c, x->dag), err);
	return x->dag ? 0 : -1;
}

void config_replay_fini(struct config_replay *x)
{
	dag_free(x->ranked);
	scenario_fini(&x->scenario);
	free(x->policy);
}
