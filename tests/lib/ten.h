/* tests/lib/ten.h - the ten tasks on three processors of HEFT's paper. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_TEN_H
#define TESTS_LIB_TEN_H

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "tests/lib/dag_build.h"

/*
 * Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002, figure 2 and table 2. A unit of time is a ns; every edge carries a
 * piece of data of its own, whose copy between any two processors takes as many ns as it has bytes.
 */
enum { TEN = 10, TEN_EDGES = 15, TEN_MAKESPAN_HEFT = 80, TEN_MAKESPAN_CPOP = 86 };

static const int64_t ten_costs[TEN][3] = {{14, 16, 9}, {13, 19, 18}, {11, 13, 19}, {13, 8, 17},  {12, 13, 10},
                                          {13, 16, 9}, {7, 15, 11},  {5, 11, 14},  {18, 12, 20}, {21, 7, 16}};
static const int ten_edges[TEN_EDGES][3] = {{0, 1, 18}, {0, 2, 12}, {0, 3, 9},  {0, 4, 11}, {0, 5, 14},
                                            {1, 7, 19}, {1, 8, 16}, {2, 6, 23}, {3, 7, 27}, {3, 8, 23},
                                            {4, 8, 13}, {5, 7, 15}, {6, 9, 17}, {7, 9, 11}, {8, 9, 13}};

/* The paper's ranks, table 3. */
static const double ten_upward[TEN] = {108, 77, 80, 80, 69, 63.333333, 42.666667, 35.666667, 44.333333, 14.666667};
static const double ten_downward[TEN] = {0, 31, 25, 22, 24, 27, 62.333333, 66.666667, 63.666667, 93.333333};

static inline struct dag *ten_graph(void)
{
	static const enum arch archs[3] = {ARCH_CPU, ARCH_CUDA, ARCH_OPENCL};
	struct dag_builder *b = dag_builder_create();

	for (int e = 0; e < TEN_EDGES; e++)
		dag_builder_handle(b, (uint64_t)ten_edges[e][2]);
	for (int t = 0; t < TEN; t++) {
		int64_t cost[ARCH_COUNT];
		char name[3] = {'t', (char)('0' + t), 0};
		uint32_t task;

		for (int a = 0; a < ARCH_COUNT; a++)
			cost[a] = -1;
		for (int p = 0; p < 3; p++)
			cost[archs[p]] = ten_costs[t][p];
		task = dag_builder_task(b, dag_builder_type(b, name, cost));
		for (int e = 0; e < TEN_EDGES; e++) {
			if (ten_edges[e][0] == t)
				dag_builder_access(b, task, (uint32_t)e, ACCESS_W);
			if (ten_edges[e][1] != t)
				continue;
			dag_builder_access(b, task, (uint32_t)e, ACCESS_R);
			dag_builder_edge(b, (uint32_t)ten_edges[e][0], task);
		}
	}
	return dag_builder_finish(b, NULL);
}

/* A worker of each kind, with links between all three that take 1 ns a byte; machine_free() it. */
static inline struct machine *ten_machine(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 opencl:1", NULL);

	m->links = arena_alloc(m->arena, 6, sizeof(*m->links));
	m->nlinks = 0;
	for (int from = 0; from < 3; from++) {
		for (int to = 0; to < 3; to++) {
			if (from != to)
				m->links[m->nlinks++] =
					(struct machine_link){.from = from, .to = to, .bytes_per_s = 1e9};
		}
	}
	return m;
}

#endif
