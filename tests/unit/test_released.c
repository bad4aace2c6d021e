/* tests/unit/test_released.c - what the end of a task releases: sums by hand, and against a plain second count. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/dag/dag.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/metrics/released.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"

enum { BOTH = 1 << ARCH_CPU | 1 << ARCH_CUDA };

static void released_by_archs(struct released *r, const struct dag *d, arch_mask archs)
{
	struct worker_kinds k;

	worker_kinds_of_archs(&k, archs);
	released_init(r, d, &k);
	worker_kinds_fini(&k);
}

/* 0 releases 1 (cpu 12, cuda 4) and 2 (cuda 5), which 3 (cpu 0) also precedes. */
static void test_by_hand(void)
{
	static const int64_t costs[3][ARCH_COUNT] = {COSTS(12, 4), COSTS(-1, 5), {0, -1, 9, -1, -1, -1, -1, -1, -1}};
	static const char *const names[] = {"both", "cuda", "cpu"};
	static const uint32_t types[] = {0, 0, 1, 2};
	struct dag_builder *b = dag_builder_create();
	struct released r;
	struct dag *d;

	for (int i = 0; i < 3; i++)
		dag_builder_type(b, names[i], costs[i]);
	for (int i = 0; i < 4; i++)
		dag_builder_task(b, types[i]);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 0, 2);
	dag_builder_edge(b, 3, 2);
	d = dag_builder_finish(b, NULL);
	released_by_archs(&r, d, BOTH);
	CHECK_NEAR(r.nod[0], 1.5, 0);
	CHECK_NEAR(r.nod[3], 0.5, 0);
	CHECK_NEAR(r.work_ns[0], 9, 0);
	CHECK_NEAR(r.work_on_ns[ARCH_CPU][0], 12, 0);
	CHECK_NEAR(r.work_on_ns[ARCH_CUDA][0], 9, 0);
	CHECK_INT(r.successors_on[ARCH_CPU][0], 1);
	CHECK_INT(r.successors_on[ARCH_CUDA][0], 2);
	CHECK_INT(r.successors_on[ARCH_CPU][3], 0);
	CHECK_NEAR(r.work_ns[1], 0, 0);
	CHECK(r.work_on_ns[ARCH_OPENCL] == NULL);
	CHECK_NEAR(released_speedup(&r, d->tasks[0].class_id, ARCH_CUDA), 3, 0);
	CHECK_NEAR(released_speedup(&r, d->tasks[0].class_id, ARCH_CPU), 1, 0);
	CHECK_NEAR(r.best_speedup[d->tasks[0].class_id], 3, 0);
	CHECK(isnan(released_speedup(&r, d->tasks[2].class_id, ARCH_CPU)));
	CHECK_NEAR(released_speedup(&r, d->tasks[3].class_id, ARCH_CPU), 1, 0);
	released_fini(&r);
	released_by_archs(&r, d, 1 << ARCH_CPU); /* nobody runs task 2 there */
	CHECK_NEAR(r.work_ns[0], 12, 0);
	CHECK(isnan(r.best_speedup[d->tasks[2].class_id]));
	released_fini(&r);
	dag_free(d);
}

/* Every task with predecessors is released once, whatever the shares: sum of NOD = number of such tasks. */
static void test_sums(void)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct dag *d = graph_layers(seed, 10, 12, 100);
		double nod = 0, work = 0, expected = 0;
		uint32_t released = 0;
		struct released r;

		released_by_archs(&r, d, BOTH);
		for (uint32_t t = 0; t < d->ntasks; t++) {
			const struct dag_class *c = &d->classes[d->tasks[t].class_id];

			nod += r.nod[t];
			work += r.work_ns[t];
			released += dag_npred(d, t) > 0;
			expected += (double)c->cost_ns[dag_class_best(c, BOTH)] * dag_npred(d, t);
			CHECK(!(r.best_speedup[d->tasks[t].class_id] < 1));
		}
		CHECK_NEAR(nod, released, 1e-9);
		CHECK_NEAR(work, expected, 1e-9);
		released_fini(&r);
		dag_free(d);
	}
}

/*
 * 0 releases 1 and 2 of one type: 20 on a core, 4 and 8 on two GPUs. Kinds are the cores, GPU 0 and GPU 1; without
 * costs of their own, the cores and the GPUs.
 */
static void test_devices(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(20, 6), own[][2] = {{4, 8}};
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "t", cost);
	struct released r;
	struct worker_kinds k;
	struct dag *d;

	for (int i = 0; i < 3; i++)
		dag_builder_task(b, type);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 0, 2);
	d = dag_builder_finish(b, NULL);
	worker_kinds_init(&k, d, m);
	CHECK_INT(k.n, 2);
	CHECK_INT(k.kind[1].nworkers, 2);
	CHECK_INT(k.kind[1].nodes, 6);
	worker_kinds_fini(&k);
	graph_devices(d, own);
	worker_kinds_init(&k, d, m);
	CHECK_INT(k.n, 3);
	CHECK_INT(k.of[2], 0);
	CHECK_INT(k.of[4], 2);
	CHECK_INT(worker_kinds_class_best(&k, d, 0), 1);
	released_init(&r, d, &k);
	CHECK_NEAR(r.work_ns[0], 8, 0);
	CHECK_NEAR(r.work_on_ns[1][0], 8, 0);
	CHECK_NEAR(r.work_on_ns[2][0], 16, 0);
	CHECK_NEAR(released_speedup(&r, 0, 1), 5, 0);
	CHECK_NEAR(released_speedup(&r, 0, 2), 2.5, 0);
	CHECK_NEAR(r.best_speedup[0], 5, 0);
	released_fini(&r);
	worker_kinds_fini(&k);
	worker_kinds_of_machine(&k, m);
	CHECK_INT(k.n, 2);
	CHECK_INT(worker_kind_cost(&k.kind[1], d, 0), 6);
	worker_kinds_fini(&k);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_by_hand);
	RUN(test_sums);
	RUN(test_devices);
	return check_done();
}
