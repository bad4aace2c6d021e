/* sched/placement/class_groups.c - classes whose tasks take about the same time, on each place. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/class_groups.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "sched/placement/places.h"

void class_groups_fini(struct class_groups *g)
{
	free(g->of);
	free(g->costs);
}

static int64_t rounded(int64_t cost)
{
	int exponent;
	double mantissa;

	if (cost <= 0)
		return cost < 0 ? -1 : 0;
	mantissa = frexp((double)cost, &exponent);
	return 1 + exponent * 8 + (int)((mantissa - 0.5) * 16);
}

static int is_of_group(const struct places *p, uint32_t class_id, const int64_t *costs)
{
	for (int i = 0; i < p->n; i++)
		if (rounded(places_cost(p, class_id, i)) != costs[i])
			return 0;
	return 1;
}

void class_groups_find(struct class_groups *g, const struct places *p, uint32_t class_id)
{
	size_t nplaces = (size_t)p->n;
	uint32_t own = 0;

	while (own < g->n && !is_of_group(p, class_id, &g->costs[own * nplaces]))
		own++;
	VEC_FIT(g->of, g->cap_of, class_id);
	g->of[class_id] = own + 1;
	if (own < g->n)
		return;
	g->n++;
	VEC_FIT(g->costs, g->cap_costs, g->n * nplaces);
	for (size_t i = 0; i < nplaces; i++)
		g->costs[own * nplaces + i] = rounded(places_cost(p, class_id, (int)i));
}
