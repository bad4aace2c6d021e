/* tune/search/plan_evolution.c - plans for one graph by evolution of the knobs that it is cut by. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A (mu + lambda) evolution strategy: Beyer, Schwefel, "Evolution strategies: a comprehensive introduction", Natural
 * Computing 1, 2002. What a plan reaches depends on its knobs together, and jumps with each: the cut that moves least
 * bytes is not the one that ends first, and what CPUs should take depends on the cut. Of graphs of 1,540 and 2,870
 * tasks the best of 3,000 random plans were as good as what 30,000 replays of small changes of a plan had found, and
 * those that come from good ones are better by up to 8 %.
 */
#include "tune/search/plan_evolution.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"
#include "tune/settings/rank_plans.h"

enum {
	POPULATION = PLAN_EVOLUTION_KEPT,
	CHILDREN = 12,      /* that are made at once */
	MOST_CHANGES = 2,   /* of knobs */
	STALE_ROUNDS = 100, /* without a new one in the population */
};

/* How much more than the worst of the population a child may take in its first replication, and in those compared. */
static const double MOST_FIRST = 1.01, MOST_COMPARED = 1.002;
/* Of the replays: for random plans of a population, and after which no other population begins. */
static const double RANDOM_SHARE = 0.25, LATEST_POPULATION = 0.5;

static const int64_t windows[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16};
static const double qs[] = {1, 1.5, 2.5, 5, 10, 20}, bs[] = {0.5, 0.7, 1, 1.5, 2, 3, 1e9};
static const double ss[] = {0, 0, 0.5, 0.5, 1, 2};
static const double fs[] = {0.3, 0.5, 0.7, 1, 1.5, 3, 10}, rs[] = {6, 8, 12, 16, 24, PLACEMENT_ANY_RATIO};
static const double transfers[] = {0, 0.5, 1, 1, 2};

#define ANY(rng, list) (list)[rng_below(rng, sizeof(list) / sizeof(*(list)))]

/* By rules, or as a replay by rules executes them; and with the ranks of the cut, or those by their places. */
enum planned { PLANNED_NOT, PLANNED_PLACES, PLANNED_RANKS, PLANNED_WAYS };

struct individual {
	struct placement_knobs genes;
	enum planned planned;
	struct searched_plan x;
	int failed;
};

struct evolution {
	struct plan_search *search;
	size_t replays, begun, anew; /* allowed; spent before it began, and since then when the population did */
	struct individual *children[CHILDREN];
	int nchildren;
	struct individual *population[POPULATION]; /* best first */
	int count, stale;
	struct individual *kept[PLAN_EVOLUTION_KEPT]; /* of populations before, best first */
	int nkept;
};

static void individual_free(struct individual *x)
{
	if (x)
		searched_plan_fini(&x->x);
	free(x);
}

static struct individual *individual_like(const struct individual *x)
{
	struct individual *new = ht_alloc(1, sizeof(*new));

	new->genes = x->genes;
	new->planned = x->planned;
	return new;
}

/* A plan knows what is needed when: of one in its queue it prefetches the data of all tasks, or of as few as it can. */
static struct individual *with_defaults(void)
{
	struct individual *new = ht_alloc(1, sizeof(*new));

	placement_knobs_read(&new->genes, "prefetch=least", NULL);
	return new;
}

static enum planned any_way(struct rng *r)
{
	return rng_below(r, 4) ? (enum planned)(1 + rng_below(r, PLANNED_WAYS - 1)) : PLANNED_NOT;
}

static struct individual *random_one(struct rng *r)
{
	struct individual *x = with_defaults();
	struct placement_knobs *k = &x->genes;

	k->rank = rng_below(r, 8) ? PLACEMENT_RANK_GEOMETRIC : PLACEMENT_RANK_HOPS;
	k->least = rng_real(r);
	k->transfers = ANY(r, transfers);
	k->windows = ANY(r, windows);
	k->objective = (int)rng_below(r, PARTITION_VOLUME + 1);
	k->balance = exp2(rng_between(r, 1, 6));
	k->effort = rng_below(r, 2) ? 1 : 4;
	k->seed = (int64_t)(rng_next(r) & UINT32_MAX);
	k->distribute = (int)rng_below(r, 2);
	k->prefetch = rng_below(r, 2) ? PLACEMENT_PREFETCH_ALL : PLACEMENT_PREFETCH_LEAST;
	k->q = ANY(r, qs);
	k->b = ANY(r, bs);
	k->s = ANY(r, ss);
	k->f = ANY(r, fs);
	k->r = ANY(r, rs);
	k->waiting = (int)rng_below(r, 2);
	x->planned = any_way(r);
	return x;
}

static double within(double x, double least, double most)
{
	return x < least ? least : x > most ? most : x;
}

static void change(struct rng *r, struct individual *x)
{
	struct placement_knobs *k = &x->genes;

	switch (rng_below(r, 16)) {
	case 0:
	case 1: k->seed = (int64_t)(rng_next(r) & UINT32_MAX); break;
	case 2: k->windows = ANY(r, windows); break;
	case 3: k->objective = !k->objective; break;
	case 4: k->balance = within(k->balance * exp2(rng_between(r, -1, 1)), 0.5, 64); break;
	case 5: k->least = within(k->least + rng_between(r, -0.2, 0.2), 0, 1); break;
	case 6: k->transfers = rng_between(r, 0, 2); break;
	case 7: k->q = ANY(r, qs); break;
	case 8: k->b = ANY(r, bs); break;
	case 9: k->f = ANY(r, fs); break;
	case 10: k->r = ANY(r, rs); break;
	case 11: k->distribute = !k->distribute; break;
	case 12: k->s = ANY(r, ss); break;
	case 13: x->planned = any_way(r); break;
	case 14: k->prefetch = PLACEMENT_PREFETCH_ALL - k->prefetch; break;
	case 15: k->waiting = !k->waiting; break;
	}
}

/* What a cut depends on comes from one parent, so do ranks; each other knob from one of both. */
static struct individual *cross(struct rng *r, const struct individual *a, const struct individual *b)
{
	const struct individual *cut = rng_below(r, 2) ? a : b, *rank = rng_below(r, 2) ? a : b;
	struct individual *x = individual_like(cut);
	struct placement_knobs *k = &x->genes;

	k->rank = rank->genes.rank;
	k->least = rank->genes.least;
	k->transfers = rank->genes.transfers;
	k->q = (rng_below(r, 2) ? a : b)->genes.q;
	k->b = (rng_below(r, 2) ? a : b)->genes.b;
	k->s = (rng_below(r, 2) ? a : b)->genes.s;
	k->f = (rng_below(r, 2) ? a : b)->genes.f;
	k->r = (rng_below(r, 2) ? a : b)->genes.r;
	k->waiting = (rng_below(r, 2) ? a : b)->genes.waiting;
	k->distribute = (rng_below(r, 2) ? a : b)->genes.distribute;
	k->prefetch = (rng_below(r, 2) ? a : b)->genes.prefetch;
	x->planned = (rng_below(r, 2) ? a : b)->planned;
	return x;
}

/* One of the population, the better ones more often. */
static const struct individual *parent(struct evolution *e)
{
	uint32_t a = rng_below(&e->search->rng, (uint32_t)e->count), b = rng_below(&e->search->rng, (uint32_t)e->count);

	return e->population[a < b ? a : b];
}

static struct individual *child(struct evolution *e)
{
	struct rng *r = &e->search->rng;
	struct individual *x;

	if (rng_below(r, 4) == 0)
		return cross(r, parent(e), parent(e));
	x = individual_like(parent(e));
	for (uint32_t n = 1 + rng_below(r, MOST_CHANGES); n; n--)
		change(r, x);
	return x;
}

static size_t spent(const struct evolution *e)
{
	return plan_search_spent(e->search) - e->begun;
}

/* The first two have the knobs' defaults: something is known soon. */
static void breed(struct evolution *e)
{
	int is_first = !spent(e);
	int is_random = e->count < POPULATION || (double)(spent(e) - e->anew) < RANDOM_SHARE * (double)e->replays;

	e->nchildren = is_first ? 2 : CHILDREN;
	for (int i = 0; i < e->nchildren; i++) {
		struct individual *x = is_first ? with_defaults() : is_random ? random_one(&e->search->rng) : child(e);

		if (is_first)
			x->planned = i ? PLANNED_PLACES : PLANNED_NOT;
		if (e->search->ranks)
			x->planned = PLANNED_NOT;
		x->x.knobs = x->genes;
		searched_plan_renew(e->search, &x->x);
		e->search->schedules += x->planned != PLANNED_NOT;
		e->children[i] = x;
	}
}

/*
 * Tasks that are not executed where what they write belongs are planned where they are, and CPUs take no others but by
 * theft.
 */
static int plan_places(struct evaluator *evaluator, struct individual *x)
{
	const struct trial t = searched_plan_trial(&x->x, 0);
	struct placement_plan *p = &x->x.plan;
	struct simulation *schedule = evaluator_schedule(evaluator, &t, NULL);
	int *at;

	if (!schedule)
		return -1;
	at = ht_alloc((size_t)p->base->dag->ntasks + 1, sizeof(*at));
	for (uint32_t i = 0; i < p->base->dag->ntasks; i++) {
		uint32_t written = data_graph_written(p->base->dag, i);

		at[i] = p->base->places.of[schedule->tasks[i].worker];
		if (written == DATA_GRAPH_NONE || p->owner[written] != at[i])
			p->place[i] = at[i];
	}
	if (x->planned == PLANNED_RANKS)
		placement_order_by_places(&p->order, p->base, at, x->genes.transfers);
	simulation_free(schedule);
	free(at);
	x->x.knobs.q = 0;
	searched_plan_set_text(&x->x);
	return 0;
}

/* One of the population that is cut alike, as a parent is of which a child has other knobs; NULL: none is. */
static const struct individual *cut_alike(const struct evolution *e, const struct individual *x)
{
	for (int i = 0; i < e->count; i++)
		if (placement_knobs_cut_alike(&e->population[i]->genes, &x->genes))
			return e->population[i];
	return NULL;
}

static void make(void *ctx, size_t i)
{
	const struct evolution *e = ctx;
	struct individual *x = e->children[i];
	struct placement_plan *p = &x->x.plan;
	const struct individual *alike;

	if (e->search->ranks) {
		x->x.config = config_create();
		x->x.config->policy = policy_placement.name;
		rank_plans_add(e->search->ranks, x->x.config, &x->x.knobs);
		return;
	}
	alike = cut_alike(e, x);
	if (alike)
		placement_plan_init_owned(p, e->search->base, &x->genes, alike->x.plan.owner);
	else
		placement_plan_init(p, e->search->base, &x->genes);
	p->place = ht_alloc((size_t)p->base->dag->ntasks + 1, sizeof(*p->place));
	for (uint32_t t = 0; t < p->base->dag->ntasks; t++)
		p->place[t] = PLACES_NONE;
	x->failed = x->planned != PLANNED_NOT && plan_places(e->search->evaluator, x) != 0;
}

/* The children that are replayed on: of `n` those that are not clearly worse, in so many replications, come first. */
static int choose(struct evolution *e, int n, int replications, double most)
{
	const struct individual *worst = e->count == POPULATION ? e->population[POPULATION - 1] : NULL;
	int left = 0;

	for (int i = 0; i < n; i++) {
		struct individual *x = e->children[i];

		if (worst &&
		    searched_plan_mean_ns(&x->x, replications) > most * searched_plan_mean_ns(&worst->x, replications))
			continue;
		e->children[i] = e->children[left];
		e->children[left++] = x;
	}
	return left;
}

/* How many of the children, which come first, have all replications. -1: a replay failed. */
static int rate(struct evolution *e, struct ht_err *err)
{
	const int until[] = {1, e->search->compared, e->search->replications};
	struct searched_plan *plans[CHILDREN];
	int n = e->nchildren;

	for (int stage = 0, from = 0; stage < 3 && n; from = until[stage++]) {
		for (int i = 0; i < n; i++)
			plans[i] = &e->children[i]->x;
		if (searched_plans_replay(e->search, plans, n, from, until[stage], err) != 0)
			return -1;
		if (evaluator_is_over(e->search->evaluator))
			return 0;
		n = stage == 2 ? n : choose(e, n, until[stage], stage ? MOST_COMPARED : MOST_FIRST);
	}
	return n;
}

/* Into a sorted list of up to `most`, unless it is longer than all, or as long as another. Returns 1 if it is there. */
static int insert(struct individual **list, int *n, int most, struct individual *x)
{
	int at = *n;

	while (at > 0 && list[at - 1]->x.mean_ns > x->x.mean_ns)
		at--;
	if (at == most || (at > 0 && list[at - 1]->x.mean_ns == x->x.mean_ns)) {
		individual_free(x);
		return 0;
	}
	if (*n == most)
		individual_free(list[--*n]);
	for (int i = (*n)++; i > at; i--)
		list[i] = list[i - 1];
	list[at] = x;
	return 1;
}

/* Of children of which it was over before they had all replications: the one with the least mean is all there is. */
static void keep_least(struct evolution *e)
{
	for (int i = 0; i < e->nchildren; i++) {
		struct individual *x = e->children[i];

		if (x->x.ns[0] <= 0)
			continue;
		x->x.mean_ns = x->x.ns[0];
		e->children[i] = NULL;
		insert(e->population, &e->count, 1, x);
	}
}

static int is_failed(const struct evolution *e, struct ht_err *err)
{
	for (int i = 0; i < e->nchildren; i++) {
		const struct trial t = searched_plan_trial(&e->children[i]->x, 0);

		if (e->children[i]->failed)
			return evaluator_explain(e->search->evaluator, &t, err);
	}
	return 0;
}

/* 1: go on; 0: it is over. */
static int generation(struct evolution *e, struct ht_err *err)
{
	int n, over, added = 0;

	breed(e);
	evaluator_each(e->search->evaluator, (size_t)e->nchildren, make, e);
	n = is_failed(e, err) ? -1 : rate(e, err);
	over = evaluator_is_over(e->search->evaluator);
	if (n == 0 && over && !e->count && !e->nkept)
		keep_least(e);
	for (int i = 0; i < n; i++) {
		added += insert(e->population, &e->count, POPULATION, e->children[i]);
		e->children[i] = NULL;
	}
	for (int i = 0; i < e->nchildren; i++)
		individual_free(e->children[i]);
	e->stale = added ? 0 : e->stale + 1;
	return n < 0 ? -1 : !over;
}

static void keep_population(struct evolution *e)
{
	for (int i = 0; i < e->count; i++)
		insert(e->kept, &e->nkept, PLAN_EVOLUTION_KEPT, e->population[i]);
	e->count = e->stale = 0;
	e->anew = spent(e);
}

static int evolve(struct evolution *e, struct ht_err *err)
{
	int rc = 1;

	while (rc > 0 && spent(e) < e->replays) {
		rc = generation(e, err);
		if (e->stale < STALE_ROUNDS)
			continue;
		keep_population(e);
		if ((double)spent(e) > LATEST_POPULATION * (double)e->replays)
			break;
	}
	keep_population(e);
	return rc;
}

int plan_evolution(struct plan_search *s, size_t replays, struct searched_plan *best, int *n, struct ht_err *err)
{
	struct evolution e = {.search = s, .replays = replays, .begun = plan_search_spent(s)};
	int rc = evolve(&e, err);

	*n = rc < 0 ? 0 : e.nkept;
	for (int i = 0; i < e.nkept; i++) {
		if (rc < 0) {
			individual_free(e.kept[i]);
			continue;
		}
		best[i] = e.kept[i]->x;
		free(e.kept[i]);
	}
	return rc < 0 ? -1 : 0;
}
