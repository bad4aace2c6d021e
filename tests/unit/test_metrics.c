/* tests/unit/test_metrics.c - the metrics of AutoHeteroprio, by hand and by their properties. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"

#define EPS 1e-12

static struct metrics *twelve(const char *machine, int64_t scale, struct dag **d)
{
	struct machine *m = machine_parse(machine, NULL);
	struct metrics_input in;
	struct metrics *x;

	*d = twelve_graph(scale);
	twelve_input(&in, *d);
	x = metrics_compute(*d, m, &in);
	metrics_input_fini(&in);
	machine_free(m);
	return x;
}

static void test_costs(void)
{
	struct dag *d;
	struct metrics *x = twelve("cpu:2 cuda:1", 1, &d);
	const struct metrics_arch *cpu, *cuda;

	CHECK_NEAR(x->unit_ns, 1500, EPS);
	CHECK_NEAR(x->types[TWELVE_T].arch[ARCH_CPU].cost, 16 / 3.0, EPS);
	CHECK_NEAR(x->types[TWELVE_T].arch[ARCH_CUDA].cost, 4 / 3.0, EPS);
	CHECK_NEAR(x->types[TWELVE_G].arch[ARCH_CPU].cost, 8, EPS);
	CHECK_NEAR(x->types[TWELVE_L].arch[ARCH_CUDA].cost, 8 / 3.0, EPS);
	cpu = &x->types[TWELVE_T].arch[ARCH_CPU];
	cuda = &x->types[TWELVE_T].arch[ARCH_CUDA];
	CHECK_NEAR(cpu->diff, -4, EPS); /* (2000 - 8000) / 1500 */
	CHECK_NEAR(cuda->diff, 4, EPS);
	CHECK_NEAR(cpu->rel_diff, 0.25, EPS);
	CHECK_NEAR(cuda->rel_diff, 4, EPS);
	CHECK_INT(cuda->other, ARCH_CPU);
	CHECK_NEAR(x->types[TWELVE_G].arch[ARCH_CUDA].diff, 22 / 3.0, EPS);
	CHECK_NEAR(x->types[TWELVE_L].arch[ARCH_CPU].diff, 2, EPS);
	CHECK_NEAR(cuda->share, 0.75, EPS);
	CHECK_INT(cuda->executed, 3);
	CHECK_INT(cuda->mean_ns, 2000);
	CHECK_INT(x->types[TWELVE_L].arch[ARCH_CUDA].executed, 0);
	CHECK_INT(x->types[TWELVE_L].arch[ARCH_CUDA].mean_ns, 4000); /* the graph's, it never ran there */
	CHECK_INT(x->types[TWELVE_L].arch[ARCH_CUDA].deviation_ns, -1);
	metrics_free(x);
	dag_free(d);
}

static void test_illegal(void)
{
	struct dag *d;
	struct metrics *x = twelve("cpu:2 cuda:1", 1, &d);
	const struct metrics_type *p = &x->types[TWELVE_P];

	CHECK_INT(p->where, 1 << ARCH_CPU);
	CHECK(!p->arch[ARCH_CUDA].legal);
	CHECK_INT(p->arch[ARCH_CUDA].cost_ns, -1);
	CHECK_INT(p->arch[ARCH_CUDA].mean_ns, -1);
	CHECK(isnan(p->arch[ARCH_CUDA].cost) && isnan(p->arch[ARCH_CUDA].diff));
	CHECK_INT(p->arch[ARCH_CPU].other, ARCH_NONE);
	CHECK(isnan(p->arch[ARCH_CPU].diff) && isnan(p->arch[ARCH_CPU].rel_diff));
	CHECK(isnan(p->arch[ARCH_HIP].nrt)); /* no such worker */
	metrics_free(x);
	dag_free(d);
}

/*
 * NOD. P: four tasks with one predecessor: 4. T1: 3/2, T2: 2/2, T3: 3/2, T4: 1/2 + 1/2 + 1: mean 6/4. G5, G6: 1/2:
 * mean 1/6. NRT. P: cpu 4 * 1/4 * 16/3, cuda 4 * 3/4 * 4/3. T: cpu 3/2 * 1/3 * 8, cuda 3/2 * 2/3 * 2/3. G: cpu 1/6 * 1
 * * 2/3. S. P: 4 * 2000. T: 3, 2, 3, 3 successors of 1000: 2750. G: two of six have one of 1000.
 */
static void test_released(void)
{
	static const struct {
		double nod, cpu, cuda, urt, s;
	} want[] = {
		{4, 16 / 3.0, 4, 10 / 3.0, 16 / 3.0},
		{1.5, 4, 2 / 3.0, 4 / 3.0, 11 / 6.0},
		{1 / 6.0, 1 / 9.0, 0, 1 / 36.0, 2 / 9.0},
		{0, 0, 0, 0, 0},
	};
	struct dag *d;
	struct metrics *x = twelve("cpu:2 cuda:1", 1, &d);

	for (int p = 0; p < 4; p++) {
		const struct metrics_type *t = &x->types[p];

		CHECK_NEAR(t->nod, want[p].nod, EPS);
		CHECK_NEAR(t->arch[ARCH_CPU].nrt, want[p].cpu, EPS);
		CHECK_NEAR(t->arch[ARCH_CUDA].nrt, want[p].cuda, EPS);
		CHECK_NEAR(t->urt, want[p].urt, EPS);
		CHECK_NEAR(t->released, want[p].s, EPS);
	}
	CHECK_INT(x->types[TWELVE_T].released_ns, 2750);
	metrics_free(x);
	dag_free(d);
}

/* Everything that is normalised stays, times are scaled. */
static void test_scaling(void)
{
	static const int64_t scales[] = {2, 7, 1000, 1000003};
	struct dag *d1, *d2;
	struct metrics *x = twelve("cpu:2 cuda:1", 1, &d1);

	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		struct metrics *y = twelve("cpu:2 cuda:1", scales[i], &d2);

		CHECK_NEAR(y->unit_ns, x->unit_ns * (double)scales[i], EPS);
		for (int p = 0; p < 4; p++) {
			CHECK_NEAR(y->types[p].urt, x->types[p].urt, EPS);
			CHECK_NEAR(y->types[p].released, x->types[p].released, EPS);
			for (enum arch a = 0; a < ARCH_COUNT; a++) {
				const struct metrics_arch *u = &x->types[p].arch[a], *v = &y->types[p].arch[a];

				CHECK_INT(v->legal, u->legal);
				CHECK_INT(v->other, u->other);
				if (!u->legal)
					continue;
				CHECK_INT(v->cost_ns, u->cost_ns * scales[i]);
				CHECK_NEAR(v->cost, u->cost, EPS);
				CHECK_NEAR(v->nrt, u->nrt, EPS);
				if (u->other != ARCH_NONE)
					CHECK_NEAR(v->diff, u->diff, EPS);
			}
		}
		metrics_free(y);
		dag_free(d2);
	}
	metrics_free(x);
	dag_free(d1);
}

/*
 * Without cuda workers its costs do not exist: unit (3000 + 32000 + 72000 + 1000) / 12 = 9000, and what it ran is no
 * share.
 */
static void test_one_architecture(void)
{
	struct dag *d;
	struct metrics *x = twelve("cpu:2", 1, &d);

	CHECK_NEAR(x->unit_ns, 9000, EPS);
	for (int p = 0; p < 4; p++) {
		CHECK_INT(x->types[p].arch[ARCH_CPU].other, ARCH_NONE);
		CHECK_INT(x->types[p].where, 1 << ARCH_CPU);
		CHECK(!x->types[p].arch[ARCH_CUDA].legal);
		CHECK_INT(x->types[p].arch[ARCH_CUDA].mean_ns, -1);
		CHECK_NEAR(x->types[p].arch[ARCH_CUDA].share, 0, 0); /* where T and G ran in the run */
		CHECK_NEAR(x->types[p].arch[ARCH_CPU].share, 1, 0);
		CHECK_NEAR(x->types[p].urt, x->types[p].arch[ARCH_CPU].nrt * 0.25, EPS);
	}
	CHECK_NEAR(x->types[TWELVE_P].arch[ARCH_CPU].nrt, 4 * 8 / 9.0, EPS); /* P(T, cpu) is 1 of what is left */
	metrics_free(x);
	dag_free(d);
}

/* cpu 10, cuda 2, opencl 6: the other of cuda and opencl is the cpu, that of the cpu is opencl. */
static void test_three_architectures(void)
{
	struct machine *m = machine_parse("cpu:2 cuda:1 opencl:1", NULL);
	struct dag_builder *b = dag_builder_create();
	int64_t cost[ARCH_COUNT] = {10, 2, 6, -1, -1, -1, -1, -1};
	struct metrics_input in;
	struct metrics *x;
	struct dag *d;

	dag_builder_task(b, dag_builder_type(b, "a", cost));
	d = dag_builder_finish(b, NULL);
	metrics_input_init(&in, d);
	x = metrics_compute(d, m, &in);
	CHECK_INT(x->types[0].arch[ARCH_CUDA].other, ARCH_CPU);
	CHECK_INT(x->types[0].arch[ARCH_OPENCL].other, ARCH_CPU);
	CHECK_INT(x->types[0].arch[ARCH_CPU].other, ARCH_OPENCL);
	CHECK_NEAR(x->types[0].arch[ARCH_CUDA].diff, 4, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_OPENCL].diff, 2, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].diff, -2, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].rel_diff, 0.6, EPS);
	metrics_free(x);
	metrics_input_fini(&in);
	dag_free(d);
	machine_free(m);
}

/*
 * One type of two footprints: small tasks ran on the cpu alone (10), large ones on both (100 and 40). The means of all
 * tasks, 55 on the cpu and 40 on cuda, would compare two sets of tasks; the difference is that of the large ones.
 */
static void test_partial_costs(void)
{
	struct dag_class classes[2] = {
		{.codelet = 0, .count = 1, .cost_ns = COSTS(10, -1)},
		{.codelet = 0, .count = 1, .cost_ns = COSTS(100, 40)},
	};
	struct dag_task tasks[2] = {{.class_id = 0}, {.class_id = 1}};
	struct dag_type type = {.name = "a", .codelet = "a", .model = "", .where = 3, .count = 2};
	uint32_t succ_first[] = {0, 1, 1}, succ[] = {1}, pred_first[] = {0, 0, 1}, pred[] = {0};
	uint32_t order[] = {0, 1};
	struct dag d = {.tasks = tasks,
	                .ntasks = 2,
	                .succ_first = succ_first,
	                .succ = succ,
	                .pred_first = pred_first,
	                .pred = pred,
	                .nedges = 1,
	                .order = order,
	                .classes = classes,
	                .nclasses = 2,
	                .types = &type,
	                .ntypes = 1};
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct metrics_input in;
	struct metrics *x;

	metrics_input_init(&in, &d);
	x = metrics_compute(&d, m, &in);
	CHECK_NEAR(x->unit_ns, 25, EPS); /* (10 + 40) / 2 */
	CHECK_INT(x->types[0].arch[ARCH_CPU].cost_ns, 55);
	CHECK_INT(x->types[0].arch[ARCH_CUDA].cost_ns, 40);
	CHECK_NEAR(x->types[0].arch[ARCH_CUDA].diff, 60 / 25.0, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].rel_diff, 0.4, EPS);
	/* Nothing was executed: the successor is taken to run where it is fastest. */
	CHECK_NEAR(x->types[0].arch[ARCH_CUDA].nrt, 40 / 25.0 / 2, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].nrt, 0, EPS);
	metrics_free(x);
	/* It ran on the cpu only; a successor that the cpu cannot run is nevertheless released to somebody. */
	classes[1].cost_ns[ARCH_CPU] = -1;
	in.executed[0][ARCH_CPU].count = 1;
	x = metrics_compute(&d, m, &in);
	CHECK_NEAR(x->types[0].arch[ARCH_CUDA].nrt, 40 / 25.0 / 2, EPS);
	CHECK_INT(x->types[0].arch[ARCH_CUDA].other, ARCH_NONE); /* no task can run on both */
	metrics_free(x);
	metrics_input_fini(&in);
	machine_free(m);
}

/*
 * Three tasks of 10, 30 (cpu 0) and 40 ns (cuda 0), from 100 to 200: the makespan is 100. Two cpus idle 1 - 40/200,
 * one cuda worker 1 - 40/100. The deviation of 10 and 30 is 10.
 */
static void test_from_run(void)
{
	struct trace_worker workers[] = {{.arch = ARCH_CPU}, {.arch = ARCH_CPU}, {.arch = ARCH_CUDA}};
	struct trace_codelet codelet = {.executed = 3};
	struct trace_task tasks[] = {
		{.start_ns = 100, .end_ns = 110, .worker = 0, .parallel = 1},
		{.start_ns = 110, .end_ns = 140, .worker = 0, .parallel = 1},
		{.start_ns = 160, .end_ns = 200, .worker = 2, .parallel = 1},
	};
	struct trace t = {
		.tasks = tasks, .ntasks = 3, .codelets = &codelet, .ncodelets = 1, .workers = workers, .nworkers = 3};
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	int64_t cost[ARCH_COUNT] = COSTS(20, 40);
	struct metrics_input in;
	struct ht_err err = {""};
	struct dag *d;

	dag_builder_type(b, "a", cost);
	for (int i = 0; i < 3; i++)
		dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(metrics_input_from_run(&in, &t, d, m, &err), 0);
	CHECK_INT(in.executed[0][ARCH_CPU].count, 2);
	CHECK_INT(in.executed[0][ARCH_CUDA].count, 1);
	CHECK_NEAR(in.executed[0][ARCH_CPU].mean_ns, 20, EPS);
	CHECK_NEAR(in.executed[0][ARCH_CPU].deviation_ns, 10, EPS);
	CHECK_NEAR(in.executed[0][ARCH_CUDA].deviation_ns, 0, EPS);
	CHECK_NEAR(in.idle[ARCH_CPU], 0.8, EPS);
	CHECK_NEAR(in.idle[ARCH_CUDA], 0.6, EPS);
	metrics_input_fini(&in);
	tasks[1].parallel = 2; /* both cpus for 30 ns */
	CHECK_INT(metrics_input_from_run(&in, &t, d, m, &err), 0);
	CHECK_NEAR(in.idle[ARCH_CPU], 1 - 70 / 200.0, EPS);
	metrics_input_fini(&in);
	tasks[2].worker = 3; /* no such worker */
	CHECK_INT(metrics_input_from_run(&in, &t, d, m, &err), -1);
	CHECK_HAS(err.text, "was not executed in the trace");
	CHECK(in.executed == NULL);
	t.ntasks = 2;
	CHECK_INT(metrics_input_from_run(&in, &t, d, m, &err), -1);
	CHECK_HAS(err.text, "is not in the trace");
	dag_free(d);
	machine_free(m);
}

/* A clock that ticks slowly gives durations of 0: nothing becomes infinite. */
static void test_zero_costs(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	int64_t cost[ARCH_COUNT] = COSTS(0, 0);
	struct metrics_input in;
	struct metrics *x;
	struct dag *d;

	dag_builder_type(b, "a", cost);
	dag_builder_task(b, 0);
	dag_builder_task(b, 0);
	dag_builder_edge(b, 0, 1);
	d = dag_builder_finish(b, NULL);
	metrics_input_init(&in, d);
	x = metrics_compute(d, m, &in);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].rel_diff, 1, EPS);
	CHECK_NEAR(x->types[0].arch[ARCH_CPU].diff, 0, EPS);
	CHECK(isfinite(x->types[0].released));
	metrics_free(x);
	metrics_input_fini(&in);
	dag_free(d);
	machine_free(m);
}

/* Each task but the roots hands out 1 in all, whatever the graph. */
static void test_nod_sum(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct dag *d = graph_layers(seed, 12, 20, 100);
		struct metrics_input in;
		struct metrics *x;
		double sum = 0, roots = 0;

		metrics_input_init(&in, d);
		x = metrics_compute(d, m, &in);
		for (uint32_t p = 0; p < x->ntypes; p++)
			sum += x->types[p].nod * x->types[p].count;
		for (uint32_t i = 0; i < d->ntasks; i++)
			roots += dag_npred(d, i) == 0;
		CHECK_NEAR(sum, d->ntasks - roots, 1e-9);
		metrics_free(x);
		metrics_input_fini(&in);
		dag_free(d);
	}
	machine_free(m);
}

int main(void)
{
	RUN(test_costs);
	RUN(test_illegal);
	RUN(test_released);
	RUN(test_scaling);
	RUN(test_one_architecture);
	RUN(test_three_architectures);
	RUN(test_partial_costs);
	RUN(test_from_run);
	RUN(test_zero_costs);
	RUN(test_nod_sum);
	return check_done();
}
