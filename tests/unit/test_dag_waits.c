/* tests/unit/test_dag_waits.c - where an application waits before it submits more: found in a trace, and replayed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "replay/sim/window.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/made_trace.h"

/*
 * Task 0 writes, row 1 is the empty task of starpu_data_acquire(), which waits for it, and task 2 is submitted when the
 * application has looked at the data. All in us.
 */
static struct trace *acquiring(const char *name)
{
	static const struct row rows[] = {{0, 0, 0, 10000, 40000, 0, 0},
	                                  {5000, TIME_NONE, TIME_NONE, TIME_NONE, TIME_NONE, TRACE_NONE, -1},
	                                  {47000, 47000, 47000, 50000, 60000, 0, 0}};
	struct trace *t = trace_of(rows, 3, 1, 1);

	t->tasks[1].kind = TASK_ACQUIRE;
	t->tasks[1].name = intern_str(t->strings, name);
	t->ndeps = 1;
	t->deps = arena_alloc(t->arena, 1, sizeof(*t->deps));
	t->deps[0] = (struct trace_dep){.pred = 0, .succ = 1};
	t->nhandles = 1;
	t->handles = arena_alloc(t->arena, 1, sizeof(*t->handles));
	t->handles[0].size_bytes = 8;
	t->naccesses = 1;
	t->accesses = arena_alloc(t->arena, 1, sizeof(*t->accesses));
	t->accesses[0].mode = ACCESS_W;
	t->tasks[0].naccesses = 1;
	return t;
}

static void finds_an_acquisition(void)
{
	struct trace *t = acquiring("_starpu_data_acquire_pre");
	struct dag *d = dag_from_trace(t, NULL, NULL, NULL);

	CHECK_INT(d->nwaits, 1);
	CHECK_INT(d->waits[0].before, 1);
	CHECK_INT(d->waits[0].count, 1);
	CHECK_INT(d->wait_tasks[d->waits[0].first], 0);
	CHECK_INT(d->waits[0].handle, 0);
	CHECK_INT(d->waits[0].until_ns, 5000);
	CHECK_INT(d->waits[0].after_ns, 7000);
	dag_free(d);
	trace_drop(t);
}

/* What came home later than the task ended was waited for too. */
static void finds_its_copy(void)
{
	struct trace *t = acquiring("_starpu_data_acquire_pre");
	struct dag *d;

	t->ncopies = 1;
	t->copies = arena_alloc(t->arena, 1, sizeof(*t->copies));
	t->copies[0] = (struct trace_copy){.start_ns = 41000, .end_ns = 45000, .from = 1, .to = 0};
	d = dag_from_trace(t, NULL, NULL, NULL);
	CHECK_INT(d->waits[0].after_ns, 2000);
	dag_free(d);
	trace_drop(t);
}

/* starpu_data_acquire_cb() returns at once. */
static void leaves_out_what_does_not_wait(void)
{
	struct trace *t = acquiring("_starpu_data_acquire_cb_pre");
	struct dag *d = dag_from_trace(t, NULL, NULL, NULL);

	CHECK_INT(d->nwaits, 0);
	dag_free(d);
	trace_drop(t);
}

/* Another thread goes on submitting: task 2 came before the wait was over. */
static void leaves_out_waits_of_other_threads(void)
{
	static const struct row rows[] = {{0, 0, 0, 10, 40, 0, 0}, {20, 20, 40, 40, 60, 0, 0}};
	struct trace *t = trace_of(rows, 2, 1, 1);
	struct trace_wait waits[] = {{5, 45, TRACE_NONE, 0}};
	struct dag *d;

	t->waits = waits;
	t->nwaits = 1;
	d = dag_from_trace(t, NULL, NULL, NULL);
	CHECK_INT(d->nwaits, 0);
	waits[0].end_ns = 15;
	dag_free(d);
	t->tasks[1].submit_ns = 50;
	waits[0].end_ns = 45;
	d = dag_from_trace(t, NULL, NULL, NULL);
	CHECK_INT(d->nwaits, 1);
	CHECK_INT(d->waits[0].handle, DAG_NO_HANDLE);
	CHECK_INT(d->waits[0].after_ns, 10);
	dag_free(d);
	trace_drop(t);
}

/* Replayed, the task after it is submitted later where what it waits for takes longer. */
static void is_replayed(void)
{
	struct trace *t = acquiring("_starpu_data_acquire_pre");
	struct dag *d = dag_from_trace(t, NULL, NULL, NULL);
	struct machine *m = machine_parse("cpu:1", NULL);
	struct window w;
	struct simulate_options o = {.policy = &policy_eager, .policy_options = "", .keep_schedule = 1, .window = &w};
	struct simulation *s;

	d->classes[d->tasks[0].class_id].cost_ns[ARCH_CPU] = 100000;
	window_find(&w, t, d);
	s = simulate(d, m, &o, NULL);
	CHECK_INT(s->tasks[0].end_ns, 100000);
	CHECK_INT(s->tasks[1].ready_ns, 107000);
	simulation_free(s);
	o.ignore_submission = 1;
	s = simulate(d, m, &o, NULL);
	CHECK_INT(s->tasks[1].start_ns, 100000);
	simulation_free(s);
	window_fini(&w);
	machine_free(m);
	dag_free(d);
	trace_drop(t);
}

int main(void)
{
	RUN(finds_an_acquisition);
	RUN(finds_its_copy);
	RUN(leaves_out_what_does_not_wait);
	RUN(leaves_out_waits_of_other_threads);
	RUN(is_replayed);
	return check_done();
}
