/* tune/settings/plan_make.c - the plan of a config: ranks and owners for the graph of a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/plan_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/dag/submission_hash.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "sched/placement/plan.h"
#include "tune/settings/rank_plans.h"

enum { HIGHEST_RANK = 1 << 24 };

struct ranked {
	double rank;
	int32_t priority;
	uint32_t task;
};

static int by_priority(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->priority != y->priority ? (x->priority > y->priority) - (x->priority < y->priority) :
	                                    (x->rank > y->rank) - (x->rank < y->rank);
}

/* Whole numbers in the order of the plan, as far from each other as its ranks are where those are in that order. */
static void copy_ranks(struct config_plan *p, const struct placement_order *o, struct arena *a)
{
	struct ranked *sorted = ht_alloc(p->ntasks, sizeof(*sorted));
	double longest = 0;

	for (uint32_t t = 0; t < p->ntasks; t++) {
		sorted[t] = (struct ranked){o->rank[t], o->priority[t], t};
		longest = fmax(longest, o->rank[t]);
	}
	qsort(sorted, p->ntasks, sizeof(*sorted), by_priority);
	p->rank = arena_alloc(a, p->ntasks, sizeof(*p->rank));
	for (uint32_t i = 0, first = 0, least = 0; i < p->ntasks; i++) {
		uint32_t share = longest > 0 ? (uint32_t)(sorted[i].rank / longest * HIGHEST_RANK) : 0;

		if (i && sorted[i].priority != sorted[first].priority) {
			least = (uint32_t)p->rank[sorted[first].task] + 1;
			first = i;
		}
		p->rank[sorted[i].task] = i == first ? (int32_t)(share > least ? share : least) :
		                                       p->rank[sorted[first].task];
	}
	p->longest_us = rank_priority(longest);
	free(sorted);
}

static struct config_place place_in_config(const struct placement_base *b, int place)
{
	const struct machine_worker *w;

	if (place == PLACES_NONE)
		return (struct config_place){ARCH_NONE, 0};
	if (place == b->places.cpus)
		return (struct config_place){ARCH_CPU, 0};
	w = &b->machine->workers[b->places.place[place].worker];
	return (struct config_place){w->arch, w->devid};
}

static void copy_owners(struct config_plan *p, const struct placement_plan *plan, const struct submission_hash *hashes,
                        struct arena *a)
{
	const struct placement_base *b = plan->base;

	p->nhandles = (uint32_t)(hashes->last - hashes->first);
	p->owner = arena_alloc(a, p->nhandles, sizeof(*p->owner));
	for (uint32_t h = 0; h < b->dag->nhandles; h++) {
		uint32_t number = submission_hash_number(hashes, h);

		if (number != SUBMISSION_HASH_NONE)
			p->owner[number] = place_in_config(b, plan->owner[h]);
	}
}

static void copy_places(struct config_plan *p, const struct placement_plan *plan, struct arena *a)
{
	if (!plan->place)
		return;
	p->place = arena_alloc(a, p->ntasks, sizeof(*p->place));
	for (uint32_t t = 0; t < p->ntasks; t++)
		p->place[t] = place_in_config(plan->base, plan->place[t]);
}

static void append(struct config *c, const struct config_plan *p)
{
	struct config_plan *plans = arena_alloc(c->arena, (size_t)c->nplans + 1, sizeof(*plans));

	if (c->nplans)
		memcpy(plans, c->plans, (size_t)c->nplans * sizeof(*plans));
	plans[c->nplans++] = *p;
	c->plans = plans;
}

void plan_add(struct config *c, const struct placement_plan *plan, const struct placement_knobs *k)
{
	const struct dag *d = plan->base->dag;
	struct submission_hash hashes = {0};
	struct config_plan p = {.ntasks = d->ntasks, .priority = d->tasks[0].priority};
	char *text = placement_knobs_text(k), *knobs = arena_strndup(c->arena, text, strlen(text));

	free(text);
	if (d->ntasks > CONFIG_PLAN_MAX_TASKS) {
		c->knobs = knobs;
		return;
	}
	p.knobs = knobs;
	p.hash = arena_alloc(c->arena, d->ntasks, sizeof(*p.hash));
	submission_hash_dag(&hashes, d, p.hash);
	copy_ranks(&p, &plan->order, c->arena);
	copy_owners(&p, plan, &hashes, c->arena);
	copy_places(&p, plan, c->arena);
	submission_hash_fini(&hashes);
	append(c, &p);
}

static void add_cuts_of_ranks(struct config *c, const struct dag *d, const struct machine *m, int copies_take_time,
                              const struct placement_knobs *k)
{
	struct rank_plans *ranks = rank_plans_create(d, m, copies_take_time, NULL);

	if (ranks)
		rank_plans_add(ranks, c, k);
	rank_plans_free(ranks);
}

static void add_cut(struct config *c, const struct dag *d, const struct machine *m, int copies_take_time)
{
	struct placement_knobs knobs;
	struct placement_base b;
	struct placement_plan plan;

	if (placement_knobs_read(&knobs, c->knobs, NULL) != 0)
		return;
	if (d->nranks > 1) {
		add_cuts_of_ranks(c, d, m, copies_take_time, &knobs);
		return;
	}
	if (placement_base_init(&b, d, m, copies_take_time, NULL) != 0)
		return;
	placement_plan_init(&plan, &b, &knobs);
	plan_add(c, &plan, &knobs);
	placement_plan_fini(&plan);
	placement_base_fini(&b);
}

/* The priorities of `ranked`, a graph of one rank, are the upward ranks of `d`, whose priorities are the program's. */
static void add_priorities(struct config *c, const struct dag *d, const struct dag *ranked)
{
	struct submission_hash hashes = {0};
	struct config_plan p = {.ntasks = d->ntasks, .priority = d->tasks[0].priority};

	p.hash = arena_alloc(c->arena, d->ntasks, sizeof(*p.hash));
	submission_hash_dag(&hashes, d, p.hash);
	submission_hash_fini(&hashes);
	p.rank = arena_alloc(c->arena, d->ntasks, sizeof(*p.rank));
	for (uint32_t t = 0; t < d->ntasks; t++) {
		p.rank[t] = ranked->tasks[t].priority;
		p.longest_us = p.rank[t] > p.longest_us ? p.rank[t] : p.longest_us;
	}
	append(c, &p);
}

static void add_ranks(struct config *c, const struct dag *d, const struct machine *m)
{
	struct dag *ranked = rank_dag(d, m, RANKS_TOGETHER, NULL);
	uint32_t *place = ht_alloc(d->ntasks, sizeof(*place));

	if (ranked && d->nranks <= 1)
		add_priorities(c, d, ranked);
	for (int i = 0; ranked && d->nranks > 1 && i < d->nranks; i++) {
		struct dag *part = dag_of_rank(d, i, place), *ranked_part = dag_of_rank(ranked, i, place);

		if (part->ntasks)
			add_priorities(c, part, ranked_part);
		dag_free(part);
		dag_free(ranked_part);
	}
	free(place);
	dag_free(ranked);
}

/* The library has to know where the graph begins: places are those in one iteration of a program. */
static int goes_by_places(const struct config *c)
{
	unsigned limits = 0;

	for (int b = 0; strcmp(c->policy, "heteroprio") == 0 && b < c->nbuckets; b++)
		for (int i = 0; i < c->buckets[b].nmembers; i++)
			limits |= c->buckets[b].members[i].limits;
	return (limits & MEMBER_SUBMISSION) != 0;
}

enum rank_scope plan_scope(const struct dag *d)
{
	return d->ntasks > CONFIG_PLAN_MAX_TASKS ? RANKS_ALONE : RANKS_TOGETHER;
}

void plan_make(struct config *c, const struct dag *d, const struct machine *m, int copies_take_time)
{
	if (d->ntasks > CONFIG_PLAN_MAX_TASKS)
		return;
	if (strcmp(c->policy, "placement") == 0)
		add_cut(c, d, m, copies_take_time);
	else if (c->has_rank_priorities || goes_by_places(c))
		add_ranks(c, d, m);
}
