/* tests/lib/twelve.h - twelve tasks on which every metric can be written down by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_TWELVE_H
#define TESTS_LIB_TWELVE_H

#include "core/dag/dag.h"
#include "core/metrics/metrics.h"
#include "tests/lib/dag_build.h"

/*
 * P -> T1 T2 T3 T4;  T1 -> G1 G2 G3;  T2 -> G1 G4;  T3 -> G2 G4 G5;  T4 -> G3 G5 G6;  G5 G6 -> L
 *
 *         cpu    cuda   tasks  best
 *   P     3000   -      1      3000
 *   T     8000   2000   4      2000     mean of the best: (3000 + 4*2000 + 6*1000 + 1000) / 12 = 1500 ns, the unit
 *   G    12000   1000   6      1000
 *   L     1000   4000   1      1000
 */
enum { TWELVE_P, TWELVE_T, TWELVE_G, TWELVE_L };

static inline struct dag *twelve_graph(int64_t scale)
{
	static const struct {
		const char *name;
		int64_t cpu, cuda;
		int count;
	} types[] = {
		{"P", 3000, -1, 1},
		{"T", 8000, 2000, 4},
		{"G", 12000, 1000, 6},
		{"L", 1000, 4000, 1},
	};
	/* 0 is P, 1 to 4 are T, 5 to 10 are G, 11 is L. */
	static const uint32_t edges[][2] = {
		{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {1, 6},  {1, 7},  {2, 5},   {2, 8},
		{3, 6}, {3, 8}, {3, 9}, {4, 7}, {4, 9}, {4, 10}, {9, 11}, {10, 11},
	};
	struct dag_builder *b = dag_builder_create();

	for (uint32_t p = 0; p < 4; p++) {
		int64_t cost[ARCH_COUNT] = COSTS(types[p].cpu * scale, types[p].cuda < 0 ? -1 : types[p].cuda * scale);

		dag_builder_type(b, types[p].name, cost);
	}
	for (uint32_t p = 0; p < 4; p++)
		for (int i = 0; i < types[p].count; i++)
			dag_builder_task(b, p);
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		dag_builder_edge(b, edges[i][0], edges[i][1]);
	return dag_builder_finish(b, NULL);
}

/* P: 1 on cpu; T: 1 and 3; G: 2 and 4; L: 1 on cpu. A quarter of the cpus' time is idle, half of the cuda workers'. */
static inline void twelve_input(struct metrics_input *in, const struct dag *d)
{
	static const uint64_t executed[4][2] = {{1, 0}, {1, 3}, {2, 4}, {1, 0}};

	metrics_input_init(in, d);
	for (int p = 0; p < 4; p++)
		for (int a = 0; a < 2; a++) {
			in->executed[p][a].count = executed[p][a];
			in->executed[p][a].mean_ns = executed[p][a] ? (double)d->classes[p].cost_ns[a] : 0;
		}
	in->idle[ARCH_CPU] = 0.25;
	in->idle[ARCH_CUDA] = 0.5;
}

#endif
