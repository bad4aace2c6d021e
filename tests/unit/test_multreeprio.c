/* tests/unit/test_multreeprio.c - the seven rules of MulTreePrio's paper, its gate, and that a task runs once. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "sched/queue/scoretree.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

/* The best of the shorter classes of a group, against a plain search, while classes come and change. */
static void test_scoretree(void)
{
	enum { CLASSES = 40, GROUPS = 2, LENGTHS = 9, TASKS = 400 };
	struct scoretree t;
	uint64_t seed = 3;
	double score[TASKS];
	int in[TASKS] = {0}, group[CLASSES], length[CLASSES] = {0}, wrong = 0; /* class + 1; 0: not placed */

	scoretree_init(&t, GROUPS);
	CHECK_INT(scoretree_best(&t, 0, INFINITY), SCORETREE_NONE);
	for (int step = 0; step < 2 * TASKS; step++) {
		uint32_t class_id = graph_random(&seed) % CLASSES, found;
		int of = (int)(graph_random(&seed) % GROUPS), below = (int)(graph_random(&seed) % (LENGTHS + 2));
		int best = -1;

		if (!length[class_id] || step % 5 == 0) {
			group[class_id] = (int)(graph_random(&seed) % GROUPS);
			length[class_id] = 1 + (int)(graph_random(&seed) % LENGTHS);
			scoretree_place(&t, class_id, group[class_id], length[class_id]);
		}
		if (step < TASKS) {
			score[step] = graph_random(&seed) % 50;
			in[step] = (int)class_id + 1;
			scoretree_put(&t, class_id, score[step], step, (uint32_t)step);
		}
		for (int i = 0; i < TASKS; i++) {
			if (!in[i] || group[in[i] - 1] != of || length[in[i] - 1] >= below)
				continue;
			best = best < 0 || score[i] > score[best] ? i : best;
		}
		found = scoretree_best(&t, of, below);
		wrong += (found == SCORETREE_NONE) != (best < 0);
		if (found == SCORETREE_NONE || best < 0)
			continue;
		wrong += t.heaps[found].items[0].task != (uint32_t)best;
		CHECK_INT(scoretree_take(&t, found), best);
		in[best] = 0;
	}
	CHECK_INT(wrong, 0);
	scoretree_fini(&t);
}

static int64_t world_now(void *ctx)
{
	(void)ctx;
	return 0;
}

static void world_wake(void *ctx, int worker)
{
	(void)ctx;
	(void)worker;
}

/*
 * A graph and a machine; the policy is asked directly. Task 0 is there to be the largest in everything; rules compare
 * tasks 1 and 2, which are pushed in that order, so that 2 comes first only for its score.
 */
struct bench {
	struct dag_builder *b;
	struct dag *d;
	struct machine *m;
	void *state;
};

static uint32_t type_of(struct bench *t, const char *name, int64_t cpu, int64_t gpu)
{
	const int64_t cost[ARCH_COUNT] = COSTS(cpu, gpu);

	return dag_builder_type(t->b, name, cost);
}

static void add_successors(struct bench *t, uint32_t task, int n, uint32_t type)
{
	for (int i = 0; i < n; i++)
		dag_builder_edge(t->b, task, dag_builder_task(t->b, type));
}

static void bench_start(struct bench *t, const char *machine, const char *options)
{
	struct policy_world w = {.now = world_now, .wake = world_wake};
	struct ht_err err = {""};

	w.dag = t->d = dag_builder_finish(t->b, NULL);
	w.machine = t->m = machine_parse(machine, NULL);
	t->state = policy_multreeprio.create(&policy_multreeprio, &w, options, &err);
	CHECK_STR(err.text, "");
}

static void bench_stop(struct bench *t)
{
	policy_multreeprio.free(t->state);
	machine_free(t->m);
	dag_free(t->d);
}

static uint32_t pop(struct bench *t, int worker)
{
	return policy_multreeprio.pop(t->state, worker);
}

/* Pushes tasks 0, 1 and 2 with the workers of `idle` (a bit each) starving; the worker takes all three. */
static uint32_t first_of_two(struct bench *t, const char *machine, const char *options, int worker, int idle)
{
	uint32_t first = POLICY_NO_TASK;

	bench_start(t, machine, options);
	for (int i = 0; i < t->m->nworkers; i++) {
		if (idle >> i & 1)
			CHECK_INT(pop(t, i), POLICY_NO_TASK);
	}
	for (uint32_t i = 0; i < 3; i++)
		policy_multreeprio.push(t->state, i, -1);
	for (uint32_t task; first == POLICY_NO_TASK && (task = pop(t, worker)) != POLICY_NO_TASK;)
		first = task ? task : first;
	bench_stop(t);
	return first;
}

/* Three ready tasks of the type, and task 0 with large successors. */
static void three_tasks(struct bench *t, int64_t cpu, int64_t gpu)
{
	t->b = dag_builder_create();
	for (int i = 0; i < 3; i++)
		dag_builder_task(t->b, i ? 0 : type_of(t, "ready", cpu, gpu));
	add_successors(t, 0, 3, type_of(t, "large", 1000, -1));
}

static void test_rules_of_release(void)
{
	struct bench t;

	three_tasks(&t, 10, -1); /* rule 1: more work */
	add_successors(&t, 1, 1, type_of(&t, "less", 10, -1));
	add_successors(&t, 2, 1, type_of(&t, "more", 50, -1));
	CHECK_INT(first_of_two(&t, "cpu:1", "", 0, 0), 2);

	three_tasks(&t, 10, -1); /* rule 2: the same work in more tasks */
	add_successors(&t, 1, 1, type_of(&t, "one", 50, -1));
	add_successors(&t, 2, 2, type_of(&t, "half", 25, -1));
	CHECK_INT(first_of_two(&t, "cpu:1", "", 0, 0), 2);

	three_tasks(&t, 10, -1); /* rule 3: work for workers that starve, three GPUs, and not for the others */
	add_successors(&t, 1, 1, type_of(&t, "cpu", 50, -1));
	add_successors(&t, 2, 1, type_of(&t, "gpu", -1, 50));
	CHECK_INT(first_of_two(&t, "cpu:1 cuda:3", "trees=architecture", 0, 2 | 4 | 8), 2);
	three_tasks(&t, 10, -1);
	add_successors(&t, 1, 1, type_of(&t, "cpu", 50, -1));
	add_successors(&t, 2, 1, type_of(&t, "gpu", -1, 50));
	CHECK_INT(first_of_two(&t, "cpu:1 cuda:3", "trees=architecture", 0, 0), 1);

	three_tasks(&t, 10, -1); /* rule 6: a task that alone frees its successor */
	add_successors(&t, 1, 1, type_of(&t, "next", 50, -1));
	dag_builder_edge(t.b, 0, 6);
	add_successors(&t, 2, 1, 2);
	CHECK_INT(first_of_two(&t, "cpu:1", "", 0, 0), 2);
}

static void two_types(struct bench *t, int64_t cpu1, int64_t gpu1, int64_t cpu2, int64_t gpu2)
{
	t->b = dag_builder_create();
	dag_builder_task(t->b, type_of(t, "first", 1000, 1000));
	dag_builder_task(t->b, type_of(t, "second", cpu1, gpu1));
	dag_builder_task(t->b, type_of(t, "third", cpu2, gpu2));
}

static void test_rules_of_suitability(void)
{
	struct bench t;

	two_types(&t, 40, 20, 200, 20); /* rule 4: a better speed-up */
	CHECK_INT(first_of_two(&t, "cpu:1 cuda:1", "", 1, 0), 2);
	two_types(&t, 40, 20, 80, 40); /* rule 5: the longer one */
	CHECK_INT(first_of_two(&t, "cpu:1 cuda:1", "", 1, 0), 2);
	two_types(&t, 40, 20, 40, -1); /* rule 7: what a starving GPU could run is left to it */
	CHECK_INT(first_of_two(&t, "cpu:1 cuda:3", "trees=architecture,gate=off", 0, 2 | 4 | 8), 2);
	two_types(&t, 40, 20, 40, -1);
	CHECK_INT(first_of_two(&t, "cpu:1 cuda:3", "trees=architecture,gate=off", 0, 0), 1);
}

/* Tasks 1 and 2 release the same, but a longer chain hangs after what 2 releases. */
static void test_critical_path(void)
{
	static const char *const options[] = {"critical-path=no", "critical-path=yes"};

	for (uint32_t i = 0; i < 2; i++) {
		struct bench t;

		three_tasks(&t, 10, -1);
		add_successors(&t, 1, 1, type_of(&t, "next", 50, -1)); /* 6 */
		add_successors(&t, 2, 1, 2);                           /* 7 */
		add_successors(&t, 7, 1, 1);
		CHECK_INT(first_of_two(&t, "cpu:1", options[i], 0, 0), 1 + i);
	}
}

/* Eleven tasks of 100 on the CPU and 10 on a GPU: ready for GPUs are 110, then 100, which is not more than 100. */
static void test_gate(void)
{
	static const struct {
		const char *machine, *options;
		int taken; /* by the CPU, until it gets none */
	} cases[] = {
		{"cpu:1 cuda:1", "", 1},
		{"cpu:1 cuda:2", "", 1},
		{"cpu:1 cuda:1", "gate=worker", 1},
		{"cpu:1 cuda:2", "gate=worker", 0},
		{"cpu:1 cuda:1", "gate=off", 11},
		{"cpu:1", "", 11},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench t = {.b = dag_builder_create()};
		int taken = 0;

		type_of(&t, "any", 100, 10);
		for (int k = 0; k < 11; k++)
			dag_builder_task(t.b, 0);
		bench_start(&t, cases[i].machine, cases[i].options);
		for (uint32_t k = 0; k < 11; k++)
			policy_multreeprio.push(t.state, k, -1);
		while (pop(&t, 0) != POLICY_NO_TASK)
			taken++;
		CHECK_INT(taken, cases[i].taken);
		while (t.m->nworkers > 1 && pop(&t, 1) != POLICY_NO_TASK)
			taken++;
		CHECK_INT(taken, 11); /* the fastest takes the rest */
		bench_stop(&t);
	}
}

/* On every machine every task runs once (the simulator refuses one that comes twice), and bounds hold. */
static void test_properties(void)
{
	static const char *const machines[] = {"cpu:1", "cpu:3 cuda:2", "cpu:2 cuda:3 opencl:1", "cpu:4 cuda:8"};
	static const char *const names[] = {"multreeprio", "multreeprio:critical-path=yes",
	                                    "multreeprio:trees=architecture", "multreeprio:gate=worker",
	                                    "multreeprio:gate=off"};

	for (int k = 0; k < 20; k++) {
		struct machine *m = machine_parse(machines[k % 4], NULL);
		const char *name = names[k / 4];

		for (uint64_t seed = 1; seed <= 4; seed++) {
			struct dag *d = graph_layers(seed, 15, 12, 100), *scaled = graph_layers(seed, 15, 12, 300);
			struct simulate_options o = {.ignore_submission = 1, .transfers = seed % 2};
			struct ht_err err = {""};
			struct simulation *s, *s3;
			struct bounds b;

			bounds_of(&b, d, m, BOUNDS_WITHOUT_COPIES, NULL);
			o.policy = policy_find(name, &o.policy_options, NULL);
			s = simulate(d, m, &o, &err);
			CHECK_STR(err.text, "");
			CHECK(s && s->makespan_ns >= b.largest_ns);
			o.transfers = TRANSFERS_OFF;
			simulation_free(s);
			s = simulate(d, m, &o, &err);
			s3 = simulate(scaled, m, &o, &err);
			CHECK_INT(s3->makespan_ns, 3 * s->makespan_ns);
			simulation_free(s);
			simulation_free(s3);
			dag_free(d);
			dag_free(scaled);
		}
		machine_free(m);
	}
}

static void no_successors(void *ctx, uint32_t task,
                          void (*visit)(void *arg, uint32_t successor, uint32_t npreds, uint32_t times), void *arg)
{
	(void)ctx;
	(void)task;
	(void)visit;
	(void)arg;
}

/*
 * Where the graph grows: a class comes after create(), and another one takes other times than it did, with a task that
 * waits. 10 on the GPU keep the core from 100, until it turns out that the GPU takes 200.
 */
static void test_growing(void)
{
	struct policy_world w = {.now = world_now, .wake = world_wake, .successors = no_successors};
	struct bench t = {.b = dag_builder_create()};
	uint32_t x = type_of(&t, "x", 100, 10), y = type_of(&t, "y", -1, 5);
	struct ht_err err = {""};

	dag_builder_task(t.b, x);
	dag_builder_task(t.b, y);
	dag_builder_task(t.b, x);
	w.dag = t.d = dag_builder_finish(t.b, NULL);
	w.machine = t.m = machine_parse("cpu:1 cuda:1", NULL);
	t.d->nclasses = 1;
	t.state = policy_multreeprio.create(&policy_multreeprio, &w, "", &err);
	CHECK_STR(err.text, "");
	t.d->nclasses = 2;
	policy_multreeprio.push(t.state, 0, -1);
	CHECK_INT(pop(&t, 0), POLICY_NO_TASK);
	policy_multreeprio.push(t.state, 1, -1);
	CHECK_INT(pop(&t, 0), POLICY_NO_TASK);
	t.d->classes[t.d->tasks[0].class_id].cost_ns[ARCH_CUDA] = 200;
	policy_multreeprio.push(t.state, 2, -1);
	CHECK_INT(pop(&t, 0), 2); /* scores stay: 0 has that of a task that is slow here */
	CHECK_INT(pop(&t, 0), 0);
	CHECK_INT(pop(&t, 0), POLICY_NO_TASK);
	CHECK_INT(pop(&t, 1), 1);
	bench_stop(&t);
}

static void test_knobs(void)
{
	static const char *const bad[][2] = {
		{"multreeprio:gate=x", "policy multreeprio: gate is one of work|worker|off, found \"x\""},
		{"multreeprio:critical-path=1", "policy multreeprio: critical-path is no or yes, found \"1\""},
		{"multreeprio:trees=", "policy multreeprio: trees is node or architecture, found \"\""},
		{"multreeprio:x=1", "policy multreeprio has no knob \"x\"; it has: critical-path|trees|gate"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_refused(bad[i][0], bad[i][1]);
}

/*
 * Two GPUs that are not alike: 0 and 1 are of a type that takes 10 and 30 there, 2 of one that takes 10 and 10; all
 * take 100 on a core. GPU 1 is better at 2. GPU 0 is as good at all, and takes them in their order, although both
 * types' mean over the GPUs differs. Neither is kept from what the other does faster, and the core is.
 */
static void test_devices(void)
{
	static const int64_t own[][2] = {{10, 30}, {10, 10}};

	for (int i = 0; i < 3; i++) {
		struct policy_world w = {.now = world_now, .wake = world_wake};
		struct bench t = {.b = dag_builder_create()};
		uint32_t x = type_of(&t, "x", 100, 20), y = type_of(&t, "y", 100, 10);
		struct ht_err err = {""};

		dag_builder_task(t.b, x);
		dag_builder_task(t.b, x);
		dag_builder_task(t.b, y);
		w.dag = t.d = dag_builder_finish(t.b, NULL);
		w.machine = t.m = machine_parse("cpu:1 cuda:2", NULL);
		graph_devices(t.d, own);
		t.state = policy_multreeprio.create(&policy_multreeprio, &w, "", &err);
		CHECK_STR(err.text, "");
		for (uint32_t task = 0; task < 3; task++)
			policy_multreeprio.push(t.state, task, -1);
		if (i == 0)
			CHECK_INT(pop(&t, 0), POLICY_NO_TASK); /* 30 for the GPUs, and 100 here */
		CHECK_INT(pop(&t, i == 0 ? 1 : i), i == 2 ? 2 : 0);
		CHECK_INT(pop(&t, 2), i == 2 ? 0 : 2);
		CHECK_INT(pop(&t, 2), 1);
		bench_stop(&t);
	}
}

int main(void)
{
	RUN(test_scoretree);
	RUN(test_growing);
	RUN(test_rules_of_release);
	RUN(test_rules_of_suitability);
	RUN(test_critical_path);
	RUN(test_gate);
	RUN(test_properties);
	RUN(test_knobs);
	RUN(test_devices);
	return check_done();
}
