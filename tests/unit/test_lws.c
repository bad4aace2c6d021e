/* tests/unit/test_lws.c - ws, lws and random: which worker gets which task, and what must hold for every graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

enum { NTASKS = 4000, CPU_ONLY = 10 };

/* Tasks 0 to 9 run everywhere, 10 to 19 on CPUs only, the others everywhere. */
struct bench {
	struct dag *d;
	struct machine *m;
	const struct policy *p;
	void *state;
	uint64_t woken; /* a bit a worker */
};

static void bench_open(struct bench *b, const char *machine, const int *cores, const char *policy)
{
	static const int64_t costs[2][ARCH_COUNT] = {COSTS(10, 4), COSTS(10, -1)};
	struct dag_builder *builder = dag_builder_create();
	struct policy_world w = {.now = play_no_time, .wake = play_note_woken, .ctx = &b->woken};
	const char *options = "";

	memset(b, 0, sizeof(*b));
	dag_builder_type(builder, "any", costs[0]);
	dag_builder_type(builder, "cpu", costs[1]);
	for (uint32_t i = 0; i < NTASKS; i++)
		dag_builder_task(builder, i / CPU_ONLY == 1);
	w.dag = b->d = dag_builder_finish(builder, NULL);
	w.machine = b->m = machine_parse(machine, NULL);
	for (int i = 0; cores && i < b->m->nworkers; i++)
		b->m->workers[i].binding = cores[i];
	b->p = policy_find(policy, &options, NULL);
	b->state = b->p->create(b->p, &w, options, NULL);
	CHECK(b->state != NULL);
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

	return task == POLICY_NO_TASK ? -1 : (int64_t)task;
}

/* Worker 0 has 0 to 4 of priorities 0, 0, 1, 1, 1. It takes the oldest first, a thief the newest; both by priority. */
static void test_deque(void)
{
	static const int64_t thief[] = {4, 3, 1};
	struct bench b;

	bench_open(&b, "cpu:2", NULL, "lws");
	for (uint32_t i = 0; i < 5; i++) {
		b.d->tasks[i].priority = i >= 2;
		b.p->push(b.state, i, 0);
	}
	CHECK_INT(b.woken, 3);
	CHECK_INT(pop(&b, 1), -1); /* worker 0 is not at work: StarPU leaves it its tasks */
	CHECK_INT(pop(&b, 0), 2);
	for (int i = 0; i < 3; i++)
		CHECK_INT(pop(&b, 1), thief[i]);
	CHECK_INT(pop(&b, 0), 0);
	CHECK_INT(pop(&b, 1), -1);
	bench_close(&b);
}

/* The GPU (worker 2) steals past what it cannot execute, of the highest priority first; nothing else is left for it. */
static void test_steal_what_it_can(void)
{
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", NULL, "ws");
	for (uint32_t i = 8; i < 12; i++) {
		b.d->tasks[i].priority = i >= 9; /* 9, 10, 11 before 8; 10 and 11 are for CPUs */
		b.p->push(b.state, i, 0);
	}
	b.p->push(b.state, 0, 0);
	CHECK_INT(pop(&b, 0), 9);
	CHECK_INT(pop(&b, 2), 0);
	CHECK_INT(pop(&b, 2), 8);
	CHECK_INT(pop(&b, 2), -1);
	CHECK_INT(pop(&b, 1), 11);
	bench_close(&b);
}

/* A GPU that releases a task for CPUs, and the main thread, give in turn, beginning after worker 0. */
static void test_in_turn(void)
{
	static const int64_t at[] = {1, 2, 0};
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", NULL, "ws");
	for (uint32_t i = 0; i < 3; i++)
		b.p->push(b.state, i, -1);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(pop(&b, (int)at[i]), i);
	b.p->push(b.state, 10, 2); /* 0 was last: to 1 */
	b.p->push(b.state, 11, 2); /* not 2, so 0 */
	CHECK_INT(pop(&b, 1), 10);
	CHECK_INT(pop(&b, 0), 11);
	bench_close(&b);
}

/* Worker w has task w and 4 + w and is at work. Worker 3 steals: lws from the nearest core, ws in turn from 0. */
static void test_victims(void)
{
	static const int cores[] = {0, 9, 5, 6};
	static const int64_t stolen[2][3] = {{4, 5, 6}, {6, 5, 4}}; /* worker 2 is 1 core away, 1 is 3, 0 is 6 */

	for (int near = 0; near < 2; near++) {
		struct bench b;

		bench_open(&b, "cpu:4", cores, near ? "lws" : "ws");
		for (uint32_t i = 0; i < 3; i++) {
			b.p->push(b.state, i, (int)i);
			b.p->push(b.state, 4 + i, (int)i);
			CHECK_INT(pop(&b, (int)i), i);
		}
		for (int i = 0; i < 3; i++)
			CHECK_INT(pop(&b, 3), stolen[near][i]);
		CHECK_INT(pop(&b, 3), -1);
		bench_close(&b);
	}
}

/* Every push wakes all workers, and where nobody has a task to steal none of them looks at all the others. */
static void check_idle_workers(const char *policy)
{
	clock_t from = clock();
	struct bench b;

	bench_open(&b, "cpu:4000", NULL, policy);
	for (int round = 0; round < 200; round++)
		for (int i = 0; i < 4000; i++)
			CHECK(b.p->pop(b.state, i) == POLICY_NO_TASK);
	CHECK(clock() - from < 3 * CLOCKS_PER_SEC); /* 0.01 s, and 6 s where they look */
	bench_close(&b);
}

static void test_many_idle_workers(void)
{
	check_idle_workers("ws");
	check_idle_workers("lws");
}

/* A GPU looks at a worker with thousands of tasks that are for CPUs, and one day with one that it can execute. */
static void test_nothing_to_steal(void)
{
	clock_t from = clock();
	struct bench b;

	bench_open(&b, "cpu:1 cuda:1", NULL, "ws");
	for (uint32_t i = 2 * CPU_ONLY; i < NTASKS; i++) {
		b.d->tasks[i].class_id = b.d->tasks[CPU_ONLY].class_id;
		b.p->push(b.state, i, 0);
	}
	CHECK_INT(pop(&b, 0), 2 * CPU_ONLY);
	for (int i = 0; i < 1000000; i++)
		CHECK(b.p->pop(b.state, 1) == POLICY_NO_TASK);
	CHECK(clock() - from < 3 * CLOCKS_PER_SEC); /* 0.03 s, and 5 s where it looks at each task */
	b.p->push(b.state, 3, 0);
	b.p->push(b.state, CPU_ONLY, 0);
	CHECK_INT(pop(&b, 1), 3);
	CHECK_INT(pop(&b, 1), -1);
	CHECK_INT(pop(&b, 0), 2 * CPU_ONLY + 1);
	bench_close(&b);
}

/* 4000 tasks on 2 CPUs and a GPU: 0.5 : 0.5 : 13.33. The share of the GPU is within four deviations, 0.0161, of it. */
static void test_random_shares(void)
{
	const double expected = 13.33 / 14.33;
	struct bench b;
	int count[3] = {0}, cpu_only = 0;

	bench_open(&b, "cpu:2 cuda:1", NULL, "random:seed=7");
	for (uint32_t i = 0; i < NTASKS; i++)
		b.p->push(b.state, i, -1);
	for (int w = 0; w < 3; w++) {
		for (int64_t t; (t = pop(&b, w)) >= 0; count[w]++)
			cpu_only += w < 2 && t / CPU_ONLY == 1;
	}
	CHECK_INT(cpu_only, 10);
	CHECK_INT(count[0] + count[1] + count[2], NTASKS);
	CHECK(fabs(count[2] / (NTASKS - 10.0) - expected) < 0.0161);
	CHECK(count[0] > 20 && count[1] > 20);
	bench_close(&b);
}

/* Under random an application learns that there is one priority: the recorded ones are those of another policy. */
static void test_random_has_no_priorities(void)
{
	struct bench b;

	bench_open(&b, "cpu:1", NULL, "random");
	for (uint32_t i = 0; i < 5; i++) {
		b.d->tasks[i].priority = (int32_t)i;
		b.p->push(b.state, i, -1);
		CHECK_INT(b.p->priority(b.state, i), 0);
	}
	for (int i = 0; i < 5; i++)
		CHECK_INT(pop(&b, 0), i);
	bench_close(&b);
}

static void test_bad_knobs(void)
{
	static const char *const bad[] = {"random:seed=",   "random:seed=-1", "random:seed=x", "random:seed=4294967296",
	                                  "random:alpha=1", "lws:seed=1",     "ws:x=1"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check_refused(bad[i], "");
}

static void test_every_graph(void)
{
	static const char *const names[] = {"lws", "ws", "random", "random:seed=3"};

	check_every_graph(names, sizeof(names) / sizeof(*names));
}

/* Other numbers, another schedule. */
static void test_seeds_differ(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct dag *d = graph_cholesky(8, 1);
	struct simulate_options o = {.transfers = TRANSFERS_OFF};
	struct simulation *a = play(d, m, "random", o), *b = play(d, m, "random:seed=3", o);

	CHECK(a && b && memcmp(a->tasks, b->tasks, d->ntasks * sizeof(*a->tasks)));
	simulation_free(a);
	simulation_free(b);
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(test_deque);
	RUN(test_steal_what_it_can);
	RUN(test_in_turn);
	RUN(test_victims);
	RUN(test_many_idle_workers);
	RUN(test_nothing_to_steal);
	RUN(test_random_shares);
	RUN(test_random_has_no_priorities);
	RUN(test_bad_knobs);
	RUN(test_every_graph);
	RUN(test_seeds_differ);
	return check_done();
}
