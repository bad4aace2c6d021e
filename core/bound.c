/* core/bound.c - times that no schedule of a graph on a machine can be below. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/bound.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/bound_lp.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/machine.h"

/* end[t]: the earliest end of t when every task has a worker of its own. Returns the task that ends last. */
static uint32_t earliest_ends(const struct dag *d, arch_mask archs, int64_t *end)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = d->order[i];
		int64_t start = 0, cost = dag_best_cost(d, t, archs);

		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			start = end[d->pred[k]] > start ? end[d->pred[k]] : start;
		end[t] = start + (cost > 0 ? cost : 0);
		if (end[t] > end[last] || (end[t] == end[last] && t < last))
			last = t;
	}
	return last;
}

int64_t bound_critical_path(const struct dag *d, arch_mask archs, uint32_t *path, uint32_t *count)
{
	int64_t *end = ht_alloc(d->ntasks, sizeof(*end)), length;
	uint32_t t = earliest_ends(d, archs, end), n = 0, k;

	length = end[t];
	for (;;) {
		int64_t cost = dag_best_cost(d, t, archs), start = end[t] - (cost > 0 ? cost : 0);

		path[n++] = t;
		for (k = d->pred_first[t]; k < d->pred_first[t + 1]; k++) {
			if (end[d->pred[k]] == start)
				break;
		}
		if (k == d->pred_first[t + 1])
			break;
		t = d->pred[k];
	}
	for (k = 0; k < n / 2; k++) {
		uint32_t swap = path[k];

		path[k] = path[n - 1 - k];
		path[n - 1 - k] = swap;
	}
	*count = n;
	free(end);
	return length;
}

int64_t bound_critical_path_ns(const struct dag *d, arch_mask archs)
{
	int64_t *end = ht_alloc(d->ntasks, sizeof(*end)), length;

	length = end[earliest_ends(d, archs, end)];
	free(end);
	return length;
}

int64_t bound_area_ns(const struct dag *d, const struct machine *m, struct ht_err *err)
{
	arch_mask archs = machine_archs(m);
	int workers[ARCH_COUNT], narchs = 0;
	enum arch of[ARCH_COUNT];
	double *work, t;
	int rc;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(archs >> a & 1))
			continue;
		workers[narchs] = machine_workers_of(m, (enum arch)a);
		of[narchs++] = (enum arch)a;
	}
	if (d->nclasses > (uint32_t)(INT_MAX / ARCH_COUNT))
		return ht_err_set(err, "too many cost classes for the area bound: %u", (unsigned)d->nclasses);
	work = ht_alloc((size_t)d->nclasses * ARCH_COUNT, sizeof(*work));
	for (uint32_t p = 0; p < d->nclasses; p++) {
		const struct dag_class *c = &d->classes[p];

		if (c->count && dag_class_best(c, archs) == ARCH_NONE) {
			free(work);
			return ht_err_set(err, "no worker of the machine can run %s: footprint=%08x",
			                  d->types[c->codelet].name, (unsigned)c->footprint);
		}
		for (int i = 0; i < narchs; i++) {
			int64_t cost = c->cost_ns[of[i]];

			work[p * (size_t)narchs + (size_t)i] = !c->count ? 0 : cost < 0 ? -1 : (double)cost * c->count;
		}
	}
	rc = bound_lp((int)d->nclasses, narchs, work, workers, &t, err);
	free(work);
	/* The solver is exact to about 1e-9: round to the side on which it stays a bound. */
	return rc < 0 ? -1 : (int64_t)floor(t * (1 - 1e-8));
}

int bounds_of(struct bounds *b, const struct dag *d, const struct machine *m, struct ht_err *err)
{
	b->area_ns = bound_area_ns(d, m, err);
	if (b->area_ns < 0)
		return -1;
	b->critical_path_ns = bound_critical_path_ns(d, machine_archs(m));
	b->largest_ns = b->area_ns > b->critical_path_ns ? b->area_ns : b->critical_path_ns;
	return 0;
}
