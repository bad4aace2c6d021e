/* tests/unit/test_autoheteroprio.c - Heteroprio that learns: lists after what was seen, files, and whole executions. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/file.h"
#include "core/config/autoheteroprio_data.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"

#define NONE (-1)
enum { EACH = 100 };

/* Types a, b run everywhere, c on CPUs only; type t has tasks EACH t .. EACH t + EACH - 1. CPUs 0, 1; GPU 2. */
struct bench {
	struct dag *d;
	struct machine *m;
	struct policy_world w;
	const struct policy *p;
	void *state;
	int64_t now;
};

static int64_t bench_now(void *ctx)
{
	return ((struct bench *)ctx)->now;
}

static void bench_wake(void *ctx, int worker)
{
	(void)ctx;
	(void)worker;
}

static void bench_start(struct bench *b, const char *options)
{
	struct ht_err err = {""};

	if (b->state)
		b->p->free(b->state);
	b->now = 0;
	b->state = b->p->create(b->p, &b->w, options, &err);
	if (!b->state)
		printf("# %s\n", err.text);
	CHECK(b->state != NULL);
}

static void bench_open(struct bench *b, const char *machine, const char *options)
{
	static const char *const names[] = {"a", "b", "c"};
	struct dag_builder *k = dag_builder_create();

	memset(b, 0, sizeof(*b));
	for (int i = 0; i < 3; i++) {
		int64_t cost[ARCH_COUNT] = COSTS(5, i < 2 ? 5 : -1);

		dag_builder_type(k, names[i], cost);
	}
	for (uint32_t i = 0; i < 3 * EACH; i++)
		dag_builder_task(k, i / EACH);
	b->d = dag_builder_finish(k, NULL);
	b->m = machine_parse(machine, NULL);
	b->w = (struct policy_world){.dag = b->d, .machine = b->m, .now = bench_now, .wake = bench_wake, .ctx = b};
	b->p = &policy_autoheteroprio;
	bench_start(b, options);
}

static void bench_close(struct bench *b)
{
	b->p->free(b->state);
	machine_free(b->m);
	dag_free(b->d);
}

static int64_t pop(struct bench *b, int worker)
{
	uint32_t task = b->p->pop(b->state, worker);

	return task == POLICY_NO_TASK ? NONE : (int64_t)task;
}

/* Push a task, and have the worker execute it for `us`; the GPU pops it, which is never held back. */
static void execute(struct bench *b, uint32_t task, int worker, int64_t us)
{
	b->p->push(b->state, task, -1);
	CHECK_INT(pop(b, 2), task);
	b->p->started(b->state, task, worker);
	b->now += us * 1000;
	b->p->done(b->state, task, worker);
}

/* 20 of a on each architecture, then 20 of b: more than it takes to know them, and the next push orders the lists. */
static void teach(struct bench *b, int64_t a_cpu, int64_t a_gpu, int64_t b_cpu, int64_t b_gpu)
{
	for (uint32_t i = 0; i < 20; i++) {
		execute(b, i, 0, a_cpu);
		execute(b, 20 + i, 2, a_gpu);
		execute(b, EACH + i, 0, b_cpu);
		execute(b, EACH + 20 + i, 2, b_gpu);
	}
}

/* At 160 pushes the interval of 32 ends. a is for CPUs, b for GPUs, and so are the lists. */
static void test_order_after_observations(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "");
	for (int swapped = 0; swapped < 2; swapped++) {
		uint32_t for_cpu = swapped ? EACH : 0, for_gpu = swapped ? 0 : EACH;

		bench_start(&b, "");
		if (swapped)
			teach(&b, 90, 10, 10, 90);
		else
			teach(&b, 10, 90, 90, 10);
		for (uint32_t i = 80; i < 96; i++) {
			b.p->push(b.state, i, -1);
			b.p->push(b.state, EACH + i, -1);
		}
		/* The last ordering was at the 97th push, with all that was seen then. */
		CHECK_INT(pop(&b, 0) / EACH, for_cpu / EACH);
		CHECK_INT(pop(&b, 2) / EACH, for_gpu / EACH);
	}
	bench_close(&b);
}

/* With interval=1000 the lists stay as they were when first seen: a, then b, which is appended. */
static void test_interval(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "interval=1000");
	teach(&b, 10, 90, 90, 10);
	b.p->push(b.state, 90, -1);
	b.p->push(b.state, EACH + 90, -1);
	CHECK_INT(pop(&b, 2), 90);
	bench_close(&b);
}

/*
 * Slow factors follow every push: b takes 9 times as long on a CPU, so one takes it only while 9 or more are there.
 */
static void test_slow_factor(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "interval=1000");
	teach(&b, 10, 90, 90, 10);
	for (uint32_t i = 0; i < 10; i++)
		b.p->push(b.state, EACH + 50 + i, -1);
	CHECK_INT(pop(&b, 0), EACH + 58); /* took 59 and, as 9 were left, 58, which goes in front of it */
	CHECK_INT(pop(&b, 1), EACH + 59); /* stolen; of the 8 it may take none */
	CHECK_INT(pop(&b, 1), NONE);
	CHECK_INT(pop(&b, 2), EACH + 56);
	bench_close(&b);
}

/* A type with less than 16 executions on an architecture is first there. */
static void test_exploration(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "interval=1");
	for (uint32_t i = 0; i < 20; i++)
		execute(&b, i, 2, 10);
	for (uint32_t i = 0; i < 15; i++)
		execute(&b, EACH + i, 2, 1000);
	b.p->push(b.state, EACH + 50, -1);
	b.p->push(b.state, 50, -1);
	CHECK_INT(pop(&b, 2), EACH + 50);
	CHECK_INT(pop(&b, 2), 50);
	execute(&b, EACH + 60, 2, 1000); /* the 16th */
	b.p->push(b.state, EACH + 51, -1);
	b.p->push(b.state, 51, -1);
	CHECK_INT(pop(&b, 2), 51);
	bench_close(&b);
}

/* A worker's queue of two is ordered by the application's priorities, and the next worker steals from it. */
static void test_queue_and_steal(void)
{
	struct bench b;

	bench_open(&b, "cpu:3", "");
	b.d->tasks[0].priority = 7;
	for (uint32_t i = 0; i < 6; i++)
		b.p->push(b.state, i == 4 ? 0 : 10 + i, -1);
	CHECK_INT(pop(&b, 0), 0);  /* took 15, then 0 */
	CHECK_INT(pop(&b, 1), 12); /* took 13, then 12 in front of it; 2 are left, less than workers */
	CHECK_INT(pop(&b, 2), 11);
	CHECK_INT(pop(&b, 2), 10);
	CHECK_INT(pop(&b, 2), 15); /* of worker 0, which is next round the machine */
	CHECK_INT(pop(&b, 2), 13);
	CHECK_INT(pop(&b, 2), NONE);
	bench_close(&b);
}

static char path[] = "/tmp/heterotune-auto-XXXXXX";

/* What one run saves is what the next one starts from. */
static void test_files(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));
	struct ht_err err = {""};
	struct bench b;
	char options[64];

	snprintf(options, sizeof(options), "save=%s", path);
	bench_open(&b, "cpu:2 cuda:1", options);
	teach(&b, 10, 90, 90, 10);
	CHECK_INT(b.p->finish(b.state, &err), 0);
	CHECK_INT(autoheteroprio_load(l, path, &err), 0);
	CHECK_INT(l->ntypes, 2);
	CHECK_STR(l->types[0].name, "a");
	CHECK_NEAR(l->types[0].arch[ARCH_CPU].time_us, 10, 1e-9);
	CHECK_NEAR(l->types[1].arch[ARCH_CPU].time_us, 90, 1e-9);
	CHECK_INT(l->types[1].arch[ARCH_CUDA].ntimes, 20);
	CHECK_NEAR(l->types[1].arch[ARCH_CUDA].share, 0.5, 1e-6);
	CHECK_INT(l->types[0].nproportions, 40);
	/* CPU 0 executed 20 times 10 and 90 us and waited 20 times 90 and 10: its last task ends 10 before the end. */
	CHECK_NEAR(l->busy_us[ARCH_CPU], 2000, 1e-9);
	CHECK_NEAR(l->free_us[ARCH_CPU], 20 * 90 + 19 * 10, 1e-9);
	CHECK_NEAR(l->busy_us[ARCH_CUDA], 2000, 1e-9);
	/* From the file: ordered and held back from the first push on. */
	snprintf(options, sizeof(options), "freeze=1,data=%s", path);
	bench_start(&b, options);
	for (uint32_t i = 90; i < 98; i++) {
		b.p->push(b.state, i, -1);
		b.p->push(b.state, EACH + i, -1);
	}
	CHECK_INT(pop(&b, 2), EACH + 96); /* of the two it took, the later one */
	CHECK_INT(pop(&b, 0), 96);
	bench_start(&b, "freeze=1"); /* nothing is known, nothing is learned: a, then b */
	teach(&b, 10, 90, 90, 10);
	b.p->push(b.state, 90, -1);
	b.p->push(b.state, EACH + 90, -1);
	CHECK_INT(pop(&b, 2), 90);
	bench_close(&b);
	free(l);
}

/* a and b have an OpenCL version too, and the machine nobody to run it: there it is taken to last 1000 us. */
static void test_also(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));
	struct bench b;
	char options[96];

	snprintf(options, sizeof(options), "also=opencl,save=%s", path);
	bench_open(&b, "cpu:2 cuda:1", options);
	teach(&b, 2000, 9000, 9000, 2000);
	for (uint32_t i = 0; i < 5; i++)
		b.p->push(b.state, EACH + 50 + i, -1);
	CHECK_INT(pop(&b, 0), EACH + 53); /* the fastest one has no workers: nobody is held back */
	CHECK_INT(b.p->finish(b.state, NULL), 0);
	CHECK_INT(autoheteroprio_load(l, path, NULL), 0);
	CHECK_INT(l->types[0].where, 7);
	CHECK_NEAR(l->types[0].best_us, 1000, 1e-6);
	/* The graph does not say so again: the file's type is the task's, for they agree on what the machine has. */
	snprintf(options, sizeof(options), "data=%s,save=%s", path, path);
	bench_start(&b, options);
	b.p->push(b.state, EACH + 50, -1);
	CHECK_INT(b.p->finish(b.state, NULL), 0);
	CHECK_INT(autoheteroprio_load(l, path, NULL), 0);
	CHECK_INT(l->ntypes, 2);
	bench_close(&b);
	free(l);
}

static void test_bad_knobs(void)
{
	static const struct {
		const char *options, *says;
	} bad[] = {
		{"policy=28", "from 0 to 27"},
		{"policy=URT_DOT", "from 0 to 27"},
		{"la=2", "la is 0 or 1"},
		{"interval=0", "interval"},
		{"also=gpu", "gpu"},
		{"freeze=1,save=x", "nothing is learned"},
		{"nod_offset=1", "no knob"},
		{"policy=13,nod_offset=x", "nod_offset is a number"},
		{"data=/nonexistent/file", "/nonexistent/file"},
		{"push=MC", "no knob"},
		{"la=1,push=X", "push is"},
		{"estimation=2", "estimation"},
	};
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1",
	           "policy=URT_DOT_DIFF_5,nod_offset=1.5,arch_diff_offset=2,grouping=1,"
	           "estimation=1,drivers=blocking");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ht_err err = {""};

		CHECK(b.p->create(b.p, &b.w, bad[i].options, &err) == NULL);
		CHECK_HAS(err.text, bad[i].says);
	}
	bench_close(&b);
}

/* 101 types are an error before anything runs. */
static void test_too_many_types(void)
{
	const int64_t cost[ARCH_COUNT] = COSTS(5, -1);
	struct dag_builder *k = dag_builder_create();
	struct machine *m = machine_parse("cpu:1", NULL);
	struct ht_err err = {""};
	struct dag *d;

	for (uint32_t i = 0; i < 101; i++) {
		char name[8];

		snprintf(name, sizeof(name), "t%u", (unsigned)i);
		dag_builder_type(k, name, cost);
		dag_builder_task(k, i);
	}
	d = dag_builder_finish(k, NULL);
	CHECK(policy_autoheteroprio.create(&policy_autoheteroprio, &(struct policy_world){.dag = d, .machine = m}, "",
	                                   &err) == NULL);
	CHECK_HAS(err.text, "t100 is one too many");
	dag_free(d);
	machine_free(m);
}

/* All 28 orderings, with and without locality: every task once, and twice the same. */
static void test_whole_executions(void)
{
	struct machine *m = machine_parse("cpu:6 cuda:2", NULL);
	struct dag *d = graph_cholesky(10, 1000);

	for (int i = 0; i < 28 * 2; i++) {
		char options[32];
		struct simulate_options o = {.policy = &policy_autoheteroprio,
		                             .policy_options = options,
		                             .keep_schedule = 1};
		struct simulation *s, *again;
		uint64_t executed = 0;

		snprintf(options, sizeof(options), "policy=%d,la=%d", i / 2, i % 2);
		o.transfers = i % 3 ? TRANSFERS_ON : TRANSFERS_OFF;
		s = simulate(d, m, &o, NULL);
		again = simulate(d, m, &o, NULL);
		CHECK(s && again);
		for (int a = 0; a < ARCH_COUNT; a++)
			executed += s->executed[a];
		CHECK_INT(executed, d->ntasks);
		for (uint32_t t = 0; t < d->ntasks; t++) {
			CHECK(s->tasks[t].end_ns > s->tasks[t].start_ns);
			for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
				CHECK(s->tasks[d->pred[k]].end_ns <= s->tasks[t].start_ns);
		}
		CHECK_INT(memcmp(s->tasks, again->tasks, d->ntasks * sizeof(*s->tasks)), 0);
		simulation_free(s);
		simulation_free(again);
	}
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(test_order_after_observations);
	RUN(test_interval);
	RUN(test_slow_factor);
	RUN(test_exploration);
	RUN(test_queue_and_steal);
	RUN(test_files);
	RUN(test_also);
	RUN(test_bad_knobs);
	RUN(test_too_many_types);
	RUN(test_whole_executions);
	unlink(path);
	return check_done();
}
