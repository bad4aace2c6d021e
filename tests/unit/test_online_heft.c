/* tests/unit/test_online_heft.c - online-heft and critical-path: choices by hand, and what holds for every graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

static const int64_t both[ARCH_COUNT] = COSTS(10, 4);
static const int64_t cpu_only[ARCH_COUNT] = COSTS(8, -1);

static int64_t now_ns, to_gpu_ns;
static int woken;

static int64_t world_now(void *ctx)
{
	(void)ctx;
	return now_ns;
}

static void world_wake(void *ctx, int worker)
{
	(void)ctx;
	woken = worker;
}

static int64_t world_transfer(void *ctx, uint32_t task, int worker)
{
	(void)ctx;
	(void)task;
	return worker == 1 ? to_gpu_ns : 0;
}

/*
 * A copy to the GPU takes 5: task 0 ends at 10 or at 9. Task 1 ends at 10, or at 9 + 4. Task 2 ends at 20, or at 13,
 * for its copy is made while task 0 runs. Task 3, a CPU's, has no choice.
 */
static void test_online(void)
{
	static const int expected[] = {1, 0, 1, 0};
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct policy_world w = {.machine = m, .now = world_now, .wake = world_wake, .transfer_ns = world_transfer};
	const struct policy *p = &policy_online_heft;
	uint32_t any = dag_builder_type(b, "any", both), cpu = dag_builder_type(b, "cpu", cpu_only);
	struct dag *d;
	void *state;

	for (int i = 0; i < 4; i++)
		dag_builder_task(b, i == 3 ? cpu : any);
	w.dag = d = dag_builder_finish(b, NULL);
	now_ns = 0;
	to_gpu_ns = 5;
	state = p->create(p, &w, "", NULL);
	for (uint32_t t = 0; t < 4; t++) {
		p->push(state, t, -1);
		CHECK_INT(woken, expected[t]);
	}
	CHECK_INT(p->pop(state, 1), 0);
	now_ns = 5;
	p->started(state, 0, 1);
	now_ns = 9;
	p->done(state, 0, 1);
	CHECK_INT(p->pop(state, 1), 2);
	CHECK_INT(p->pop(state, 1), POLICY_NO_TASK);
	CHECK_INT(p->pop(state, 0), 1);
	CHECK_INT(p->pop(state, 0), 3);
	p->free(state);
	dag_free(d);
	machine_free(m);
}

/* On one CPU: 0 and 1 alone, 2 before 3. The length is 16; 2 has to start at 0, 3 at 8, 0 and 1 at 8 too. */
static void order_of(const char *policy, const int64_t start[4])
{
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cpu:1", NULL);
	uint32_t type = dag_builder_type(b, "cpu", cpu_only);
	struct simulate_options o = {.keep_schedule = 1, .ignore_submission = 1};
	struct simulation *s;
	struct dag *d;

	for (int i = 0; i < 4; i++)
		dag_builder_task(b, type);
	dag_builder_edge(b, 2, 3);
	d = dag_builder_finish(b, NULL);
	o.policy = policy_find(policy, &o.policy_options, NULL);
	s = simulate(d, m, &o, NULL);
	for (int i = 0; i < 4; i++)
		CHECK_INT(s->tasks[i].start_ns, start[i]);
	simulation_free(s);
	dag_free(d);
	machine_free(m);
}

static void test_orders(void)
{
	order_of("online-heft", (const int64_t[]){0, 8, 16, 24});
	order_of("online-heft:order=rank", (const int64_t[]){8, 16, 0, 24});
	order_of("critical-path", (const int64_t[]){8, 16, 0, 24});
	order_of("critical-path:rank=upward", (const int64_t[]){8, 16, 0, 24});
}

/*
 * Of two tasks that take 50 and 40 on a core the first one is more critical, unless the faster of two GPUs does it in
 * 20, which the mean of both, 60, does not show.
 */
static void test_devices(void)
{
	static const int64_t costs[2][ARCH_COUNT] = {COSTS(50, 60), COSTS(40, -1)}, own[][2] = {{20, 100}, {-1, -1}};
	const struct policy *p = &policy_critical_path;

	for (uint32_t devices = 0; devices < 2; devices++) {
		struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
		struct policy_world w = {.machine = m, .now = world_now, .wake = world_wake};
		struct dag_builder *b = dag_builder_create();
		struct dag *d;
		void *state;

		dag_builder_task(b, dag_builder_type(b, "first", costs[0]));
		dag_builder_task(b, dag_builder_type(b, "second", costs[1]));
		w.dag = d = dag_builder_finish(b, NULL);
		if (devices)
			graph_devices(d, own);
		state = p->create(p, &w, "", NULL);
		p->push(state, 0, -1);
		p->push(state, 1, -1);
		CHECK_INT(p->pop(state, 0), devices);
		CHECK_INT(p->pop(state, 0), 1 - devices);
		p->free(state);
		dag_free(d);
		machine_free(m);
	}
}

/* Nobody is idle while there is something that he can run: a CPU takes what a GPU would end sooner. */
static void test_greedy(void)
{
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct simulate_options o = {.policy = &policy_critical_path, .keep_schedule = 1};
	struct simulation *s;
	struct dag *d;

	dag_builder_type(b, "any", both);
	dag_builder_task(b, 0);
	dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	s = simulate(d, m, &o, NULL);
	CHECK_INT(s->makespan_ns, 10);
	CHECK_INT(s->executed[ARCH_CPU], 1);
	simulation_free(s);
	dag_free(d);
	machine_free(m);
}

/* Everything is executed once, no makespan is below a bound, and scaling all costs scales the makespan. */
static void test_properties(void)
{
	static const char *const names[] = {"online-heft", "online-heft:order=rank", "critical-path",
	                                    "critical-path:rank=upward"};
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct dag *d = graph_layers(seed, 15, 9, 100), *scaled = graph_layers(seed, 15, 9, 700);
		struct bounds b;

		CHECK_INT(bounds_of(&b, d, m, BOUNDS_WITHOUT_COPIES, NULL), 0);
		for (int i = 0; i < 4; i++) {
			struct simulate_options o = {.ignore_submission = 1};
			struct simulation *s, *s7;

			o.policy = policy_find(names[i], &o.policy_options, NULL);
			s = simulate(d, m, &o, NULL);
			s7 = simulate(scaled, m, &o, NULL);
			CHECK_INT(s->executed[ARCH_CPU] + s->executed[ARCH_CUDA], d->ntasks);
			CHECK(s->makespan_ns >= b.largest_ns);
			CHECK_INT(s7->makespan_ns, 7 * s->makespan_ns);
			simulation_free(s);
			simulation_free(s7);
		}
		dag_free(d);
		dag_free(scaled);
	}
	machine_free(m);
}

static void test_knobs(void)
{
	static const char *const bad[][2] = {
		{"online-heft:order=up", "policy online-heft: order is push or rank, found \"up\""},
		{"online-heft:alpha=1", "policy online-heft has no knob \"alpha\"; it has: order"},
		{"critical-path:rank=", "policy critical-path: rank is latest-start or upward, found \"\""},
		{"heft:links=x", "policy heft: links is free or shared, found \"x\""},
		{"cpop:x=1", "policy cpop has no knob \"x\"; it has: links"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_refused(bad[i][0], bad[i][1]);
}

int main(void)
{
	RUN(test_online);
	RUN(test_orders);
	RUN(test_devices);
	RUN(test_greedy);
	RUN(test_properties);
	RUN(test_knobs);
	return check_done();
}
