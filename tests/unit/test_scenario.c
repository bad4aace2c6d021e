/* tests/unit/test_scenario.c - what a replay assumes, and that the run it is made from stays as it is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/scenario.h"

#include "core/base/err.h"
#include "core/config/starpu_env.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

enum { TASKS = 3 };

/* A chain that reads a datum in main memory and one in the GPU's; what is not needed of a run is not there. */
struct recording {
	struct run run;
	struct trace trace;
	struct trace_task tasks[TASKS];
};

static void recording_init(struct recording *r, const char *machine)
{
	static const int64_t cost[ARCH_COUNT] = {100, 10, -1, -1, -1, -1, -1, -1, -1};
	struct dag_builder *b = dag_builder_create();

	*r = (struct recording){0};
	dag_builder_type(b, "k", cost);
	dag_builder_handle(b, 1000);
	dag_builder_handle(b, 1000);
	for (uint32_t i = 0; i < TASKS; i++) {
		dag_builder_task(b, 0);
		dag_builder_access(b, i, 0, ACCESS_R);
		dag_builder_access(b, i, 1, ACCESS_R);
		if (i)
			dag_builder_edge(b, i - 1, i);
		r->tasks[i].end_ns = 100;
	}
	r->trace = (struct trace){.tasks = r->tasks, .ntasks = TASKS};
	conditions_init(&r->run.conditions);
	r->run.trace = &r->trace;
	r->run.machine = machine_parse(machine, NULL);
	r->run.dag = dag_builder_finish(b, NULL);
	r->run.dag->handle_home[1] = 1;
}

static void recording_fini(struct recording *r)
{
	dag_free(r->run.dag);
	machine_free(r->run.machine);
}

static void as_the_run(void)
{
	const struct scenario_options o = {.submission = "recorded"};
	struct recording r;
	struct scenario s;

	recording_init(&r, "cpu:1 cuda:1 link:1GB/s");
	CHECK_INT(scenario_asks(&o), 0);
	CHECK_INT(scenario_open(&s, &r.run, &o, NULL), 0);
	CHECK(s.dag == r.run.dag);
	CHECK(s.machine == r.run.machine);
	CHECK(s.conditions == &r.run.conditions);
	CHECK_INT(s.transfers, TRANSFERS_ON);
	CHECK_INT(s.ignore_submission, 0);
	CHECK_INT(s.window.most, 0);
	scenario_fini(&s);
	recording_fini(&r);
}

/* The GPU's datum is in main memory where there is no GPU, and the run's graph still has it on the GPU. */
static void data_of_a_device_that_is_not_there(void)
{
	const struct scenario_options o = {.machine = "cpu:2", .submission = "recorded"};
	struct recording r;
	struct scenario s;

	recording_init(&r, "cpu:1 cuda:1 link:1GB/s");
	CHECK_INT(scenario_asks(&o), 1);
	CHECK_INT(scenario_open(&s, &r.run, &o, NULL), 0);
	CHECK_INT(s.dag->handle_home[0], 0);
	CHECK_INT(s.dag->handle_home[1], 0);
	CHECK_INT(r.run.dag->handle_home[1], 1);
	CHECK_INT(s.dag->ntasks, TASKS);
	CHECK(!scenario_has_copies(&s) && scenario_has_threads(&s)); /* the run shows what StarPU does */
	CHECK_INT(s.machine->nworkers, 2);
	CHECK_INT(r.run.machine->nworkers, 2);
	scenario_fini(&s);
	r.trace.source = TRACE_TASKS_REC;
	CHECK_INT(scenario_open(&s, &r.run, &o, NULL), 0);
	CHECK_INT(s.transfers, TRANSFERS_OFF); /* without links there is nothing to time */
	scenario_fini(&s);
	recording_fini(&r);
}

/* A generated graph of CPUs alone is replayed as the run that it was made of: StarPU's own work takes time. */
static void generated_graph(void)
{
	const struct scenario_options o = {.submission = "recorded"};
	struct manifest_entry made = {.key = "generated", .value = "resized"};
	struct recording recorded, generated;
	struct scenario s;

	recording_init(&recorded, "cpu:2");
	recording_init(&generated, "cpu:2");
	generated.trace.source = TRACE_TASKS_REC;
	CHECK_INT(scenario_open(&s, &generated.run, &o, NULL), 0);
	scenario_share_conditions(&s, &generated.run, &recorded.run);
	CHECK(!scenario_has_threads(&s));
	generated.run.manifest = (struct manifest){.entries = &made, .count = 1};
	scenario_share_conditions(&s, &generated.run, &recorded.run);
	CHECK(scenario_has_threads(&s) && !scenario_has_copies(&s));
	CHECK(s.conditions->overheads.of[ARCH_CPU].push_ns == recorded.run.conditions.overheads.of[ARCH_CPU].push_ns);
	scenario_fini(&s);
	recording_fini(&recorded);
	recording_fini(&generated);
}

static void submissions(void)
{
	static const struct {
		const char *when;
		int rc, ignore;
		uint32_t most, least;
	} cases[] = {{"recorded", 0, 0, 0, 0},   {"none", 0, 1, 0, 0},
	             {"window=1", 0, 0, 1, 0},   {"window=5", 0, 0, 5, 4},
	             {"window=0", -1, 0, 0, 0},  {"window=", -1, 0, 0, 0},
	             {"window=5x", -1, 0, 0, 0}, {"window=99999999999", -1, 0, 0, 0},
	             {"", -1, 0, 0, 0}};
	struct recording r;

	recording_init(&r, "cpu:1");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct scenario_options o = {.submission = cases[i].when};
		struct simulate_options how = {0};
		struct ht_err err = {""};
		struct scenario s;

		CHECK_INT(scenario_check(&o, &err), cases[i].rc);
		if (cases[i].rc != 0) {
			CHECK_HAS(err.text, "--submission is recorded, none, or window=N");
			continue;
		}
		CHECK_INT(scenario_open(&s, &r.run, &o, &err), 0);
		scenario_set(&s, &how);
		CHECK_INT(how.ignore_submission, cases[i].ignore);
		CHECK_INT(how.window->most, cases[i].most);
		CHECK_INT(how.window->least, cases[i].least);
		scenario_fini(&s);
	}
	recording_fini(&r);
}

static void transfers(void)
{
	const struct scenario_options off = {.submission = "recorded", .transfers = "off"};
	const struct scenario_options bad = {.submission = "recorded", .transfers = "maybe"};
	struct recording r;
	struct ht_err err = {""};
	struct scenario s;

	recording_init(&r, "cpu:1 cuda:1 link:1GB/s");
	CHECK_INT(scenario_check(&bad, &err), -1);
	CHECK_HAS(err.text, "found \"maybe\"");
	CHECK_INT(scenario_open(&s, &r.run, &off, &err), 0);
	CHECK_INT(s.transfers, TRANSFERS_OFF);
	scenario_fini(&s);
	recording_fini(&r);
}

static void started(void)
{
	const struct scenario_options o = {.submission = "recorded"};
	struct starpu_env env = {0};
	struct simulate_options how = {.pipeline = 3};
	struct recording r;
	struct scenario s;

	recording_init(&r, "cpu:4 cuda:1 link:1GB/s");
	CHECK_INT(scenario_open(&s, &r.run, &o, NULL), 0);
	scenario_start(&s, &env);
	CHECK(s.machine == r.run.machine);
	env.value[STARPU_ENV_CPUS] = 2;
	env.value[STARPU_ENV_PIPELINE] = 1;
	scenario_start(&s, &env);
	CHECK_INT(machine_workers_of(s.machine, ARCH_CPU), 2);
	CHECK_INT(s.transfers, TRANSFERS_ON);
	scenario_set_env(&env, &how);
	CHECK_INT(how.pipeline, 3); /* the command's is stronger */
	how.pipeline = PIPELINE_OF_RUN;
	scenario_set_env(&env, &how);
	CHECK_INT(how.pipeline, 1);
	scenario_fini(&s);
	recording_fini(&r);
}

/* No task has a cost on OpenCL. */
static void unknown_architecture(void)
{
	const struct scenario_options o = {.machine = "cpu:1 opencl:1", .submission = "recorded"};
	struct recording r;
	struct ht_err err = {""};
	struct scenario s;

	recording_init(&r, "cpu:1 cuda:1");
	CHECK_INT(scenario_open(&s, &r.run, &o, &err), -1);
	CHECK_HAS(err.text, "do not say what any task takes on opencl");
	scenario_fini(&s);
	recording_fini(&r);
}

int main(void)
{
	RUN(as_the_run);
	RUN(data_of_a_device_that_is_not_there);
	RUN(generated_graph);
	RUN(submissions);
	RUN(transfers);
	RUN(started);
	RUN(unknown_architecture);
	return check_done();
}
