/* core/metrics/bound.c - times that no schedule of a graph on a machine can be below. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/bound.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"

int64_t *bound_least_costs(const struct dag *d, arch_mask archs)
{
	int64_t *least = ht_alloc(d->nclasses, sizeof(*least));

	for (uint32_t p = 0; p < d->nclasses; p++) {
		int64_t best = -1;

		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			int64_t cost = archs >> a & 1 ? dag_class_least(d, p, a) : -1;

			best = cost >= 0 && (best < 0 || cost < best) ? cost : best;
		}
		least[p] = best > 0 ? best : 0;
	}
	return least;
}

int64_t bound_critical_path_ns(const struct dag *d, arch_mask archs)
{
	int64_t *end = ht_alloc(d->ntasks, sizeof(*end)), *least = bound_least_costs(d, archs), length = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);
		int64_t start = 0;

		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			start = end[d->pred[k]] > start ? end[d->pred[k]] : start;
		end[t] = start + least[d->tasks[t].class_id];
		length = end[t] > length ? end[t] : length;
	}
	free(least);
	free(end);
	return length;
}

int bounds_of(struct bounds *b, const struct dag *d, const struct machine *m, enum bounds_copies copies,
              struct ht_err *err)
{
	b->mixed_ns = bound_mixed_ns(d, m, &b->area_ns, b->price, &b->chains, err);
	if (b->mixed_ns < 0)
		return -1;
	b->critical_path_ns = bound_critical_path_ns(d, machine_archs(m));
	/* Without a chain, of a graph with very many classes, it is the area bound, which may be the smaller one. */
	if (b->mixed_ns < b->critical_path_ns)
		b->mixed_ns = b->critical_path_ns;
	b->exclusion_ns = bound_exclusion_ns(d, machine_archs(m));
	b->largest_ns = b->mixed_ns > b->exclusion_ns ? b->mixed_ns : b->exclusion_ns;
	b->bus_ns = -1;
	if (copies == BOUNDS_WITHOUT_COPIES || d->nranks > 1 || d->ntasks > BOUND_BUS_TASKS)
		return 0;
	b->bus_ns = bound_bus_ns(d, m, b->largest_ns);
	b->largest_ns = b->bus_ns > b->largest_ns ? b->bus_ns : b->largest_ns;
	return 0;
}

const char *bounds_largest_name(const struct bounds *b)
{
	/* The solver is exact to about 1e-9: bounds that differ by less are the same. */
	if ((double)b->critical_path_ns >= (1 - 1e-7) * (double)b->largest_ns)
		return "critical path";
	if ((double)b->area_ns >= (1 - 1e-7) * (double)b->largest_ns)
		return "area bound";
	if ((double)b->mixed_ns >= (1 - 1e-7) * (double)b->largest_ns)
		return "mixed bound";
	return (double)b->exclusion_ns >= (1 - 1e-7) * (double)b->largest_ns ? "exclusion bound" : "bus bound";
}

int bounds_named(const struct bounds *b, struct named_bound named[BOUNDS_NAMED])
{
	const struct named_bound refined[] = {{"mixed bound", b->mixed_ns},
	                                      {"exclusion bound", b->exclusion_ns},
	                                      {"bus bound", b->bus_ns}};
	double most = (double)(b->area_ns > b->critical_path_ns ? b->area_ns : b->critical_path_ns);
	int n = 0;

	if (b->critical_path_ns > 0)
		named[n++] = (struct named_bound){"critical path", b->critical_path_ns};
	if (b->area_ns > 0)
		named[n++] = (struct named_bound){"area bound", b->area_ns};
	for (size_t i = 0; i < sizeof(refined) / sizeof(*refined); i++) {
		if ((double)refined[i].ns <= 1.002 * most)
			continue;
		named[n++] = refined[i];
		most = (double)refined[i].ns;
	}
	return n;
}
