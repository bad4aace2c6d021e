/* tune/search/plan_search.c - a plan for one graph that is better than those that a cut gives. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/plan_search.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/rng.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"
#include "tune/search/blocking_chain.h"

enum {
	CHANGES = 12, /* that a round replays */
	KEPT = 3,     /* of them get COMPARED replications, and the best of these all */
	COMPARED = 4,
	MOST_STEPS = 3,
	TRIES = 32,             /* to find a task that nobody waits for */
	IDLE_ROUNDS = 100,      /* without anything better end a walk */
	LEAST_JUMP = 200,       /* replays that are left, or it is over */
	JUMP = 8,               /* changes from which it goes on then */
	REPLAYS_OF_WALK = 3500, /* there is one more for so many */
	RANK_DISTANCE = 16,     /* between the ranks of two tasks, so that others have room there */
};

static const double LENIENCY = 0.003; /* how much worse than the last plan the next one may be, at the beginning */
static const double qs[] = {0, 0, 1, 2.5, 10, 20, 20}, bs[] = {0, 0.5, 1, 1, 1.5, 2, 3, 5};
static const double fs[] = {0, 0.5, 1, 1, 1.5, 2, 3, 5, 10, 30};
static const double rs[] = {PLACEMENT_ANY_RATIO, PLACEMENT_ANY_RATIO, 2, 4, 8, 12, 16, 24};

enum step_kind { STEP_OWNER, STEP_PLACE, STEP_RANK, STEP_Q, STEP_B, STEP_F, STEP_R, STEP_DISTRIBUTE };

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

/* A plan with arrays of its own, the change that has made it, and what its replications have reached. */
struct searched_plan {
	struct placement_plan plan;
	struct placement_knobs knobs;
	char *text;
	struct change change;
	int64_t ns[PLAN_SEARCH_REPLICATIONS], mean_ns; /* -1: it was over before */
};

/* The way from one start. */
struct walk {
	const struct plan_start *start;
	struct searched_plan last, best;
	struct blocking_link *chain; /* of the last plan's first replication, as what follows */
	size_t nchain;
	int64_t *start_ns, *needed_ns; /* per task: when it starts, and when the first successor does */
	struct change again[KEPT];     /* changes that were good, and not the best of their round: for the next one */
	int nagain, idle;
};

struct plan_search {
	struct evaluator *evaluator;
	const struct placement_base *base;
	struct rng rng;
	uint32_t ntried;
	size_t begun, replays; /* of the evaluator at the beginning; that are allowed */
	struct walk walks[PLAN_SEARCH_STARTS];
	int nwalks;
	struct searched_plan changed[CHANGES];
	uint32_t *owned; /* handles that have an owner */
	uint32_t nowned;
};

static void plan_alloc(struct searched_plan *x, const struct placement_base *b)
{
	size_t ntasks = (size_t)b->dag->ntasks + 1;

	x->plan = (struct placement_plan){.base = b};
	x->plan.owner = ht_alloc((size_t)b->dag->nhandles + 1, sizeof(*x->plan.owner));
	x->plan.place = ht_alloc(ntasks, sizeof(*x->plan.place));
	x->plan.own_order.rank = ht_alloc(ntasks, sizeof(*x->plan.own_order.rank));
	x->plan.own_order.priority = ht_alloc(ntasks, sizeof(*x->plan.own_order.priority));
}

static void set_text(struct searched_plan *x)
{
	free(x->text);
	x->text = placement_knobs_text(&x->knobs);
}

static void plan_copy(struct searched_plan *to, const struct searched_plan *from)
{
	const struct dag *d = from->plan.base->dag;

	memcpy(to->plan.owner, from->plan.owner, d->nhandles * sizeof(*to->plan.owner));
	memcpy(to->plan.place, from->plan.place, d->ntasks * sizeof(*to->plan.place));
	memcpy(to->plan.own_order.rank, from->plan.own_order.rank, d->ntasks * sizeof(*to->plan.own_order.rank));
	memcpy(to->plan.own_order.priority, from->plan.own_order.priority,
	       d->ntasks * sizeof(*to->plan.own_order.priority));
	to->knobs = from->knobs;
	set_text(to);
	memcpy(to->ns, from->ns, sizeof(to->ns));
	to->mean_ns = from->mean_ns;
}

static void plan_free(struct searched_plan *x)
{
	placement_plan_fini(&x->plan);
	free(x->text);
}

static void set_rank(struct placement_plan *p, uint32_t task, int32_t rank)
{
	p->own_order.rank[task] = p->own_order.priority[task] = rank > 0 ? rank : 0;
}

/* As given, with room between the ranks. */
static void take_start(struct searched_plan *x, const struct plan_start *start)
{
	const struct placement_base *b = start->plan->base;

	plan_alloc(x, b);
	memcpy(x->plan.owner, start->plan->owner, b->dag->nhandles * sizeof(*x->plan.owner));
	for (uint32_t t = 0; t < b->dag->ntasks; t++) {
		x->plan.place[t] = start->plan->place ? start->plan->place[t] : PLACES_NONE;
		set_rank(&x->plan, t, start->plan->order->priority[t] * RANK_DISTANCE);
	}
	x->knobs = start->knobs;
	set_text(x);
}

static void take(struct searched_plan *x, enum step_kind kind, uint32_t what, double value)
{
	switch (kind) {
	case STEP_OWNER: x->plan.owner[what] = (int)value; break;
	case STEP_PLACE: x->plan.place[what] = (int)value; break;
	case STEP_RANK: set_rank(&x->plan, what, (int32_t)value); break;
	case STEP_Q: x->knobs.q = value; break;
	case STEP_B: x->knobs.b = value; break;
	case STEP_F: x->knobs.f = value; break;
	case STEP_R: x->knobs.r = value; break;
	case STEP_DISTRIBUTE: x->knobs.distribute = (int)value; break;
	}
	x->change.steps[x->change.n++] = (struct step){kind, what, value};
}

static int any_place(struct plan_search *s)
{
	return (int)rng_below(&s->rng, (uint32_t)s->base->places.n);
}

static int any_device(struct plan_search *s)
{
	return s->base->device[rng_below(&s->rng, (uint32_t)s->base->ndevices)];
}

static uint32_t any_owned(struct plan_search *s)
{
	return s->owned[rng_below(&s->rng, s->nowned)];
}

/* Some pieces of data go to other devices, or two exchange theirs. */
static void change_owners(struct plan_search *s, struct searched_plan *x)
{
	uint32_t h = any_owned(s), other = any_owned(s);
	int place = x->plan.owner[h];

	if (rng_below(&s->rng, 2) && x->plan.owner[other] != place) {
		take(x, STEP_OWNER, h, x->plan.owner[other]);
		take(x, STEP_OWNER, other, place);
		return;
	}
	for (uint32_t n = 1 + rng_below(&s->rng, MOST_STEPS); n; n--, h = any_owned(s))
		take(x, STEP_OWNER, h, any_device(s));
}

/* At a link of the chain: the task goes before its blocker, or one of both elsewhere, alone or with what it writes. */
static void change_link(struct plan_search *s, const struct walk *w, struct searched_plan *x)
{
	const struct blocking_link *l = &w->chain[rng_below(&s->rng, (uint32_t)w->nchain)];
	int is_blocked = l->blocker != BLOCKING_CHAIN_NONE;
	uint32_t either = is_blocked && rng_below(&s->rng, 2) ? l->blocker : l->task;
	uint32_t written = data_graph_written(s->base->dag, either);
	double near = 1 + rng_below(&s->rng, 2 * RANK_DISTANCE);

	switch (rng_below(&s->rng, is_blocked ? 5 : 3)) {
	case 0: take(x, STEP_PLACE, either, any_place(s)); break;
	case 1:
		if (written != DATA_GRAPH_NONE && x->plan.owner[written] != PLACES_NONE)
			take(x, STEP_OWNER, written, any_place(s));
		break;
	case 2: take(x, STEP_PLACE, either, PLACES_NONE); break;
	case 3: take(x, STEP_RANK, l->task, x->plan.own_order.priority[l->blocker] + near); break;
	case 4: take(x, STEP_RANK, l->blocker, x->plan.own_order.priority[l->task] - near); break;
	}
}

/* Tasks go where they take longer, and would yet have been done in time. */
static void change_relaxed(struct plan_search *s, const struct walk *w, struct searched_plan *x)
{
	uint32_t left = 1 + rng_below(&s->rng, MOST_STEPS);

	for (int i = 0; i < TRIES && left; i++) {
		uint32_t t = rng_below(&s->rng, s->base->dag->ntasks);
		int place = any_place(s);
		int64_t cost = places_cost(&s->base->places, s->base->dag->tasks[t].class_id, place);

		if (cost < 0 || x->plan.place[t] == place || w->start_ns[t] + cost > w->needed_ns[t])
			continue;
		take(x, STEP_PLACE, t, place);
		left--;
	}
}

static void change_knobs(struct plan_search *s, struct searched_plan *x)
{
	switch (rng_below(&s->rng, 5)) {
	case 0: take(x, STEP_Q, 0, qs[rng_below(&s->rng, sizeof(qs) / sizeof(*qs))]); break;
	case 1: take(x, STEP_B, 0, bs[rng_below(&s->rng, sizeof(bs) / sizeof(*bs))]); break;
	case 2: take(x, STEP_F, 0, fs[rng_below(&s->rng, sizeof(fs) / sizeof(*fs))]); break;
	case 3: take(x, STEP_R, 0, rs[rng_below(&s->rng, sizeof(rs) / sizeof(*rs))]); break;
	case 4: take(x, STEP_DISTRIBUTE, 0, !x->knobs.distribute); break;
	}
}

static void change(struct plan_search *s, const struct walk *w, struct searched_plan *x)
{
	for (uint32_t n = 1 + rng_below(&s->rng, MOST_STEPS); n; n--) {
		uint32_t kind = rng_below(&s->rng, 16);

		if (kind < 1)
			change_knobs(s, x);
		else if (kind < 4)
			change_owners(s, x);
		else if (kind < 7)
			change_relaxed(s, w, x);
		else
			change_link(s, w, x);
	}
}

static void make_changes(struct plan_search *s, struct walk *w)
{
	for (int i = 0; i < CHANGES; i++) {
		struct searched_plan *x = &s->changed[i];

		plan_copy(x, &w->last);
		x->change.n = 0;
		for (int k = 0; i < w->nagain && k < w->again[i].n; k++)
			take(x, w->again[i].steps[k].kind, w->again[i].steps[k].what, w->again[i].steps[k].value);
		if (!x->change.n)
			change(s, w, x);
		x->knobs.plan = ++s->ntried;
		set_text(x);
	}
	w->nagain = 0;
}

static struct trial trial_of(struct searched_plan *x, int replication)
{
	x->plan.order = &x->plan.own_order; /* the struct may have moved */
	return (struct trial){.policy = &policy_placement,
	                      .options = x->text,
	                      .policy_data = &x->plan,
	                      .replication = replication};
}

/* Replications first + 1 to last of n plans; mean_ns is that of all until then. -1: a replay failed. */
static int replay(struct plan_search *s, struct searched_plan *plans, int n, int first, int last, struct ht_err *err)
{
	struct trial trials[CHANGES * PLAN_SEARCH_REPLICATIONS];
	int each = last - first;

	for (int i = 0; i < n * each; i++)
		trials[i] = trial_of(&plans[i / each], 1 + first + i % each);
	if (evaluator_run(s->evaluator, trials, (size_t)(n * each), EVALUATOR_ALWAYS, err) != 0)
		return -1;
	for (int i = 0; i < n; i++) {
		int64_t sum = 0;

		for (int k = 0; k < last; k++) {
			plans[i].ns[k] = k < first ? plans[i].ns[k] : trials[i * each + k - first].makespan_ns;
			sum = sum < 0 || plans[i].ns[k] < 0 ? -1 : sum + plans[i].ns[k];
		}
		plans[i].mean_ns = sum < 0 ? -1 : sum / last;
	}
	return 0;
}

static int by_mean(const void *a, const void *b)
{
	const struct searched_plan *x = a, *y = b;

	if (x->mean_ns != y->mean_ns)
		return x->mean_ns < y->mean_ns ? -1 : 1;
	return x->knobs.plan < y->knobs.plan ? -1 : x->knobs.plan > y->knobs.plan;
}

/* What the next changes look at, of the first replication of the last plan. */
static int look_at_last(struct plan_search *s, struct walk *w, struct ht_err *err)
{
	const struct dag *d = s->base->dag;
	const struct trial t = trial_of(&w->last, 1);
	struct simulation *schedule = evaluator_schedule(s->evaluator, &t, err);

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

static double compared_ns(const struct searched_plan *x)
{
	double sum = 0;

	for (int i = 0; i < COMPARED; i++)
		sum += (double)x->ns[i];
	return sum / COMPARED;
}

/* How many of the plans, the best first, are not clearly worse than the last in their first replication. */
static int count_near(const struct plan_search *s, const struct walk *w, double lenience)
{
	double most = (double)w->last.ns[0] * (1 + lenience + LENIENCY);
	int n = 0;

	while (n < KEPT && (double)s->changed[n].ns[0] <= most)
		n++;
	return n;
}

/* The next plan is the best of `n`; what else was no worse than the last plan is tried again on it. */
static int go_on(struct plan_search *s, struct walk *w, int n, struct ht_err *err)
{
	for (int i = 1; i < n; i++)
		if (compared_ns(&s->changed[i]) <= compared_ns(&w->last))
			w->again[w->nagain++] = s->changed[i].change;
	plan_copy(&w->last, &s->changed[0]);
	if (w->last.mean_ns < w->best.mean_ns) {
		plan_copy(&w->best, &w->last);
		w->idle = 0;
	}
	return look_at_last(s, w, err) == 0 ? 1 : -1;
}

/* 1: go on; 0: it is over. */
static int round_of(struct plan_search *s, struct walk *w, double lenience, struct ht_err *err)
{
	int n;

	w->idle++;
	make_changes(s, w);
	if (replay(s, s->changed, CHANGES, 0, 1, err) != 0)
		return -1;
	if (evaluator_is_over(s->evaluator))
		return 0;
	qsort(s->changed, CHANGES, sizeof(*s->changed), by_mean);
	n = count_near(s, w, lenience);
	if (n == 0)
		return 1;
	if (replay(s, s->changed, n, 1, COMPARED, err) != 0)
		return -1;
	if (evaluator_is_over(s->evaluator))
		return 0;
	qsort(s->changed, (size_t)n, sizeof(*s->changed), by_mean);
	if (compared_ns(&s->changed[0]) > compared_ns(&w->last) * (1 + lenience))
		return 1;
	if (replay(s, s->changed, 1, COMPARED, PLAN_SEARCH_REPLICATIONS, err) != 0)
		return -1;
	if (evaluator_is_over(s->evaluator))
		return 0;
	return (double)s->changed[0].mean_ns <= (double)w->last.mean_ns * (1 + lenience) ? go_on(s, w, n, err) : 1;
}

/*
 * Tasks that are not executed where what they write belongs are planned where they are, and CPUs take no others but by
 * theft.
 */
static int fix_places(struct plan_search *s, struct searched_plan *x, struct ht_err *err)
{
	const struct trial t = trial_of(x, 0);
	const struct dag *d = s->base->dag;
	struct simulation *schedule = evaluator_schedule(s->evaluator, &t, err);

	if (!schedule)
		return -1;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t written = data_graph_written(d, i);
		int place = s->base->places.of[schedule->tasks[i].worker];

		if (written == DATA_GRAPH_NONE || x->plan.owner[written] != place)
			x->plan.place[i] = place;
	}
	simulation_free(schedule);
	x->knobs.q = 0;
	x->knobs.plan = ++s->ntried;
	set_text(x);
	return 0;
}

/* Replays since the beginning. */
static size_t spent(const struct plan_search *s)
{
	struct evaluator_state state;

	evaluator_state(s->evaluator, &state);
	return state.replays + state.remembered - s->begun;
}

/* Until so many have been spent. 1: go on; 0: it is over. */
static int walk_on(struct plan_search *s, struct walk *w, size_t until, struct ht_err *err)
{
	int rc = evaluator_is_over(s->evaluator) ? 0 : 1;

	while (rc > 0 && w->idle < IDLE_ROUNDS &&
	       spent(s) + CHANGES + KEPT * (COMPARED - 1) + PLAN_SEARCH_REPLICATIONS <= until)
		rc = round_of(s, w, LENIENCY * (1 - (double)spent(s) / (double)s->replays), err);
	return rc;
}

/* The best come first. */
static void sort_walks(struct plan_search *s)
{
	for (int i = 1; i < s->nwalks; i++)
		for (int k = i; k > 0 && s->walks[k].best.mean_ns < s->walks[k - 1].best.mean_ns; k--) {
			struct walk w = s->walks[k];

			s->walks[k] = s->walks[k - 1];
			s->walks[k - 1] = w;
		}
}

/* The best with each rule for CPUs, fixed or not, up to `most`, come first: returns how many these are. */
static int choose_walks(struct plan_search *s, int most)
{
	int n = 0;

	sort_walks(s);
	for (int i = 0; i < s->nwalks && n < most; i++) {
		const struct walk w = s->walks[i];
		int is_new = 1;

		for (int k = 0; k < n; k++) {
			const struct plan_start *x = s->walks[k].start;

			is_new &= x->knobs.q != w.start->knobs.q || x->knobs.b != w.start->knobs.b ||
			          x->fixed != w.start->fixed;
		}
		if (!is_new)
			continue;
		s->walks[i] = s->walks[n];
		s->walks[n++] = w;
	}
	return n;
}

/* The best plan with some changes. */
static int jump(struct plan_search *s, struct walk *w, struct ht_err *err)
{
	plan_copy(&w->last, &w->best);
	if (look_at_last(s, w, err) != 0)
		return -1;
	for (int i = 0; i < JUMP; i++) {
		w->last.change.n = 0;
		change(s, w, &w->last);
	}
	w->last.knobs.plan = ++s->ntried;
	set_text(&w->last);
	w->nagain = w->idle = 0;
	if (replay(s, &w->last, 1, 0, PLAN_SEARCH_REPLICATIONS, err) != 0)
		return -1;
	if (w->last.mean_ns < 0)
		return 0;
	return look_at_last(s, w, err) == 0 ? 1 : -1;
}

static int search(struct plan_search *s, struct ht_err *err)
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

static void open_walk(struct plan_search *s, struct walk *w, const struct plan_start *start)
{
	size_t ntasks = (size_t)s->base->dag->ntasks + 1;

	w->start = start;
	take_start(&w->last, start);
	take_start(&w->best, start);
	w->chain = ht_alloc(ntasks, sizeof(*w->chain));
	w->start_ns = ht_alloc(ntasks, sizeof(*w->start_ns));
	w->needed_ns = ht_alloc(ntasks, sizeof(*w->needed_ns));
}

/* As many starts as a quarter of the replays allows. */
static void open_search(struct plan_search *s, const struct plan_start *starts, int n)
{
	const struct dag *d = starts->plan->base->dag;
	int most = (int)(s->replays / (4 * PLAN_SEARCH_REPLICATIONS));

	s->base = starts->plan->base;
	s->owned = ht_alloc((size_t)d->nhandles + 1, sizeof(*s->owned));
	for (uint32_t h = 0; h < d->nhandles; h++)
		if (starts->plan->owner[h] != PLACES_NONE)
			s->owned[s->nowned++] = h;
	for (; s->nwalks < n && (!s->nwalks || s->nwalks < most); s->nwalks++)
		open_walk(s, &s->walks[s->nwalks], &starts[s->nwalks]);
	for (int i = 0; i < CHANGES; i++)
		plan_alloc(&s->changed[i], s->base);
	s->begun = 0;
	s->begun = spent(s);
}

static void close_search(struct plan_search *s)
{
	for (int i = 0; i < CHANGES; i++)
		plan_free(&s->changed[i]);
	for (int i = 0; i < s->nwalks; i++) {
		plan_free(&s->walks[i].last);
		plan_free(&s->walks[i].best);
		free(s->walks[i].chain);
		free(s->walks[i].start_ns);
		free(s->walks[i].needed_ns);
	}
	free(s->owned);
}

/* What the starts reach, and the first one that is not fixed. 1: go on; 0: it is over. */
static int replay_starts(struct plan_search *s, const struct plan_start *starts, int64_t *first_ns, struct ht_err *err)
{
	if (replay(s, &s->walks[0].last, 1, 0, PLAN_SEARCH_REPLICATIONS, err) != 0)
		return -1;
	*first_ns = s->walks[0].last.mean_ns;
	for (int i = 0; i < s->nwalks; i++) {
		struct walk *w = &s->walks[i];

		if (starts[i].fixed && fix_places(s, &w->last, err) != 0)
			return -1;
		if (replay(s, &w->last, 1, 0, PLAN_SEARCH_REPLICATIONS, err) != 0)
			return -1;
		if (w->last.mean_ns < 0)
			return 0;
		plan_copy(&w->best, &w->last);
	}
	return 1;
}

int plan_search(struct evaluator *e, const struct plan_start *starts, int n, uint64_t seed, size_t replays,
                struct plan_found *found, struct ht_err *err)
{
	struct plan_search s = {.evaluator = e, .rng = {seed}, .replays = replays};
	int64_t first_ns = 0;
	int rc = 0;

	*found = (struct plan_found){.knobs = starts->knobs};
	open_search(&s, starts, n);
	if (replays > (size_t)((s.nwalks + 1) * PLAN_SEARCH_REPLICATIONS) && s.nowned >= 2 && s.base->ndevices >= 1)
		rc = replay_starts(&s, starts, &first_ns, err);
	if (rc > 0) {
		found->varied_ns = first_ns;
		rc = search(&s, err) < 0 ? -1 : s.walks[0].best.mean_ns < first_ns;
	}
	if (rc > 0) {
		struct searched_plan *best = &s.walks[0].best;

		*found = (struct plan_found){best->plan, best->knobs, best->mean_ns};
		best->plan = (struct placement_plan){0};
	}
	close_search(&s);
	return rc;
}
