/* tune/search/search.c - from initial settings to the best that a budget of trials finds. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/search.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/rng.h"
#include "tune/evaluate/evaluator.h"
#include "tune/search/permute.h"
#include "tune/settings/granularity.h"

enum { MOST_ALIKE = 2, CHAINS = 8, BATCH = 32, PATIENCE = 24, SHAKES = 4, IDLE_ROUNDS = 60 };

/* Shares of the budget: for the initial settings; spent when four chains are left, two, and none. */
static const double INITIAL_SHARE = 0.25, HALVE[] = {0.45, 0.7}, END = 0.97;
static const double LENIENCY = 0.006;    /* how much worse a step may be, at the beginning */
static const double MOST_IDLE = 1.0 / 3; /* share of the chains' budget without anything better */
static const double MOST_BEHIND = 0.1;   /* what was reached without buckets, with the whole of that budget left */

struct chain {
	struct setting at, best;
	int64_t at_ns, best_ns;
	size_t initial;
	int stall;
};

struct search {
	const struct search_problem *p;
	struct search_result *r;
	struct rng rng;
	struct chain chains[CHAINS];
	int nchains;
	size_t *order;    /* initial settings, best first */
	int64_t *mean_ns; /* per initial setting, over the samples */
	size_t norder;
	double begun; /* spent when the chains began */
};

/* Inserts a setting that is among the best, and among the best two that came from its initial setting. */
static void add_found(struct search *s, const struct setting *setting, int64_t ns, size_t initial, int searched)
{
	struct search_result *r = s->r;
	size_t at = r->nfound, alike = 0;

	if (ns < 0 || (ns == EVALUATOR_NEVER && at))
		return;
	while (at > 0 && r->found[at - 1].mean_ns > ns)
		at--;
	for (size_t i = 0; i < at; i++) {
		alike += r->found[i].initial == initial;
		if (r->found[i].mean_ns == ns && setting_hash(&r->found[i].setting) == setting_hash(setting))
			return;
	}
	if (at == SEARCH_FOUND || alike >= MOST_ALIKE)
		return;
	if (r->nfound == SEARCH_FOUND)
		r->nfound--;
	memmove(&r->found[at + 1], &r->found[at], (r->nfound - at) * sizeof(r->found[0]));
	r->found[at] = (struct found){*setting, ns, initial, searched};
	r->nfound++;
	for (size_t i = at + 1; i < r->nfound; i++) {
		alike += r->found[i].initial == initial;
		if (alike >= MOST_ALIKE && r->found[i].initial == initial) {
			r->nfound--;
			memmove(&r->found[i], &r->found[i + 1], (r->nfound - i) * sizeof(r->found[0]));
			i--;
		}
	}
}

/* Replays of a setting on the graph that the chains walk on. */
static int samples(const struct search *s)
{
	return s->p->part ? 1 : s->p->samples;
}

/* Makespans of the initial settings in order[] on the graph. */
static int replay_initial(struct search *s, int graph, int nsamples, int64_t *ns, struct ht_err *err)
{
	const struct setting **settings = ht_alloc(s->norder + 1, sizeof(*settings));
	int rc;

	for (size_t i = 0; i < s->norder; i++)
		settings[i] = &s->p->initial[s->order[i]].setting;
	rc = evaluator_settings(s->p->evaluator, settings, s->norder, graph, nsamples, EVALUATOR_ALWAYS, NULL, ns, err);
	free(settings);
	return rc;
}

/* order[] by the makespans, which go along; -1 is last, equal ones stay in the order of their numbers. */
static void sort_initial(struct search *s, int64_t *ns)
{
	for (size_t i = 1; i < s->norder; i++) {
		size_t initial = s->order[i], at = i;
		int64_t value = ns[i];

		for (; at > 0 && value >= 0 && (ns[at - 1] < 0 || ns[at - 1] > value); at--) {
			ns[at] = ns[at - 1];
			s->order[at] = s->order[at - 1];
		}
		ns[at] = value;
		s->order[at] = initial;
	}
}

/* The first third of the order stays, and the first of every granularity, however bad. */
static void keep_third(struct search *s)
{
	size_t left = 0, third = (s->norder + 2) / 3;
	unsigned seen = 0;

	for (size_t i = 0; i < s->norder; i++) {
		unsigned granularity = 1u << s->p->initial[s->order[i]].setting.granularity->kind;

		if (i < third || !(seen & granularity))
			s->order[left++] = s->order[i];
		seen |= granularity;
	}
	s->norder = left;
}

/* All samples; where it is over before, ns[] stays what it is of mean durations. */
static int replay_more(struct search *s, int64_t *ns, struct ht_err *err)
{
	int64_t *more = ht_alloc(s->norder + 1, sizeof(*more));
	int rc = replay_initial(s, 0, s->p->samples, more, err);

	if (!evaluator_is_cut(s->p->evaluator))
		memcpy(ns, more, s->norder * sizeof(*ns));
	free(more);
	return rc;
}

/*
 * Time was over before any of the settings that are left was replayed. Then only the first of all is taken: with a
 * budget of time it has been replayed before, to plan.
 */
static int replay_first(struct search *s, int64_t *ns, struct ht_err *err)
{
	s->order[0] = 0;
	s->norder = 1;
	if (replay_initial(s, 0, 1, ns, err) != 0)
		return -1;
	s->p->initial[0].makespan_ns = ns[0];
	return 0;
}

static int replay_all_initial(struct search *s, struct ht_err *err)
{
	int64_t *ns = ht_alloc(s->p->ninitial + 1, sizeof(*ns));
	int rc = 0;

	for (int i = 0; i < s->p->nsmaller && rc == 0; i++) {
		if ((double)s->norder <= INITIAL_SHARE * s->p->planned)
			break;
		rc = replay_initial(s, s->p->smaller[i], 1, ns, err);
		if (rc == 0) {
			sort_initial(s, ns);
			keep_third(s);
		}
	}
	if (rc == 0)
		rc = replay_initial(s, 0, 1, ns, err);
	if (rc == 0) {
		for (size_t i = 0; i < s->norder; i++)
			s->p->initial[s->order[i]].makespan_ns = ns[i];
		sort_initial(s, ns);
		while ((double)s->norder * (s->p->samples - 1) > INITIAL_SHARE * s->p->planned && s->norder > CHAINS)
			keep_third(s);
		rc = replay_more(s, ns, err);
	}
	if (rc == 0) {
		sort_initial(s, ns);
		rc = ns[0] < 0 ? replay_first(s, ns, err) : 0;
	}
	if (rc == 0) {
		for (size_t i = 0; i < s->norder; i++) {
			s->mean_ns[s->order[i]] = ns[i];
			add_found(s, &s->p->initial[s->order[i]].setting, ns[i], s->order[i], 0);
		}
		s->r->best_initial = s->order[0];
	}
	free(ns);
	return rc;
}

static int has_chain(const struct search *s, size_t initial)
{
	for (int i = 0; i < s->nchains; i++)
		if (s->chains[i].initial == initial)
			return 1;
	return 0;
}

/* The best two initial settings of every granularity, then the best ones; of one makespan twice only the first. */
static void choose_chains(struct search *s)
{
	int of_granularity[GRANULARITY_COUNT] = {0};

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < s->norder; i++) {
			const struct initial_setting *initial = &s->p->initial[s->order[i]];
			int *count = &of_granularity[initial->setting.granularity->kind], twin = 0;

			for (size_t k = 0; k < i && !twin; k++)
				twin = s->mean_ns[s->order[k]] == s->mean_ns[s->order[i]];
			if ((pass == 0 && (*count == 2 || twin)) || has_chain(s, s->order[i]))
				continue;
			++*count;
			if (s->nchains < CHAINS)
				s->chains[s->nchains++] = (struct chain){
					.at = initial->setting,
					.best = initial->setting,
					.at_ns = s->mean_ns[s->order[i]],
					.best_ns = s->mean_ns[s->order[i]],
					.initial = s->order[i],
				};
		}
	}
}

/* Makespans of what each chain has found so far. */
static int replay_chains(struct search *s, int graph, int nsamples, int64_t ns[CHAINS], struct ht_err *err)
{
	const struct setting *best[CHAINS];

	for (int i = 0; i < s->nchains; i++)
		best[i] = &s->chains[i].best;
	return evaluator_settings(s->p->evaluator, best, (size_t)s->nchains, graph, nsamples, EVALUATOR_ALWAYS, NULL,
	                          ns, err);
}

/* A chain goes to a neighbour that takes no longer. */
static int64_t accepted_ns(const struct chain *c, double leniency)
{
	return (int64_t)((double)c->at_ns * (1 + leniency));
}

/* Moves a chain, whose n neighbours have been replayed. */
static void step(struct search *s, struct chain *c, const struct setting *near, const int64_t *ns, int n,
                 double leniency)
{
	int best = -1;

	for (int i = 0; i < n; i++) {
		if (ns[i] < 0)
			continue;
		if (s->p->part == 0)
			add_found(s, &near[i], ns[i], c->initial, 1);
		if (best < 0 || ns[i] < ns[best])
			best = i;
	}
	if (best < 0)
		return;
	c->stall++;
	if (ns[best] <= accepted_ns(c, leniency)) {
		c->at = near[best];
		c->at_ns = ns[best];
	}
	if (c->at_ns < c->best_ns) {
		c->best = c->at;
		c->best_ns = c->at_ns;
		c->stall = 0;
	}
	if (c->stall >= PATIENCE) {
		c->at = c->best;
		for (int i = 0; i < SHAKES; i++)
			move_any(&c->at, &s->rng, &s->p->moves);
		c->at_ns = c->best_ns + c->best_ns / 10; /* whatever comes next */
		c->stall = 0;
	}
}

/* The worst chains end; the order of the others stays. */
static void halve(struct search *s, int left)
{
	while (s->nchains > left) {
		int worst = 0;

		for (int i = 1; i < s->nchains; i++)
			if (s->chains[i].best_ns >= s->chains[worst].best_ns)
				worst = i;
		memmove(&s->chains[worst], &s->chains[worst + 1],
		        (size_t)(s->nchains - 1 - worst) * sizeof(s->chains[0]));
		s->nchains--;
	}
}

static size_t trials_so_far(const struct evaluator *e)
{
	struct evaluator_state state;

	evaluator_state(e, &state);
	return state.replays + state.remembered;
}

static int64_t best_of_chains(const struct search *s)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < s->nchains; i++)
		if (s->chains[i].best_ns < best)
			best = s->chains[i].best_ns;
	return best;
}

static int round_of_chains(struct search *s, struct setting *near, double leniency, struct ht_err *err)
{
	int each = BATCH / s->nchains, n = each * s->nchains;
	const struct setting *all[BATCH];
	int64_t ns[BATCH], most_ns[BATCH];

	for (int i = 0; i < n; i++) {
		const struct chain *c = &s->chains[i / each];
		int changes = 1 + (rng_below(&s->rng, 3) == 0);

		near[i] = c->at;
		most_ns[i] = accepted_ns(c, leniency);
		for (int k = 0; k < changes; k++)
			move_any(&near[i], &s->rng, &s->p->moves);
		all[i] = &near[i];
	}
	if (evaluator_settings(s->p->evaluator, all, (size_t)n, s->p->part, samples(s), EVALUATOR_WITHIN_BUDGET,
	                       most_ns, ns, err) != 0)
		return -1;
	for (int i = 0; i < s->nchains; i++)
		step(s, &s->chains[i], near + i * each, ns + i * each, each, leniency);
	return 0;
}

/* `share`: of the chains' budget that is left. */
static int is_behind(const struct search *s, double share)
{
	return s->p->reached_ns > 0 && !s->p->part &&
	       (double)best_of_chains(s) > (double)s->p->reached_ns * (1 + MOST_BEHIND * share);
}

static int walk(struct search *s, struct ht_err *err)
{
	struct setting *near = ht_alloc(BATCH, sizeof(*near));
	int rc = 0, idle = 0;
	int64_t best_ns = INT64_MAX;
	double better_at = 0; /* spent when the best got better */

	s->begun = evaluator_spent(s->p->evaluator);
	while (rc == 0 && idle < IDLE_ROUNDS && (s->p->part || best_of_chains(s) > s->p->bound_ns)) {
		double spent = evaluator_spent(s->p->evaluator), left = END - s->begun;
		size_t before = trials_so_far(s->p->evaluator);

		if (best_of_chains(s) < best_ns) {
			best_ns = best_of_chains(s);
			better_at = spent;
		}
		if (spent < END)
			s->r->end = spent - better_at >= MOST_IDLE * left ? SEARCH_IDLE :
			            is_behind(s, (END - spent) / left)    ? SEARCH_BEHIND :
			                                                    SEARCH_SPENT;
		if (spent >= END || s->r->end != SEARCH_SPENT)
			break;
		if (spent > HALVE[0] && s->nchains > CHAINS / 2)
			halve(s, CHAINS / 2);
		if (spent > HALVE[1] && s->nchains > CHAINS / 4)
			halve(s, CHAINS / 4);
		rc = round_of_chains(s, near, left > 0 ? LENIENCY * (1 - (spent - s->begun) / left) : 0, err);
		idle = trials_so_far(s->p->evaluator) == before ? idle + 1 : 0;
	}
	free(near);
	return rc;
}

/* Lists that are short enough, in all orders. */
static int permute(struct search *s, struct ht_err *err)
{
	for (int i = 0; i < s->nchains; i++) {
		struct chain *c = &s->chains[i];
		int rc = permute_lists(s->p->evaluator, s->p->part, samples(s), s->p->planned / 16 / samples(s), &c->at,
		                       &c->at_ns, err);

		if (rc < 0)
			return -1;
		if (c->at_ns < c->best_ns) {
			c->best = c->at;
			c->best_ns = c->at_ns;
			if (s->p->part == 0)
				add_found(s, &c->best, c->best_ns, c->initial, 1);
		}
	}
	return 0;
}

/* On a part of the graph the chains have to know where they stand on it, and at the end on all of it. */
static int run_chains(struct search *s, struct ht_err *err)
{
	const struct search_problem *p = s->p;
	int64_t ns[CHAINS];

	choose_chains(s);
	if (p->part && replay_chains(s, p->part, 1, ns, err) != 0)
		return -1;
	for (int i = 0; i < s->nchains && p->part; i++)
		s->chains[i].at_ns = s->chains[i].best_ns = ns[i] < 0 ? EVALUATOR_NEVER : ns[i];
	if (permute(s, err) != 0 || walk(s, err) != 0 || (p->part && replay_chains(s, 0, p->samples, ns, err) != 0))
		return -1;
	for (int i = 0; i < s->nchains && p->part; i++)
		add_found(s, &s->chains[i].best, ns[i], s->chains[i].initial, 1);
	return 0;
}

/* Where a memory is too small, for instance. */
static int none_works(struct evaluator *e, const struct setting *s, struct ht_err *err)
{
	struct ht_err why = {""};

	evaluator_explain(e, &(struct trial){.setting = s}, &why);
	return ht_err_set(err,
	                  "no setting of Heteroprio works, from which the search begins: %s; heterotune compare "
	                  "--policy NAME replays other schedulers",
	                  why.text);
}

int search_run(const struct search_problem *p, struct search_result *r, struct ht_err *err)
{
	struct search *s = ht_alloc(1, sizeof(*s));
	int rc;

	memset(r, 0, sizeof(*r));
	s->p = p;
	s->r = r;
	s->rng.state = p->seed;
	s->order = ht_alloc(p->ninitial + 1, sizeof(*s->order));
	s->mean_ns = ht_alloc(p->ninitial + 1, sizeof(*s->mean_ns));
	for (size_t i = 0; i < p->ninitial; i++) {
		p->initial[i].makespan_ns = -1;
		if (!p->moves.frozen || setting_can_freeze(&p->initial[i].setting))
			s->order[s->norder++] = i;
	}
	rc = s->norder ? replay_all_initial(s, err) :
	                 ht_err_set(err, "no list of a heuristic has every type on every architecture that can run it: "
	                                 "there is no setting that AutoHeteroprio could hold still at");
	if (rc == 0 && !r->nfound)
		rc = ht_err_set(err, "it ended before a setting was replayed");
	if (rc == 0 && r->found[0].mean_ns == EVALUATOR_NEVER)
		rc = none_works(p->evaluator, &r->found[0].setting, err);
	if (rc == 0 && r->found[0].mean_ns > p->bound_ns)
		rc = run_chains(s, err);
	free(s->order);
	free(s->mean_ns);
	free(s);
	return rc;
}
