/* tune/search/owner_search.c - owners of data that are better than those of a cut. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/owner_search.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/rng.h"
#include "core/dag/dag.h"
#include "sched/placement/plan.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"

/* A round replays CHANGED plans once, and the best KEPT of them as often as it takes. */
enum { CHANGED = 16, KEPT = 4, MOST_MOVED = 3 };

struct changed {
	struct placement_plan plan; /* with owners of its own */
	struct placement_knobs knobs;
	char *text;
	int64_t ns;
};

struct owner_round {
	struct evaluator *evaluator;
	const struct placement_plan *best;
	const struct placement_knobs *knobs;
	uint32_t *owned; /* handles that have an owner */
	uint32_t nowned, nhandles, ntried;
	struct rng rng;
	struct changed of[CHANGED];
};

static uint32_t any_owned(struct owner_round *r)
{
	return r->owned[rng_below(&r->rng, r->nowned)];
}

/* Up to MOST_MOVED pieces go to other devices, or two exchange theirs. */
static void change(struct owner_round *r, int *owner)
{
	const struct placement_base *b = r->best->base;
	uint32_t n = 1 + rng_below(&r->rng, MOST_MOVED), h = any_owned(r), other = any_owned(r);
	int place = owner[h];

	if (rng_below(&r->rng, 2) && owner[other] != place) {
		owner[h] = owner[other];
		owner[other] = place;
		return;
	}
	for (; n; n--, h = any_owned(r))
		owner[h] = b->device[rng_below(&r->rng, (uint32_t)b->ndevices)];
}

static void make_changes(struct owner_round *r)
{
	for (int i = 0; i < CHANGED; i++) {
		struct changed *x = &r->of[i];

		memcpy(x->plan.owner, r->best->owner, r->nhandles * sizeof(*x->plan.owner));
		change(r, x->plan.owner);
		x->knobs = *r->knobs;
		x->knobs.owners = ++r->ntried;
		free(x->text);
		x->text = placement_knobs_text(&x->knobs);
	}
}

/* The mean of replications 1 to n of the first `count` plans, in x.ns; -1 where it was over before. */
static int replay(struct owner_round *r, int count, int n, struct ht_err *err)
{
	struct trial trials[CHANGED * OWNER_SEARCH_REPLICATIONS];

	for (int i = 0; i < count * n; i++)
		trials[i] = (struct trial){.policy = &policy_placement,
		                           .options = r->of[i / n].text,
		                           .policy_data = &r->of[i / n].plan,
		                           .replication = 1 + i % n};
	if (evaluator_run(r->evaluator, trials, (size_t)(count * n), EVALUATOR_ALWAYS, err) != 0)
		return -1;
	for (int i = 0; i < count; i++) {
		int64_t sum = 0;

		for (int k = 0; k < n; k++)
			sum = sum < 0 || trials[i * n + k].makespan_ns < 0 ? -1 : sum + trials[i * n + k].makespan_ns;
		r->of[i].ns = sum < 0 ? -1 : sum / n;
	}
	return 0;
}

static int by_ns(const void *a, const void *b)
{
	const struct changed *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->knobs.owners < y->knobs.owners ? -1 : x->knobs.owners > y->knobs.owners;
}

/* 1: go on; 0: it is over. */
static int round_of(struct owner_round *r, struct placement_plan *best, struct placement_knobs *k, int64_t *ns,
                    struct ht_err *err)
{
	make_changes(r);
	if (replay(r, CHANGED, 1, err) != 0)
		return -1;
	if (evaluator_is_over(r->evaluator))
		return 0;
	qsort(r->of, CHANGED, sizeof(*r->of), by_ns);
	if (replay(r, KEPT, OWNER_SEARCH_REPLICATIONS, err) != 0)
		return -1;
	if (evaluator_is_over(r->evaluator))
		return 0;
	qsort(r->of, KEPT, sizeof(*r->of), by_ns);
	if (r->of[0].ns >= *ns)
		return 1;
	memcpy(best->owner, r->of[0].plan.owner, r->nhandles * sizeof(*best->owner));
	*k = r->of[0].knobs;
	*ns = r->of[0].ns;
	return 1;
}

static void open_round(struct owner_round *r)
{
	r->nhandles = r->best->base->dag->nhandles;
	r->owned = ht_alloc((size_t)r->nhandles + 1, sizeof(*r->owned));
	for (uint32_t h = 0; h < r->nhandles; h++)
		if (r->best->owner[h] != PLACES_NONE)
			r->owned[r->nowned++] = h;
	for (int i = 0; i < CHANGED; i++) {
		r->of[i].plan = *r->best;
		r->of[i].plan.owner = ht_alloc((size_t)r->nhandles + 1, sizeof(int));
	}
}

static void close_round(struct owner_round *r)
{
	for (int i = 0; i < CHANGED; i++) {
		free(r->of[i].plan.owner);
		free(r->of[i].text);
	}
	free(r->owned);
}

int owner_search(struct evaluator *e, struct placement_plan *plan, struct placement_knobs *k, uint64_t seed,
                 size_t replays, int64_t *varied_ns, struct ht_err *err)
{
	struct owner_round r = {.evaluator = e, .best = plan, .knobs = k, .rng = {seed}};
	size_t rounds = replays / (CHANGED + KEPT * OWNER_SEARCH_REPLICATIONS);
	int rc = 1;

	open_round(&r);
	r.of[0].text = placement_knobs_text(k);
	memcpy(r.of[0].plan.owner, plan->owner, r.nhandles * sizeof(*plan->owner));
	if (!rounds || r.nowned < 2 || plan->base->ndevices < 2)
		rc = 0;
	else if (replay(&r, 1, OWNER_SEARCH_REPLICATIONS, err) != 0)
		rc = -1;
	*varied_ns = rc > 0 ? r.of[0].ns : *varied_ns;
	for (size_t i = 0; i < rounds && rc > 0 && !evaluator_is_over(e); i++)
		rc = round_of(&r, plan, k, varied_ns, err);
	close_round(&r);
	return rc < 0 ? -1 : 0;
}
