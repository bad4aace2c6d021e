/* tune/search/searched_plan.c - a plan that a search tries, and what its replications have reached. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/searched_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"

enum { LARGE_GRAPH = 4000 }; /* tasks */

void plan_search_set_replications(struct plan_search *s, const struct dag *d)
{
	int is_large = d->ntasks >= LARGE_GRAPH;

	s->compared = is_large ? 2 : 4;
	s->replications = is_large ? 4 : SEARCHED_PLAN_MOST_REPLICATIONS;
}

void searched_plan_init(struct searched_plan *x, const struct placement_base *b)
{
	size_t ntasks = (size_t)b->dag->ntasks + 1;

	*x = (struct searched_plan){.plan.base = b};
	x->plan.owner = ht_alloc((size_t)b->dag->nhandles + 1, sizeof(*x->plan.owner));
	x->plan.place = ht_alloc(ntasks, sizeof(*x->plan.place));
	x->plan.order.rank = ht_alloc(ntasks, sizeof(*x->plan.order.rank));
	x->plan.order.priority = ht_alloc(ntasks, sizeof(*x->plan.order.priority));
}

void searched_plan_fini(struct searched_plan *x)
{
	placement_plan_fini(&x->plan);
	config_free(x->config);
	free(x->text);
}

void searched_plan_set_text(struct searched_plan *x)
{
	free(x->text);
	x->text = placement_knobs_text(&x->knobs);
}

void searched_plan_copy(struct searched_plan *to, const struct searched_plan *from)
{
	const struct dag *d = from->plan.base->dag;

	memcpy(to->plan.owner, from->plan.owner, d->nhandles * sizeof(*to->plan.owner));
	memcpy(to->plan.place, from->plan.place, d->ntasks * sizeof(*to->plan.place));
	memcpy(to->plan.order.rank, from->plan.order.rank, d->ntasks * sizeof(*to->plan.order.rank));
	memcpy(to->plan.order.priority, from->plan.order.priority, d->ntasks * sizeof(*to->plan.order.priority));
	to->knobs = from->knobs;
	searched_plan_set_text(to);
	memcpy(to->ns, from->ns, sizeof(to->ns));
	to->mean_ns = from->mean_ns;
}

void searched_plan_renew(struct plan_search *s, struct searched_plan *x)
{
	x->knobs.plan = ++s->nplans;
	searched_plan_set_text(x);
}

struct trial searched_plan_trial(const struct searched_plan *x, int replication)
{
	return (struct trial){.policy = &policy_placement,
	                      .options = x->config ? x->config->knobs : x->text,
	                      .policy_data = x->config ? NULL : &x->plan,
	                      .config = x->config,
	                      .replication = replication};
}

int searched_plans_replay(struct plan_search *s, struct searched_plan *const *plans, int n, int first, int last,
                          struct ht_err *err)
{
	struct trial trials[SEARCHED_PLANS_AT_ONCE * SEARCHED_PLAN_MOST_REPLICATIONS];
	int each = last - first;

	for (int i = 0; i < n * each; i++)
		trials[i] = searched_plan_trial(plans[i / each], first + i % each);
	if (evaluator_run(s->evaluator, trials, (size_t)(n * each), EVALUATOR_ALWAYS, err) != 0)
		return -1;
	for (int i = 0; i < n; i++) {
		struct searched_plan *x = plans[i];
		int64_t sum = 0;

		for (int k = 0; k < last; k++) {
			x->ns[k] = k < first ? x->ns[k] : trials[i * each + k - first].makespan_ns;
			sum = sum < 0 || x->ns[k] < 0 ? -1 : sum + x->ns[k];
		}
		x->mean_ns = sum < 0 ? -1 : sum / last;
	}
	return 0;
}

double searched_plan_mean_ns(const struct searched_plan *x, int replications)
{
	double sum = 0;

	for (int i = 0; i < replications; i++)
		sum += (double)x->ns[i];
	return sum / replications;
}

size_t plan_search_spent(const struct plan_search *s)
{
	struct evaluator_state state;

	evaluator_state(s->evaluator, &state);
	return state.replays + state.remembered + s->schedules;
}
