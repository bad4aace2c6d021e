/* tune/tune.c - from a graph and its metrics to a config: candidates, a replay of each, and the best one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/config_make.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/machine.h"
#include "core/metrics.h"
#include "core/trace.h"
#include "sched/policy.h"

static int64_t replay(const struct tune_problem *p, const struct policy *policy, const struct config *config,
                      struct ht_err *err)
{
	struct simulate_options o = {
		.policy = policy, .policy_options = config ? p->policy_options : "", .config = config,
		.transfers = p->transfers,
	};
	struct simulation *s = simulate(p->dag, p->machine, &o, err);
	int64_t makespan = s ? s->makespan_ns : -1;

	simulation_free(s);
	return makespan;
}

static int replay_candidates(struct tune_result *r, const struct tune_problem *p, struct ht_err *err)
{
	for (size_t i = 0; i < r->candidates.count; i++) {
		struct candidate *c = &r->candidates.items[i];
		struct config k;

		if (c->same_as >= 0) {
			c->makespan_ns = r->candidates.items[c->same_as].makespan_ns;
			continue;
		}
		k = candidate_config(r->config, c);
		c->makespan_ns = replay(p, &policy_heteroprio, &k, err);
		if (c->makespan_ns < 0)
			return ht_err_wrap(err, "%s", c->name);
		r->replays++;
	}
	return 0;
}

/* Not the ones with an earlier setting: those cannot be better. */
static int best_of(const struct candidates *c)
{
	int best = 0;

	for (size_t i = 1; i < c->count; i++)
		if (c->items[i].makespan_ns < c->items[best].makespan_ns)
			best = (int)i;
	return best;
}

static const char *copy(struct config *c, const char *s)
{
	return arena_strndup(c->arena, s, strlen(s));
}

static void add_trial(struct config *c, const char *name, const char *source, int64_t makespan_ns)
{
	if (makespan_ns >= 0)
		c->trials[c->ntrials++] = (struct config_trial){copy(c, name), source, makespan_ns};
}

static void record_trials(struct tune_result *r)
{
	struct config *c = r->config;

	c->trials = arena_alloc(c->arena, r->candidates.count + 3, sizeof(*c->trials));
	add_trial(c, TRIAL_RECORDED, "recorded", r->recorded_ns);
	add_trial(c, TRIAL_OWN_SCHEDULE, "replay", r->own_ns);
	add_trial(c, TRIAL_EAGER, "replay", r->eager_ns);
	for (size_t i = 0; i < r->candidates.count; i++)
		add_trial(c, r->candidates.items[i].name, "replay", r->candidates.items[i].makespan_ns);
}

static void choose(struct tune_result *r, const struct tune_problem *p)
{
	struct config *c = r->config;

	r->chosen = best_of(&r->candidates);
	*c = candidate_config(c, &r->candidates.items[r->chosen]);
	c->policy = "heteroprio";
	c->chosen = copy(c, r->candidates.items[r->chosen].name);
	c->bound_ns = r->bounds.largest_ns;
	c->run = copy(c, p->run);
	record_trials(r);
}

struct tune_result *tune(const struct tune_problem *p, struct ht_err *err)
{
	struct tune_result *r = ht_alloc(1, sizeof(*r));

	r->recorded_ns = p->trace ? trace_makespan_ns(p->trace, NULL) : -1;
	r->own_ns = p->trace ? own_schedule_ns(p->trace, p->dag, p->machine, p->transfers) : -1;
	r->config = config_from_dag(p->dag, p->machine, err);
	if (!r->config || bounds_of(&r->bounds, p->dag, p->machine, err) != 0)
		goto fail;
	r->eager_ns = replay(p, &policy_eager, NULL, err);
	if (r->eager_ns < 0) {
		ht_err_wrap(err, TRIAL_EAGER);
		goto fail;
	}
	candidates_make(&r->candidates, r->config, p->metrics);
	if (replay_candidates(r, p, err) != 0)
		goto fail;
	choose(r, p);
	return r;
fail:
	tune_result_free(r);
	return NULL;
}

void tune_result_free(struct tune_result *r)
{
	if (!r)
		return;
	candidates_fini(&r->candidates);
	config_free(r->config);
	free(r);
}
