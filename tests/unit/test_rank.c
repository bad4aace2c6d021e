/* tests/unit/test_rank.c - ranks of HEFT's paper, starts and slack by hand, what flows along edges, routes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/dag/data_flow.h"
#include "core/dag/worker_kind.h"
#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"
#include "core/metrics/bound.h"
#include "core/metrics/rank.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/ten.h"

static void test_paper(void)
{
	struct dag *d = ten_graph();
	struct machine *m = ten_machine();
	struct ranks r;

	CHECK_STR(machine_check(m) ? machine_check(m) : "", "");
	CHECK_INT(ranks_init(&r, d, m, NULL), 0);
	for (int t = 0; t < TEN; t++) {
		CHECK_NEAR(r.upward_ns[t], ten_upward[t], 1e-6);
		CHECK_NEAR(r.downward_ns[t], ten_downward[t], 1e-6);
	}
	ranks_fini(&r);
	machine_free(m);
	dag_free(d);
}

/* What 0 writes is sent before 2 is submitted, what 1 does before 3 is; what 2 does after all, and 3 sends nothing. */
static void test_sends(void)
{
	static const uint32_t none[5] = {0};
	static const double length[] = {1, 20, 3, 4};
	static const struct dag_send sends[] = {{0, 2}, {1, 3}, {0, 3}, {2, 4}};
	const struct rank_graph g = {4, NULL, none, none, length, NULL, sends, 4};
	double rank[4];

	rank_upward(&g, rank);
	CHECK_NEAR(rank[3], 4, 1e-9);
	CHECK_NEAR(rank[2], 3, 1e-9);
	CHECK_NEAR(rank[1], 24, 1e-9);
	CHECK_NEAR(rank[0], 5, 1e-9);
}

static int start_times_by_archs(struct start_times *s, const struct dag *d, arch_mask archs, struct ht_err *err)
{
	struct worker_kinds k;
	int status;

	worker_kinds_of_archs(&k, archs);
	status = start_times_init(s, d, &k, err);
	worker_kinds_fini(&k);
	return status;
}

/* Means are over workers that can run the task: 3 CPUs of 12 and a GPU of 4 make 10; a GPU's task is 4. */
static void test_lengths(void)
{
	static const int64_t costs[3][ARCH_COUNT] = {COSTS(12, 4), COSTS(-1, 4), {-1, -1, 7, -1, -1, -1, -1, -1}};
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cpu:3 cuda:1", NULL);
	struct ht_err err = {""};
	struct ranks r;
	struct start_times s;
	struct dag *d;
	double *length;

	for (int i = 0; i < 3; i++)
		dag_builder_task(b, dag_builder_type(b, i ? i == 1 ? "gpu" : "neither" : "both", costs[i]));
	d = dag_builder_finish(b, NULL);
	length = rank_class_lengths(d, m);
	CHECK_NEAR(length[d->tasks[0].class_id], 10, 0);
	CHECK_NEAR(length[d->tasks[1].class_id], 4, 0);
	CHECK(isnan(length[d->tasks[2].class_id]));
	CHECK_INT(ranks_init(&r, d, m, &err), -1);
	CHECK_STR(err.text, "no worker of the machine can run task 2 (neither)");
	CHECK_INT(start_times_by_archs(&s, d, machine_archs(m), &err), -1);
	CHECK_STR(err.text, "no worker of the machine can run task 2 (neither)");
	free(length);
	machine_free(m);
	dag_free(d);
}

/* 0 (2) -> 1 (5) -> 3 (1), 0 -> 2 (3) -> 3, and 4 (4) alone: the length is 8, 2 has a slack of 2, 4 of 4. */
static void test_starts(void)
{
	static const int64_t best[] = {2, 5, 3, 1, 4}, earliest[] = {0, 2, 2, 7, 0}, latest[] = {0, 2, 4, 7, 4};
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct dag_builder *b = dag_builder_create();
	struct start_times s;
	struct dag *d;

	for (int i = 0; i < 5; i++) {
		int64_t cost[ARCH_COUNT] = COSTS(2 * best[i], best[i]);

		dag_builder_task(b, dag_builder_type(b, names[i], cost));
	}
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 0, 2);
	dag_builder_edge(b, 1, 3);
	dag_builder_edge(b, 2, 3);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(start_times_by_archs(&s, d, 1 << ARCH_CPU | 1 << ARCH_CUDA, NULL), 0);
	CHECK_INT(s.length_ns, 8);
	for (int i = 0; i < 5; i++) {
		CHECK_INT(s.earliest_ns[i], earliest[i]);
		CHECK_INT(s.latest_ns[i], latest[i]);
	}
	start_times_fini(&s);
	CHECK_INT(start_times_by_archs(&s, d, 1 << ARCH_CPU, NULL), 0);
	CHECK_INT(s.length_ns, 16);
	start_times_fini(&s);
	dag_free(d);
}

/* What must hold for every graph: slack is 0 or more and 0 somewhere; ranks fall along edges and bound each other. */
static void test_properties(void)
{
	struct machine *m = machine_parse("cpu:4 cuda:2", NULL);
	int broken = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct dag *d = seed % 2 ? graph_layers(seed, 12, 9, 100) : graph_cholesky((int)seed / 2, 10);
		int64_t least = INT64_MAX;
		double longest = 0;
		struct ranks r;
		struct start_times s;

		CHECK_INT(ranks_init(&r, d, m, NULL), 0);
		CHECK_INT(start_times_by_archs(&s, d, machine_archs(m), NULL), 0);
		CHECK_INT(s.length_ns, bound_critical_path_ns(d, machine_archs(m)));
		for (uint32_t t = 0; t < d->ntasks; t++)
			longest = fmax(longest, r.upward_ns[t] + r.downward_ns[t]);
		for (uint32_t t = 0; t < d->ntasks; t++) {
			int64_t slack = s.latest_ns[t] - s.earliest_ns[t];

			least = slack < least ? slack : least;
			broken += slack < 0;
			broken += dag_npred(d, t) == 0 && r.upward_ns[t] > longest * (1 + 1e-12);
			for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
				double length = r.length_ns[t] + r.transfer_ns[e];
				uint32_t to = d->succ[e];

				broken += r.upward_ns[t] < r.upward_ns[to] + length - 1e-6;
				broken += r.downward_ns[to] < r.downward_ns[t] + length - 1e-6;
				broken += s.latest_ns[t] >= s.latest_ns[to];
			}
		}
		CHECK_INT(least, 0);
		start_times_fini(&s);
		ranks_fini(&r);
		dag_free(d);
	}
	CHECK_INT(broken, 0);
	machine_free(m);
}

/*
 * 0 writes x and y, 1 overwrites x, 2 reads x, y, and x once more, 3 reads y and has z as scratch. The edge 0 -> 2 is
 * there for y alone; that of 3 was left out of the graph, and still 3 reads what 0 wrote.
 */
static void test_flow(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(1, -1);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "t", cost), x = dag_builder_handle(b, 100);
	uint32_t y = dag_builder_handle(b, 20), z = dag_builder_handle(b, 7), a;
	struct data_flow f;
	struct dag *d;

	dag_builder_task(b, type);
	dag_builder_access(b, 0, x, ACCESS_W);
	dag_builder_access(b, 0, y, ACCESS_W);
	dag_builder_access(b, 0, z, ACCESS_W);
	dag_builder_task(b, type);
	dag_builder_access(b, 1, x, ACCESS_R | ACCESS_W);
	dag_builder_task(b, type);
	dag_builder_access(b, 2, x, ACCESS_R);
	dag_builder_access(b, 2, y, ACCESS_R);
	dag_builder_access(b, 2, x, ACCESS_R);
	dag_builder_task(b, type);
	dag_builder_access(b, 3, y, ACCESS_R);
	dag_builder_access(b, 3, z, ACCESS_R | ACCESS_SCRATCH);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 0, 2);
	dag_builder_edge(b, 1, 2);
	dag_builder_edge(b, 2, 3);
	d = dag_builder_finish(b, NULL);
	data_flow_init(&f, d);
	CHECK_INT(f.bytes[d->succ_first[0]], 100);
	CHECK_INT(f.bytes[d->succ_first[0] + 1], 20);
	CHECK_INT(f.bytes[d->succ_first[1]], 100);
	CHECK_INT(f.pieces[d->succ_first[1]], 1);
	CHECK_INT(f.pieces[d->succ_first[2]], 0);
	a = d->tasks[2].first_access;
	CHECK_INT(f.producer[a], 1);
	CHECK_INT(f.producer[a + 1], 0);
	CHECK_INT(f.producer[a + 2], DATA_FLOW_NOBODY);
	a = d->tasks[3].first_access;
	CHECK_INT(f.producer[a], 0);
	CHECK_INT(f.producer[a + 1], DATA_FLOW_NOBODY);
	CHECK_INT(f.producer[d->tasks[0].first_access], DATA_FLOW_NOBODY);
	data_flow_fini(&f);
	dag_free(d);
}

/* Between two devices of a machine without links between them: through main memory, twice the time. */
static void test_routes(void)
{
	struct machine *m = machine_parse("cpu:2 cuda:2 link:10GB/s", NULL);
	struct transfer_costs r;

	transfer_costs_init(&r, m, 1);
	CHECK_NEAR(transfer_cost_ns(&r, 0, 1, 1000), 10000 + 100, 1e-9);
	CHECK_NEAR(transfer_cost_ns(&r, 1, 2, 1000), 20000 + 200, 1e-9);
	CHECK_NEAR(transfer_cost_ns(&r, 1, 1, 1000), 0, 0);
	CHECK_NEAR(r.mean_latency_ns, (4 * 10000 + 2 * 20000) / 6.0, 1e-9);
	CHECK_NEAR(r.mean_ns_per_byte, (4 * .1 + 2 * .2) / 6, 1e-9);
	transfer_costs_fini(&r);
	m->nlinks = 0;
	transfer_costs_init(&r, m, 1);
	CHECK_NEAR(transfer_cost_ns(&r, 1, 2, 1000), 0, 0);
	CHECK_NEAR(r.mean_ns_per_byte, 0, 0);
	transfer_costs_fini(&r);
	machine_free(m);
}

/* 50 on a core, 20 and 100 on two GPUs: the critical path takes the faster one, the mean over all four workers. */
static void test_devices(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(50, 60), own[][2] = {{20, 100}};
	struct machine *m = machine_parse("cpu:2 cuda:2", NULL);
	struct dag_builder *b = dag_builder_create();
	struct start_times s;
	struct ranks r;
	struct worker_kinds k;
	struct dag *d;

	dag_builder_type(b, "t", cost);
	dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	graph_devices(d, own);
	worker_kinds_init(&k, d, m);
	CHECK_INT(start_times_init(&s, d, &k, NULL), 0);
	CHECK_INT(s.length_ns, 20);
	CHECK_INT(ranks_init(&r, d, m, NULL), 0);
	CHECK_NEAR(r.upward_ns[0], 55, 1e-12);
	ranks_fini(&r);
	start_times_fini(&s);
	worker_kinds_fini(&k);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_paper);
	RUN(test_sends);
	RUN(test_lengths);
	RUN(test_starts);
	RUN(test_properties);
	RUN(test_flow);
	RUN(test_routes);
	RUN(test_devices);
	return check_done();
}
