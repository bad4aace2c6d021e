/* tests/unit/test_dag_timings.c - what lengthens tasks of a run, and the costs without it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/base/err.h"
#include "core/base/rng.h"
#include "core/dag/dag.h"
#include "core/dag/held.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/made_trace.h"

enum { US = 1000, WORKERS = 4, EACH = 30, TASKS = WORKERS * EACH, COST = 100 * US, ROUND = 1000 * US };

/* What is between -most and most, by chance. */
static int64_t noise(struct rng *r, int64_t most)
{
	return (int64_t)rng_below(r, (uint32_t)(2 * most + 1)) - most;
}

/*
 * In each round the first 1, 2, 3 or 4 CPUs, in turn, execute a task, all at one time but for a few ns; each that
 * executes already when another starts lengthens that by `company_ns`; a worker's first one is longer by `first_ns`.
 */
static struct trace *make(int64_t first_ns, int64_t company_ns)
{
	struct row rows[TASKS];
	struct trace *t;
	struct rng r = {.state = 7};
	int n = 0;

	for (int round = 0; n + WORKERS <= TASKS; round++) {
		for (int w = 0; w <= round % WORKERS; w++) {
			int64_t start = round * (int64_t)ROUND + w;

			rows[n++] = (struct row){.ready = start,
			                         .pop = start,
			                         .start = start,
			                         .end = start + COST + noise(&r, 5 * US) + w * company_ns +
			                                (round == w ? first_ns : 0),
			                         .worker = w};
		}
	}
	t = trace_of(rows, (size_t)n, 1, WORKERS);
	t->source = TRACE_FXT;
	return t;
}

static struct dag *graph_of(struct trace *t)
{
	struct ht_err err = {""};
	struct dag *d = dag_from_trace(t, NULL, NULL, &err);

	CHECK_STR(err.text, "");
	return d;
}

static void first_executions(void)
{
	struct trace *t = make(300 * US, 0);
	struct dag *d = graph_of(t);

	CHECK_NEAR(d->classes[0].warm_up_ns[ARCH_CPU], 300 * US, 10 * US);
	CHECK_NEAR((double)d->classes[0].cost_ns[ARCH_CPU], COST, 2 * US);
	CHECK(d->classes[0].deviation_ns[ARCH_CPU] < 5 * US);
	CHECK(d->classes[0].company_ns == 0);
	dag_free(d);
	trace_drop(t);
}

static void other_cpus(void)
{
	struct trace *t = make(0, 20 * US);
	struct dag *d = graph_of(t);

	CHECK_NEAR(d->classes[0].company_ns, 20 * US, 1 * US);
	CHECK_INT(d->classes[0].company_least, 0);
	CHECK_INT(d->classes[0].company_most, WORKERS - 1);
	CHECK_NEAR((double)d->classes[0].cost_ns[ARCH_CPU], COST, 2 * US);
	CHECK(d->classes[0].deviation_ns[ARCH_CPU] < 5 * US);
	CHECK(d->classes[0].warm_up_ns[ARCH_CPU] == 0);
	dag_free(d);
	trace_drop(t);
}

/* Neither fires where durations only vary, nor in a run that StarPU simulated or that has no events of StarPU. */
static void nothing(void)
{
	for (int kind = 0; kind < 3; kind++) {
		struct trace *t = kind ? make(300 * US, 20 * US) : make(0, 0);
		struct dag *d;

		if (kind == 1)
			t->source = TRACE_TASKS_REC;
		for (int w = 0; w < WORKERS && kind == 2; w++)
			t->workers[w].tid = UINT64_C(0x7f0000000000);
		d = graph_of(t);
		CHECK(d->classes[0].warm_up_ns[ARCH_CPU] == 0);
		CHECK(d->classes[0].company_ns == 0);
		dag_free(d);
		trace_drop(t);
	}
}

/* The longest of five, of one worker, is the first one out of five times. */
static void too_few(void)
{
	struct row rows[5];
	struct trace *t;
	struct dag *d;

	for (int i = 0; i < 5; i++)
		rows[i] = (struct row){.start = i * ROUND, .end = i * ROUND + (i ? COST : 4 * COST)};
	t = trace_of(rows, 5, 1, 1);
	t->source = TRACE_FXT;
	d = graph_of(t);
	CHECK(d->classes[0].warm_up_ns[ARCH_CPU] == 0);
	CHECK_INT(d->classes[0].cost_ns[ARCH_CPU], 8 * COST / 5);
	dag_free(d);
	trace_drop(t);
}

/* 120 tasks at once: each CPU begins with a longer one, and then all four execute; on one CPU none has company. */
static void replayed(void)
{
	static const struct {
		const char *machine;
		double expected_ns;
	} cases[] = {{"cpu:1", 120 * COST + 300 * US}, {"cpu:4", 30 * (COST + 60 * US) + 300 * US}};
	struct trace *t = make(300 * US, 20 * US);
	struct dag *d = graph_of(t);
	struct simulate_options o = {.policy = &policy_eager, .policy_options = "", .ignore_submission = 1};

	CHECK_INT(d->ntasks, 120);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct machine *m = machine_parse(cases[i].machine, NULL);
		struct simulation *s = simulate(d, m, &o, NULL);

		CHECK(s);
		CHECK_NEAR((double)s->makespan_ns, cases[i].expected_ns, 0.03 * cases[i].expected_ns);
		simulation_free(s);
		machine_free(m);
	}
	dag_free(d);
	trace_drop(t);
}

/*
 * A GPU of node 1 executes a task of type 0 in each round, and a CPU one. The GPU's tasks of rounds 1 and 4 end when
 * the eviction of data does that its thread was at; other evictions are over long before the end, of another memory,
 * or not seen to end. All of type 1 are seen late.
 */
static void late_ends(void)
{
	enum { ROUNDS = 6 };
	static const struct trace_memory evictions[] = {
		{.ns = 1 * ROUND + 10 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTING},
		{.ns = 1 * ROUND + 20 * US, .handle = 1, .node = 1, .kind = MEMORY_EVICTING},
		{.ns = 1 * ROUND + 300 * US, .handle = 1, .node = 1, .kind = MEMORY_EVICTED},
		{.ns = 1 * ROUND + 395 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTED},
		{.ns = 2 * ROUND + 5 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTING},
		{.ns = 2 * ROUND + 80 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTED},
		{.ns = 3 * ROUND + 5 * US, .handle = 0, .node = 2, .kind = MEMORY_EVICTING},
		{.ns = 3 * ROUND + 99 * US, .handle = 0, .node = 2, .kind = MEMORY_EVICTED},
		{.ns = 4 * ROUND + 50 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTING},
		{.ns = 4 * ROUND + 450 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTED},
		{.ns = 5 * ROUND + 50 * US, .handle = 2, .node = 1, .kind = MEMORY_EVICTING},
		{.ns = 6 * ROUND + 50 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTING},
		{.ns = 6 * ROUND + 195 * US, .handle = 0, .node = 1, .kind = MEMORY_EVICTED},
	};
	static const uint8_t expected[2 * ROUNDS + 1] = {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};
	struct row rows[2 * ROUNDS + 1];
	struct trace_memory copy[sizeof(evictions) / sizeof(*evictions)];
	struct trace *t;
	struct dag *d;
	uint8_t *held;

	for (int i = 0; i < ROUNDS; i++) {
		rows[2 * i] = (struct row){.start = i * ROUND,
		                           .end = i * ROUND + (i == 1 ? 400 * US :
		                                               i == 4 ? 449 * US :
		                                                        COST),
		                           .worker = 1};
		rows[2 * i + 1] = (struct row){.start = i * ROUND, .end = i * ROUND + 7 * COST, .worker = 0};
	}
	rows[2 * ROUNDS] =
		(struct row){.start = ROUNDS * ROUND, .end = ROUNDS * ROUND + 200 * US, .type = 1, .worker = 1};
	t = trace_of(rows, 2 * ROUNDS + 1, 2, 2);
	t->source = TRACE_FXT;
	t->workers[1].arch = ARCH_CUDA;
	t->workers[1].node = 1;
	memcpy(copy, evictions, sizeof(evictions));
	t->memory = copy;
	t->nmemory = sizeof(copy) / sizeof(*copy);
	d = graph_of(t);
	held = held_find(d, t);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_class *c = &d->classes[d->tasks[i].class_id];

		CHECK_INT(held[i], expected[d->tasks[i].trace_task]);
		CHECK_INT(c->cost_ns[ARCH_CUDA], c->codelet == 0 ? COST : 200 * US);
	}
	free(held);
	dag_free(d);
	trace_drop(t);
}

int main(void)
{
	RUN(first_executions);
	RUN(other_cpus);
	RUN(nothing);
	RUN(too_few);
	RUN(replayed);
	RUN(late_ends);
	return check_done();
}
