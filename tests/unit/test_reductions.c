/* tests/unit/test_reductions.c - what StarPU's own tasks of reductions wait for, and what waits for them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/reductions.h"
#include "core/trace/trace_build.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"

enum { SUM = 1, OTHER, REPLICATE, NDATA = REPLICATE + 3 };

struct made {
	struct trace_builder b;
	struct trace *t;
};

/* Times in us; `order` 0: StarPU's own. */
static uint32_t add(struct made *m, const char *name, uint32_t order, int submit, int start, int end)
{
	uint32_t i = trace_build_task(&m->b, 0, 1 + m->b.t->ntasks);
	struct trace_task *x = &m->b.t->tasks[i];

	x->name = intern_str(m->b.t->strings, name);
	x->submit_order = order;
	x->submit_ns = submit * INT64_C(1000);
	x->start_ns = start * INT64_C(1000);
	x->end_ns = end * INT64_C(1000);
	x->worker = (int32_t)trace_build_worker(&m->b, 0, 0);
	return i;
}

static void access_to(struct made *m, uint32_t task, uint64_t data, uint32_t mode)
{
	trace_build_access(&m->b, task, trace_build_handle(&m->b, 0, data), mode, 4);
}

static void finish(struct made *m)
{
	struct ht_err err = {""};

	m->t = trace_build_finish(&m->b, "made", &err);
	CHECK_STR(err.text, "");
}

static int has(const struct trace *t, uint32_t pred, uint32_t succ)
{
	for (size_t i = 0; i < t->ndeps; i++)
		if (t->deps[i].pred == pred && t->deps[i].succ == succ)
			return 1;
	return 0;
}

enum { INIT, LEFT, RIGHT, BESIDE, READER, LATE, BETWEEN, INTO, LAST, NTASKS };

/*
 * LEFT and RIGHT add to a sum that READER reads, which also waits for BESIDE. StarPU reduces BETWEEN two replicates and
 * then INTO the sum. LATE adds to it, too, and the main thread reads it: LAST reduces that.
 */
static void make(struct made *m)
{
	static const char redux[] = "redux_task_between_replicates";

	trace_build_init(&m->b, TRACE_FXT);
	add(m, "init", 1, 0, 0, 10);
	add(m, "add", 2, 1, 10, 20);
	add(m, "add", 3, 2, 20, 30);
	add(m, "beside", 4, 3, 30, 50);
	add(m, "read", 5, 4, 70, 80);
	add(m, "add", 6, 5, 80, 90);
	add(m, redux, 0, 51, 52, 55);
	add(m, redux, 0, 51, 56, 60);
	add(m, redux, 0, 91, 92, 95);
	access_to(m, INIT, SUM, ACCESS_W);
	access_to(m, LEFT, SUM, ACCESS_REDUX);
	access_to(m, RIGHT, SUM, ACCESS_REDUX);
	access_to(m, BESIDE, OTHER, ACCESS_W);
	access_to(m, READER, SUM, ACCESS_R);
	access_to(m, READER, OTHER, ACCESS_R);
	access_to(m, LATE, SUM, ACCESS_REDUX);
	access_to(m, BETWEEN, REPLICATE, ACCESS_R | ACCESS_W | ACCESS_COMMUTE);
	access_to(m, BETWEEN, REPLICATE + 1, ACCESS_R);
	access_to(m, INTO, SUM, ACCESS_R | ACCESS_W | ACCESS_COMMUTE);
	access_to(m, INTO, REPLICATE, ACCESS_R);
	access_to(m, LAST, SUM, ACCESS_R | ACCESS_W | ACCESS_COMMUTE);
	access_to(m, LAST, REPLICATE + 2, ACCESS_R);
	trace_build_dep(&m->b, INIT, LEFT, DEP_TASK);
	trace_build_dep(&m->b, INIT, RIGHT, DEP_TASK);
	trace_build_dep(&m->b, LEFT, READER, DEP_TASK);
	trace_build_dep(&m->b, RIGHT, READER, DEP_TASK);
	trace_build_dep(&m->b, BESIDE, READER, DEP_TASK);
	trace_build_dep(&m->b, READER, LATE, DEP_TASK);
	trace_build_dep(&m->b, BETWEEN, INTO, DEP_TASK);
}

static void dependencies(void)
{
	static const uint32_t expected[][2] = {
		{LEFT, BETWEEN}, {RIGHT, BETWEEN}, {BESIDE, BETWEEN}, {BETWEEN, READER}, {LEFT, INTO},
		{RIGHT, INTO},   {BESIDE, INTO},   {INTO, READER},    {LATE, LAST},
	};
	struct made m;

	make(&m);
	finish(&m);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		CHECK(has(m.t, expected[i][0], expected[i][1]));
	CHECK(!has(m.t, LEFT, LAST) && !has(m.t, LAST, READER) && !has(m.t, INTO, BETWEEN));
	CHECK_INT(m.t->tasks[BETWEEN].submit_ns, 4000);
	CHECK_INT(m.t->tasks[INTO].submit_ns, 4000);
	CHECK_INT(m.t->tasks[LAST].submit_ns, 5000);
	trace_free(m.t);
}

/* A reader that began before StarPU reduced is that of something else, and closes no cycle. */
static void no_cycle(void)
{
	struct made m;
	struct dag *d;

	make(&m);
	m.b.t->tasks[READER].start_ns = 53000;
	finish(&m);
	CHECK(!has(m.t, INTO, READER) && !has(m.t, BETWEEN, READER));
	d = dag_from_trace(m.t, NULL, NULL, NULL);
	CHECK(d != NULL);
	dag_free(d);
	trace_free(m.t);
}

/* Another schedule does not wait for when StarPU reduced in the recorded one: BESIDE runs at once beside the others. */
static void replayed(void)
{
	struct simulate_options o = {.policy = &policy_eager, .policy_options = ""};
	struct machine *machine = machine_parse("cpu:2", NULL);
	struct simulation *s;
	struct made m;
	struct dag *d;

	make(&m);
	finish(&m);
	d = dag_from_trace(m.t, NULL, NULL, NULL);
	REQUIRE(d != NULL);
	s = simulate(d, machine, &o, NULL);
	REQUIRE(s != NULL);
	/* INIT, both contributions, reductions (10 / 3 each on average), READER, LATE, LAST; BESIDE all the while */
	CHECK_NEAR((double)s->makespan_ns, (10 + 20 + 3 + 4 + 10 + 10 + 3) * 1000, 2);
	simulation_free(s);
	machine_free(machine);
	dag_free(d);
	trace_free(m.t);
}

int main(void)
{
	RUN(dependencies);
	RUN(no_cycle);
	RUN(replayed);
	return check_done();
}
