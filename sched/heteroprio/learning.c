/* sched/heteroprio/learning.c - how AutoHeteroprio learns of types of tasks while they run, and what it concludes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums are made in StarPU's order, so that equal observations give equal scores to the last bit.
 */
#include "sched/heteroprio/learning.h"

#include <float.h>
#include <math.h>

#include "core/config/autoheteroprio_data.h"
#include "core/metrics/heuristic.h"

/* src/sched_policies/heteroprio.h, us */
#define LONG_TIME       100000000.0
#define FAIR_TIME       1000.0
#define MAX_WORKED_US   1000000000.0
#define EXPLORING_BONUS 99999999.

static int can(const struct autoheteroprio_data *l, int type, enum arch a)
{
	return l->types[type].where >> a & 1;
}

static double estimate_where_it_can(const struct autoheteroprio_data *l, int type, enum arch a)
{
	const struct autoheteroprio_arch *x = &l->types[type].arch[a];

	return x->ntimes ? x->time_us : FAIR_TIME;
}

double learning_best_us(const struct autoheteroprio_data *l, int type)
{
	double best = STARPU_NO_OTHER_COST;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (can(l, type, (enum arch)a))
			best = fmin(best, estimate_where_it_can(l, type, (enum arch)a));
	}
	return best;
}

double learning_time_us(const struct autoheteroprio_data *l, int type, enum arch a, enum learning_estimate e)
{
	if (l->types[type].arch[a].ntimes || can(l, type, a))
		return estimate_where_it_can(l, type, a);
	return e == ESTIMATE_LONG ? LONG_TIME : learning_best_us(l, type);
}

double learning_unit_us(const struct autoheteroprio_data *l)
{
	double sum = 0;

	for (int i = 0; i < l->ntypes; i++) {
		if (l->types[i].nproportions)
			sum += l->types[i].proportion * learning_best_us(l, i);
	}
	return sum > 0 ? sum : 0;
}

/* One more sample; the newest weighs at least 1 / AUTOHETEROPRIO_WINDOW. */
static uint32_t count(uint32_t *n)
{
	if (*n < AUTOHETEROPRIO_WINDOW)
		++*n;
	return *n;
}

static void average(double *mean, uint32_t n, double value)
{
	*mean = *mean * (double)(n - 1) / (double)n + value / (double)n;
}

void learning_ready(struct autoheteroprio_data *l, int type)
{
	double total = 0;
	uint32_t tasks = 0;

	count(&l->types[type].nproportions);
	for (int i = 0; i < l->ntypes; i++)
		tasks += l->types[i].nproportions;
	l->types[type].proportion += 1 / (double)tasks;
	for (int i = 0; i < l->ntypes; i++)
		total += l->types[i].proportion;
	for (int i = 0; i < l->ntypes; i++)
		l->types[i].proportion /= total;
}

void learning_releases(struct autoheteroprio_data *l, int type, const struct learning_released *r)
{
	struct autoheteroprio_type *t = &l->types[type];
	uint32_t n;

	average(&t->nod, count(&t->nnods), r->nod);
	n = count(&t->nurts);
	for (int a = 0; a < ARCH_COUNT; a++)
		average(&t->arch[a].urt, n, r->nrt[a]);
	average(&t->released_us, count(&t->nreleased), r->best_us);
	average(&t->best_us, count(&t->nbests), learning_best_us(l, type));
}

void learning_executed(struct autoheteroprio_data *l, int type, enum arch a, double us)
{
	struct autoheteroprio_type *t = &l->types[type];
	uint32_t n = count(&t->nshares);
	double total = 0;

	t->arch[a].share += 1 / (double)(n >= 2 ? n - 1 : n);
	for (int i = 0; i < ARCH_COUNT; i++)
		total += t->arch[i].share;
	for (int i = 0; i < ARCH_COUNT; i++)
		t->arch[i].share /= total;
	average(&t->arch[a].time_us, count(&t->arch[a].ntimes), us);
}

void learning_worked(struct autoheteroprio_data *l, enum arch a, double busy_us, double free_us)
{
	double busy = l->busy_us[a] + busy_us, idle = l->free_us[a] + free_us, most = fmax(busy, idle);
	double scale = most > MAX_WORKED_US ? MAX_WORKED_US / most : 1;

	l->busy_us[a] = busy * scale;
	l->free_us[a] = idle * scale;
}

static double normalised(const struct autoheteroprio_data *l, int type, enum arch a, enum learning_estimate e,
                         double unit_us)
{
	return unit_us > 0 ? learning_time_us(l, type, a, e) / unit_us : 1;
}

/* The slowest architecture of the others than `a`; ARCH_NONE: none. The first of two that are as slow. */
static enum arch slowest_other(const struct autoheteroprio_data *l, int type, enum arch a, enum learning_estimate e,
                               double unit_us)
{
	enum arch slowest = ARCH_NONE, second = ARCH_NONE;
	double time = -1, second_time = -1;

	for (int i = 0; i < ARCH_COUNT; i++) {
		double t;

		if (!can(l, type, (enum arch)i))
			continue;
		t = normalised(l, type, (enum arch)i, e, unit_us);
		if (time < t) {
			second = slowest;
			second_time = time;
			slowest = (enum arch)i;
			time = t;
		} else if (second_time < t) {
			second = (enum arch)i;
			second_time = t;
		}
	}
	return a == slowest ? second : slowest;
}

double learning_score(const struct autoheteroprio_data *l, const struct heuristic *ordering, const double *knobs,
                      enum learning_estimate e, int exploring, int type, enum arch a, double unit_us)
{
	const struct autoheteroprio_type *t = &l->types[type];
	enum arch other = slowest_other(l, type, a, e, unit_us);
	double worked_us = l->busy_us[a] + l->free_us[a];
	struct heuristic_input in = {
		.cost = normalised(l, type, a, e, unit_us),
		.cost_other = other == ARCH_NONE ? STARPU_NO_OTHER_COST : normalised(l, type, other, e, unit_us),
		.nod = t->nnods ? t->nod : 1,
		.released_us = t->nreleased ? t->released_us : FAIR_TIME,
		.nrt = t->nurts ? t->arch[a].urt : FAIR_TIME,
		.nrt_other = other == ARCH_NONE ? 0 :
	                     t->nurts           ? t->arch[other].urt :
	                                          FAIR_TIME,
		.idle = worked_us > 0 ? 1 - l->busy_us[a] / worked_us : 1,
		.share = t->nshares ? t->arch[a].share : 0,
		.share_other = other != ARCH_NONE && t->nshares ? t->arch[other].share : 0,
	};
	double score;

	in.diff = in.cost_other - in.cost;
	in.rel_diff = in.cost_other / in.cost;
	score = heuristic_score(ordering, &in, knobs);
	/*
	 * ln(1 + exp(D)) of URT_DOT_DIFF_6 overflows in StarPU, so that all types of one architecture are equal; and
	 * ln(1 + exp(-D)) of URT_DOT_DIFF_7 on an architecture that is slower by 710 average tasks, times 1 - rpg(URT):
	 * where that is 0 the score is NAN, which its qsort() leaves where it is.
	 */
	if (ordering == &starpu_orderings[14] && exp(in.diff) > DBL_MAX)
		score = INFINITY;
	if (ordering == &starpu_orderings[15] && exp(-in.diff) > DBL_MAX)
		score = in.nrt * in.idle + in.nrt_other * (1 - in.share_other) < 1 ? -INFINITY : NAN;
	return exploring && t->arch[a].ntimes < AUTOHETEROPRIO_SAMPLES ? score + EXPLORING_BONUS : score;
}

int learning_order(const struct autoheteroprio_data *l, const struct heuristic *ordering, const double *knobs,
                   enum learning_estimate e, int exploring, enum arch a, int *list)
{
	double unit_us = learning_unit_us(l), scores[AUTOHETEROPRIO_MAX_TYPES];
	int n = 0;

	for (int i = 0; i < l->ntypes; i++) {
		double score;
		int at = n;

		if (!can(l, i, a))
			continue;
		score = learning_score(l, ordering, knobs, e, exploring, i, a, unit_us);
		/* Equal scores stay in the order of types, as with the qsort() of a glibc that merges. */
		for (; at > 0 && scores[at - 1] < score; at--) {
			scores[at] = scores[at - 1];
			list[at] = list[at - 1];
		}
		scores[at] = score;
		list[at] = i;
		n++;
	}
	return n;
}

enum arch learning_slow_factors(const struct autoheteroprio_data *l, int type, double *slow)
{
	enum arch fastest = ARCH_NONE;
	double best = 0;

	for (int a = 0; a < ARCH_COUNT; a++) {
		double t = estimate_where_it_can(l, type, (enum arch)a);

		if (can(l, type, (enum arch)a) && (fastest == ARCH_NONE || t < best)) {
			fastest = (enum arch)a;
			best = t;
		}
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (can(l, type, (enum arch)a))
			slow[a] = a == (int)fastest ? 0 : estimate_where_it_can(l, type, (enum arch)a) / best;
	}
	return fastest;
}
