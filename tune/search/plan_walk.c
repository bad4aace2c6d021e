/* tune/search/plan_walk.c - from plans for one graph to a better one, by small changes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/plan_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "tune/evaluate/evaluator.h"
#include "tune/search/blocking_chain.h"
#include "tune/search/plan_simplify.h"

enum {
	CHANGES = 12, /* that a round replays */
	KEPT = 3,     /* of them get those replications that are compared, and the best of these all */
	MOST_STEPS = 3,
	TRIES = 32,             /* to find a task that nobody waits for */
	IDLE_ROUNDS = 100,      /* without anything better end a walk */
	LEAST_JUMP = 200,       /* replays that are left, or it is over */
	JUMP = 8,               /* changes from which it goes on then */
	REPLAYS_OF_WALK = 3500, /* there is one more for so many */
	RANK_DISTANCE = 16,     /* between the ranks of two tasks, so that others have room there */
};

static const double WALKING_SHARE = 0.85; /* of the replays; with the rest is taken back what brings nothing */
static const double LENIENCY = 0.003;     /* how much worse than the last plan the next one may be, at the beginning */
static const double qs[] = {0, 0, 1, 2.5, 10, 20, 20}, bs[] = {0, 0.5, 1, 1, 1.5, 2, 3, 5};
static const double fs[] = {0, 0.5, 1, 1, 1.5, 2, 3, 5, 10, 30};
static const double rs[] = {PLACEMENT_ANY_RATIO, PLACEMENT_ANY_RATIO, 2, 4, 8, 12, 16, 24};

enum step_kind { STEP_OWNER, STEP_PLACE, STEP_RANK, STEP_Q, STEP_B, STEP_F, STEP_R, STEP_DISTRIBUTE, STEP_PREFETCH };

/* Of a handle (STEP_OWNER), a task, or a knob. */
struct step {
	enum step_kind kind;
	uint32_t what;
	double value;
};

/* Steps that are taken together: up to MOST_STEPS kinds of change, each of up to MOST_STEPS steps. */
struct change {
	struct step steps[MOST_STEPS * MOST_STEPS];
	int n;
};

/* A plan, and the change that has made it. */
struct changed {
	struct searched_plan x;
	struct change change;
};

/* The way from one start. */
struct walk {
	const struct searched_plan *start;
	struct changed last;
	struct searched_plan best;
	struct blocking_link *chain; /* of the last plan's first replication, as what follows */
	size_t nchain;
	int64_t *start_ns, *needed_ns; /* per task: when it starts, and when the first successor does */
	struct change again[KEPT];     /* changes that were good, and not the best of their round: for the next one */
	int nagain, idle;
};

struct plan_walk {
	struct plan_search *search;
	const struct placement_base *base;
	struct rng *rng;
	size_t begun, replays; /* spent before; allowed */
	struct walk walks[PLAN_EVOLUTION_KEPT];
	int nwalks;
	struct changed *changed[CHANGES];
	uint32_t *owned; /* handles that have an owner */
	uint32_t nowned;
};

static void set_rank(struct placement_plan *p, uint32_t task, int32_t rank)
{
	p->order.priority[task] = rank > 0 ? rank : 0;
}

/* As given, with room between the ranks. */
static void take_start(struct searched_plan *x, const struct searched_plan *start)
{
	searched_plan_init(x, start->plan.base);
	searched_plan_copy(x, start);
	for (uint32_t t = 0; t < start->plan.base->dag->ntasks; t++)
		set_rank(&x->plan, t, start->plan.order.priority[t] * RANK_DISTANCE);
}

static void take(struct changed *c, enum step_kind kind, uint32_t what, double value)
{
	switch (kind) {
	case STEP_OWNER: c->x.plan.owner[what] = (int)value; break;
	case STEP_PLACE: c->x.plan.place[what] = (int)value; break;
	case STEP_RANK: set_rank(&c->x.plan, what, (int32_t)value); break;
	case STEP_Q: c->x.knobs.q = value; break;
	case STEP_B: c->x.knobs.b = value; break;
	case STEP_F: c->x.knobs.f = value; break;
	case STEP_R: c->x.knobs.r = value; break;
	case STEP_DISTRIBUTE: c->x.knobs.distribute = (int)value; break;
	case STEP_PREFETCH: c->x.knobs.prefetch = (int)value; break;
	}
	c->change.steps[c->change.n++] = (struct step){kind, what, value};
}

static int any_place(struct plan_walk *s)
{
	return (int)rng_below(s->rng, (uint32_t)s->base->places.n);
}

static int any_device(struct plan_walk *s)
{
	return s->base->device[rng_below(s->rng, (uint32_t)s->base->ndevices)];
}

static uint32_t any_owned(struct plan_walk *s)
{
	return s->owned[rng_below(s->rng, s->nowned)];
}

/* Some pieces of data go to other devices, or two exchange theirs. */
static void change_owners(struct plan_walk *s, struct changed *c)
{
	uint32_t h = any_owned(s), other = any_owned(s);
	int place = c->x.plan.owner[h];

	if (rng_below(s->rng, 2) && c->x.plan.owner[other] != place) {
		take(c, STEP_OWNER, h, c->x.plan.owner[other]);
		take(c, STEP_OWNER, other, place);
		return;
	}
	for (uint32_t n = 1 + rng_below(s->rng, MOST_STEPS); n; n--, h = any_owned(s))
		take(c, STEP_OWNER, h, any_device(s));
}

/* At a link of the chain: the task goes before its blocker, or one of both elsewhere, alone or with what it writes. */
static void change_link(struct plan_walk *s, const struct walk *w, struct changed *c)
{
	const struct blocking_link *l = &w->chain[rng_below(s->rng, (uint32_t)w->nchain)];
	int is_blocked = l->blocker != BLOCKING_CHAIN_NONE;
	uint32_t either = is_blocked && rng_below(s->rng, 2) ? l->blocker : l->task;
	uint32_t written = data_graph_written(s->base->dag, either);
	double near = 1 + rng_below(s->rng, 2 * RANK_DISTANCE);

	switch (rng_below(s->rng, is_blocked ? 5 : 3)) {
	case 0: take(c, STEP_PLACE, either, any_place(s)); break;
	case 1:
		if (written != DATA_GRAPH_NONE && c->x.plan.owner[written] != PLACES_NONE)
			take(c, STEP_OWNER, written, any_place(s));
		break;
	case 2: take(c, STEP_PLACE, either, PLACES_NONE); break;
	case 3: take(c, STEP_RANK, l->task, c->x.plan.order.priority[l->blocker] + near); break;
	case 4: take(c, STEP_RANK, l->blocker, c->x.plan.order.priority[l->task] - near); break;
	}
}

/* Tasks go where they take longer, and would yet have been done in time. */
static void change_relaxed(struct plan_walk *s, const struct walk *w, struct changed *c)
{
	uint32_t left = 1 + rng_below(s->rng, MOST_STEPS);

	for (int i = 0; i < TRIES && left; i++) {
		uint32_t t = rng_below(s->rng, s->base->dag->ntasks);
		int place = any_place(s);
		int64_t cost = places_cost(&s->base->places, s->base->dag->tasks[t].class_id, place);

		if (cost < 0 || c->x.plan.place[t] == place || w->start_ns[t] + cost > w->needed_ns[t])
			continue;
		take(c, STEP_PLACE, t, place);
		left--;
	}
}

static void change_knobs(struct plan_walk *s, struct changed *c)
{
	switch (rng_below(s->rng, 6)) {
	case 0: take(c, STEP_Q, 0, qs[rng_below(s->rng, sizeof(qs) / sizeof(*qs))]); break;
	case 1: take(c, STEP_B, 0, bs[rng_below(s->rng, sizeof(bs) / sizeof(*bs))]); break;
	case 2: take(c, STEP_F, 0, fs[rng_below(s->rng, sizeof(fs) / sizeof(*fs))]); break;
	case 3: take(c, STEP_R, 0, rs[rng_below(s->rng, sizeof(rs) / sizeof(*rs))]); break;
	case 4: take(c, STEP_DISTRIBUTE, 0, !c->x.knobs.distribute); break;
	case 5: take(c, STEP_PREFETCH, 0, PLACEMENT_PREFETCH_ALL - c->x.knobs.prefetch); break;
	}
}

static void change(struct plan_walk *s, const struct walk *w, struct changed *c)
{
	for (uint32_t n = 1 + rng_below(s->rng, MOST_STEPS); n; n--) {
		uint32_t kind = rng_below(s->rng, 16);

		if (kind < 1)
			change_knobs(s, c);
		else if (kind < 4)
			change_owners(s, c);
		else if (kind < 7)
			change_relaxed(s, w, c);
		else
			change_link(s, w, c);
	}
}

static void make_changes(struct plan_walk *s, struct walk *w)
{
	for (int i = 0; i < CHANGES; i++) {
		struct changed *c = s->changed[i];

		searched_plan_copy(&c->x, &w->last.x);
		c->change.n = 0;
		for (int k = 0; i < w->nagain && k < w->again[i].n; k++)
			take(c, w->again[i].steps[k].kind, w->again[i].steps[k].what, w->again[i].steps[k].value);
		if (!c->change.n)
			change(s, w, c);
		searched_plan_renew(s->search, &c->x);
	}
	w->nagain = 0;
}

/* Of the first `n` changed plans. */
static int replay(struct plan_walk *s, int n, int first, int last, struct ht_err *err)
{
	struct searched_plan *plans[CHANGES];

	for (int i = 0; i < n; i++)
		plans[i] = &s->changed[i]->x;
	return searched_plans_replay(s->search, plans, n, first, last, err);
}

/* Of equals the older one is first. */
static int by_mean(const void *a, const void *b)
{
	const struct searched_plan *x = &(*(struct changed *const *)a)->x, *y = &(*(struct changed *const *)b)->x;

	if (x->mean_ns != y->mean_ns)
		return x->mean_ns < y->mean_ns ? -1 : 1;
	return x->knobs.plan < y->knobs.plan ? -1 : x->knobs.plan > y->knobs.plan;
}

/* What the next changes look at, of the first replication of the last plan. */
static int look_at_last(struct plan_walk *s, struct walk *w, struct ht_err *err)
{
	const struct dag *d = s->base->dag;
	const struct trial t = searched_plan_trial(&w->last.x, 0);
	struct simulation *schedule = evaluator_schedule(s->search->evaluator, &t, err);

	if (!schedule)
		return -1;
	w->nchain = blocking_chain(d, s->base->machine->nworkers, schedule, w->chain);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		w->start_ns[i] = schedule->tasks[i].start_ns;
		w->needed_ns[i] = schedule->makespan_ns;
		for (uint32_t e = d->succ_first[i]; e < d->succ_first[i + 1]; e++)
			if (schedule->tasks[d->succ[e]].start_ns < w->needed_ns[i])
				w->needed_ns[i] = schedule->tasks[d->succ[e]].start_ns;
	}
	simulation_free(schedule);
	return 0;
}

static double compared_ns(const struct plan_walk *s, const struct searched_plan *x)
{
	return searched_plan_mean_ns(x, s->search->compared);
}

/* How many of the plans, the best first, are not clearly worse than the last in their first replication. */
static int count_near(const struct plan_walk *s, const struct walk *w, double lenience)
{
	double most = (double)w->last.x.ns[0] * (1 + lenience + LENIENCY);
	int n = 0;

	while (n < KEPT && (double)s->changed[n]->x.ns[0] <= most)
		n++;
	return n;
}

/* The next plan is the best of `n`; what else was no worse than the last plan is tried again on it. */
static int go_on(struct plan_walk *s, struct walk *w, int n, struct ht_err *err)
{
	for (int i = 1; i < n; i++)
		if (compared_ns(s, &s->changed[i]->x) <= compared_ns(s, &w->last.x))
			w->again[w->nagain++] = s->changed[i]->change;
	searched_plan_copy(&w->last.x, &s->changed[0]->x);
	if (w->last.x.mean_ns < w->best.mean_ns) {
		searched_plan_copy(&w->best, &w->last.x);
		w->idle = 0;
	}
	return look_at_last(s, w, err) == 0 ? 1 : -1;
}

/* 1: go on; 0: it is over. */
static int round_of(struct plan_walk *s, struct walk *w, double lenience, struct ht_err *err)
{
	const struct evaluator *e = s->search->evaluator;
	int n;

	w->idle++;
	make_changes(s, w);
	if (replay(s, CHANGES, 0, 1, err) != 0)
		return -1;
	if (evaluator_is_over(e))
		return 0;
	qsort(s->changed, CHANGES, sizeof(*s->changed), by_mean);
	n = count_near(s, w, lenience);
	if (n == 0)
		return 1;
	if (replay(s, n, 1, s->search->compared, err) != 0)
		return -1;
	if (evaluator_is_over(e))
		return 0;
	qsort(s->changed, (size_t)n, sizeof(*s->changed), by_mean);
	if (compared_ns(s, &s->changed[0]->x) > compared_ns(s, &w->last.x) * (1 + lenience))
		return 1;
	if (replay(s, 1, s->search->compared, s->search->replications, err) != 0)
		return -1;
	if (evaluator_is_over(e))
		return 0;
	if ((double)s->changed[0]->x.mean_ns > (double)w->last.x.mean_ns * (1 + lenience))
		return 1;
	return go_on(s, w, n, err);
}

static size_t spent(const struct plan_walk *s)
{
	return plan_search_spent(s->search) - s->begun;
}

/* Until so many have been spent. 1: go on; 0: it is over. */
static int walk_on(struct plan_walk *s, struct walk *w, size_t until, struct ht_err *err)
{
	int rc = evaluator_is_over(s->search->evaluator) ? 0 : 1;

	while (rc > 0 && w->idle < IDLE_ROUNDS &&
	       spent(s) + CHANGES + KEPT * (size_t)(s->search->compared - 1) + (size_t)s->search->replications <= until)
		rc = round_of(s, w, LENIENCY * (1 - (double)spent(s) / (double)s->replays), err);
	return rc;
}

/* The best come first. */
static void sort_walks(struct plan_walk *s)
{
	for (int i = 1; i < s->nwalks; i++)
		for (int k = i; k > 0 && s->walks[k].best.mean_ns < s->walks[k - 1].best.mean_ns; k--) {
			struct walk w = s->walks[k];

			s->walks[k] = s->walks[k - 1];
			s->walks[k - 1] = w;
		}
}

/* The best of each cut, up to `most`, come first: returns how many these are. */
static int choose_walks(struct plan_walk *s, int most)
{
	int n = 0;

	for (int i = 0; i < s->nwalks && n < most; i++) {
		const struct walk w = s->walks[i];
		int is_new = 1;

		for (int k = 0; k < n; k++)
			is_new &= s->walks[k].start->knobs.seed != w.start->knobs.seed;
		if (!is_new)
			continue;
		s->walks[i] = s->walks[n];
		s->walks[n++] = w;
	}
	return n;
}

/* The best plan with some changes. */
static int jump(struct plan_walk *s, struct walk *w, struct ht_err *err)
{
	struct searched_plan *last = &w->last.x;

	searched_plan_copy(last, &w->best);
	if (look_at_last(s, w, err) != 0)
		return -1;
	for (int i = 0; i < JUMP; i++) {
		w->last.change.n = 0;
		change(s, w, &w->last);
	}
	searched_plan_renew(s->search, last);
	w->nagain = w->idle = 0;
	if (searched_plans_replay(s->search, &last, 1, 0, s->search->replications, err) != 0)
		return -1;
	if (last->mean_ns < 0)
		return 0;
	return look_at_last(s, w, err) == 0 ? 1 : -1;
}

static int search(struct plan_walk *s, struct ht_err *err)
{
	int most = (int)(s->replays / REPLAYS_OF_WALK), n = choose_walks(s, most > 1 ? most : 1), rc = 1;

	for (int i = 0; i < n; i++)
		if (look_at_last(s, &s->walks[i], err) != 0)
			return -1;
	for (int left = n; left > 0 && rc > 0; left /= 2) {
		size_t before = spent(s), rest = before < s->replays ? s->replays - before : 0;
		size_t share = (left > 1 ? rest / 2 : rest) / (size_t)left;

		for (int i = 0; i < left && rc > 0; i++)
			rc = walk_on(s, &s->walks[i], before + share * (size_t)(i + 1), err);
		sort_walks(s);
	}
	while (rc > 0 && spent(s) + LEAST_JUMP <= s->replays) {
		rc = jump(s, &s->walks[0], err);
		if (rc > 0)
			rc = walk_on(s, &s->walks[0], s->replays, err);
	}
	return rc;
}

static void open_walk(struct plan_walk *s, struct walk *w, const struct searched_plan *start)
{
	size_t ntasks = (size_t)s->base->dag->ntasks + 1;

	w->start = start;
	take_start(&w->last.x, start);
	take_start(&w->best, start);
	w->chain = ht_alloc(ntasks, sizeof(*w->chain));
	w->start_ns = ht_alloc(ntasks, sizeof(*w->start_ns));
	w->needed_ns = ht_alloc(ntasks, sizeof(*w->needed_ns));
}

static void open_walks(struct plan_walk *s, const struct searched_plan *starts, int n)
{
	const struct dag *d = s->base->dag;

	s->owned = ht_alloc((size_t)d->nhandles + 1, sizeof(*s->owned));
	for (uint32_t h = 0; h < d->nhandles; h++)
		if (starts->plan.owner[h] != PLACES_NONE)
			s->owned[s->nowned++] = h;
	for (; s->nwalks < n; s->nwalks++)
		open_walk(s, &s->walks[s->nwalks], &starts[s->nwalks]);
	for (int i = 0; i < CHANGES; i++) {
		s->changed[i] = ht_alloc(1, sizeof(*s->changed[i]));
		searched_plan_init(&s->changed[i]->x, s->base);
	}
}

static void close_walks(struct plan_walk *s)
{
	for (int i = 0; i < CHANGES; i++) {
		searched_plan_fini(&s->changed[i]->x);
		free(s->changed[i]);
	}
	for (int i = 0; i < s->nwalks; i++) {
		searched_plan_fini(&s->walks[i].last.x);
		searched_plan_fini(&s->walks[i].best);
		free(s->walks[i].chain);
		free(s->walks[i].start_ns);
		free(s->walks[i].needed_ns);
	}
	free(s->owned);
}

/* Of what a walk has changed. */
static int simplify(struct plan_walk *s, struct walk *w, size_t replays, struct ht_err *err)
{
	struct searched_plan plain;
	int rc;

	take_start(&plain, w->start);
	rc = plan_simplify(s->search, &plain, &w->best, replays, err);
	searched_plan_fini(&plain);
	return rc;
}

int plan_walk(struct plan_search *shared, struct searched_plan *starts, int n, size_t replays, struct ht_err *err)
{
	struct plan_walk s = {.search = shared,
	                      .base = shared->base,
	                      .rng = &shared->rng,
	                      .begun = plan_search_spent(shared),
	                      .replays = (size_t)(WALKING_SHARE * (double)replays)};
	int rc = 0;

	open_walks(&s, starts, n);
	if (s.nowned >= 2 && s.base->ndevices >= 1)
		rc = search(&s, err);
	if (rc >= 0 && s.walks[0].best.mean_ns < starts[0].mean_ns) {
		rc = simplify(&s, &s.walks[0], replays - (size_t)fmin((double)replays, (double)spent(&s)), err);
		searched_plan_copy(&starts[0], &s.walks[0].best);
	}
	close_walks(&s);
	return rc < 0 ? -1 : 0;
}
