/* tune/evaluate/final_round.c - the last settings of a tune, compared by many replays with varied durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/final_round.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "replay/scenario.h"
#include "sched/policy.h"
#include "tune/evaluate/noise.h"
#include "tune/settings/setting.h"

/* What is more than that slower is not as fast, however few replications there are; what is less is nothing. */
static const double MOST_LEVEL = 1.01, LEAST_DIFFERENCE = 0.001;

/* With all tasks submitted at once, which no program does, only what takes that much less counts. */
static const double MUCH_LESS = 0.8;

/* trials: of one finalist, by run and then by replication, 0 being mean durations. */
static void sum_up(const struct final_round *f, struct finalist *x, const struct trial *trials,
                   const int64_t *reference)
{
	int each = f->replications + 1, n = 0, first = f->replications ? 1 : 0;
	double *values = ht_alloc((size_t)(each * f->nruns), sizeof(*values));

	for (int r = 0; r < f->nruns; r++) {
		x->run_ns[r] = trials[r * each].makespan_ns;
		for (int d = first; d < each; d++)
			values[n++] = (double)trials[r * each + d].makespan_ns / (double)reference[r];
		if (r == 0) {
			stats_sort_double(values, (size_t)n);
			x->median_ns = (int64_t)(values[stats_percentile((size_t)n, 50)] * (double)reference[0]);
			x->p90_ns = (int64_t)(values[stats_percentile((size_t)n, 90)] * (double)reference[0]);
		}
	}
	stats_sort_double(values, (size_t)n);
	x->mean_ns = trials[0].makespan_ns;
	x->median = values[stats_percentile((size_t)n, 50)];
	x->p90 = values[stats_percentile((size_t)n, 90)];
	free(values);
}

static int ends(const struct trial *trials, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (trials[k].makespan_ns == EVALUATOR_NEVER)
			return 0;
	return 1;
}

/* Of the policies those that end are left, in their order, and so are their trials. */
static void sum_up_all(struct final_round *f, struct trial *trials, size_t of_one, const int64_t *reference)
{
	size_t left = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->items[i].policy && !ends(trials + i * of_one, of_one)) {
			f->never[f->nnever++] = f->items[i].id;
			continue;
		}
		f->items[left] = f->items[i];
		if (left != i)
			memcpy(trials + left * of_one, trials + i * of_one, of_one * sizeof(*trials));
		sum_up(f, &f->items[left], trials + left * of_one, reference);
		left++;
	}
	f->count = left;
}

/* How much it asks of a user: what decides first stands first. */
struct simplicity {
	int effort, buckets, variables;
};

static struct simplicity simplicity_of(const struct final_round *f, const struct finalist *x)
{
	const struct config c = {.policy = x->setting ? policy_heteroprio.name : x->policy->name,
	                         .knobs = x->id.knobs,
	                         .has_rank_priorities = x->id.by_rank,
	                         .starpu_env = x->id.starpu_env};
	struct simplicity s = {(int)config_effort(&c, f->recorded), x->setting ? x->setting->nbuckets : 0, 0};

	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		s.variables += x->id.starpu_env.value[k] != 0;
	return s;
}

/* Below 0: x asks for less than `to`. */
static int compare_simplicity(const struct final_round *f, const struct finalist *x, const struct finalist *to)
{
	struct simplicity a = simplicity_of(f, x), b = simplicity_of(f, to);

	return a.effort != b.effort   ? a.effort - b.effort :
	       a.buckets != b.buckets ? a.buckets - b.buckets :
	                                a.variables - b.variables;
}

/*
 * Whether i is as fast as `best` as far as its replications show: the mean of the ratios, replication by replication,
 * is less than two standard errors above 1, and in any case small. The scheduler of the run, as it is, is as fast as
 * all that is no gain over it.
 */
static int is_level(const struct final_round *f, const struct trial *trials, size_t of_one, size_t i, size_t best)
{
	size_t each = (size_t)f->replications + 1, n = 0;
	struct trial *mine = ht_alloc(of_one, sizeof(*mine)), *its = ht_alloc(of_one, sizeof(*its));
	struct noise ratio;

	for (size_t k = 0; k < of_one; k++)
		if (k % each || !f->replications) { /* not those with mean durations, where there are others */
			mine[n] = trials[i * of_one + k];
			its[n++] = trials[best * of_one + k];
		}
	ratio = noise_of_ratio(mine, its, (int)n);
	free(mine);
	free(its);
	if (simplicity_of(f, &f->items[i]).effort == CONFIG_EFFORT_NONE)
		return ratio.mean * (1 - NOISE_OF_RUNS) < 1;
	return ratio.mean <= MOST_LEVEL && ratio.mean - 2 * ratio.error <= 1 + LEAST_DIFFERENCE;
}

/* A setting is no choice where its worst replays are worse than those of the setting to beat. */
static int is_choice(const struct final_round *f, size_t i)
{
	const struct finalist *x = &f->items[i];

	return !x->reference_only && (!x->setting || i == f->best_setting || x->p90 <= f->items[0].p90);
}

enum among { SETTINGS, EVERYTHING };

/* Of what cannot be distinguished from `best`, the simplest; of those the fastest. */
static size_t simplest(const struct final_round *f, const struct trial *trials, size_t of_one, size_t best,
                       enum among among)
{
	size_t found = best;

	for (size_t i = 0; i < f->count; i++) {
		const struct finalist *x = &f->items[i], *to = &f->items[found];
		int less = compare_simplicity(f, x, to);

		if (is_choice(f, i) && (x->setting || among == EVERYTHING) &&
		    (less < 0 || (!less && x->median < to->median)) && is_level(f, trials, of_one, i, best))
			found = i;
	}
	return found;
}

static void choose(struct final_round *f)
{
	f->best_setting = 0;
	for (size_t i = 1; i < f->count; i++)
		if (f->items[i].setting && f->items[i].median < f->items[f->best_setting].median &&
		    f->items[i].p90 <= f->items[0].p90)
			f->best_setting = i;
	f->best = f->best_setting;
	for (size_t i = 0; i < f->count; i++)
		if (!f->items[i].setting && !f->items[i].reference_only &&
		    f->items[i].median < f->items[f->best].median && f->items[i].p90 < f->items[f->best_setting].p90)
			f->best = i;
}

static void choose_simplest(struct final_round *f, const struct trial *trials, size_t of_one)
{
	size_t best = simplest(f, trials, of_one, f->best, EVERYTHING);

	f->best_setting = f->items[best].setting ? best : simplest(f, trials, of_one, f->best_setting, SETTINGS);
	f->best = best;
}

struct trial finalist_trial(const struct finalist *x, int graph, int replication)
{
	return (struct trial){
		.setting = x->setting,
		.policy = x->policy,
		.options = x->options,
		.config = x->config,
		.by_rank = x->id.by_rank,
		.starpu_env = x->id.starpu_env,
		.may_fail = 1,
		.graph = graph,
		.replication = replication,
	};
}

void final_round_add(struct final_round *f, const struct finalist *x)
{
	assert(f->count < FINAL_ROUND_MAX);
	f->items[f->count++] = *x;
}

static int is_missing(const struct trial *trials, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (trials[k].makespan_ns < 0)
			return 1;
	return 0;
}

/* The trials at `places`, in that order. */
static int replay_in_order(struct evaluator *e, struct trial *trials, const size_t *places, size_t n,
                           struct ht_err *err)
{
	struct trial *ordered = ht_alloc(n, sizeof(*ordered));
	int rc;

	for (size_t k = 0; k < n; k++)
		ordered[k] = trials[places[k]];
	rc = evaluator_run(e, ordered, n, EVALUATOR_ALWAYS, err);
	for (size_t k = 0; k < n; k++)
		trials[places[k]] = ordered[k];
	free(ordered);
	return rc;
}

/* A finalist and its makespan with mean durations on the first run. */
struct contender {
	size_t place;
	int64_t ns;
};

static int by_makespan(const void *a, const void *b)
{
	const struct contender *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns) : (x->place > y->place) - (x->place < y->place);
}

/*
 * Mean durations come first, and of the other runs the setting to beat and then what is best on the first one: where
 * time ends the replays, what is known of all runs are those that may win.
 */
static int replay_all(const struct final_round *f, struct evaluator *e, struct trial *trials, size_t of_one,
                      struct ht_err *err)
{
	size_t each = (size_t)f->replications + 1, n = 0, *places = ht_alloc(f->count * of_one, sizeof(*places));
	struct contender *order = ht_alloc(f->count, sizeof(*order));
	int rc;

	for (size_t i = 0; i < f->count; i++)
		places[i] = i * of_one;
	rc = replay_in_order(e, trials, places, f->count, err);
	for (size_t i = 0; i < f->count; i++)
		order[i] = (struct contender){i, trials[i * of_one].makespan_ns};
	if (f->count > 1)
		qsort(order + 1, f->count - 1, sizeof(*order), by_makespan);
	for (size_t i = 0; i < f->count; i++)
		for (size_t k = each; k < of_one; k += each)
			places[n++] = order[i].place * of_one + k;
	for (size_t i = 0; i < f->count; i++)
		for (size_t k = 0; k < of_one; k++)
			if (k % each)
				places[n++] = order[i].place * of_one + k;
	if (rc == 0)
		rc = replay_in_order(e, trials, places, n, err);
	free(order);
	free(places);
	return rc;
}

static double mean_ns(const struct final_round *f, const struct trial *trials)
{
	int first = f->replications ? 1 : 0;
	double sum = 0;

	for (int d = first; d <= f->replications; d++)
		sum += (double)trials[d].makespan_ns / (f->replications + 1 - first);
	return sum;
}

/* Of what is level with `best` in `trials` the simplest of the fastest in `at_once`. */
static size_t best_at_once(const struct final_round *f, const struct trial *trials, const struct trial *at_once,
                           size_t each, size_t best)
{
	size_t fastest = f->best, found;

	for (size_t i = 0; i < f->count; i++)
		if (is_choice(f, i) && is_level(f, trials, each, i, best) &&
		    mean_ns(f, at_once + i * each) < mean_ns(f, at_once + fastest * each))
			fastest = i;
	found = simplest(f, at_once, each, fastest, EVERYTHING);
	return is_level(f, trials, each, found, best) ? found : fastest;
}

static void choose_much_less(struct final_round *f, const struct trial *at_once, size_t each, size_t found)
{
	double its = mean_ns(f, at_once + found * each), other = mean_ns(f, at_once + f->best * each);

	if (its >= MUCH_LESS * other)
		return;
	f->at_once_ns = (int64_t)its;
	f->other_at_once_ns = (int64_t)other;
	f->best = found;
	f->best_setting = f->items[found].setting ? found : f->best_setting;
}

/* What is level with `best` and takes much less where all tasks of the one run are submitted at once, if anything. */
static int choose_at_once(struct final_round *f, struct evaluator *e, const struct trial *trials, size_t best,
                          struct ht_err *err)
{
	size_t each = (size_t)f->replications + 1;
	struct trial *at_once = ht_alloc(f->count * each, sizeof(*at_once));
	int rc;

	for (size_t k = 0; k < f->count * each; k++)
		at_once[k] = finalist_trial(&f->items[k / each], f->at_once, trials[k].replication);
	rc = evaluator_run(e, at_once, f->count * each, EVALUATOR_ALWAYS, err);
	if (rc == 0 && !is_missing(at_once, f->count * each))
		choose_much_less(f, at_once, each, best_at_once(f, trials, at_once, each, best));
	free(at_once);
	return rc;
}

int final_round_run(struct final_round *f, struct evaluator *e, struct ht_err *err)
{
	size_t each = (size_t)(f->replications + 1), of_one = each * (size_t)f->nruns;
	struct trial *trials = ht_alloc(f->count * of_one, sizeof(*trials));
	int64_t reference[EVALUATOR_MAX_GRAPHS];
	int rc;

	for (size_t i = 0; i < f->count; i++)
		for (size_t k = 0; k < of_one; k++)
			trials[i * of_one + k] = finalist_trial(&f->items[i], f->runs[k / each],
			                                        k % each ? f->first_replication + (int)(k % each) - 1 :
			                                                   0);
	rc = replay_all(f, e, trials, of_one, err);
	if (rc == 0 && is_missing(trials, f->count * of_one))
		rc = FINAL_ROUND_CUT;
	for (int r = 0; r < f->nruns && rc == 0; r++) {
		if (trials[(size_t)r * each].makespan_ns == EVALUATOR_NEVER) /* a run of something else */
			rc = evaluator_explain(e, &trials[(size_t)r * each], err);
		reference[r] = trials[(size_t)r * each].makespan_ns;
		if (reference[r] < 1)
			reference[r] = 1;
	}
	f->at_once_ns = f->other_at_once_ns = 0;
	if (rc == 0) {
		size_t best;

		sum_up_all(f, trials, of_one, reference);
		choose(f);
		best = f->best;
		choose_simplest(f, trials, of_one);
		if (f->at_once && (double)f->submitted_ns > SUBMISSION_LIMITS * (double)f->items[best].median_ns)
			rc = choose_at_once(f, e, trials, best, err);
	}
	free(trials);
	return rc;
}

/* Of the finalists those whose mean durations have been replayed on all runs stay. Whether the first is one of them. */
static int keep_known(struct final_round *f, struct evaluator *e, struct ht_err *err)
{
	size_t runs = (size_t)f->nruns, left = 0;
	struct trial *trials = ht_alloc(f->count * runs, sizeof(*trials));
	int known = 0;

	for (size_t k = 0; k < f->count * runs; k++)
		trials[k] = finalist_trial(&f->items[k / runs], f->runs[k % runs], 0);
	if (evaluator_run(e, trials, f->count * runs, EVALUATOR_ALWAYS, err) != 0) {
		free(trials);
		return -1;
	}
	known = !is_missing(trials, runs);
	for (size_t i = 0; i < f->count && known; i++)
		if (!is_missing(trials + i * runs, runs))
			f->items[left++] = f->items[i];
	if (known)
		f->count = left;
	free(trials);
	return known;
}

int final_round_of_known(struct final_round *f, struct evaluator *e, struct ht_err *err)
{
	int known;

	f->replications = 0;
	known = keep_known(f, e, err);
	if (!known && f->nruns > 1) {
		f->nruns = 1;
		known = keep_known(f, e, err);
	}
	return known > 0 ? final_round_run(f, e, err) : known < 0 ? -1 : FINAL_ROUND_CUT;
}
