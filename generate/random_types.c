/* generate/random_types.c - kinds of tasks with random costs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/random_types.h"

#include <math.h>
#include <stdio.h>

#include "core/base/rng.h"
#include "core/machine/machine.h"
#include "generate/graph.h"

static double log_uniform(struct rng *r, double from, double to)
{
	return from * pow(to / from, rng_real(r));
}

uint32_t random_types(struct graph *g, uint32_t n, const struct machine *m, struct rng *r)
{
	arch_mask archs = (arch_mask)(machine_archs(m) | 1u << ARCH_CUDA);
	uint32_t first = (uint32_t)g->ntypes;

	for (uint32_t i = 0; i < n; i++) {
		double cost_us[ARCH_COUNT], cpu_us = ceil(log_uniform(r, 1e3, 1e5));
		char name[GRAPH_NAME];

		for (int a = 0; a < ARCH_COUNT; a++)
			cost_us[a] = a != ARCH_CPU && archs >> a & 1 ? ceil(cpu_us / log_uniform(r, 0.5, 32)) : -1;
		cost_us[ARCH_CPU] = cpu_us;
		snprintf(name, sizeof(name), "t%u", (unsigned)i);
		graph_type(g, name, cost_us);
	}
	return first;
}
