/* tune/evaluate/baselines.c - the other policies of StarPU that a setting of Heteroprio has to be better than. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/baselines.h"

#include "core/config/config.h"
#include "core/config/locality_formula.h"
#include "core/machine/machine.h"
#include "core/metrics/heuristic.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"

enum { AUTOS = 2 * STARPU_ORDERINGS };

enum role { COMPETES, REFERENCE };

static void add(struct final_round *f, const char *name, const struct policy *policy, const char *options,
                enum role role)
{
	final_round_add(f, &(struct finalist){
				   .id = {.origin = TRIAL_POLICY, .policy = name},
				   .policy = policy,
				   .options = options,
				   .reference_only = role == REFERENCE,
			   });
}

/* "policy=12,la=1", for ever: there are few. */
static const char *auto_options(int i)
{
	static const char *const options[AUTOS] = {
#define BOTH(n) "policy=" #n ",la=0", "policy=" #n ",la=1"
		BOTH(0),  BOTH(1),  BOTH(2),  BOTH(3),  BOTH(4),  BOTH(5),  BOTH(6),  BOTH(7),  BOTH(8),  BOTH(9),
		BOTH(10), BOTH(11), BOTH(12), BOTH(13), BOTH(14), BOTH(15), BOTH(16), BOTH(17), BOTH(18), BOTH(19),
		BOTH(20), BOTH(21), BOTH(22), BOTH(23), BOTH(24), BOTH(25), BOTH(26), BOTH(27),
#undef BOTH
	};

	return options[i];
}

static int add_autos(struct final_round *f, struct evaluator *e, int graph, struct ht_err *err)
{
	struct trial trials[AUTOS];
	/* Each second one is with locality, which StarPU does not have on many memory nodes. */
	int step = evaluator_graph(e, graph)->machine->nnodes > STARPU_LOCALITY_NODES ? 2 : 1, n = 0, best = -1;

	for (int i = 0; i < AUTOS; i += step)
		trials[n++] = (struct trial){
			.policy = &policy_autoheteroprio,
			.options = auto_options(i),
			.graph = graph,
			.may_fail = 1,
		};
	if (evaluator_run(e, trials, (size_t)n, EVALUATOR_ALWAYS, err) != 0)
		return -1;
	for (int i = 0; i < n; i++)
		if (trials[i].makespan_ns >= 0 && (best < 0 || trials[i].makespan_ns < trials[best].makespan_ns))
			best = i;
	add(f, BASELINE_AUTO, &policy_autoheteroprio, NULL, REFERENCE);
	if (best >= 0)
		add(f, BASELINE_AUTO_BEST, &policy_autoheteroprio, auto_options(best * step), REFERENCE);
	return 0;
}

/* Whether a user could set STARPU_SCHED to it. */
static int competes(const struct policy *p)
{
	return config_is_policy(p->name) && p != &policy_heteroprio && p != &policy_placement;
}

/* What is often the best comes first: of a large graph there may be time for no more. No policy is replayed twice. */
int baselines_replay(struct evaluator *e, struct ht_err *err)
{
	static const struct policy *const first[] = {&policy_dmdas, &policy_dmda, &policy_lws};
	struct trial trials[FINAL_ROUND_MAX];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		trials[n++] = (struct trial){.policy = first[i], .may_fail = 1};
	for (int i = 0; policies[i]; i++)
		if (competes(policies[i]))
			trials[n++] = (struct trial){.policy = policies[i], .may_fail = 1};
	return evaluator_run(e, trials, n, EVALUATOR_ALWAYS, err);
}

int baselines_add(struct final_round *f, struct evaluator *e, int graph, struct ht_err *err)
{
	for (int i = 0; policies[i]; i++)
		if (competes(policies[i]))
			add(f, policies[i]->name, policies[i], NULL, COMPETES);
	return add_autos(f, e, graph, err);
}
