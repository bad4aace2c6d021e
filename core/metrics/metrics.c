/* core/metrics/metrics.c - what AutoHeteroprio knows of each type of task: costs, differences, released work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums over tasks are kept per type and divided by the number of tasks once, at the end. Costs are those of cost
 * classes, so two tasks of one type may differ; everything that is published per type is the mean over its tasks.
 */
#include "core/metrics/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"

/* A clock may give 0 for a very short task; a cost is divided by, so it is at least its resolution. */
static double class_cost(const struct dag_class *c, enum arch a)
{
	return c->cost_ns[a] > 0 ? (double)c->cost_ns[a] : 1.0;
}

static int class_can(const struct dag_class *c, arch_mask archs, enum arch a)
{
	return (archs >> a & 1) && c->cost_ns[a] >= 0;
}

/* In ns; -1 when it can run nowhere. */
static double class_best(const struct dag_class *c, arch_mask archs, enum arch *best)
{
	double least = -1;

	*best = ARCH_NONE;
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (class_can(c, archs, a) && (least < 0 || class_cost(c, a) < least)) {
			least = class_cost(c, a);
			*best = a;
		}
	return least;
}

/* The denominator of eq 17 over v: mean over the tasks of the cost on their best architecture. */
static double unit_of(const struct dag *d, arch_mask archs)
{
	double sum = 0;
	uint64_t count = 0;

	for (uint32_t i = 0; i < d->nclasses; i++) {
		enum arch a;
		double best = class_best(&d->classes[i], archs, &a);

		if (best < 0)
			continue;
		sum += best * d->classes[i].count;
		count += d->classes[i].count;
	}
	return count ? sum / (double)count : 1.0;
}

static void type_costs(struct metrics *x, const struct dag *d)
{
	double(*sum)[ARCH_COUNT] = ht_alloc(x->ntypes, sizeof(*sum));
	uint64_t(*count)[ARCH_COUNT] = ht_alloc(x->ntypes, sizeof(*count));

	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_class *c = &d->classes[i];

		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (class_can(c, x->archs, a)) {
				sum[c->codelet][a] += class_cost(c, a) * c->count;
				count[c->codelet][a] += c->count;
			}
	}
	for (uint32_t p = 0; p < x->ntypes; p++) {
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			struct metrics_arch *ma = &x->types[p].arch[a];
			double mean = count[p][a] ? sum[p][a] / (double)count[p][a] : NAN;

			*ma = (struct metrics_arch){.mean_ns = -1,
			                            .deviation_ns = -1,
			                            .cost_ns = -1,
			                            .cost = NAN,
			                            .nrt = NAN,
			                            .diff = NAN,
			                            .rel_diff = NAN,
			                            .other = ARCH_NONE};
			if (!count[p][a])
				continue;
			ma->legal = 1;
			ma->cost_ns = ma->mean_ns = llround(mean);
			ma->cost = mean / x->unit_ns;
			x->types[p].where |= (arch_mask)(1 << a);
		}
	}
	free(sum);
	free(count);
}

/* What the run executed on an architecture that the machine does not have says nothing of it. */
static void type_executed(struct metrics *x, const struct metrics_input *in)
{
	for (uint32_t p = 0; p < x->ntypes; p++) {
		uint64_t all = 0;

		for (enum arch a = 0; a < ARCH_COUNT; a++)
			all += x->types[p].arch[a].legal ? in->executed[p][a].count : 0;
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct metrics_executed *e = &in->executed[p][a];
			struct metrics_arch *ma = &x->types[p].arch[a];

			if (!e->count || !ma->legal)
				continue;
			ma->executed = e->count;
			ma->share = (double)e->count / (double)all;
			ma->mean_ns = llround(e->mean_ns);
			ma->deviation_ns = llround(e->deviation_ns);
		}
	}
}

/* Sums over the tasks of one type that can run on both of two architectures. */
struct common {
	double cost[ARCH_COUNT][ARCH_COUNT]; /* [a][o]: cost on a of those that can run on a and o, ns */
	uint64_t count[ARCH_COUNT][ARCH_COUNT];
};

/*
 * eq 4 and 5. Comparing the mean over one set of tasks with that over another would say more of the sets than of the
 * architectures, so both are taken over the tasks that can run on both; where every task can, that is the paper's.
 */
static void diffs_of(struct metrics_type *t, const struct common *c, double unit_ns)
{
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		struct metrics_arch *ma = &t->arch[a];

		if (!ma->legal)
			continue;
		for (enum arch o = 0; o < ARCH_COUNT; o++) {
			double diff;

			if (o == a || !c->count[a][o])
				continue;
			diff = (c->cost[o][a] - c->cost[a][o]) / (double)c->count[a][o] / unit_ns;
			if (ma->other != ARCH_NONE && diff <= ma->diff)
				continue;
			ma->diff = diff;
			ma->rel_diff = c->cost[o][a] / c->cost[a][o];
			ma->other = o;
		}
	}
}

static void type_diffs(struct metrics *x, const struct dag *d)
{
	struct common *all = ht_alloc(x->ntypes, sizeof(*all));

	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_class *k = &d->classes[i];
		struct common *c = &all[k->codelet];

		for (enum arch a = 0; a < ARCH_COUNT; a++)
			for (enum arch o = 0; o < ARCH_COUNT; o++)
				if (class_can(k, x->archs, a) && class_can(k, x->archs, o)) {
					c->cost[a][o] += class_cost(k, a) * k->count;
					c->count[a][o] += k->count;
				}
	}
	for (uint32_t p = 0; p < x->ntypes; p++)
		diffs_of(&x->types[p], &all[p], x->unit_ns);
	free(all);
}

/* P(s,a) * w(s,a) of eq 7. Where its type ran on none of those it can run on, all of it goes to the fastest. */
static void class_freed(struct metrics_class *k, const struct metrics *x, const struct dag_class *c)
{
	const struct metrics_type *t = &x->types[c->codelet];
	enum arch fastest;
	double shares = 0;

	k->best_ns = class_best(c, x->archs, &fastest);
	if (fastest == ARCH_NONE) {
		k->best_ns = 0;
		return;
	}
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (class_can(c, x->archs, a))
			shares += t->arch[a].share;
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double share = shares > 0 ? t->arch[a].share / shares : a == fastest;

		if (class_can(c, x->archs, a))
			k->freed[a] = share * class_cost(c, a) / x->unit_ns;
	}
}

void metrics_class_of(struct metrics_class *k, const struct metrics *x, const struct dag_class *c)
{
	*k = (struct metrics_class){0};
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double other = -1;

		k->cost[a] = k->diff[a] = k->rel_diff[a] = NAN;
		if (!class_can(c, x->archs, a))
			continue;
		k->cost[a] = class_cost(c, a) / x->unit_ns;
		for (enum arch o = 0; o < ARCH_COUNT; o++)
			if (o != a && class_can(c, x->archs, o))
				other = fmax(other, class_cost(c, o));
		if (other < 0)
			continue;
		k->diff[a] = (other - class_cost(c, a)) / x->unit_ns;
		k->rel_diff[a] = other / class_cost(c, a);
	}
	class_freed(k, x, c);
}

/* NOD, NRT, S of every type: sums over its tasks, then means. */
static void type_released(struct metrics *x, const struct dag *d)
{
	struct metrics_class *class = ht_alloc(d->nclasses, sizeof(*class));
	double(*nrt)[ARCH_COUNT] = ht_alloc(x->ntypes, sizeof(*nrt)), *best = ht_alloc(x->ntypes, sizeof(*best));

	for (uint32_t i = 0; i < d->nclasses; i++)
		metrics_class_of(&class[i], x, &d -> classes[i]);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t p = dag_type_of(d, i);

		for (uint32_t e = d->succ_first[i]; e < d->succ_first[i + 1]; e++) {
			uint32_t s = d->succ[e];
			const struct metrics_class *k = &class[d->tasks[s].class_id];
			double in = dag_npred(d, s);

			x->types[p].nod += 1 / in;
			best[p] += k->best_ns;
			for (enum arch a = 0; a < ARCH_COUNT; a++)
				nrt[p][a] += k->freed[a] / in;
		}
	}
	for (uint32_t p = 0; p < x->ntypes; p++) {
		struct metrics_type *t = &x->types[p];
		double n = t->count ? t->count : 1;

		t->nod /= n;
		t->released_ns = llround(best[p] / n);
		t->released = best[p] / n / x->unit_ns;
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			t->urt += nrt[p][a] / n * x->idle[a];
			if (x->archs >> a & 1)
				t->arch[a].nrt = nrt[p][a] / n;
		}
	}
	free(class);
	free(nrt);
	free(best);
}

struct metrics *metrics_compute(const struct dag *d, const struct machine *m, const struct metrics_input *in)
{
	struct arena *arena = arena_create();
	struct metrics *x = arena_alloc(arena, 1, sizeof(*x));

	assert(in->ntypes == d->ntypes);
	x->arena = arena;
	x->ntypes = d->ntypes;
	x->types = arena_alloc(arena, d->ntypes, sizeof(*x->types));
	x->archs = machine_archs(m);
	x->unit_ns = unit_of(d, x->archs);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		x->idle[a] = x->archs >> a & 1 ? in->idle[a] : 0;
	for (uint32_t p = 0; p < d->ntypes; p++) {
		x->types[p].name = d->types[p].name;
		x->types[p].count = d->types[p].count;
	}
	type_costs(x, d);
	type_executed(x, in);
	type_diffs(x, d);
	type_released(x, d);
	return x;
}

void metrics_free(struct metrics *x)
{
	if (x)
		arena_free(x->arena);
}
