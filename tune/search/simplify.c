/* tune/search/simplify.c - the simplest setting that is no slower than the best one, as far as noise lets one see. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/simplify.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"
#include "tune/evaluate/noise.h"
#include "tune/settings/granularity.h"

static const double ALWAYS_NOISE = 0.0005, NEVER_NOISE = 0.005;

/* One thing less. Buckets are named by an group in them, since their numbers change. */
struct step {
	enum { STEP_LOCALITY, STEP_PLACES, STEP_FACTOR, STEP_JOIN } kind;
	int group, other; /* other: the second group of a join */
	enum arch arch;
};

struct range {
	size_t first, end; /* of steps */
};

struct simplifier {
	const struct simplify_problem *p;
	const struct finalist *best;
	struct simplified *out;
	struct step *steps;
	size_t nsteps, capsteps;
	struct range *queue;
	size_t nqueue, capqueue;
	struct trial *reference; /* the best one: mean durations, then the replications */
};

int setting_factors(const struct setting *s)
{
	int n = 0;

	for (int b = 0; b < s->nbuckets; b++)
		for (int a = 0; a < ARCH_COUNT; a++)
			n += s->factor[b][a] > 0;
	return n;
}

static void add(struct simplifier *k, struct step step)
{
	*VEC_PUSH(k->steps, k->nsteps, k->capsteps) = step;
}

/* What has been added since `first` is tried as one group. */
static void end_range(struct simplifier *k, size_t first)
{
	if (k->nsteps > first)
		*VEC_PUSH(k->queue, k->nqueue, k->capqueue) = (struct range){first, k->nsteps};
}

static int first_group(const struct setting *s, int bucket)
{
	int i = 0;

	while (s->bucket_of[i] != bucket)
		i++;
	return i;
}

/* Levels of a type follow each other as groups. */
static void add_joins(struct simplifier *k, const struct setting *s)
{
	const struct granularity *g = s->granularity;

	for (int i = 0, first_of_type = 0; i < g->ngroups; i = first_of_type) {
		size_t first = k->nsteps;

		for (first_of_type = i + 1; first_of_type < g->ngroups; first_of_type++) {
			if (g->groups[first_of_type].kind != g->groups[i].kind)
				break;
			if (s->bucket_of[first_of_type] != s->bucket_of[first_of_type - 1])
				add(k, (struct step){STEP_JOIN, first_of_type - 1, first_of_type, ARCH_NONE});
		}
		end_range(k, first);
	}
}

static void make_steps(struct simplifier *k)
{
	const struct setting *s = k->best->setting;
	size_t first;

	if (s->locality.enabled) {
		add(k, (struct step){.kind = STEP_LOCALITY});
		end_range(k, 0);
		first = k->nsteps;
		for (int a = 0; a < ARCH_COUNT; a++)
			if (s->locality.step[a] || s->locality.subgroup[a])
				add(k, (struct step){.kind = STEP_PLACES, .arch = (enum arch)a});
		end_range(k, first);
	}
	first = k->nsteps;
	for (int b = 0; b < s->nbuckets; b++)
		for (int a = 0; a < ARCH_COUNT; a++)
			if (s->factor[b][a] > 0)
				add(k, (struct step){STEP_FACTOR, first_group(s, b), 0, (enum arch)a});
	end_range(k, first);
	add_joins(k, s);
}

/* 0: it cannot be done any more. */
static int take_step(struct setting *s, const struct step *step)
{
	int b = s->bucket_of[step->group], other = s->bucket_of[step->other];

	switch (step->kind) {
	case STEP_LOCALITY: s->locality = (struct config_locality){0}; break;
	case STEP_PLACES: s->locality.step[step->arch] = s->locality.subgroup[step->arch] = 0; break;
	case STEP_FACTOR: s->factor[b][step->arch] = 0; break;
	case STEP_JOIN:
		if (b == other)
			return 0;
		if (!setting_join(s, b, other))
			return -1;
	}
	setting_normalise(s);
	return 1;
}

/* All steps of the range, but for those that take a bucket out of all lists. Whether anything changed. */
static int take_steps(const struct simplifier *k, struct range r, struct setting *s)
{
	uint64_t before = setting_hash(s);

	for (size_t i = r.first; i < r.end; i++) {
		struct setting stepped = *s;

		if (take_step(&stepped, &k->steps[i]) == 1)
			*s = stepped;
	}
	return setting_hash(s) != before;
}

static int replay(const struct simplifier *k, const struct setting *s, struct trial *trials, struct ht_err *err)
{
	for (int d = 0; d <= k->p->replications; d++) {
		trials[d] = finalist_trial(k->best, k->p->graph, d ? k->p->first_replication + d - 1 : 0);
		trials[d].setting = s;
	}
	return evaluator_run(k->p->evaluator, trials, (size_t)k->p->replications + 1, EVALUATOR_ALWAYS, err);
}

/* 1: it is as good, 0: it is not, -1: a replay failed. */
static int test(struct simplifier *k, const struct setting *s, struct ht_err *err)
{
	struct trial *trials = ht_alloc((size_t)k->p->replications + 1, sizeof(*trials));
	int64_t most = k->reference[0].makespan_ns > k->p->most_ns ? k->reference[0].makespan_ns : k->p->most_ns;
	int rc = replay(k, s, trials, err);

	if (rc == 0 && !evaluator_is_cut(k->p->evaluator)) {
		struct noise ratio = noise_of_ratio(trials + 1, k->reference + 1, k->p->replications);

		if (trials[0].makespan_ns <= most &&
		    ratio.mean - 1 <= fmin(fmax(ratio.error, ALWAYS_NOISE), NEVER_NOISE)) {
			k->out->loss = ratio.mean - 1;
			rc = 1;
		}
	}
	free(trials);
	return rc;
}

static int walk(struct simplifier *k, struct ht_err *err)
{
	int tests = 0;

	for (size_t at = 0; at < k->nqueue && tests < k->p->tests && !evaluator_is_cut(k->p->evaluator); at++) {
		struct range r = k->queue[at];
		struct setting simpler = k->out->setting;
		int good;

		if (!take_steps(k, r, &simpler))
			continue;
		good = test(k, &simpler, err);
		if (good < 0)
			return -1;
		tests++;
		if (good) {
			k->out->setting = simpler;
			k->out->changed = 1;
		} else if (r.end - r.first > 1) {
			size_t middle = r.first + (r.end - r.first) / 2;

			*VEC_PUSH(k->queue, k->nqueue, k->capqueue) = (struct range){r.first, middle};
			*VEC_PUSH(k->queue, k->nqueue, k->capqueue) = (struct range){middle, r.end};
		}
	}
	return 0;
}

int simplify(const struct simplify_problem *p, const struct finalist *best, struct simplified *out, struct ht_err *err)
{
	struct simplifier k = {.p = p, .best = best, .out = out};
	int rc;

	*out = (struct simplified){
		.setting = *best->setting,
		.buckets = best->setting->nbuckets,
		.factors = setting_factors(best->setting),
	};
	k.reference = ht_alloc((size_t)p->replications + 1, sizeof(*k.reference));
	make_steps(&k);
	rc = replay(&k, best->setting, k.reference, err);
	if (rc == 0)
		rc = walk(&k, err);
	free(k.reference);
	free(k.steps);
	free(k.queue);
	return rc;
}
