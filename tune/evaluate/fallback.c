/* tune/evaluate/fallback.c - the scheduler of StarPU's that takes a config's place, also where workers are fewer. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/fallback.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "sched/policy.h"

static int with(int fewer[FEWER_MACHINES][ARCH_COUNT], int n, const int counts[ARCH_COUNT], enum arch a, int count)
{
	if (a == ARCH_NONE || count < 1 || count >= counts[a])
		return n;
	for (int i = 0; i < n; i++)
		if (fewer[i][a] == count)
			return n;
	memcpy(fewer[n], counts, sizeof(fewer[n]));
	fewer[n][a] = count;
	return n + 1;
}

int fewer_workers(const int counts[ARCH_COUNT], int fewer[FEWER_MACHINES][ARCH_COUNT])
{
	enum arch device = ARCH_NONE;
	int n = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (a != ARCH_CPU && counts[a] && (device == ARCH_NONE || counts[a] > counts[device]))
			device = (enum arch)a;
	if (device != ARCH_NONE) {
		n = with(fewer, n, counts, device, counts[device] - 1);
		n = with(fewer, n, counts, device, counts[device] / 2);
	}
	return with(fewer, n, counts, ARCH_CPU, counts[ARCH_CPU] / 2);
}

const struct finalist *fallback_find(const struct final_round *f)
{
	const struct finalist *best = NULL;

	for (size_t i = 0; i < f->count; i++) {
		const struct finalist *x = &f->items[i];

		if (x->policy && x->policy != &policy_placement && !x->id.by_rank && !x->reference_only &&
		    starpu_env_is_plain(&x->id.starpu_env) && (!best || x->median < best->median))
			best = x;
	}
	return best;
}

/* In *mean; EVALUATOR_NEVER where one of the replays never ends, -1 where there was no time for all of them. */
static int replay(struct evaluator *e, const struct finalist *x, int graph, int replications, int64_t *mean,
                  struct ht_err *err)
{
	struct trial *trials = ht_alloc((size_t)replications, sizeof(*trials));
	int rc, never = 0, missing = 0;

	for (int k = 0; k < replications; k++)
		trials[k] = finalist_trial(x, graph, k);
	rc = evaluator_run(e, trials, (size_t)replications, EVALUATOR_ALWAYS, err);
	*mean = 0;
	for (int k = 0; k < replications && rc == 0; k++) {
		never |= trials[k].makespan_ns == EVALUATOR_NEVER;
		missing |= trials[k].makespan_ns < 0;
		*mean += trials[k].makespan_ns / replications;
	}
	if (never || missing)
		*mean = missing ? -1 : EVALUATOR_NEVER;
	free(trials);
	return rc;
}

int fallback_fill(struct config *c, const struct final_round *f, const struct finalist *x, struct evaluator *e,
                  const int *graphs, int ngraphs, int replications, struct ht_err *err)
{
	const struct finalist *fallback = fallback_find(f);

	if (!fallback || !config_needs_library(c))
		return 0;
	c->fallback.policy = arena_strndup(c->arena, fallback->policy->name, strlen(fallback->policy->name));
	if (fallback->id.knobs)
		c->fallback.knobs = arena_strndup(c->arena, fallback->id.knobs, strlen(fallback->id.knobs));
	c->fallback.fewer = arena_alloc(c->arena, (size_t)ngraphs, sizeof(*c->fallback.fewer));
	for (int i = 0; i < ngraphs; i++) {
		struct config_fewer *fewer = &c->fallback.fewer[c->fallback.nfewer];

		if (replay(e, x, graphs[i], replications, &fewer->setting_ns, err) != 0 ||
		    replay(e, fallback, graphs[i], replications, &fewer->fallback_ns, err) != 0)
			return -1;
		if (fewer->setting_ns < 0 || fewer->fallback_ns < 0 ||
		    (fewer->setting_ns == EVALUATOR_NEVER && fewer->fallback_ns == EVALUATOR_NEVER))
			continue;
		machine_counts(evaluator_graph(e, graphs[i])->machine, fewer->workers);
		c->fallback.nfewer++;
	}
	return 0;
}
