/* tests/unit/test_task_metrics.c - all metrics of twelve tasks, each by hand; and means that are those of the tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/task_metrics.h"
#include "core/base/csv.h"
#include "core/base/err.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"

#define EPS 1e-12
#define RAN (25000 / 3.0) /* G over the three workers: (12000 + 12000 + 1000) / 3 */

struct known {
	struct dag *dag;
	struct machine *machine;
	struct metrics *metrics;
	struct task_metrics tasks;
};

static void know(struct known *k, struct dag *d, const char *machine,
                 void (*fill)(struct metrics_input *, const struct dag *))
{
	struct metrics_input in;
	struct ht_err err = {""};

	k->dag = d;
	k->machine = machine_parse(machine, NULL);
	fill(&in, d);
	k->metrics = metrics_compute(d, k->machine, &in);
	metrics_input_fini(&in);
	CHECK_INT(task_metrics_init(&k->tasks, d, k->machine, k->metrics, &err), 0);
	CHECK_STR(err.text, "");
}

static void forget(struct known *k)
{
	task_metrics_fini(&k->tasks);
	metrics_free(k->metrics);
	machine_free(k->machine);
	dag_free(k->dag);
}

/*
 * NOD is 4 for P, 3/2 1 3/2 2 for T, 1/2 for G5 and G6. The highest where it can run: 4 on a CPU, on CUDA, where P
 * cannot run, 2. NRT of P is four T, of T1 three halves of a G, with the shares of twelve_input().
 */
static void test_tasks(void)
{
	static const double nod[12] = {4, 1.5, 1, 1.5, 2, 0, 0, 0, 0, 0.5, 0.5, 0};
	struct known k;
	double nrt[ARCH_COUNT];

	know(&k, twelve_graph(1), "cpu:2 cuda:1", twelve_input);
	CHECK_NEAR(k.tasks.nod_highest[ARCH_CPU], 4, 0);
	CHECK_NEAR(k.tasks.nod_highest[ARCH_CUDA], 2, 0);
	for (uint32_t t = 0; t < 12; t++) {
		CHECK_NEAR(k.tasks.released.nod[t], nod[t], EPS);
		CHECK_NEAR(task_metrics_nod_bonus(&k.tasks, t, ARCH_CPU), nod[t] / 4, EPS);
		if (t)
			CHECK_NEAR(task_metrics_nod_bonus(&k.tasks, t, ARCH_CUDA), nod[t] / 2, EPS);
		CHECK(isnan(task_metrics_nod_bonus(&k.tasks, t, ARCH_HIP)));
	}
	CHECK(isnan(task_metrics_nod_bonus(&k.tasks, 0, ARCH_CUDA)));
	task_metrics_nrt(&k.tasks, 0, nrt);
	CHECK_NEAR(nrt[ARCH_CPU], 4 * 0.25 * 16 / 3.0, EPS);
	CHECK_NEAR(nrt[ARCH_CUDA], 4 * 0.75 * 4 / 3.0, EPS);
	CHECK_NEAR(nrt[ARCH_HIP], 0, 0);
	task_metrics_nrt(&k.tasks, 1, nrt);
	CHECK_NEAR(nrt[ARCH_CPU], 1.5 / 3 * 8, EPS);
	CHECK_NEAR(nrt[ARCH_CUDA], 1.5 * 2 / 3 * 2 / 3, EPS);
	CHECK_NEAR(k.tasks.classes[TWELVE_T].cost[ARCH_CPU], 16 / 3.0, EPS);
	CHECK_NEAR(k.tasks.classes[TWELVE_T].diff[ARCH_CUDA], 4, EPS);
	CHECK_NEAR(k.tasks.classes[TWELVE_T].rel_diff[ARCH_CUDA], 4, EPS);
	CHECK(isnan(k.tasks.classes[TWELVE_P].cost[ARCH_CUDA]) && isnan(k.tasks.classes[TWELVE_P].diff[ARCH_CPU]));
	forget(&k);
}

/*
 * At best P takes 3000, T 2000, G and L 1000, so the critical path is P T3 G5 L or P T4 G6 L, 7000; T1 and T2 have
 * until 6000 for their successors. Over the workers T takes 6000 on average, L 2000.
 */
static void test_means(void)
{
	static const struct {
		double succ, ability, work, up, down, slack;
		uint32_t critical;
	} want[4] = {
		{4, 12, 8000, 3000 + 6000 + RAN + 2000, 0, 0, 1},
		{2.75, 4.25, 2750, 6000 + RAN + 1000, 3000, 500, 2},
		{2 / 6.0, 8 / 6.0, 2000 / 6.0, RAN + 4000 / 6.0, 9000, 4000 / 6.0, 2},
		{0, 1, 0, 2000, 9000 + RAN, 0, 1},
	};
	static const double cpu[4][3] = {
		{32000, 1, 1},
		{33000, 1, 0.375},
		{2000 / 6.0, 1, 1 / 24.0},
		{0, 4, 0},
	};
	static const double cuda[4][3] = {
		{8000, NAN, NAN},
		{2750, 4, 0.75},
		{8000 / 6.0, 12, 1 / 12.0},
		{0, 1, 0},
	};
	struct known k;

	know(&k, twelve_graph(1), "cpu:2 cuda:1", twelve_input);
	for (int p = 0; p < 4; p++) {
		const struct type_means *m = &k.tasks.types[p];
		const struct type_arch_means *on = &m->arch[ARCH_CUDA];

		CHECK_NEAR(m->successors, want[p].succ, EPS);
		CHECK_NEAR(m->ability, want[p].ability, EPS);
		CHECK_NEAR(m->released_ns, want[p].work, EPS);
		CHECK_NEAR(m->released_ns / 1500, k.metrics->types[p].released, EPS); /* Q is S */
		CHECK_NEAR(m->upward_ns, want[p].up, EPS);
		CHECK_NEAR(m->downward_ns, want[p].down, EPS);
		CHECK_NEAR(m->slack_ns, want[p].slack, EPS);
		CHECK_INT(m->critical, want[p].critical);
		CHECK_NEAR(m->arch[ARCH_CPU].released_ns, cpu[p][0], EPS);
		CHECK_NEAR(m->arch[ARCH_CPU].speedup, cpu[p][1], EPS);
		CHECK_NEAR(m->arch[ARCH_CPU].nod_bonus, cpu[p][2], EPS);
		CHECK_NEAR(on->released_ns, cuda[p][0], EPS);
		CHECK(isnan(cuda[p][1]) ? isnan(on->speedup) : fabs(on->speedup - cuda[p][1]) < EPS);
		CHECK(isnan(cuda[p][2]) ? isnan(on->nod_bonus) : fabs(on->nod_bonus - cuda[p][2]) < EPS);
		CHECK(isnan(m->arch[ARCH_HIP].released_ns));
	}
	CHECK(k.tasks.efficiency.window_ns > 0);
	CHECK_NEAR(k.tasks.types[TWELVE_P].efficiency, k.tasks.efficiency.counts[0], 0);
	forget(&k);
}

static void executed_anywhere(struct metrics_input *in, const struct dag *d)
{
	metrics_input_init(in, d);
	for (uint32_t p = 0; p < d->ntypes; p++) {
		in->executed[p][ARCH_CPU].count = 3 + p;
		in->executed[p][ARCH_CUDA].count = d->types[p].where >> ARCH_CUDA & 1 ? 2 * p + 1 : 0;
	}
	in->idle[ARCH_CPU] = 0.125;
	in->idle[ARCH_CUDA] = 0.5;
}

/* What core/metrics/metrics.h gives for a type is the mean of what is given here for its tasks. */
static void test_types_are_means(void)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		double nod[5] = {0}, nrt[5][ARCH_COUNT] = {{0}}, diff[5] = {0};
		struct known k;

		know(&k, graph_layers(seed, 20, 40, 1000), "cpu:3 cuda:2", executed_anywhere);
		for (uint32_t t = 0; t < k.dag->ntasks; t++) {
			uint32_t p = dag_type_of(k.dag, t);
			double of_task[ARCH_COUNT];

			task_metrics_nrt(&k.tasks, t, of_task);
			nod[p] += k.tasks.released.nod[t] / k.dag->types[p].count;
			diff[p] += k.tasks.classes[k.dag->tasks[t].class_id].diff[ARCH_CPU] / k.dag->types[p].count;
			for (enum arch a = 0; a < ARCH_COUNT; a++)
				nrt[p][a] += of_task[a] / k.dag->types[p].count;
		}
		for (uint32_t p = 0; p < k.dag->ntypes; p++) {
			const struct metrics_type *type = &k.metrics->types[p];

			CHECK_NEAR(type->nod, nod[p], 1e-9);
			CHECK_NEAR(type->arch[ARCH_CPU].nrt, nrt[p][ARCH_CPU], 1e-9);
			CHECK_NEAR(type->arch[ARCH_CUDA].nrt, nrt[p][ARCH_CUDA], 1e-9);
			CHECK(isnan(diff[p]) == isnan(type->arch[ARCH_CPU].diff));
			if (!isnan(diff[p]) && type->count)
				CHECK_NEAR(type->arch[ARCH_CPU].diff, diff[p], 1e-9);
		}
		forget(&k);
	}
}

/* P's line and T1's, field by field. T1 ran on the GPU from 1100 to 3100, the run began at 100. */
static void test_csv(void)
{
	struct trace_worker workers[2] = {{.arch = ARCH_CPU}, {.arch = ARCH_CUDA}};
	struct trace_task tasks[12];
	struct trace trace = {.tasks = tasks, .ntasks = 12, .workers = workers, .nworkers = 2};
	struct run run = {.trace = &trace};
	struct known k;
	char *text = NULL, *line;
	size_t size;
	struct csv c = {.f = open_memstream(&text, &size)};

	for (int i = 0; i < 12; i++)
		tasks[i] = (struct trace_task){.job = (uint64_t)i + 70,
		                               .start_ns = 100 + 1000 * i,
		                               .worker = i == 1,
		                               .end_ns = 2100 + 1000 * i,
		                               .parallel = 1};
	know(&k, twelve_graph(1), "cpu:2 cuda:1", twelve_input);
	task_metrics_csv(&k.tasks, &run, &c);
	fclose(c.f);
	line = strtok(text, "\n");
	CHECK_STR(line,
	          "task,rank,job,type,footprint,ran_on,start_ns,end_ns,predecessors,ability_direct,ability,efficiency,"
	          "nod,urt,released_ns,upward_rank_ns,downward_rank_ns,earliest_start_ns,slack_ns,"
	          "cost_cpu,diff_cpu,rel_diff_cpu,speedup_cpu,nrt_cpu,released_cpu_ns,nod_bonus_cpu,"
	          "cost_cuda,diff_cuda,rel_diff_cuda,speedup_cuda,nrt_cuda,released_cuda_ns,nod_bonus_cuda");
	line = strtok(NULL, "\n");
	/* URT is a quarter of NRT on the CPUs and half of that on CUDA. */
	CHECK_HAS(line, "0,0,70,P,00000000,cpu,0,2000,0,4,12,");
	CHECK_HAS(line, ",4,3.333333,8000,19333,0,0,0,2,,,1,5.333333,32000,1,,,,,4,8000,");
	line = strtok(NULL, "\n");
	CHECK_HAS(line, "1,0,71,T,00000000,cuda,1000,3000,1,3,4,3,1.5,1.333333,3000,14333,3000,3000,1000,"
	                "5.333333333333333,-4,0.25,1,4,36000,0.375,1.3333333333333333,4,4,4,0.666667,3000,0.75");
	for (int i = 2; i < 12; i++)
		CHECK((line = strtok(NULL, "\n")) != NULL);
	CHECK(strtok(NULL, "\n") == NULL);
	free(text);
	forget(&k);
}

/* A task that nobody can run is named, and nothing is left behind. */
static void test_illegal(void)
{
	struct machine *m = machine_parse("cuda:1", NULL);
	struct dag *d = twelve_graph(1);
	struct metrics_input in;
	struct metrics *x;
	struct task_metrics k;
	struct ht_err err = {""};

	twelve_input(&in, d);
	x = metrics_compute(d, m, &in);
	CHECK_INT(task_metrics_init(&k, d, m, x, &err), -1);
	CHECK_HAS(err.text, "no worker of the machine can run task 0 (P)");
	task_metrics_fini(&k);
	metrics_input_fini(&in);
	metrics_free(x);
	machine_free(m);
	dag_free(d);
}

/*
 * Device 0 takes 800 less for a G than both do on average, and device 1 400 less for a T: the critical path, which is
 * the one that is printed as a bound, is that of the fastest device for each task.
 */
static void test_unlike_devices(void)
{
	static const int64_t own[][2] = {{-1, -1}, {2400, 1600}, {200, 1800}, {4000, 4000}};
	struct dag *d = twelve_graph(1);
	struct known k;
	int64_t longest = 0, least = INT64_MAX;

	graph_devices(d, own);
	know(&k, d, "cpu:2 cuda:2", twelve_input);
	for (uint32_t t = 0; t < 12; t++) {
		int64_t slack = k.tasks.start_times.latest_ns[t] - k.tasks.start_times.earliest_ns[t];

		least = slack < least ? slack : least;
		longest = k.tasks.start_times.earliest_ns[t] > longest ? k.tasks.start_times.earliest_ns[t] : longest;
	}
	CHECK_INT(k.tasks.start_times.length_ns, bound_critical_path_ns(d, machine_archs(k.machine)));
	CHECK_INT(k.tasks.start_times.length_ns, 3000 + 1600 + 200 + 1000);
	CHECK_INT(longest, 3000 + 1600 + 200);
	CHECK_INT(least, 0);
	forget(&k);
}

int main(void)
{
	RUN(test_tasks);
	RUN(test_means);
	RUN(test_types_are_means);
	RUN(test_csv);
	RUN(test_illegal);
	RUN(test_unlike_devices);
	return check_done();
}
