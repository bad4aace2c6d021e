/* tune/search/placement_search.c - the knobs of the policy placement that are best for a graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/placement_search.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "replay/scenario.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"
#include "tune/search/plan_search.h"

enum { REPLICATIONS = 5, KEPT_PLANS = 8, KEPT_SEEDS = 6, SEEDS = 6, FINALISTS = 12 };

/* Graphs with less tasks are searched up to MOST_BREADTH times as broadly, for about the same time. */
enum { USUAL_TASKS = 1540, MOST_BREADTH = 4 };

/* All but the search for a plan takes about so many replays for each breadth. */
enum { REPLAYS_OF_CUTS = 630 };

static const double DEFAULT_CV = 0.02;
static const int64_t windows[] = {1, 2, 3, 4, 5, 6, 8, 10, 12};
/* q and b: few tasks are for CPUs, as soon as anything waits, or more of them by how much does. */
static const double takes[][2] = {{1, 1e9}, {1.5, 1e9}, {2.5, 1e9}, {20, 0.5}, {20, 1}, {20, 2}};
static const double RATIO = 24, fs[] = {0.5, 1, 1.5, 3, 10}, rs[] = {24, PLACEMENT_ANY_RATIO};

/* A plan, its knobs, and what it has reached; `text` is the knobs'. */
struct candidate {
	struct placement_knobs knobs;
	const struct placement_plan *plan;
	char *text;
	int64_t ns;
	size_t number; /* among equals the first one is better */
};

struct candidates {
	struct candidate *items;
	size_t count, cap;
};

/* A search under way. */
struct searched {
	const struct placement_search *p;
	struct evaluator *evaluator;
	struct placement_base *base;
	uint32_t breadth;
	struct placement_plan **plans; /* all that were made */
	size_t nplans, cap_plans;
	struct candidates best; /* best first */
};

static void add(struct candidates *c, const struct placement_knobs *k, const struct placement_plan *plan)
{
	size_t number = c->count;

	*VEC_PUSH(c->items, c->count, c->cap) =
		(struct candidate){.knobs = *k, .plan = plan, .text = placement_knobs_text(k), .number = number};
}

static void drop(struct candidates *c, size_t left)
{
	while (c->count > left)
		free(c->items[--c->count].text);
}

static void empty(struct candidates *c)
{
	drop(c, 0);
	free(c->items);
	*c = (struct candidates){0};
}

static int by_ns(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->ns != y->ns)
		return y->ns < 0 || (x->ns >= 0 && x->ns < y->ns) ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Replays all, each with the replications `first` to first + n - 1 (0: mean durations), and sorts them, best first.
 * Those that it was over for have -1 and are last.
 */
static int replay_all(struct evaluator *e, struct candidates *c, int first, int n, struct ht_err *err)
{
	struct trial *trials = ht_alloc(c->count * (size_t)n + 1, sizeof(*trials));
	int rc;

	for (size_t i = 0; i < c->count * (size_t)n; i++) {
		const struct candidate *x = &c->items[i / (size_t)n];

		trials[i] = (struct trial){.policy = &policy_placement,
		                           .options = x->text,
		                           .policy_data = x->plan,
		                           .replication = first + (int)(i % (size_t)n)};
	}
	rc = evaluator_run(e, trials, c->count * (size_t)n, EVALUATOR_ALWAYS, err);
	for (size_t i = 0; i < c->count && rc == 0; i++) {
		double sum = 0;
		int missing = 0;

		for (int k = 0; k < n; k++) {
			sum += (double)trials[i * (size_t)n + (size_t)k].makespan_ns;
			missing |= trials[i * (size_t)n + (size_t)k].makespan_ns < 0;
		}
		c->items[i].ns = missing ? -1 : (int64_t)(sum / n);
	}
	if (rc == 0)
		qsort(c->items, c->count, sizeof(*c->items), by_ns);
	free(trials);
	return rc;
}

static const struct placement_plan *make_plan(struct searched *s, const struct placement_knobs *k)
{
	struct placement_plan *plan = ht_alloc(1, sizeof(*plan));

	placement_plan_init(plan, s->base, k);
	*VEC_PUSH(s->plans, s->nplans, s->cap_plans) = plan;
	return plan;
}

/*
 * Ranks, windows and objectives, all with the other knobs' defaults, but that CPUs take nothing yet that a device does
 * RATIO times as fast: in ten cells of bench-tune what was found from there took 0.2 % less time.
 */
static void vary_plans(struct searched *s)
{
	const int64_t seed = (int64_t)(s->p->seed & UINT32_MAX);
	struct placement_knobs k;

	placement_knobs_read(&k, "", NULL);
	k.r = RATIO;
	for (uint32_t n = 0; n < s->breadth; n++) {
		k.seed = (seed + n * SEEDS) & UINT32_MAX;
		for (k.rank = 0; k.rank < PLACEMENT_RANKS && (!n || !evaluator_is_over(s->evaluator)); k.rank++)
			for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
				for (k.objective = PARTITION_CUT; k.objective <= PARTITION_VOLUME; k.objective++) {
					k.windows = windows[i];
					add(&s->best, &k, make_plan(s, &k));
				}
	}
}

/* One of a candidate's plan for each rule for CPUs, and each for theft. */
static void add_factors(struct candidates *more, const struct candidate *x)
{
	struct placement_knobs k = x->knobs;

	for (size_t t = 0; t < sizeof(takes) / sizeof(*takes); t++)
		for (size_t f = 0; f < sizeof(fs) / sizeof(*fs); f++)
			for (size_t r = 0; r < sizeof(rs) / sizeof(*rs); r++) {
				k.q = takes[t][0];
				k.b = takes[t][1];
				k.f = fs[f];
				k.r = rs[r];
				add(more, &k, x->plan);
			}
}

static void vary_factors(struct searched *s)
{
	size_t n = s->best.count < KEPT_PLANS * s->breadth ? s->best.count : KEPT_PLANS * s->breadth;
	struct candidates more = {0};

	for (size_t i = 0; i < n; i++)
		add_factors(&more, &s->best.items[i]);
	empty(&s->best);
	s->best = more;
}

/* What takes exactly as long as another one does the same. */
static void drop_equals(struct candidates *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct candidate x = c->items[i];

		if (!n || x.ns != c->items[n - 1].ns)
			c->items[n++] = x;
		else
			free(x.text);
	}
	c->count = n;
}

/* The best two of each plan stay: with other knobs it often does the same. */
static void thin_out(struct candidates *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct candidate x = c->items[i];
		int same = 0;

		for (size_t k = 0; k < n; k++)
			same += c->items[k].plan == x.plan;
		if (same < 2)
			c->items[n++] = x;
		else
			free(x.text);
	}
	c->count = n;
}

/* The best stay, and are tried with other seeds, and with early copies. */
static void vary_seeds(struct searched *s)
{
	size_t n;

	thin_out(&s->best);
	n = s->best.count < KEPT_SEEDS * s->breadth ? s->best.count : KEPT_SEEDS * s->breadth;
	drop(&s->best, n > FINALISTS ? n : FINALISTS);
	for (size_t i = 0; i < n; i++) {
		struct placement_knobs k = s->best.items[i].knobs;

		k.distribute = 1;
		add(&s->best, &k, s->best.items[i].plan);
		k.distribute = 0;
		for (int seed = 1; seed < SEEDS; seed++) {
			k.seed = (k.seed + 1) & UINT32_MAX;
			add(&s->best, &k, make_plan(s, &k));
		}
	}
}

static void keep(const struct searched *s, struct placement_found *found)
{
	const struct candidate *best = &s->best.items[0];

	if (best->ns < 0 || (found->plan && best->ns >= found->makespan_ns))
		return;
	found->knobs = best->knobs;
	found->plan = (struct placement_plan *)best->plan;
	found->makespan_ns = found->varied_ns = best->ns;
}

/* From the best plans of cuts to a better one. */
static int improve_plan(struct searched *s, struct placement_found *found, struct ht_err *err)
{
	struct plan_start starts[PLAN_SEARCH_STARTS];
	struct plan_found better;
	int n = 0, rc;

	for (size_t i = 0; i < s->best.count && n < PLAN_SEARCH_STARTS; i++)
		for (int fixed = 1; fixed >= 0; fixed--)
			starts[n++] = (struct plan_start){s->best.items[i].plan, s->best.items[i].knobs, fixed};
	rc = plan_search(s->evaluator, starts, n, s->p->seed, s->p->plan_replays, &better, err);
	if (rc <= 0)
		return rc;
	*VEC_PUSH(s->plans, s->nplans, s->cap_plans) = found->plan = ht_alloc(1, sizeof(*found->plan));
	*found->plan = better.plan;
	found->plan->order = &found->plan->own_order;
	found->knobs = better.knobs;
	found->varied_ns = better.varied_ns;
	empty(&s->best);
	add(&s->best, &found->knobs, found->plan);
	if (replay_all(s->evaluator, &s->best, 0, 1, err) != 0)
		return -1;
	found->makespan_ns = s->best.items[0].ns;
	return 0;
}

static int find(struct searched *s, struct placement_found *found, struct ht_err *err)
{
	static void (*const rounds[])(struct searched * s) = {vary_plans, vary_factors, vary_seeds};

	for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
		rounds[i](s);
		if (replay_all(s->evaluator, &s->best, 0, 1, err) != 0)
			return -1;
		drop_equals(&s->best);
		keep(s, found);
		if (evaluator_is_over(s->evaluator))
			return 0;
	}
	drop(&s->best, FINALISTS);
	if (replay_all(s->evaluator, &s->best, 1, REPLICATIONS, err) != 0)
		return -1;
	if (evaluator_is_over(s->evaluator))
		return 0;
	found->knobs = s->best.items[0].knobs;
	found->plan = (struct placement_plan *)s->best.items[0].plan;
	found->varied_ns = s->best.items[0].ns;
	return improve_plan(s, found, err);
}

/* All plans but the one that is kept. */
static void drop_plans(struct searched *s, const struct placement_plan *kept)
{
	for (size_t i = 0; i < s->nplans; i++) {
		if (s->plans[i] == kept)
			continue;
		placement_plan_fini(s->plans[i]);
		free(s->plans[i]);
	}
	free(s->plans);
}

static void show_progress(void *searched, const struct evaluator_state *of_replays)
{
	const struct searched *s = searched;
	struct evaluator_state state = *of_replays;
	double share = (double)state.replays / (double)(s->p->plan_replays + REPLAYS_OF_CUTS * s->breadth);

	state.share = share < 1 ? share : 1;
	s->p->progress(s->p->ctx, &state);
}

int placement_search(const struct placement_search *p, struct placement_found *found, struct ht_err *err)
{
	struct searched s = {.p = p};
	const struct evaluator_options o = {.policy_options = "",
	                                    .jobs = p->jobs ? p->jobs : 1,
	                                    .jitter_cv = p->jitter_cv > 0 ? p->jitter_cv : -DEFAULT_CV,
	                                    .seed = p->seed,
	                                    .is_over = p->is_over,
	                                    .tune = p->tune,
	                                    .progress = p->progress ? show_progress : NULL,
	                                    .ctx = &s};
	const struct evaluator_graph g = {p->dag, p->machine, p->scenario};
	uint32_t breadth = USUAL_TASKS / (p->dag->ntasks + 1);
	struct evaluator_state state;
	int rc;

	*found = (struct placement_found){.base = ht_alloc(1, sizeof(*found->base))};
	if (placement_base_init(found->base, p->dag, p->machine, scenario_has_copies(p->scenario), err) != 0) {
		free(found->base);
		return -1;
	}
	s.base = found->base;
	s.breadth = breadth < 1 ? 1 : breadth < MOST_BREADTH ? breadth : MOST_BREADTH;
	s.evaluator = evaluator_create(&o);
	evaluator_add(s.evaluator, &g);
	rc = find(&s, found, err);
	evaluator_state(s.evaluator, &state);
	found->replays = state.replays;
	found->plans = s.nplans;
	empty(&s.best);
	drop_plans(&s, found->plan);
	evaluator_free(s.evaluator);
	if (rc != 0)
		placement_found_fini(found);
	return rc;
}

void placement_found_fini(struct placement_found *found)
{
	if (found->plan) {
		placement_plan_fini(found->plan);
		free(found->plan);
	}
	if (found->base) {
		placement_base_fini(found->base);
		free(found->base);
	}
	*found = (struct placement_found){0};
}
