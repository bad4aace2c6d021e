/* core/metrics/bound_mixed.c - the area bound, and the mixed bound: area with time for the longest chains. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/bound_lp.h"

/* A chain adds up to twice as many rows as there are classes, and the solver's time grows faster than they do. */
enum { MAX_CHAINS = 8, MAX_CHAIN_CLASSES = 3000 };

struct mixed {
	const struct dag *d;
	struct bound_problem lp;
	enum arch of[ARCH_COUNT]; /* of the columns of lp.work */
	int workers[ARCH_COUNT];
	double *work, *done;
	struct bound_chain chains[MAX_CHAINS];
};

static int mixed_init(struct mixed *x, const struct dag *d, const struct machine *m, struct ht_err *err)
{
	arch_mask archs = machine_archs(m);
	int n = 0;

	*x = (struct mixed){.d = d};
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (archs >> a & 1) {
			x->workers[n] = machine_workers_of(m, a);
			x->of[n++] = a;
		}
	if (d->nclasses > (uint32_t)(INT_MAX / ARCH_COUNT))
		return ht_err_set(err, "too many cost classes for the area bound: %u", (unsigned)d->nclasses);
	for (uint32_t p = 0; p < d->nclasses; p++)
		if (d->classes[p].count && dag_class_best(&d->classes[p], archs) == ARCH_NONE)
			return ht_err_set(err, "no worker of the machine can run %s: footprint=%08x",
			                  d->types[d->classes[p].codelet].name, (unsigned)d->classes[p].footprint);
	x->work = ht_alloc((size_t)d->nclasses * ARCH_COUNT, sizeof(*x->work));
	x->done = ht_alloc((size_t)d->nclasses * ARCH_COUNT, sizeof(*x->done));
	for (uint32_t p = 0; p < d->nclasses; p++)
		for (int i = 0; i < n; i++) {
			const struct dag_class *c = &d->classes[p];
			int64_t cost = dag_class_least(d, p, x->of[i]);

			x->work[p * (size_t)n + (size_t)i] = !c->count ? 0 : cost < 0 ? -1 : (double)cost * c->count;
		}
	x->lp = (struct bound_problem){
		.nclasses = (int)d->nclasses, .narchs = n, .work = x->work, .workers = x->workers, .chains = x->chains};
	return 0;
}

static void drop_chain(struct mixed *x)
{
	x->lp.nchains--;
	free(x->chains[x->lp.nchains].classes);
	free(x->chains[x->lp.nchains].shares);
}

/* The solver is exact to about 1e-9: rounded to the side on which it stays a bound. */
static int64_t safe_ns(double t)
{
	return (int64_t)floor(t * (1 - 1e-8));
}

/* What a task of each class takes on average as the program has shared the class out. To be freed. */
static double *mean_costs(const struct mixed *x)
{
	double *cost = ht_alloc(x->d->nclasses, sizeof(*cost));

	for (uint32_t p = 0; p < x->d->nclasses; p++)
		for (int i = 0; i < x->lp.narchs; i++) {
			size_t at = p * (size_t)x->lp.narchs + (size_t)i;

			if (x->done[at] > 0)
				cost[p] += x->done[at] * x->work[at] / x->d->classes[p].count;
		}
	return cost;
}

/* The longest chain with these costs becomes one more of the program. Returns its length, ns. */
static double add_chain(struct mixed *x, const double *cost)
{
	const struct dag *d = x->d;
	double *end = ht_alloc(d->ntasks, sizeof(*end)), length;
	uint32_t *before = ht_alloc(d->ntasks, sizeof(*before)), *on = ht_alloc(d->nclasses, sizeof(*on)), last = 0;
	struct bound_chain *c = &x->chains[x->lp.nchains++];

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);

		before[t] = t;
		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			if (before[t] == t || end[d->pred[k]] > end[before[t]])
				before[t] = d->pred[k];
		end[t] = (before[t] == t ? 0 : end[before[t]]) + cost[d->tasks[t].class_id];
		last = end[t] > end[last] ? t : last;
	}
	length = end[last];
	for (;; last = before[last]) {
		on[d->tasks[last].class_id]++;
		if (before[last] == last)
			break;
	}
	c->classes = ht_alloc(d->nclasses, sizeof(*c->classes));
	c->shares = ht_alloc(d->nclasses, sizeof(*c->shares));
	for (uint32_t p = 0; p < d->nclasses; p++)
		if (on[p]) {
			c->classes[c->count] = (int)p;
			c->shares[c->count++] = (double)on[p] / d->classes[p].count;
		}
	free(end);
	free(before);
	free(on);
	return length;
}

int64_t bound_mixed_ns(const struct dag *d, const struct machine *m, int64_t *area_ns, double price[ARCH_COUNT],
                       int *chains, struct ht_err *err)
{
	struct mixed x;
	double t = 0, before = 0, of_archs[ARCH_COUNT];
	int rc = mixed_init(&x, d, m, err);

	if (rc == 0)
		rc = d->nclasses <= MAX_CHAIN_CLASSES ? bound_lp(&x.lp, &t, x.done, of_archs, err) :
		                                        bound_area(&x.lp, &t, of_archs, err);
	*area_ns = safe_ns(t);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		price[a] = 0;
	for (int i = 0; rc == 0 && i < x.lp.narchs; i++)
		price[x.of[i]] = of_archs[i];
	while (rc == 0 && x.lp.nchains < MAX_CHAINS && t > before &&
	       (uint64_t)d->nclasses * (unsigned)(x.lp.nchains + 1) <= MAX_CHAIN_CLASSES) {
		double *cost = mean_costs(&x), length = add_chain(&x, cost);

		free(cost);
		/* A chain that fits as its classes are shared out now changes nothing. */
		if (length <= t * (1 + 1e-7)) {
			drop_chain(&x);
			break;
		}
		before = t * (1 + 1e-6);
		rc = bound_lp(&x.lp, &t, x.done, NULL, err);
	}
	*chains = x.lp.nchains;
	while (x.lp.nchains)
		drop_chain(&x);
	free(x.work);
	free(x.done);
	return rc < 0 ? -1 : safe_ns(t);
}
