/* tune/search/plan_simplify.c - what a search has changed of a plan and what brings nothing is taken back. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/plan_simplify.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "tune/evaluate/evaluator.h"

enum { STAGES = 3 }; /* the first replication, those that are compared, and all */

/* How much more than it was the mean of them may be. */
static const double most[STAGES] = {1.01, 1.002, 1.001};

struct difference {
	enum { OF_RANK, OF_PLACE, OF_OWNER, OF_KNOBS } kind;
	uint32_t what; /* a task, or a handle */
};

struct simplification {
	struct plan_search *search;
	const struct searched_plan *plain;
	struct searched_plan *x, tried;
	int until[STAGES];
	double most_ns[STAGES]; /* by what x was */
	struct difference *differences;
	size_t n, replays, begun;
};

static void take_back(const struct simplification *s, struct searched_plan *x, const struct difference *d)
{
	switch (d->kind) {
	case OF_RANK: x->plan.order.priority[d->what] = s->plain->plan.order.priority[d->what]; break;
	case OF_PLACE: x->plan.place[d->what] = s->plain->plan.place[d->what]; break;
	case OF_OWNER: x->plan.owner[d->what] = s->plain->plan.owner[d->what]; break;
	case OF_KNOBS: x->knobs = s->plain->knobs; break;
	}
}

static void find_differences(struct simplification *s)
{
	const struct dag *d = s->search->base->dag;
	const struct placement_plan *p = &s->plain->plan, *x = &s->x->plan;

	s->differences = ht_alloc(2 * (size_t)d->ntasks + d->nhandles + 1, sizeof(*s->differences));
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (x->order.priority[t] != p->order.priority[t])
			s->differences[s->n++] = (struct difference){OF_RANK, t};
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (x->place[t] != p->place[t])
			s->differences[s->n++] = (struct difference){OF_PLACE, t};
	for (uint32_t h = 0; h < d->nhandles; h++)
		if (x->owner[h] != p->owner[h])
			s->differences[s->n++] = (struct difference){OF_OWNER, h};
	s->differences[s->n++] = (struct difference){OF_KNOBS, 0};
}

static int is_over(const struct simplification *s)
{
	return evaluator_is_over(s->search->evaluator) ||
	       plan_search_spent(s->search) - s->begun + (size_t)s->search->replications > s->replays;
}

/* 1: what is tried is no worse than `x` was; 0: it is, or it is over. */
static int is_as_good(struct simplification *s, struct ht_err *err)
{
	struct searched_plan *tried = &s->tried;

	for (int i = 0, from = 0; i < STAGES; from = s->until[i++]) {
		if (searched_plans_replay(s->search, &tried, 1, from, s->until[i], err) != 0)
			return -1;
		if (evaluator_is_over(s->search->evaluator) ||
		    searched_plan_mean_ns(tried, s->until[i]) > s->most_ns[i])
			return 0;
	}
	return 1;
}

static int simplify(struct simplification *s, size_t first, size_t end, struct ht_err *err)
{
	size_t middle = first + (end - first) / 2;
	int rc;

	if (is_over(s))
		return 0;
	searched_plan_copy(&s->tried, s->x);
	for (size_t i = first; i < end; i++)
		take_back(s, &s->tried, &s->differences[i]);
	searched_plan_renew(s->search, &s->tried);
	rc = is_as_good(s, err);
	if (rc > 0)
		searched_plan_copy(s->x, &s->tried);
	if (rc != 0 || end - first == 1)
		return rc < 0 ? -1 : 0;
	return simplify(s, first, middle, err) != 0 || simplify(s, middle, end, err) != 0 ? -1 : 0;
}

int plan_simplify(struct plan_search *search, const struct searched_plan *plain, struct searched_plan *x,
                  size_t replays, struct ht_err *err)
{
	struct simplification s = {.search = search,
	                           .plain = plain,
	                           .x = x,
	                           .until = {1, search->compared, search->replications},
	                           .replays = replays,
	                           .begun = plan_search_spent(search)};
	int rc;

	for (int i = 0; i < STAGES; i++)
		s.most_ns[i] = most[i] * searched_plan_mean_ns(x, s.until[i]);
	find_differences(&s);
	searched_plan_init(&s.tried, search->base);
	rc = simplify(&s, 0, s.n, err);
	searched_plan_fini(&s.tried);
	free(s.differences);
	return rc;
}
