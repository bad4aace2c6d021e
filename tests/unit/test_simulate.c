/* tests/unit/test_simulate.c - the simulator: small cases by hand, and what must hold for every graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/invariants.h"
#include "tests/lib/play.h"
#include "tune/settings/config_make.h"

static const char *const all_policies[] = {
	"eager",
	"eager:drivers=blocking",
	"heteroprio",
	"heteroprio:variant=paper",
	"heteroprio:variant=paper,prefetch=one",
	"laheteroprio",
	"laheteroprio:push=LaRU,step_cpu=2,subgroup_cuda=2",
	"laheteroprio:variant=paper,prefetch=one",
};

enum { NPOLICIES = sizeof(all_policies) / sizeof(*all_policies) };

static int same_bytes(const struct dag *d, const struct simulation *a, const struct simulation *b)
{
	for (uint32_t t = 0; t < d->ntasks; t++) {
		const struct execution_task *x = &a->tasks[t], *y = &b->tasks[t];

		if (x->ready_ns != y->ready_ns || x->start_ns != y->start_ns || x->end_ns != y->end_ns ||
		    x->worker != y->worker)
			return 0;
	}
	return a->makespan_ns == b->makespan_ns && a->bytes_moved == b->bytes_moved;
}

static void test_by_hand(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	int64_t slow[ARCH_COUNT] = COSTS(10, 4);
	struct simulation *s;
	struct dag *d;

	dag_builder_type(b, "t", slow);
	dag_builder_handle(b, 100);
	dag_builder_task(b, 0);
	dag_builder_access(b, 0, 0, ACCESS_R | ACCESS_W);
	dag_builder_task(b, 0);
	dag_builder_access(b, 1, 0, ACCESS_R);
	dag_builder_task(b, 0);
	dag_builder_access(b, 2, 0, ACCESS_R);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 0, 2);
	d = dag_builder_finish(b, NULL);
	s = play(d, m, "eager", (struct simulate_options){0});
	CHECK_INT(s->tasks[0].worker, 0);
	CHECK_INT(s->tasks[1].worker, 0);
	CHECK_INT(s->tasks[2].worker, 1);
	CHECK_INT(s->makespan_ns, 20);
	CHECK_INT(s->bytes_moved, 100);
	CHECK_INT(s->busy_ns[ARCH_CUDA], 4);
	CHECK_NEAR(s->idle_ratio[ARCH_CUDA], 0.8, 1e-12);
	CHECK_INT(s->executed[ARCH_CPU], 2);
	simulation_free(s);
	d->submit_ns[0] = 7;
	d->submit_ns[1] = 3;
	d->submit_ns[2] = 100;
	s = play(d, m, "eager", (struct simulate_options){0});
	CHECK_INT(s->tasks[0].start_ns, 7);
	CHECK_INT(s->tasks[1].start_ns, 17);
	CHECK_INT(s->tasks[2].start_ns, 100);
	simulation_free(s);
	dag_free(d);
	machine_free(m);
}

static void *lazy_create(const struct policy *self, const struct policy_world *w, const char *options,
                         struct ht_err *err)
{
	static int state;

	(void)w, (void)self, (void)options, (void)err;
	return &state;
}

static void lazy_free(void *state)
{
	(void)state;
}

static void lazy_push(void *state, uint32_t task, int releaser)
{
	(void)state, (void)task, (void)releaser;
}

static uint32_t lazy_pop(void *state, int worker)
{
	(void)state, (void)worker;
	return POLICY_NO_TASK;
}

/* A policy that gives no worker a task. */
static const struct policy lazy = {
	.name = "lazy",
	.summary = "",
	.create = lazy_create,
	.free = lazy_free,
	.push = lazy_push,
	.pop = lazy_pop,
};

static void test_errors(void)
{
	struct dag *d = graph_cholesky(3, 1);
	struct machine *gpu = machine_parse("cuda:2", NULL), *both = machine_parse("cpu:1 cuda:1", NULL);
	struct config *c = config_from_dag(d, both, NULL);
	struct simulate_options o = {.policy = &policy_eager, .policy_options = ""};
	struct ht_err err = {""};

	CHECK(simulate(d, gpu, &o, &err) == NULL);
	CHECK_HAS(err.text, "no worker of the machine can run task 0 (potrf)");
	/* The CPU refuses forever, and it is the only one that has the bucket. */
	c->buckets[GEMM].fastest = ARCH_CUDA;
	c->buckets[GEMM].slow_factor[ARCH_CPU] = 1e6;
	c->lists[ARCH_CUDA].count = 2; /* trsm, syrk */
	o.policy = &policy_heteroprio;
	o.config = c;
	CHECK(simulate(d, both, &o, &err) == NULL);
	CHECK_HAS(err.text, "for a bucket that the fastest architecture does not look at");
	o.policy = &lazy;
	CHECK(simulate(d, both, &o, &err) == NULL);
	CHECK_HAS(err.text, "leaves task 0 (potrf) ready and nobody takes it");
	config_free(c);
	machine_free(gpu);
	machine_free(both);
	dag_free(d);
}

/* Legal, above the bound, repeatable, and the same picture when every cost is 7 times as large. */
static void test_properties(void)
{
	struct machine *m = machine_parse("cpu:5 cuda:2", NULL);

	for (uint64_t seed = 1; seed <= 25; seed++) {
		struct dag *d = graph_layers(seed, 12, 30, 1000), *large = graph_layers(seed, 12, 30, 7000);
		struct config *c = config_from_dag(d, m, NULL);
		struct bounds bounds;

		CHECK(dag_check(d) == NULL);
		CHECK_INT(bounds_of(&bounds, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
		for (int p = 0; p < NPOLICIES; p++) {
			struct simulate_options o = {.config = c};
			struct simulation *s = play(d, m, all_policies[p], o), *again = play(d, m, all_policies[p], o);
			struct simulation *scaled = play(large, m, all_policies[p], o);

			CHECK(s && again && scaled);
			CHECK(legal(d, m, s));
			CHECK(s->makespan_ns >= bounds.largest_ns);
			CHECK(same_bytes(d, s, again));
			CHECK_INT(scaled->makespan_ns, 7 * s->makespan_ns);
			for (uint32_t t = 0; t < d->ntasks; t++) {
				CHECK_INT(scaled->tasks[t].worker, s->tasks[t].worker);
				CHECK_INT(scaled->tasks[t].start_ns, 7 * s->tasks[t].start_ns);
			}
			simulation_free(s);
			simulation_free(again);
			simulation_free(scaled);
		}
		config_free(c);
		dag_free(d);
		dag_free(large);
	}
	machine_free(m);
}

/*
 * Graham: on equal workers a list schedule is within (2 - 1/n) of the best, so of the bound of work and critical path.
 */
static void test_graham(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct dag *d = graph_layers(seed, 15, 20, 1000);
		int64_t path = bound_critical_path_ns(d, 1 << ARCH_CPU);

		for (int n = 1; n <= 16; n *= 2) {
			char text[16];
			struct machine *m;
			struct simulation *s;
			double limit;

			snprintf(text, sizeof(text), "cpu:%d", n);
			m = machine_parse(text, NULL);
			s = play(d, m, "eager", (struct simulate_options){0});
			limit = (double)s->busy_ns[ARCH_CPU] / n + (1 - 1.0 / n) * (double)path;
			CHECK((double)s->makespan_ns <= limit + 1);
			if (n == 1)
				CHECK_INT(s->makespan_ns, s->busy_ns[ARCH_CPU]);
			simulation_free(s);
			machine_free(m);
		}
		dag_free(d);
	}
}

/* Lists as an expert has them do better than eager, and the setting's slow factors are honoured. */
static void test_cholesky(void)
{
	static const int gpu[] = {TRSM, SYRK, GEMM};
	struct machine *m = machine_parse("cpu:20 cuda:3", NULL);
	struct dag *d = graph_cholesky(12, 1000);
	struct config *c = config_from_dag(d, m, NULL);
	struct simulation *hp, *eager;
	struct bounds bounds;

	CHECK_INT(d->ntasks, 12 * 13 * 14 / 6);
	CHECK(config_check(c) == NULL);
	CHECK_INT(c->buckets[GEMM].fastest, ARCH_CUDA);
	CHECK_NEAR(c->buckets[GEMM].slow_factor[ARCH_CPU], 59.0 / 10.2, 1e-9);
	CHECK_INT(c->buckets[POTRF].fastest, ARCH_NONE);
	memcpy(c->lists[ARCH_CUDA].buckets, gpu, sizeof(gpu));
	CHECK_INT(bounds_of(&bounds, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
	hp = play(d, m, "heteroprio", (struct simulate_options){.config = c});
	eager = play(d, m, "eager", (struct simulate_options){0});
	CHECK(hp && eager && legal(d, m, hp) && legal(d, m, eager));
	CHECK(hp->makespan_ns >= bounds.largest_ns && eager->makespan_ns >= bounds.largest_ns);
	CHECK(hp->makespan_ns < eager->makespan_ns);
	printf("# 12 x 12 tiles: bound %" PRId64 ", heteroprio %" PRId64 ", eager %" PRId64 "\n", bounds.largest_ns,
	       hp->makespan_ns, eager->makespan_ns);
	simulation_free(hp);
	simulation_free(eager);
	config_free(c);
	dag_free(d);
	machine_free(m);
}

/* 37 820 tasks; the rate is printed, what is checked is that it is not off by an order of magnitude. */
static void test_rate(void)
{
	struct machine *m = machine_parse("cpu:20 cuda:4", NULL);
	struct dag *d = graph_cholesky(60, 1000);
	struct config *c = config_from_dag(d, m, NULL);
	struct simulate_options o = {.policy = &policy_heteroprio, .policy_options = "", .config = c};
	double seconds = 1e9;

	CHECK_INT(d->ntasks, 37820);
	for (int i = 0; i < 5; i++) {
		struct timespec a, b;
		struct simulation *s;
		double took;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
		s = simulate(d, m, &o, NULL);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		took = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
		seconds = took < seconds ? took : seconds;
		CHECK(s != NULL);
		simulation_free(s);
	}
	printf("# %.2f million tasks/s\n", d->ntasks / seconds / 1e6);
	CHECK(d->ntasks / seconds > 3e4);
	config_free(c);
	dag_free(d);
	machine_free(m);
}

/* Tasks take what they took in the run, but dm places them by what the models say. */
static void test_expected(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct dag_builder *b = dag_builder_create();
	int64_t alike[ARCH_COUNT] = COSTS(10, 10);
	struct simulate_options o = {.policy = &policy_dm, .policy_options = ""};
	struct dag *d;

	dag_builder_type(b, "t", alike);
	for (int i = 0; i < 4; i++)
		dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	for (int i = 0; i < 2; i++) {
		struct simulation *s = simulate(d, m, &o, NULL);

		CHECK(s);
		CHECK_INT(s->executed[ARCH_CPU], i ? 0 : 2);
		CHECK_INT(s->makespan_ns, i ? 40 : 20);
		simulation_free(s);
		d->classes[0].model_ns[ARCH_CPU] = 100;
	}
	CHECK_INT(dag_class_expected_on(d, 0, ARCH_CPU, -1), 100);
	CHECK_INT(dag_class_expected_on(d, 0, ARCH_CUDA, -1), 10);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_by_hand);
	RUN(test_expected);
	RUN(test_errors);
	RUN(test_properties);
	RUN(test_graham);
	RUN(test_cholesky);
	RUN(test_rate);
	return check_done();
}
