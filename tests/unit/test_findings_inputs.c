/* tests/unit/test_findings_inputs.c - findings about models, cores, the recording and priorities, on made runs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/made_run.h"

/* Two rows, CPU and GPU 0, of the footprint of every class. */
static void model(struct made *x, int i, const char *symbol, struct model_entry rows[2], double cpu_us, double gpu_us)
{
	rows[0] = (struct model_entry){.arch = ARCH_CPU, .ncores = 1, .mean_us = cpu_us, .samples = 40};
	rows[1] = (struct model_entry){.arch = ARCH_CUDA, .ncores = 1, .mean_us = gpu_us, .samples = 60};
	x->model[i] = (struct model){.symbol = symbol, .host = "h", .version = 45, .entries = rows, .nentries = 2};
	x->models.count = (size_t)i + 1;
	x->dag->types[i].model = symbol;
}

static void models(struct made *x, struct model_entry rows[2][2])
{
	begin(x);
	healthy(x);
	end(x);
	model(x, 0, "a", rows[0], 4000, 1000);
	model(x, 1, "b", rows[1], 20000, 1000);
}

static void test_models_right(void)
{
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	x.dag->classes[0].source[ARCH_CPU] = x.dag->classes[0].source[ARCH_CUDA] = COST_MODEL;
	look(&x);
	CHECK_INT(findings_wrong(&x.found), 0);
	done(&x);
}

static void test_model_missing(void)
{
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	x.model[0].nentries = 1;
	look(&x);
	CHECK_INT(findings_wrong(&x.found), 1);
	CHECK_NEAR(evidence(found(&x, "model-missing"), "tasks"), 40, 1e-9);
	CHECK_HAS(x.found.items[0].sentence, "plain: no sample for cuda, where 40 tasks of it ran");
	done(&x);
}

static void test_model_impossible(void)
{
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	x.dag->classes[0].source[ARCH_CUDA] = COST_RUN;
	rows[0][1].mean_us = 51;
	look(&x);
	CHECK(!found(&x, "model-impossible"));
	rows[0][1].mean_us = 9; /* the run says 1000 */
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-impossible"), "other_us"), 1000, 1e-9);
	x.dag->classes[0].source[ARCH_CUDA] = COST_MODEL; /* did not run there: against a CPU core */
	look_again(&x);
	CHECK(!found(&x, "model-impossible"));
	rows[0][0].mean_us = 224112;
	look_again(&x);
	CHECK(found(&x, "model-impossible") != NULL);
	done(&x);
}

static void test_model_copied(void)
{
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	rows[1][1].mean_us = 5000; /* both rows five times */
	look(&x);
	CHECK_NEAR(evidence(found(&x, "model-copied"), "factor"), 5, 1e-9);
	rows[1][1].samples++;
	look_again(&x);
	CHECK(!found(&x, "model-copied"));
	done(&x);
}

static void test_model_rows(void)
{
	struct model_entry rows[2][2], devices[3];
	struct made x;

	models(&x, rows);
	x.dag->classes[0].source[ARCH_CUDA] = COST_MODEL;
	rows[0][1].samples = 1;
	rows[0][1].deviation_us = 400;
	look(&x);
	CHECK_NEAR(evidence(found(&x, "model-samples"), "tasks"), 50, 1e-9);
	CHECK_NEAR(evidence(found(&x, "model-deviation"), "deviation_share"), 0.4, 1e-9);
	CHECK(!found(&x, "model-devices"));
	devices[0] = rows[0][0];
	devices[1] = devices[2] = rows[0][1];
	devices[2].devid = 1;
	devices[2].mean_us = 11000;
	x.model[0].entries = devices;
	x.model[0].nentries = 3;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-devices"), "slow_us"), 11000, 1e-9);
	done(&x);
}

static void test_cores(void)
{
	struct made x;

	begin(&x);
	healthy(&x);
	x.machine->workers[0].binding = 3;
	look(&x);
	CHECK(!found(&x, "cores"));
	x.machine->workers[2].binding = 3;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "cores"), "cores"), 1, 1e-9);
	CHECK_NEAR(evidence(found(&x, "cores"), "workers"), 2, 1e-9);
	done(&x);
}

static void test_recording(void)
{
	struct made x;

	begin(&x);
	healthy(&x);
	x.trace.defects = (struct trace_defects){.flushes = 2, .unordered = 7, .truncated_bytes = 1};
	look(&x);
	CHECK_INT(findings_wrong(&x.found), 2);
	CHECK_STR(x.found.items[0].name, "recording");
	CHECK_HAS(x.found.items[0].sentence, "1 byte behind the last whole event");
	CHECK_HAS(x.found.items[1].sentence, "2 times the application waited");
	done(&x);
}

static void test_priorities(void)
{
	struct made x;

	begin(&x);
	healthy(&x);
	end(&x);
	x.dag->tasks[0].priority = 99;
	look(&x);
	CHECK(!found(&x, "priorities"));
	x.dag->tasks[0].priority = 100;
	x.dag->tasks[1].priority = -1;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "priorities"), "tasks"), 2, 1e-9);
	CHECK_INT(findings_wrong(&x.found), 0); /* another scheduler does not mind */
	x.scheduler = "heteroprio";
	look_again(&x);
	CHECK_INT(findings_wrong(&x.found), 1);
	done(&x);
}

int main(void)
{
	RUN(test_models_right);
	RUN(test_model_missing);
	RUN(test_model_impossible);
	RUN(test_model_copied);
	RUN(test_model_rows);
	RUN(test_cores);
	RUN(test_recording);
	RUN(test_priorities);
	return check_done();
}
