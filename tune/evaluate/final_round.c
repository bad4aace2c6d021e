/* tune/evaluate/final_round.c - the last settings of a tune, compared by many replays with varied durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/final_round.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "tune/evaluate/evaluator.h"

/* trials: of one contestant, by run and then by draw, 0 being mean durations. */
static void sum_up(const struct final_round *c, struct finalist *x, const struct trial *trials,
                   const int64_t *reference)
{
	int each = c->draws + 1, n = 0, first = c->draws ? 1 : 0;
	double *values = ht_alloc((size_t)(each * c->nruns), sizeof(*values));

	for (int r = 0; r < c->nruns; r++) {
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

/* Of the policies those that end are left, in their order. */
static void sum_up_all(struct final_round *c, const struct trial *trials, size_t of_one, const int64_t *reference)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->items[i].policy && !ends(trials + i * of_one, of_one)) {
			c->never[c->nnever++] = c->items[i].name;
			continue;
		}
		c->items[kept] = c->items[i];
		sum_up(c, &c->items[kept++], trials + i * of_one, reference);
	}
	c->count = kept;
}

static void choose(struct final_round *c)
{
	c->best_setting = 0;
	for (size_t i = 1; i < c->count; i++)
		if (c->items[i].setting && c->items[i].median < c->items[c->best_setting].median &&
		    c->items[i].p90 <= c->items[0].p90)
			c->best_setting = i;
	c->best = c->best_setting;
	for (size_t i = 0; i < c->count; i++)
		if (!c->items[i].setting && !c->items[i].reference_only &&
		    c->items[i].median < c->items[c->best].median && c->items[i].p90 < c->items[c->best_setting].p90)
			c->best = i;
}

struct trial finalist_trial(const struct finalist *x, int graph, int draw)
{
	return (struct trial){
		.setting = x->setting,
		.policy = x->policy,
		.options = x->options,
		.starpu_env = x->starpu_env,
		.may_fail = 1,
		.graph = graph,
		.draw = draw,
	};
}

int final_round_run(struct final_round *c, struct evaluator *j, struct ht_err *err)
{
	size_t each = (size_t)(c->draws + 1), of_one = each * (size_t)c->nruns;
	struct trial *trials = ht_alloc(c->count * of_one, sizeof(*trials));
	int64_t reference[16];
	int rc;

	for (size_t i = 0; i < c->count; i++)
		for (size_t k = 0; k < of_one; k++)
			trials[i * of_one + k] = finalist_trial(&c->items[i], c->runs[k / each],
			                                        k % each ? c->first_draw + (int)(k % each) - 1 : 0);
	rc = evaluator_run(j, trials, c->count * of_one, EVALUATOR_ALWAYS, err);
	for (int r = 0; r < c->nruns && rc == 0; r++) {
		if (trials[(size_t)r * each].makespan_ns == EVALUATOR_NEVER) /* a run of something else */
			rc = evaluator_explain(j, &trials[(size_t)r * each], err);
		reference[r] = trials[(size_t)r * each].makespan_ns;
		if (reference[r] < 1)
			reference[r] = 1;
	}
	if (rc == 0) {
		sum_up_all(c, trials, of_one, reference);
		choose(c);
	}
	free(trials);
	return rc;
}
