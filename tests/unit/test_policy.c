/* tests/unit/test_policy.c - policies as state machines: what each pop gives, and which workers each push wakes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tune/settings/config_make.h"

#define NONE (-1)

/* Four types, ten tasks of each: type t has tasks 10 t .. 10 t + 9. Type 3 runs on CPUs only. */
struct bench {
	struct dag *d;
	struct machine *m;
	struct config *c;
	const struct policy *p;
	void *state;
	int woken[64], nwoken;
};

static int64_t bench_now(void *ctx)
{
	(void)ctx;
	return 0;
}

static void bench_wake(void *ctx, int worker)
{
	struct bench *b = ctx;

	b->woken[b->nwoken++ % 64] = worker;
}

static struct dag *make_dag(void)
{
	static const char *const names[] = {"gemm", "syrk", "trsm", "potrf"};
	static const int64_t cpu[] = {50, 40, 30, 10}, gpu[] = {5, 8, 10, -1};
	struct dag_builder *b = dag_builder_create();

	for (int i = 0; i < 4; i++) {
		int64_t cost[ARCH_COUNT] = COSTS(cpu[i], gpu[i]);

		dag_builder_type(b, names[i], cost);
	}
	for (uint32_t i = 0; i < 40; i++)
		dag_builder_task(b, i / 10);
	return dag_builder_finish(b, NULL);
}

static void set_list(struct config *c, enum arch a, int count, const int *buckets)
{
	c->lists[a].count = count;
	memcpy(c->lists[a].buckets, buckets, (size_t)count * sizeof(*buckets));
}

/* Lists: gpu gemm, syrk, trsm; cpu potrf, trsm, syrk, gemm. Slow factors of config_from_dag(): 10, 5, 3. */
static void bench_open(struct bench *b, const char *machine, const char *policy)
{
	static const int gpu[] = {0, 1, 2}, cpu[] = {3, 2, 1, 0};
	struct ht_err err = {""};
	struct policy_world w = {.now = bench_now, .wake = bench_wake, .ctx = b};
	const char *options = "";

	memset(b, 0, sizeof(*b));
	b->d = make_dag();
	b->m = machine_parse(machine, &err);
	b->c = config_from_dag(b->d, b->m, &err);
	CHECK(b->c != NULL);
	set_list(b->c, ARCH_CUDA, machine_workers_of(b->m, ARCH_CUDA) ? 3 : 0, gpu);
	set_list(b->c, ARCH_CPU, 4, cpu);
	w.dag = b->d;
	w.machine = b->m;
	w.config = b->c;
	b->p = policy_find(policy, &options, &err);
	CHECK(b->p != NULL);
	b->state = b->p->create(b->p, &w, options, &err);
	if (!b->state)
		printf("# %s\n", err.text);
	CHECK(b->state != NULL);
}

static void bench_close(struct bench *b)
{
	b->p->free(b->state);
	config_free(b->c);
	machine_free(b->m);
	dag_free(b->d);
}

static void push(struct bench *b, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		b->p->push(b->state, first + i, -1);
}

static int64_t pop(struct bench *b, int worker)
{
	uint32_t task = b->p->pop(b->state, worker);

	return task == POLICY_NO_TASK ? NONE : (int64_t)task;
}

static void test_find(void)
{
	const char *options = NULL;
	struct ht_err err;

	CHECK(policy_find("eager", &options, &err) == &policy_eager);
	CHECK_STR(options, "");
	CHECK(policy_find("heteroprio:variant=paper", &options, &err) == &policy_heteroprio);
	CHECK_STR(options, "variant=paper");
	CHECK(policy_find("hetero", &options, &err) == NULL);
	CHECK_HAS(err.text, "eager, prio, heteroprio");
}

static void test_bad_knobs(void)
{
	static const char *const bad[] = {"variant=x", "drivers=", "speed=1", "prefetch=none", "variant"};
	struct bench b;
	struct ht_err err;

	bench_open(&b, "cpu:2 cuda:1", "heteroprio");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct policy_world w = {.dag = b.d, .machine = b.m, .config = b.c};

		err.text[0] = 0;
		CHECK(policy_heteroprio.create(&policy_heteroprio, &w, bad[i], &err) == NULL);
		CHECK_HAS(err.text, "heteroprio");
	}
	bench_close(&b);
}

/* Many tasks: the GPU takes two at once, the last one pushed first; its queue runs the larger bucket number first. */
static void test_lifo_and_queue(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "heteroprio");
	push(&b, 0, 1);  /* gemm 0 */
	push(&b, 20, 4); /* trsm 20..23 */
	CHECK(config_starpu_number(b.c, 0) > config_starpu_number(b.c, 2));
	CHECK_INT(pop(&b, 2), 0);  /* took 0 and 23: gemm has the larger number */
	CHECK_INT(pop(&b, 2), 22); /* 3 remained, as many as workers: 22 was added, in front of 23 */
	bench_close(&b);
	bench_open(&b, "cpu:1 cuda:1", "heteroprio");
	push(&b, 30, 1); /* potrf: first in the CPU's list, with the smallest number */
	push(&b, 20, 3);
	CHECK_INT(pop(&b, 0), 22); /* took 30, then 22, whose number is larger */
	bench_close(&b);
}

/* Equal numbers: push_front into a priority list, so the later one is first. */
static void test_queue_equal_numbers(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "heteroprio");
	push(&b, 20, 6);
	CHECK_INT(pop(&b, 2), 24); /* took 25, then 24 in front of it; 4 remain */
	CHECK_INT(pop(&b, 2), 23); /* one more in front of 25; 3 remain */
	CHECK_INT(pop(&b, 2), 22);
	CHECK_INT(pop(&b, 2), 25); /* 2 remain, less than workers: nothing is added */
	CHECK_INT(pop(&b, 2), 21);
	CHECK_INT(pop(&b, 2), 20);
	CHECK_INT(pop(&b, 2), NONE);
	bench_close(&b);
}

/* Less tasks than workers, those of all architectures: one at a time. */
static void test_fewer_than_workers(void)
{
	struct bench b;

	bench_open(&b, "cpu:4 cuda:2", "heteroprio");
	push(&b, 0, 5);
	CHECK_INT(pop(&b, 4), 4);
	CHECK_INT(pop(&b, 5), 3);
	CHECK_INT(pop(&b, 4), 2);
	bench_close(&b);
}

/* trsm: base cuda with one worker, factor 3 on CPUs: a CPU takes one while three or more are there. */
static void test_slow_factor(void)
{
	struct bench b;

	bench_open(&b, "cpu:9 cuda:1", "heteroprio");
	push(&b, 20, 4);
	CHECK_INT(pop(&b, 0), 23);
	CHECK_INT(pop(&b, 1), 22); /* 3 / 1 >= 3 */
	CHECK_INT(pop(&b, 2), NONE);
	CHECK_INT(pop(&b, 9), 21);
	bench_close(&b);
}

/* With the CPU as the fastest StarPU tests nothing; the paper does. */
static void test_cpu_base(void)
{
	struct bench b;

	for (int paper = 0; paper < 2; paper++) {
		bench_open(&b, "cpu:2 cuda:1", "eager");
		b.p->free(b.state);
		b.c->buckets[2].fastest = ARCH_CPU;
		b.c->buckets[2].slow_factor[ARCH_CPU] = 0;
		b.c->buckets[2].slow_factor[ARCH_CUDA] = 5;
		b.p = &policy_heteroprio;
		b.state = b.p->create(b.p,
		                      &(struct policy_world){.dag = b.d,
		                                             .machine = b.m,
		                                             .config = b.c,
		                                             .wake = bench_wake,
		                                             .now = bench_now,
		                                             .ctx = &b},
		                      paper ? "variant=paper" : "", NULL);
		CHECK(b.state != NULL);
		push(&b, 20, 2);
		CHECK_INT(pop(&b, 2), paper ? NONE : 21);
		bench_close(&b);
	}
}

/* The comparison is in float: 0.1 is less exact there, and 1 / 10 >= 0.1 must hold. */
static void test_float_test(void)
{
	struct bench b;

	bench_open(&b, "cpu:1 cuda:10", "heteroprio");
	b.p->free(b.state);
	b.c->buckets[2].slow_factor[ARCH_CPU] = 0.1;
	b.state = b.p->create(b.p,
	                      &(struct policy_world){.dag = b.d,
	                                             .machine = b.m,
	                                             .config = b.c,
	                                             .wake = bench_wake,
	                                             .now = bench_now,
	                                             .ctx = &b},
	                      "", NULL);
	push(&b, 20, 1);
	CHECK_INT(pop(&b, 0), 20);
	bench_close(&b);
}

/* A worker without tasks takes the first of the queue of the next worker of its own architecture, round the machine. */
static void test_steal(void)
{
	struct bench b;

	bench_open(&b, "cpu:1 cuda:3", "heteroprio");
	push(&b, 0, 8);
	CHECK_INT(pop(&b, 1), 6); /* took 7, 6; 6 remain */
	CHECK_INT(pop(&b, 2), 4); /* took 5, 4; 4 remain */
	CHECK_INT(pop(&b, 3), 2); /* took 3, 2; 2 remain */
	CHECK_INT(pop(&b, 2), 5);
	CHECK_INT(pop(&b, 2), 1);
	CHECK_INT(pop(&b, 2), 0);
	CHECK_INT(pop(&b, 0), NONE); /* a CPU does not steal from GPUs */
	CHECK_INT(pop(&b, 2), 3);    /* worker 3 is next after 2 */
	CHECK_INT(pop(&b, 2), 7);    /* then 1 */
	CHECK_INT(pop(&b, 2), NONE);
	bench_close(&b);
}

/* After a refusal a worker waits; a push wakes the first waiting one that can execute, and only that one. */
static void test_wake_waiting(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "heteroprio");
	push(&b, 0, 1);
	CHECK_INT(b.nwoken, 0);
	CHECK_INT(pop(&b, 0), NONE); /* gemm: 1 / 1 < 10 */
	CHECK_INT(pop(&b, 1), NONE);
	push(&b, 1, 1);
	CHECK_INT(b.nwoken, 1);
	CHECK_INT(b.woken[0], 0); /* although it refuses again */
	CHECK_INT(pop(&b, 0), NONE);
	push(&b, 2, 1);
	push(&b, 3, 1);
	CHECK_INT(b.nwoken, 3);
	CHECK_INT(b.woken[1], 0);
	CHECK_INT(b.woken[2], 1);
	push(&b, 4, 1); /* nobody waits */
	CHECK_INT(b.nwoken, 3);
	bench_close(&b);
}

/* A worker that saw nothing in a poll keeps looking: it is woken for every task of its buckets. */
static void test_wake_polling(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "heteroprio");
	for (int w = 0; w < 3; w++)
		CHECK_INT(pop(&b, w), NONE);
	push(&b, 30, 1); /* potrf: not for the GPU */
	CHECK_INT(b.nwoken, 2);
	push(&b, 0, 1);
	CHECK_INT(b.nwoken, 3);
	CHECK_INT(b.woken[2], 2);
	bench_close(&b);
}

/* Blocking drivers: everyone waits, and a GPU's task can wake a CPU that refuses it: the wake-up is lost. */
static void test_lost_wakeup(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "heteroprio:drivers=blocking");
	for (int w = 0; w < 3; w++)
		CHECK_INT(pop(&b, w), NONE);
	push(&b, 0, 1);
	CHECK_INT(b.nwoken, 1);
	CHECK_INT(b.woken[0], 0);
	CHECK_INT(pop(&b, 0), NONE);
	bench_close(&b);
}

static void test_paper(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:2", "heteroprio:variant=paper");
	for (int w = 0; w < 4; w++)
		CHECK_INT(pop(&b, w), NONE);
	push(&b, 20, 7);
	CHECK_INT(b.nwoken, 4);
	CHECK_INT(pop(&b, 0), 20);   /* FIFO; 7 >= 2 x 3 */
	CHECK_INT(pop(&b, 1), 21);   /* 6 >= 6 */
	CHECK_INT(pop(&b, 0), NONE); /* 5 < 6 */
	CHECK_INT(pop(&b, 2), 22);
	CHECK_INT(pop(&b, 3), 23);
	bench_close(&b);
	bench_open(&b, "cpu:2 cuda:2", "heteroprio:variant=paper,prefetch=one");
	push(&b, 20, 3);
	CHECK_INT(pop(&b, 2), 20);
	CHECK_INT(pop(&b, 3), 22);
	CHECK_INT(pop(&b, 3), 21); /* what worker 2 had taken ahead */
	bench_close(&b);
}

static void test_without_config(void)
{
	struct bench b;
	struct ht_err err = {""};
	struct policy_world w = {.now = bench_now, .wake = bench_wake};

	bench_open(&b, "cpu:3", "eager");
	w.dag = b.d;
	w.machine = b.m;
	w.ctx = &b;
	b.p->free(b.state);
	b.p = &policy_heteroprio;
	for (uint32_t i = 0; i < 40; i++)
		b.d->tasks[i].priority = (int)(39 - i);
	b.state = b.p->create(b.p, &w, "", &err);
	CHECK(b.state != NULL);
	push(&b, 0, 2);
	CHECK_INT(pop(&b, 0), 1); /* bucket 38 is looked at before 39 */
	b.d->tasks[3].priority = 100;
	CHECK(b.p->create(b.p, &w, "", &err) == NULL);
	CHECK_HAS(err.text, "task 3 (gemm) has priority 100");
	b.d->tasks[3].priority = -1;
	CHECK(b.p->create(b.p, &w, "", &err) == NULL);
	bench_close(&b);
}

/* Without a function for it StarPU would stop with an assertion; with one, a run may lack its duration. */
static void test_where(void)
{
	struct bench b;
	struct ht_err err = {""};
	struct policy_world w = {.now = bench_now, .wake = bench_wake, .ctx = &b};

	bench_open(&b, "cpu:2 cuda:1", "heteroprio");
	w.dag = b.d;
	w.machine = b.m;
	w.config = b.c;
	b.c->buckets[3].where |= 1u << ARCH_CUDA;
	b.c->lists[ARCH_CUDA].buckets[b.c->lists[ARCH_CUDA].count++] = 3;
	b.p->free(b.state);
	b.state = b.p->create(b.p, &w, "", &err);
	CHECK(b.state != NULL);
	push(&b, 30, 1);
	CHECK_INT(pop(&b, 2), NONE);
	CHECK_INT(pop(&b, 0), 30);
	b.d->types[3].declared = 1u << ARCH_CPU;
	CHECK(b.p->create(b.p, &w, "", &err) == NULL);
	CHECK_HAS(err.text, "potrf is in the list of cuda");
	CHECK(b.p->create(b.p, &(struct policy_world){.dag = b.d, .machine = b.m}, "", &err) == NULL);
	CHECK_HAS(err.text, "without a config");
	bench_close(&b);
}

static void test_eager(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "eager");
	push(&b, 30, 2);
	push(&b, 0, 2);
	CHECK_INT(pop(&b, 2), 0); /* the first one that it can execute */
	CHECK_INT(pop(&b, 0), 30);
	CHECK_INT(pop(&b, 0), 31);
	CHECK_INT(pop(&b, 0), 1);
	CHECK_INT(pop(&b, 0), NONE);
	push(&b, 32, 1);
	CHECK_INT(b.nwoken, 1);
	CHECK_INT(b.woken[0], 0);
	bench_close(&b);
}

int main(void)
{
	RUN(test_find);
	RUN(test_bad_knobs);
	RUN(test_lifo_and_queue);
	RUN(test_queue_equal_numbers);
	RUN(test_fewer_than_workers);
	RUN(test_slow_factor);
	RUN(test_cpu_base);
	RUN(test_float_test);
	RUN(test_steal);
	RUN(test_wake_waiting);
	RUN(test_wake_polling);
	RUN(test_lost_wakeup);
	RUN(test_paper);
	RUN(test_without_config);
	RUN(test_where);
	RUN(test_eager);
	return check_done();
}
