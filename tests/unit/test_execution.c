/* tests/unit/test_execution.c - what viewers show: lanes, ready tasks, names of workers, order in time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/execution/execution.h"
#include "core/execution/execution_ready.h"
#include "core/run/run.h"
#include "tests/lib/made_run.h"

static struct run run_of(struct made *x)
{
	static char path[] = "some/where/run.ht//";

	return (struct run){
		.path = path, .trace = &x->trace, .machine = x->machine, .dag = x->dag, .scheduler = "", .command = ""};
}

static char *written(const struct execution *e, const struct execution_format *form)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	form->write(e, f);
	fclose(f);
	return text;
}

static void add(struct execution *e, int64_t ready, int64_t start, int64_t end, uint16_t worker)
{
	execution_add(e, &(struct execution_task){.ready_ns = ready,
	                                          .start_ns = start,
	                                          .end_ns = end,
	                                          .worker = worker,
	                                          .job = e->ntasks + 1,
	                                          .item = (uint32_t)e->ntasks});
}

/* A predicted schedule, on a machine of its own: its tasks are added by hand. */
static struct execution *made_execution(struct made *x, struct run *r)
{
	begin(x);
	task(x, PLAIN, CPU0, 0, 0, 0, 4);
	end(x);
	*r = run_of(x);
	return execution_create(r, x->machine);
}

static void overlapping_tasks_get_lanes(void)
{
	struct made x;
	struct run r;
	struct execution *e = made_execution(&x, &r);

	add(e, 0, 40, 50, 0);
	add(e, 0, 0, 20, 0);
	add(e, 0, 10, 40, 0);
	add(e, 0, 20, 30, 0);
	add(e, 0, 20, 20, 1);
	for (int i = 0; i < 2 * EXECUTION_LANES; i++)
		add(e, 0, 100, 200, 2);
	execution_finish(e);
	CHECK_STR(e->name, "run.ht");
	CHECK_INT(e->lanes[0], 2);
	CHECK_INT(e->lanes[1], 1);
	CHECK_INT(e->lanes[2], EXECUTION_LANES);
	CHECK_INT(e->lanes[3], 1);
	for (size_t i = 0; i + 1 < e->ntasks; i++)
		CHECK(e->tasks[i].start_ns <= e->tasks[i + 1].start_ns);
	/* 0-20 and 20-30 in the first lane, 10-40 in the second, 40-50 in the first again. */
	CHECK_INT(e->tasks[0].lane, 0);
	CHECK_INT(e->tasks[1].lane, 1);
	CHECK_INT(e->tasks[2].lane, 0);
	CHECK_INT(e->tasks[4].start_ns, 40);
	CHECK_INT(e->tasks[4].lane, 0);
	execution_free(e);
	done(&x);
}

static void ready_tasks_are_counted(void)
{
	static const struct execution_step want[] = {{-5, 1}, {0, 2}, {10, 1}, {30, 0}};
	struct made x;
	struct run r;
	struct execution *e = made_execution(&x, &r);

	add(e, -5, 10, 20, 0);
	add(e, 10, 10, 20, 1); /* never waits */
	add(e, 0, 30, 40, 0);
	add(e, 90, 30, 40, 1); /* ready after its start: taken as at its start */
	execution_finish(e);
	CHECK_INT((int)e->nsteps, 4);
	for (size_t i = 0; i < 4 && i < e->nsteps; i++) {
		CHECK_INT(e->steps[i].ns, want[i].ns);
		CHECK_INT(e->steps[i].ready, want[i].ready);
	}
	execution_free(e);
	done(&x);
}

static void check_ready(const struct execution_ready *x, int worker, int64_t ns, int ready, int64_t until)
{
	int64_t found;

	CHECK_INT(execution_ready_for(x, worker, ns, &found), ready);
	CHECK_INT(found, until);
}

/* A task is ready until a worker has taken it, and only for workers that can run it. */
static void ready_ends_when_taken(void)
{
	static const struct execution_step want[] = {{10, 1}, {50, 2}, {60, 1}, {90, 0}};
	struct execution_ready *ready;
	struct execution *e;
	struct made x;
	struct run r;

	begin(&x);
	for (int i = 0; i < 3; i++)
		task(&x, i ? GPUISH : PLAIN, GPU0, 0, 0, 0, 1);
	end(&x);
	x.dag->classes[GPUISH].cost_ns[ARCH_CPU] = -1;
	r = run_of(&x);
	e = execution_create(&r, x.machine);
	execution_add(e, &(struct execution_task){.ready_ns = 10, .start_ns = 30, .end_ns = 40, .held_ns = 10});
	add(e, 20, 60, 70, GPU0);
	add(e, 50, 90, 95, GPU0);
	execution_finish(e);
	CHECK_INT((int)e->nsteps, 4);
	for (size_t i = 0; i < 4 && i < e->nsteps; i++) {
		CHECK_INT(e->steps[i].ns, want[i].ns);
		CHECK_INT(e->steps[i].ready, want[i].ready);
	}
	ready = execution_ready_create(e);
	check_ready(ready, CPU0, 0, 0, 10);
	check_ready(ready, CPU1, 10, 1, 20);
	check_ready(ready, CPU0, 20, 0, INT64_MAX);
	check_ready(ready, GPU1, 9, 0, 10);
	check_ready(ready, GPU0, 19, 1, 90);
	check_ready(ready, GPU0, 90, 0, INT64_MAX);
	execution_ready_free(ready);
	execution_free(e);
	done(&x);
}

/* In Paje nothing is earlier than what stands above it, and every state that is pushed is popped. */
static void paje_is_in_order(void)
{
	struct made x;
	struct run r;
	struct execution *e = made_execution(&x, &r);
	double last = -1e9;
	int pushed = 0, popped = 0;
	char *text, *line, *rest;

	add(e, 0, 20, 20, 0);
	add(e, 0, 0, 20, 0);
	add(e, 0, 20, 40, 0);
	add(e, 0, 10, 30, 1);
	execution_finish(e);
	text = written(e, &execution_paje);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *number;
		long event = strtol(line, &number, 10);
		double ms = strtod(number, NULL);

		if (*line == '%' || event < 7)
			continue;
		CHECK(ms >= last);
		last = ms;
		pushed += event == 21;
		popped += event == 12;
		CHECK(popped <= pushed);
	}
	CHECK_INT(pushed, 4);
	CHECK_INT(popped, 4);
	free(text);
	execution_free(e);
	done(&x);
}

static void workers_have_names_of_their_own(void)
{
	static const char *const odd[] = {"CUDA 0.1", "\"}] ", "CUDA 0.1", NULL};
	struct made x;
	struct run r;
	struct execution *e = made_execution(&x, &r);

	CHECK_STR(e->workers[0], "CPU0");
	CHECK_STR(e->workers[3], "CUDA1");
	execution_free(e);
	x.machine->workers[0].name = odd[0];
	x.machine->workers[1].name = odd[1];
	e = execution_create(&r, x.machine);
	CHECK_STR(e->workers[0], "CUDA0_1");
	CHECK_STR(e->workers[1], "CPU1");
	execution_free(e);
	x.machine->workers[1].name = odd[2];
	e = execution_create(&r, x.machine);
	CHECK_STR(e->workers[0], "CUDA0_1_w0");
	CHECK_STR(e->workers[1], "CUDA0_1_w1");
	execution_free(e);
	x.machine->workers[0].name = x.machine->workers[1].name = "";
	done(&x);
}

/* What a worker did beside tasks: the outer one is not nested, whichever of two that begin together ends later. */
static void spans_nest(void)
{
	struct made x;
	struct run r;
	struct execution *e;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 4);
	x.spans[0] = (struct trace_span){.start_ns = 10, .end_ns = 20, .worker = 1, .kind = SPAN_FETCH};
	x.spans[1] = (struct trace_span){.start_ns = 10, .end_ns = 40, .worker = 1, .kind = SPAN_SCHEDULING};
	x.spans[2] = (struct trace_span){.start_ns = 40, .end_ns = 50, .worker = 1, .kind = SPAN_SLEEP};
	x.trace.nspans = 3;
	end(&x);
	r = run_of(&x);
	e = execution_of_run(&r);
	CHECK_INT((int)e->nspans, 3);
	CHECK_INT(e->spans[0].kind, SPAN_SCHEDULING);
	CHECK(!e->spans[0].nested && e->spans[1].nested && !e->spans[2].nested);
	execution_free(e);
	done(&x);
}

int main(void)
{
	RUN(overlapping_tasks_get_lanes);
	RUN(ready_tasks_are_counted);
	RUN(ready_ends_when_taken);
	RUN(paje_is_in_order);
	RUN(workers_have_names_of_their_own);
	RUN(spans_nest);
	return check_done();
}
