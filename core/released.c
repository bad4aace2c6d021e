/* core/released.c - what the end of each task gives to the workers: MulTreePrio's values that do not change. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/released.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"

/* NAN where it cannot run. */
static double class_ns(const struct dag_class *c, arch_mask archs, int a)
{
	if (!(archs >> a & 1) || c->cost_ns[a] < 0)
		return NAN;
	return c->cost_ns[a] ? (double)c->cost_ns[a] : 1;
}

static void class_speedups(struct released *r, const struct dag *d, arch_mask archs)
{
	for (uint32_t c = 0; c < d->nclasses; c++) {
		double slowest = NAN; /* fmax() of it and a number: the number */

		for (int a = 0; a < ARCH_COUNT; a++)
			slowest = fmax(slowest, class_ns(&d->classes[c], archs, a));
		r->best_speedup[c] = NAN;
		for (int a = 0; a < ARCH_COUNT; a++) {
			r->speedup[c][a] = slowest / class_ns(&d->classes[c], archs, a);
			r->best_speedup[c] = fmax(r->best_speedup[c], r->speedup[c][a]);
		}
	}
}

void released_init(struct released *r, const struct dag *d, arch_mask archs)
{
	*r = (struct released){ .nod = ht_alloc(d->ntasks, sizeof(*r->nod)) };
	r->work_ns = ht_alloc(d->ntasks, sizeof(*r->work_ns));
	r->speedup = ht_alloc(d->nclasses, sizeof(*r->speedup));
	r->best_speedup = ht_alloc(d->nclasses, sizeof(*r->best_speedup));
	class_speedups(r, d, archs);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(archs >> a & 1))
			continue;
		r->work_on_ns[a] = ht_alloc(d->ntasks, sizeof(*r->work_on_ns[a]));
		r->successors_on[a] = ht_alloc(d->ntasks, sizeof(*r->successors_on[a]));
	}
	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			uint32_t s = d->succ[e];
			const struct dag_class *c = &d->classes[d->tasks[s].class_id];
			double best = NAN;

			r->nod[t] += 1.0 / dag_npred(d, s);
			for (int a = 0; a < ARCH_COUNT; a++) {
				double ns = class_ns(c, archs, a);

				if (isnan(ns))
					continue;
				best = fmin(best, ns);
				r->work_on_ns[a][t] += ns;
				r->successors_on[a][t]++;
			}
			r->work_ns[t] += isnan(best) ? 0 : best;
		}
	}
}

void released_fini(struct released *r)
{
	free(r->nod);
	free(r->work_ns);
	free(r->speedup);
	free(r->best_speedup);
	for (int a = 0; a < ARCH_COUNT; a++) {
		free(r->work_on_ns[a]);
		free(r->successors_on[a]);
	}
}
