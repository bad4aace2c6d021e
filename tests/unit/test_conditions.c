/* tests/unit/test_conditions.c - the conditions of an execution, as a run has them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/conditions.h"

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

enum { TASKS = 10 };

/*
 * Of TASKS tasks of 100 ns on one CUDA device, popped `ahead_ns` before the one before has ended, with one more line in
 * the manifest.
 */
static void conditions_of(struct conditions *c, int64_t ahead_ns, const char *environment)
{
	struct manifest_entry entry = {"environment", environment};
	struct manifest manifest = {.entries = &entry, .count = 1};
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct trace_worker workers[2] = {{.arch = ARCH_CPU}, {.arch = ARCH_CUDA}};
	struct trace_task tasks[TASKS];
	struct trace_extra extras[TASKS];
	struct dag_task nodes[TASKS];
	struct trace t = {.workers = workers, .nworkers = 2, .tasks = tasks, .extras = extras, .ntasks = TASKS};
	struct dag d = {.tasks = nodes, .ntasks = TASKS};

	for (int i = 0; i < TASKS; i++) {
		nodes[i] = (struct dag_task){.trace_task = (uint32_t)i};
		tasks[i] = (struct trace_task){.worker = 1, .start_ns = 100 * i, .end_ns = 100 * i + 100};
		tasks[i].submit_ns = TIME_NONE;
		extras[i] = (struct trace_extra)TRACE_EXTRA_NONE;
		extras[i].pop_ns = 100 * i - ahead_ns;
	}
	conditions_of_run(c, &t, &d, m, &manifest);
	machine_free(m);
}

static void pipelines(void)
{
	static const struct {
		const char *environment;
		int cuda, opencl;
	} cases[] = {{"STARPU_CUDA_PIPELINE=2", 2, PIPELINE_OF_RUN},
	             {"STARPU_CUDA_PIPELINE=0", PIPELINE_NONE, PIPELINE_OF_RUN},
	             {"STARPU_CUDA_PIPELINE=99", PIPELINE_MOST, PIPELINE_OF_RUN},
	             {"STARPU_OPENCL_PIPELINE=1", PIPELINE_OF_RUN, 1},
	             {"STARPU_CUDA_PIPELINE=-1", PIPELINE_OF_RUN, PIPELINE_OF_RUN},
	             {"STARPU_CUDA_PIPELINE=two", PIPELINE_OF_RUN, PIPELINE_OF_RUN},
	             {"STARPU_CUDA_PIPELINE_=2", PIPELINE_OF_RUN, PIPELINE_OF_RUN}};
	struct conditions c;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		conditions_of(&c, 50, cases[i].environment);
		CHECK_INT(c.pipeline[ARCH_CUDA], cases[i].cuda);
		CHECK_INT(c.pipeline[ARCH_OPENCL], cases[i].opencl);
	}
}

/* Nothing is popped while another task runs: so it is with synchronous codelets, and with a pipeline of one. */
static void synchronous_devices(void)
{
	struct conditions c;

	conditions_of(&c, 0, "");
	CHECK_INT(c.synchronous, 1 << ARCH_CUDA);
	conditions_of(&c, 50, "");
	CHECK_INT(c.synchronous, 0);
	conditions_of(&c, 0, "STARPU_CUDA_PIPELINE=1");
	CHECK_INT(c.synchronous, 0);
	conditions_of(&c, 0, "STARPU_CUDA_PIPELINE=0");
	CHECK_INT(c.synchronous, 0);
	conditions_of(&c, 0, "STARPU_CUDA_PIPELINE=3");
	CHECK_INT(c.synchronous, 1 << ARCH_CUDA);
}

/* What one recording does not show is taken from another one; what it shows stays. */
static void completed_by_another(void)
{
	struct conditions c, other;

	conditions_init(&c);
	conditions_init(&other);
	c.overheads.submit_ns = -1;
	other.overheads.submit_ns = 300;
	c.synchronous = 1 << ARCH_OPENCL;
	c.overheads.of[ARCH_OPENCL].queue_ns = 7;
	other.synchronous = 1 << ARCH_CUDA | 1 << ARCH_OPENCL;
	other.overheads.of[ARCH_CUDA].queue_ns = 11;
	other.overheads.of[ARCH_OPENCL].queue_ns = 13;
	conditions_complete(&c, &other);
	CHECK_INT(c.overheads.submit_ns, 300);
	CHECK_INT(c.synchronous, 1 << ARCH_CUDA | 1 << ARCH_OPENCL);
	CHECK_INT(c.overheads.of[ARCH_CUDA].queue_ns, 11);
	CHECK_INT(c.overheads.of[ARCH_OPENCL].queue_ns, 7);
	other.overheads.submit_ns = 500;
	conditions_complete(&c, &other);
	CHECK_INT(c.overheads.submit_ns, 300);
}

static void of_a_machine(void)
{
	struct conditions c;

	conditions_init(&c);
	CHECK_INT(c.simulated, 0);
	CHECK_INT(c.synchronous, 0);
	CHECK_INT(c.pipeline[ARCH_CUDA], PIPELINE_OF_RUN);
	CHECK(c.overheads.of[ARCH_CUDA].queue_ns > 0);
}

int main(void)
{
	RUN(pipelines);
	RUN(synchronous_devices);
	RUN(completed_by_another);
	RUN(of_a_machine);
	return check_done();
}
