/* tune/evaluate/policy_settings.c - StarPU's own schedulers with other knobs, and with upward ranks as priorities. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/policy_settings.h"

#include "core/config/config.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"

/* A weight of 1 and a threshold of 30 are StarPU's own (modular_ez.c). Finalists borrow the texts. */
static const char *const weights[] = {NULL, "beta=0.5", "beta=2", "beta=3", "beta=4", "beta=8"};
static const char *const thresholds[] = {
	"ntasks_threshold=1",         "ntasks_threshold=4",         "ntasks_threshold=8",
	"ntasks_threshold=16",        "ntasks_threshold=32",        "beta=2,ntasks_threshold=4",
	"beta=2,ntasks_threshold=8",  "beta=2,ntasks_threshold=16", "beta=3,ntasks_threshold=4",
	"beta=3,ntasks_threshold=16",
};

enum { WEIGHTS = sizeof(weights) / sizeof(*weights), THRESHOLDS = sizeof(thresholds) / sizeof(*thresholds) };

static const struct weighted {
	const struct policy *policy;
	int has_weights, has_thresholds;
} weighted[] = {
	{&policy_dmda, 1, 0},
	{&policy_dmdap, 1, 0},
	{&policy_dmdar, 1, 0},
	{&policy_dmdas, 1, 0},
	{&policy_dmdasd, 1, 0},
	{&policy_modular_heft_prio, 1, 1},
	{&policy_modular_heteroprio, 1, 1},
	{&policy_prio, 0, 0},
};

enum { POLICIES = sizeof(weighted) / sizeof(*weighted), MOST = 2 * POLICIES * (WEIGHTS + THRESHOLDS) };

/* What each is more than the plain scheduler, which is a baseline already. */
enum kind { KNOBS, RANKS, BOTH, KINDS };

struct attempts {
	struct trial trials[MOST];
	int n, graph;
};

static void add(struct attempts *a, const struct policy *policy, const char *knobs, int by_rank)
{
	if (knobs || by_rank)
		a->trials[a->n++] = (struct trial){
			.policy = policy, .options = knobs, .by_rank = by_rank, .graph = a->graph, .may_fail = 1};
}

static void add_all(struct attempts *a, const struct weighted *w, int by_rank)
{
	for (int k = 0; k < (w->has_weights ? WEIGHTS : 1); k++)
		add(a, w->policy, weights[k], by_rank);
	for (int k = 0; k < (w->has_thresholds ? THRESHOLDS : 0); k++)
		add(a, w->policy, thresholds[k], by_rank);
}

static enum kind kind_of(const struct trial *t)
{
	return !t->by_rank ? KNOBS : t->options ? BOTH : RANKS;
}

int policy_settings_add(struct final_round *f, struct evaluator *e, int graph, struct ht_err *err)
{
	struct attempts a = {.graph = graph};
	const struct trial *best[KINDS] = {NULL};

	for (int i = 0; i < POLICIES; i++)
		for (int by_rank = 0; by_rank <= config_takes_priorities(weighted[i].policy->name); by_rank++)
			add_all(&a, &weighted[i], by_rank);
	if (evaluator_run(e, a.trials, (size_t)a.n, EVALUATOR_ALWAYS, err) != 0)
		return -1;
	for (int i = 0; i < a.n; i++) {
		const struct trial **at = &best[kind_of(&a.trials[i])];

		if (a.trials[i].makespan_ns >= 0 && a.trials[i].makespan_ns != EVALUATOR_NEVER &&
		    (!*at || a.trials[i].makespan_ns < (*at)->makespan_ns))
			*at = &a.trials[i];
	}
	for (int k = 0; k < KINDS; k++)
		if (best[k])
			final_round_add(f, &(struct finalist){
						   .id = {.origin = TRIAL_POLICY,
			                                  .policy = best[k]->policy->name,
			                                  .knobs = best[k]->options,
			                                  .by_rank = best[k]->by_rank},
						   .policy = best[k]->policy,
						   .options = best[k]->options,
					   });
	return 0;
}
