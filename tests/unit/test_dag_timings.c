/* tests/unit/test_dag_timings.c - first executions and other CPUs, in the durations of a run and in its replay. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/base/rng.h"
#include "core/dag/dag.h"
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

int main(void)
{
	RUN(first_executions);
	RUN(other_cpus);
	RUN(nothing);
	RUN(too_few);
	RUN(replayed);
	return check_done();
}
