/* core/metrics/released.c - what the end of each task gives to the workers: MulTreePrio's values that do not change. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/released.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"

/* NAN: it cannot run there. */
static double class_length(const struct dag *d, const struct worker_kind *k, uint32_t class_id)
{
	int64_t cost = worker_kind_class_cost(k, d, class_id);

	return cost < 0 ? NAN : cost ? (double)cost : 1;
}

static void find_speedups(struct released *r, uint32_t class_id)
{
	const double *ns = r->length_ns + class_id * (size_t)r->nkinds;
	double *speedup = r->speedup + class_id * (size_t)r->nkinds;
	double slowest = NAN; /* fmax() of it and a number: the number */

	for (int i = 0; i < r->nkinds; i++)
		slowest = fmax(slowest, ns[i]);
	r->best_speedup[class_id] = NAN;
	for (int i = 0; i < r->nkinds; i++) {
		speedup[i] = slowest / ns[i];
		r->best_speedup[class_id] = fmax(r->best_speedup[class_id], speedup[i]);
	}
}

int released_class(struct released *r, const struct dag *d, const struct worker_kinds *k, uint32_t class_id)
{
	size_t first = class_id * (size_t)r->nkinds;
	int is_other = 0;

	/* Lengths are 0 until they have been found, and not after that. */
	VEC_FIT(r->length_ns, r->cap_length_ns, first + (size_t)r->nkinds);
	VEC_FIT(r->speedup, r->cap_speedup, first + (size_t)r->nkinds);
	VEC_FIT(r->best_speedup, r->cap_best, class_id);
	for (int i = 0; i < r->nkinds; i++) {
		double *known = &r->length_ns[first + (size_t)i], ns = class_length(d, &k->kind[i], class_id);

		is_other |= isnan(ns) ? !isnan(*known) : *known != ns;
		*known = ns;
	}
	if (is_other)
		find_speedups(r, class_id);
	return is_other;
}

void released_init_classes(struct released *r, const struct dag *d, const struct worker_kinds *k)
{
	*r = (struct released){.nkinds = k->n};
	for (uint32_t c = d->nclasses; c-- > 0;) /* the arrays grow once */
		released_class(r, d, k, c);
}

void released_sum_init(struct released_sum *s, const struct released *r)
{
	*s = (struct released_sum){.work_on_ns = ht_alloc((size_t)r->nkinds, sizeof(*s->work_on_ns))};
	s->successors_on = ht_alloc((size_t)r->nkinds, sizeof(*s->successors_on));
}

void released_sum_fini(struct released_sum *s)
{
	free(s->work_on_ns);
	free(s->successors_on);
}

void released_sum_clear(struct released_sum *s, const struct released *r)
{
	s->nod = s->work_ns = 0;
	s->nsuccessors = 0;
	memset(s->work_on_ns, 0, (size_t)r->nkinds * sizeof(*s->work_on_ns));
	memset(s->successors_on, 0, (size_t)r->nkinds * sizeof(*s->successors_on));
}

void released_sum_add(struct released_sum *s, const struct released *r, uint32_t class_id, uint32_t npreds,
                      uint32_t times)
{
	const double *ns = r->length_ns + class_id * (size_t)r->nkinds;
	double best = NAN;

	s->nod += (double)times / npreds;
	s->nsuccessors += times;
	for (int i = 0; i < r->nkinds; i++) {
		if (isnan(ns[i]))
			continue;
		best = fmin(best, ns[i]);
		s->work_on_ns[i] += times * ns[i];
		s->successors_on[i] += times;
	}
	s->work_ns += isnan(best) ? 0 : times * best;
}

void released_init(struct released *r, const struct dag *d, const struct worker_kinds *k)
{
	struct released_sum sum;

	released_init_classes(r, d, k);
	released_sum_init(&sum, r);
	r->nod = ht_alloc(d->ntasks, sizeof(*r->nod));
	r->work_ns = ht_alloc(d->ntasks, sizeof(*r->work_ns));
	r->work_on_ns = ht_alloc((size_t)k->n, sizeof(*r->work_on_ns));
	r->successors_on = ht_alloc((size_t)k->n, sizeof(*r->successors_on));
	for (int i = 0; i < k->n; i++) {
		if (k->kind[i].arch == ARCH_NONE)
			continue;
		r->work_on_ns[i] = ht_alloc(d->ntasks, sizeof(*r->work_on_ns[i]));
		r->successors_on[i] = ht_alloc(d->ntasks, sizeof(*r->successors_on[i]));
	}
	for (uint32_t t = 0; t < d->ntasks; t++) {
		released_sum_clear(&sum, r);
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
			released_sum_add(&sum, r, d->tasks[d->succ[e]].class_id, dag_npred(d, d->succ[e]), 1);
		r->nod[t] = sum.nod;
		r->work_ns[t] = sum.work_ns;
		for (int i = 0; i < r->nkinds; i++) {
			if (!r->work_on_ns[i])
				continue;
			r->work_on_ns[i][t] = sum.work_on_ns[i];
			r->successors_on[i][t] = sum.successors_on[i];
		}
	}
	released_sum_fini(&sum);
}

void released_fini(struct released *r)
{
	for (int i = 0; i < r->nkinds && r->work_on_ns; i++) {
		free(r->work_on_ns[i]);
		free(r->successors_on[i]);
	}
	free(r->length_ns);
	free(r->nod);
	free(r->work_ns);
	free(r->work_on_ns);
	free(r->successors_on);
	free(r->speedup);
	free(r->best_speedup);
}
