/* tests/unit/test_task_size.c - tasks against what StarPU does for each: only what was measured counts. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/task_size.h"

#include "core/dag/dag.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

enum { US = 1000 };

static struct trace_worker workers[] = {{.arch = ARCH_CPU}, {.arch = ARCH_CUDA}};
static struct trace_task tasks[TASK_SIZE_LEAST];
static const struct trace trace = {.tasks = tasks, .ntasks = TASK_SIZE_LEAST, .workers = workers, .nworkers = 2};

/* In turns a task of 20 us on the CPU with two pieces of data, and one of 40 us on the GPU. */
static struct dag *graph(int ntasks)
{
	const int64_t cost[ARCH_COUNT] = COSTS(20 * US, 40 * US);
	struct dag_builder *b = dag_builder_create();

	dag_builder_type(b, "a", cost);
	for (int i = 0; i < ntasks; i++) {
		uint32_t task = dag_builder_task(b, 0);

		tasks[i] = (struct trace_task){.end_ns = (i % 2 ? 40 : 20) * US, .worker = i % 2};
		for (int k = 0; k < 2 && i % 2 == 0; k++)
			dag_builder_access(b, task, dag_builder_handle(b, 8), ACCESS_R);
	}
	return dag_builder_finish(b, NULL);
}

static void constants_are_no_measurements(void)
{
	struct dag *d = graph(TASK_SIZE_LEAST);
	struct overheads_all o;
	struct task_size g;

	overheads_init(&o, OVERHEADS_MACHINE);
	o.of[ARCH_CPU].push_ns = 1000 * US;
	task_size_of(&g, &trace, d, &o);
	CHECK_INT(g.task_ns, 30 * US);
	CHECK_INT(g.worker_ns, 0);
	CHECK_INT(g.submit_ns, 0);
	CHECK_INT(g.longer, 1);
	dag_free(d);
}

/* 6 us, and 5 us a datum on the CPU; 10 us on the GPU: 13 on average. */
static void what_was_measured(void)
{
	char text[TASK_SIZE_TEXT];
	struct dag *d = graph(TASK_SIZE_LEAST);
	struct overheads_all o;
	struct task_size g;

	overheads_init(&o, OVERHEADS_MACHINE);
	o.of[ARCH_CPU].push_ns = 4 * US;
	o.of[ARCH_CPU].look_ns = 2 * US;
	o.of[ARCH_CPU].ask_ns = 5 * US;
	o.of[ARCH_CUDA].queue_ns = 10 * US;
	o.samples[ARCH_CPU][OVERHEAD_PUSH] = o.samples[ARCH_CPU][OVERHEAD_LOOK] = o.samples[ARCH_CPU][OVERHEAD_ASK] = 9;
	o.samples[ARCH_CUDA][OVERHEAD_QUEUE] = 9;
	o.submit_ns = 16 * US;
	task_size_of(&g, &trace, d, &o);
	CHECK_INT(g.worker_ns, 13 * US);
	CHECK_INT(g.submit_ns, 16 * US);
	CHECK_INT(g.longer, 1); /* 29 of 30 us */
	o.submit_ns = 47 * US;
	task_size_of(&g, &trace, d, &o);
	CHECK_INT(g.longer, 18); /* 60 us are a tenth of 600, of which tasks have 540 */
	CHECK_STR(task_size_text(&g, text),
	          "a task typically takes 30.0 us, and 60.0 us pass around it (47.0 us to submit it, 13.0 us before its "
	          "worker starts it)");
	/* Where a thread stood still the mean says more than the median, which counts. */
	o.of[ARCH_CPU].push_ns = 9000 * US;
	o.of[ARCH_CPU].ask_ns = 900 * US;
	o.typical_ns[ARCH_CPU][OVERHEAD_PUSH] = 4 * US;
	o.typical_ns[ARCH_CPU][OVERHEAD_ASK] = 5 * US;
	task_size_of(&g, &trace, d, &o);
	CHECK_INT(g.worker_ns, 13 * US);
	dag_free(d);
	d = graph(TASK_SIZE_LEAST - 1);
	task_size_of(&g, &trace, d, &o);
	CHECK_INT(g.longer, 1); /* of so few nothing is said */
	dag_free(d);
}

int main(void)
{
	RUN(constants_are_no_measurements);
	RUN(what_was_measured);
	return check_done();
}
