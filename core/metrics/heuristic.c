/* core/metrics/heuristic.c - from metrics to the input of a score, and from scores to a list. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/heuristic.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/metrics/metrics.h"

double softplus(double x)
{
	return fmax(x, 0) + log1p(exp(-fabs(x)));
}

double rpg(double x)
{
	if (x >= 1)
		return 1;
	return x <= 0 ? 0 : sqrt(x) * sqrt(2 - x);
}

double heuristic_score(const struct heuristic *h, const struct heuristic_input *in, const double *knobs)
{
	double published[HEURISTIC_MAX_KNOBS], score;

	for (int i = 0; i < HEURISTIC_MAX_KNOBS; i++)
		published[i] = h->knobs[i].value;
	score = h->score(in, knobs ? knobs : published);
	return isnan(score) ? -INFINITY : score;
}

void heuristic_input(struct heuristic_input *in, const struct metrics *x, uint32_t p, enum arch a,
                     enum heuristic_exclusive exclusive)
{
	const struct metrics_type *t = &x->types[p];
	const struct metrics_arch *ma = &t->arch[a];

	*in = (struct heuristic_input){
		.cost = ma->cost,
		.cost_other = ma->cost,
		.diff = 0,
		.rel_diff = 1,
		.nod = t->nod,
		.urt = t->urt,
		.released = t->released,
		.released_us = t->released * x->unit_ns / 1e3,
		.nrt = ma->nrt,
		.idle = x->idle[a],
		.share = ma->share,
	};
	if (ma->other != ARCH_NONE) {
		in->diff = ma->diff;
		in->rel_diff = ma->rel_diff;
		in->cost_other = ma->cost + ma->diff;
		in->nrt_other = t->arch[ma->other].nrt;
		in->share_other = t->arch[ma->other].share;
	} else if (exclusive == EXCLUSIVE_AS_STARPU) {
		in->cost_other = STARPU_NO_OTHER_COST;
		in->diff = STARPU_NO_OTHER_COST - ma->cost;
		in->rel_diff = STARPU_NO_OTHER_COST / ma->cost;
	}
}

struct ranked {
	uint32_t type;
	int exclusive;
	double score;
};

static int by_rank(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->exclusive != b->exclusive)
		return b->exclusive - a->exclusive;
	if (a->score != b->score)
		return a->score < b->score ? 1 : -1;
	return a->type < b->type ? -1 : a->type > b->type;
}

uint32_t heuristic_rank(const struct heuristic *h, const double *knobs, const struct metrics *x, enum arch a,
                        uint32_t *list)
{
	struct ranked *ranked = ht_alloc(x->ntypes, sizeof(*ranked));
	uint32_t count = 0;

	for (uint32_t p = 0; p < x->ntypes; p++) {
		struct heuristic_input in;

		if (!x->types[p].arch[a].legal)
			continue;
		heuristic_input(&in, x, p, a, h->exclusive);
		ranked[count].type = p;
		/* No other architecture of the machine runs any task of it. */
		ranked[count].exclusive = h->exclusive == EXCLUSIVE_FIRST &&
		                          (x->types[p].where == (arch_mask)(1u << a));
		ranked[count++].score = heuristic_score(h, &in, knobs);
	}
	qsort(ranked, count, sizeof(*ranked), by_rank);
	for (uint32_t i = 0; i < count; i++)
		list[i] = ranked[i].type;
	free(ranked);
	return count;
}
