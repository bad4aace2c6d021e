/* tests/unit/test_dm.c - dm, dmda and their kin: choices by hand, and what must hold for every graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "replay/sim/predict.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

enum { NTASKS = 12, UNKNOWN = 8 };

/* Tasks 0 to 7 take 10 on a CPU and 4 on a GPU, the others 0 and 4. The world answers what the test sets. */
struct bench {
	struct dag *d;
	struct machine *m;
	struct policy_world w;
	const struct policy *p;
	void *state;
	int64_t now, to_gpu_ns;
	struct policy_missing missing[NTASKS];
	int woken, prefetched;
};

static int64_t bench_now(void *ctx)
{
	return ((struct bench *)ctx)->now;
}

static void bench_wake(void *ctx, int worker)
{
	((struct bench *)ctx)->woken = worker;
}

static void bench_prefetch(void *ctx, uint32_t task, int worker)
{
	(void)task;
	((struct bench *)ctx)->prefetched = worker;
}

static int64_t bench_transfer_ns(void *ctx, uint32_t task, int worker)
{
	const struct bench *b = ctx;

	(void)task;
	return b->m->workers[worker].arch == ARCH_CUDA ? b->to_gpu_ns : 0;
}

static void bench_missing(void *ctx, uint32_t task, int worker, struct policy_missing *missing)
{
	(void)worker;
	*missing = ((struct bench *)ctx)->missing[task];
}

static int64_t bench_cost_ns(void *ctx, uint32_t task, int worker)
{
	struct bench *b = ctx;

	return dag_cost(b->d, task, b->m->workers[worker].arch);
}

static void bench_open(struct bench *b, const char *machine, const char *policy)
{
	static const int64_t costs[2][ARCH_COUNT] = {COSTS(10, 4), COSTS(0, 4)};
	struct dag_builder *builder = dag_builder_create();
	const struct policy_world w = {.now = bench_now,
	                               .cost_ns = bench_cost_ns,
	                               .wake = bench_wake,
	                               .prefetch = bench_prefetch,
	                               .transfer_ns = bench_transfer_ns,
	                               .missing = bench_missing,
	                               .ctx = b};
	const char *options = "";

	memset(b, 0, sizeof(*b));
	dag_builder_type(builder, "long", costs[0]);
	dag_builder_type(builder, "unknown", costs[1]);
	for (uint32_t i = 0; i < NTASKS; i++)
		dag_builder_task(builder, i / UNKNOWN);
	b->w = w;
	b->w.dag = b->d = dag_builder_finish(builder, NULL);
	b->w.machine = b->m = machine_parse(machine, NULL);
	b->p = policy_find(policy, &options, NULL);
	b->state = b->p->create(b->p, &b->w, options, NULL);
	CHECK(b->state != NULL);
}

/* The policy knows them from the start. */
static void bench_prioritise(struct bench *b, const int32_t priority[NTASKS])
{
	for (uint32_t i = 0; i < NTASKS; i++)
		b->d->tasks[i].priority = priority[i];
	b->p->free(b->state);
	b->state = b->p->create(b->p, &b->w, "", NULL);
}

static void bench_close(struct bench *b)
{
	b->p->free(b->state);
	machine_free(b->m);
	dag_free(b->d);
}

/* The worker that the task is given to. */
static int pushed_to(struct bench *b, uint32_t task)
{
	b->woken = b->prefetched = -1;
	b->p->push(b->state, task, -1);
	CHECK_INT(b->prefetched, b->woken);
	return b->woken;
}

/* Workers 0 and 1 are CPUs, 2 is the GPU. Ends 10, 10, 4; then 10, 10, 8; then 10, 10, 12. */
static void test_by_length(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "dm");
	b.to_gpu_ns = 1000; /* which dm does not look at */
	CHECK_INT(pushed_to(&b, 0), 2);
	CHECK_INT(pushed_to(&b, 1), 2);
	CHECK_INT(pushed_to(&b, 2), 0);
	CHECK_INT(pushed_to(&b, 3), 1); /* 20, 10, 12 */
	CHECK_INT(b.p->pop(b.state, 0), 2);
	CHECK_INT(b.p->pop(b.state, 0), POLICY_NO_TASK);
	CHECK_INT(b.p->pop(b.state, 2), 0);
	CHECK_INT(b.p->pop(b.state, 2), 1);
	bench_close(&b);
}

/*
 * A copy to the GPU takes 5. Ends: 10 on a CPU, max(0, 5) + 4 = 9 on the GPU. Fitness is alpha (10 - 9) = 1 for the
 * CPU, 5 beta for the GPU: the copy counts twice, in the end and by itself.
 */
static void test_by_transfer(void)
{
	static const struct {
		const char *policy;
		int worker;
	} cases[] = {{"dmda", 0},
	             {"dmdas", 0},
	             {"dmda:beta=0", 2},
	             {"dmda:alpha=10", 2},
	             {"dmda:alpha=10,beta=3", 0},
	             {"dmdas:beta=0.1", 2}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cpu:2 cuda:1", cases[i].policy);
		b.to_gpu_ns = 5;
		CHECK_INT(pushed_to(&b, 0), cases[i].worker);
		bench_close(&b);
	}
}

/*
 * With beta 0 task 0 goes to the GPU, whose queue is then 5 + 4 = 9 long. Task 1: 10, 10, 13; task 2: 20, 10, 13;
 * task 3: 20, 20, 13. Its copy is over at 5, before the queue's end at 9, and adds nothing: the queue is 13 long, so
 * task 4 ends there at 17. Were it 18 long, that would be 22.
 */
static void test_hidden_transfer(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "dmda:beta=0");
	b.to_gpu_ns = 5;
	CHECK_INT(pushed_to(&b, 0), 2);
	CHECK_INT(pushed_to(&b, 1), 0);
	CHECK_INT(pushed_to(&b, 2), 1);
	CHECK_INT(pushed_to(&b, 3), 2);
	CHECK_INT(pushed_to(&b, 4), 2);
	bench_close(&b);
}

/*
 * The GPU (worker 1) has tasks 0 and 1, and runs 0 since 0. At 1 its end is 8, and task 2 would end there at 12, on
 * the CPU at 11. Had the running task been forgotten, it would be 1 + 4 + 4 = 9. At 9 the GPU has only just ended task
 * 0: its end is 9 + 4, so task 3 ends there at 17, on the CPU at 21.
 */
static void test_running(void)
{
	struct bench b;

	bench_open(&b, "cpu:1 cuda:1", "dm");
	CHECK_INT(pushed_to(&b, 0), 1);
	CHECK_INT(pushed_to(&b, 1), 1);
	CHECK_INT(b.p->pop(b.state, 1), 0);
	b.p->started(b.state, 0, 1);
	b.now = 1;
	CHECK_INT(pushed_to(&b, 2), 0);
	b.now = 9;
	b.p->done(b.state, 0, 1);
	CHECK_INT(pushed_to(&b, 3), 1);
	bench_close(&b);
}

static void test_priorities(void)
{
	static const int32_t priority[NTASKS] = {0, 5, 0, 5};
	static const struct {
		const char *policy;
		uint32_t order[4];
	} cases[] = {{"dmda", {0, 1, 2, 3}},
	             {"dmdar", {0, 1, 2, 3}},
	             {"dmdap", {1, 3, 0, 2}},
	             {"dmdas", {1, 3, 0, 2}},
	             {"dmdasd", {1, 3, 0, 2}}};
	struct bench b;

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		bench_open(&b, "cpu:1", cases[k].policy);
		bench_prioritise(&b, priority);
		for (uint32_t i = 0; i < 4; i++)
			CHECK_INT(pushed_to(&b, i), 0);
		for (uint32_t i = 0; i < 4; i++)
			CHECK_INT(b.p->pop(b.state, 0), cases[k].order[i]);
		bench_close(&b);
	}
}

/*
 * What comes before task 2 on the GPU is nothing: it ends at 4, and under dmdas, behind tasks 0 and 1, at 12, and at 10
 * on the CPU. Task 3 comes after 12 there; before task 4 is task 2. The GPU takes task 2, which does not run yet:
 * before task 5 is nothing. Then it runs: task 6 begins after 4, another 4 for the same, and 4 for task 5.
 */
static void test_decision(void)
{
	static const int32_t priority[NTASKS] = {0, 0, 5, 0, 3, 4, 4};
	struct bench b;

	for (int decides = 0; decides < 2; decides++) {
		bench_open(&b, "cpu:1 cuda:1", decides ? "dmdasd" : "dmdas");
		bench_prioritise(&b, priority);
		CHECK_INT(pushed_to(&b, 0), 1);
		CHECK_INT(pushed_to(&b, 1), 1);
		CHECK_INT(pushed_to(&b, 2), decides);
		if (decides) {
			CHECK_INT(pushed_to(&b, 3), 0);
			CHECK_INT(pushed_to(&b, 4), 1);
			CHECK_INT(b.p->pop(b.state, 1), 2);
			CHECK_INT(pushed_to(&b, 5), 1);
			b.p->started(b.state, 2, 1);
			CHECK_INT(pushed_to(&b, 6), 0);
		}
		bench_close(&b);
	}
}

/* dmdap goes by priority alone, dmdar by data alone. */
static void test_either(void)
{
	static const uint64_t lacks[] = {9, 7, 8, 7};
	static const uint32_t by_priority[] = {0, 2, 1, 3}, by_data[] = {1, 3, 2, 0};
	struct bench b;

	for (int k = 0; k < 2; k++) {
		bench_open(&b, "cpu:1", k ? "dmdar" : "dmdap");
		for (uint32_t i = 0; i < 4; i++) {
			b.missing[i].invalid_bytes = lacks[i];
			b.d->tasks[i].priority = i % 2 ? 0 : 1;
			pushed_to(&b, i);
		}
		for (uint32_t i = 0; i < 4; i++)
			CHECK_INT(b.p->pop(b.state, 0), k ? by_data[i] : by_priority[i]);
		bench_close(&b);
	}
	CHECK(policy_dmdar.priority == policy_no_priority && !policy_dmdap.priority);
}

/*
 * Of priority 1 the least invalid bytes first, then the least that nobody has asked for, then the least without
 * memory; task 4 of priority 0 waits, although it lacks nothing. Of equals the first.
 */
static void test_ready(void)
{
	static const struct policy_missing missing[] = {
		{100, 0, 0}, {50, 50, 0}, {50, 20, 5}, {50, 20, 1}, {0, 0, 0}, {100, 0, 0},
	};
	static const uint32_t order[] = {3, 2, 1, 0, 5, 4};
	struct bench b;

	bench_open(&b, "cpu:1", "dmdas");
	for (uint32_t i = 0; i < 6; i++) {
		b.missing[i] = missing[i];
		b.d->tasks[i].priority = i != 4;
		pushed_to(&b, i);
	}
	for (uint32_t i = 0; i < 6; i++)
		CHECK_INT(b.p->pop(b.state, 0), order[i]);
	bench_close(&b);
}

/*
 * A task takes no time on a CPU, so StarPU goes by the number of tasks over the relative speed, 0.5 and 13.33; a
 * task in the queue counts twice, as StarPU counts it: 0, 0, 0; 4, 0, 0; 4, 4, 0; 4, 4, 0.15.
 */
static void test_unknown(void)
{
	static const int worker[] = {0, 1, 2, 2};
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "dmda");
	for (uint32_t i = 0; i < 4; i++)
		CHECK_INT(pushed_to(&b, UNKNOWN + i), worker[i]);
	bench_close(&b);
}

/* The same of a codelet that has no model, whatever the run took. For INSPIRIT's dmda a config has the costs. */
static void test_no_model(void)
{
	static const int worker[] = {0, 1, 2, 2};
	static const char *const names[] = {"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd"};
	struct bench b;

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		bench_open(&b, "cpu:2 cuda:1", names[k]);
		b.d->types[0].has_no_model = 1;
		for (uint32_t i = 0; i < 4; i++)
			CHECK_INT(pushed_to(&b, i), worker[i]);
		bench_close(&b);
	}
	bench_open(&b, "cpu:2 cuda:1", "inspirit");
	b.d->types[0].has_no_model = 1;
	CHECK_INT(pushed_to(&b, 0), 2);
	bench_close(&b);
}

static void test_bad_knobs(void)
{
	static const char *const bad[] = {"dm:alpha=1",  "dmda:gamma=1",    "dmda:alpha=x",  "dmda:beta=-1",
	                                  "dmdas:beta=", "dmdas:alpha=nan", "dmda:alpha=1x", "dmda:beta=inf"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check_refused(bad[i], "");
}

/*
 * 1 MB at 1 GB/s with 2 devices: 10 us + 4 x 1 ms. It is written on device 1, from where it goes through main memory
 * to device 2, which is two such copies.
 */
static void test_prediction(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(10, 4);
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s", NULL);
	struct dag_builder *b = dag_builder_create();
	struct policy_missing x;
	struct predict p;
	struct memory *mem;
	struct dag *d;

	dag_builder_type(b, "t", cost);
	dag_builder_handle(b, 1000000);
	dag_builder_task(b, 0);
	dag_builder_access(b, 0, 0, ACCESS_R | ACCESS_W);
	d = dag_builder_finish(b, NULL);
	mem = memory_create(d, m, NULL, NULL);
	predict_init(&p, d, m, mem);
	memory_write(mem, 0, 0);
	CHECK_INT(predict_transfer_ns(&p, 0, 0), 0);
	CHECK_INT(predict_transfer_ns(&p, 0, 1), 4010000);
	predict_missing(&p, 0, 1, &x);
	CHECK_INT(x.invalid_bytes, 1000000);
	CHECK_INT(x.unrequested_bytes, 1000000);
	CHECK_INT(x.unallocated_bytes, 1000000);
	memory_fetch(mem, 0, 1, 0);
	memory_write(mem, 0, 1);
	CHECK_INT(predict_transfer_ns(&p, 0, 1), 0);
	CHECK_INT(predict_transfer_ns(&p, 0, 0), 4010000);
	CHECK_INT(predict_transfer_ns(&p, 0, 2), 8020000);
	predict_missing(&p, 0, 1, &x);
	CHECK_INT(x.invalid_bytes + x.unallocated_bytes, 0);
	predict_fini(&p);
	memory_free(mem);
	machine_free(m);
	dag_free(d);
}

/* What was asked for counts as if it were there, until it is written elsewhere. */
static void test_prediction_of_requested(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(10, 4);
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	struct network *n = network_create(m);
	struct dag_builder *b = dag_builder_create();
	struct overheads_all o;
	struct predict p;
	struct memory *mem;
	struct dag *d;

	dag_builder_type(b, "t", cost);
	dag_builder_handle(b, 1000000);
	dag_builder_task(b, 0);
	dag_builder_access(b, 0, 0, ACCESS_R | ACCESS_W);
	d = dag_builder_finish(b, NULL);
	overheads_init(&o, OVERHEADS_SIMGRID);
	mem = memory_create(d, m, n, &o);
	predict_init(&p, d, m, mem);
	memory_write(mem, 0, 0);
	CHECK_INT(predict_transfer_ns(&p, 0, 1), 2010000);
	memory_prefetch(mem, 0, 1, 0);
	CHECK_INT(predict_transfer_ns(&p, 0, 1), 0);
	memory_write(mem, 0, 0);
	CHECK_INT(predict_transfer_ns(&p, 0, 1), 2010000);
	predict_fini(&p);
	memory_free(mem);
	network_free(n);
	machine_free(m);
	dag_free(d);
}

static void test_every_graph(void)
{
	static const char *const names[] = {"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "dmda:beta=2"};

	check_every_graph(names, sizeof(names) / sizeof(*names));
}

static void test_throughput(void)
{
	struct machine *m = machine_parse("cpu:20 cuda:4", NULL);
	struct dag *d = graph_cholesky(30, 1000);

	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"dm", "dmda", "dmdas"};
		clock_t from = clock();
		struct simulation *s = play(d, m, names[i], (struct simulate_options){.transfers = TRANSFERS_ON});

		CHECK(s != NULL);
		printf("# %s: %.0f tasks/s\n", names[i], d->ntasks / ((double)(clock() - from + 1) / CLOCKS_PER_SEC));
		simulation_free(s);
	}
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(test_by_length);
	RUN(test_by_transfer);
	RUN(test_hidden_transfer);
	RUN(test_running);
	RUN(test_priorities);
	RUN(test_decision);
	RUN(test_either);
	RUN(test_ready);
	RUN(test_unknown);
	RUN(test_no_model);
	RUN(test_bad_knobs);
	RUN(test_prediction);
	RUN(test_prediction_of_requested);
	RUN(test_every_graph);
	RUN(test_throughput);
	return check_done();
}
