/* core/metrics/released.c - what the end of each task gives to the workers: MulTreePrio's values that do not change. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/released.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"

/* Durations, [class * kinds + kind]; NAN where it cannot run. */
static double *class_lengths(const struct dag *d, const struct worker_kinds *k)
{
	double *ns = ht_alloc(d->nclasses * (size_t)k->n, sizeof(*ns)), *next = ns;

	for (uint32_t c = 0; c < d->nclasses; c++) {
		for (int i = 0; i < k->n; i++) {
			int64_t cost = worker_kind_class_cost(&k->kind[i], d, c);

			*next++ = cost < 0 ? NAN : cost ? (double)cost : 1;
		}
	}
	return ns;
}

void released_init(struct released *r, const struct dag *d, const struct worker_kinds *k)
{
	double *lengths = class_lengths(d, k);

	*r = (struct released){.nkinds = k->n, .nod = ht_alloc(d->ntasks, sizeof(*r->nod))};
	r->work_ns = ht_alloc(d->ntasks, sizeof(*r->work_ns));
	r->speedup = ht_alloc(d->nclasses * (size_t)k->n, sizeof(*r->speedup));
	r->best_speedup = ht_alloc(d->nclasses, sizeof(*r->best_speedup));
	for (uint32_t c = 0; c < d->nclasses; c++) {
		const double *ns = lengths + c * (size_t)r->nkinds;
		double *speedup = r->speedup + c * (size_t)r->nkinds;
		double slowest = NAN; /* fmax() of it and a number: the number */

		for (int i = 0; i < r->nkinds; i++)
			slowest = fmax(slowest, ns[i]);
		r->best_speedup[c] = NAN;
		for (int i = 0; i < r->nkinds; i++) {
			speedup[i] = slowest / ns[i];
			r->best_speedup[c] = fmax(r->best_speedup[c], speedup[i]);
		}
	}
	r->work_on_ns = ht_alloc((size_t)k->n, sizeof(*r->work_on_ns));
	r->successors_on = ht_alloc((size_t)k->n, sizeof(*r->successors_on));
	for (int i = 0; i < k->n; i++) {
		if (k->kind[i].arch == ARCH_NONE)
			continue;
		r->work_on_ns[i] = ht_alloc(d->ntasks, sizeof(*r->work_on_ns[i]));
		r->successors_on[i] = ht_alloc(d->ntasks, sizeof(*r->successors_on[i]));
	}
	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			uint32_t s = d->succ[e];
			const double *ns = lengths + d->tasks[s].class_id * (size_t)k->n;
			double best = NAN;

			r->nod[t] += 1.0 / dag_npred(d, s);
			for (int i = 0; i < r->nkinds; i++) {
				if (isnan(ns[i]))
					continue;
				best = fmin(best, ns[i]);
				r->work_on_ns[i][t] += ns[i];
				r->successors_on[i][t]++;
			}
			r->work_ns[t] += isnan(best) ? 0 : best;
		}
	}
	free(lengths);
}

void released_fini(struct released *r)
{
	for (int i = 0; i < r->nkinds; i++) {
		free(r->work_on_ns[i]);
		free(r->successors_on[i]);
	}
	free(r->nod);
	free(r->work_ns);
	free(r->work_on_ns);
	free(r->successors_on);
	free(r->speedup);
	free(r->best_speedup);
}
