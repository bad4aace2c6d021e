/* tests/unit/test_finding_models.c - findings about performance models, on made runs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/alloc.h"
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
	x.scheduler = "dmda";
	look(&x);
	CHECK_INT(findings_wrong(&x.found), 1);
	CHECK_NEAR(evidence(found(&x, "model-missing"), "tasks"), 40, 1e-9);
	CHECK_HAS(x.found.items[0].sentence, "plain: no sample for cuda, where 40 tasks of it ran");
	done(&x);
}

/* Its codelet has a function for CPUs, where it neither ran nor has a model. */
static void test_where_unknown(void)
{
	struct made x;

	for (int recorded = 0; recorded < 2; recorded++) {
		const struct finding *f;

		begin(&x);
		healthy(&x);
		end(&x);
		x.dag->types[0].where = 1u << ARCH_CUDA;
		x.dag->types[0].declared = recorded ? 1u << ARCH_CPU | 1u << ARCH_CUDA | 1u << ARCH_OPENCL : 0;
		look(&x);
		f = found(&x, "where-unknown");
		CHECK_INT(f != NULL, recorded);
		if (f) {
			CHECK_HAS(f->sentence, " can run on cpu, and neither the run nor");
			CHECK_NEAR(evidence(f, "tasks"), x.dag->types[0].count, 1e-9);
		}
		CHECK_INT(findings_wrong(&x.found), 0);
		done(&x);
	}
}

/* For a CPU and a GPU two findings with one advice, and one note under a scheduler that asks for no model. */
static void test_model_not_missed(void)
{
	struct model_entry rows[2][2];
	struct made x;
	size_t notes;

	models(&x, rows);
	x.model[0].nentries = 0;
	x.scheduler = "modular-heteroprio";
	look(&x);
	CHECK_INT(findings_wrong(&x.found), 1);
	notes = x.found.count - 2;
	x.scheduler = "modular-prio-prefetching";
	look_again(&x);
	CHECK_INT(findings_wrong(&x.found), 0);
	CHECK_INT(x.found.count, notes + 1);
	CHECK_NEAR(evidence(found(&x, "model-missing"), "tasks"), 50, 1e-9);
	done(&x);
}

/* Against the shortest of the run, of three tasks at least, so that slow ones prove nothing; a CPU has no launch. */
static void test_model_impossible(void)
{
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	rows[0][1].mean_us = 51;
	look(&x);
	CHECK(!found(&x, "model-impossible"));
	rows[0][1].mean_us = 9; /* the run says 1000 */
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-impossible"), "run_us"), 1000, 1e-9);
	for (int i = 3; i < 40; i++) /* of the 40 on GPUs */
		x.tasks[i].worker = CPU0;
	look_again(&x);
	CHECK(found(&x, "model-impossible"));
	x.tasks[2].worker = CPU0;
	look_again(&x);
	CHECK(!found(&x, "model-impossible"));
	x.tasks[2].worker = GPU0;
	x.tasks[0].end_ns = x.tasks[0].start_ns + 100000; /* and once 100 */
	look_again(&x);
	CHECK(!found(&x, "model-impossible"));
	rows[0][0].mean_us = 9;
	look_again(&x);
	CHECK(!found(&x, "model-impossible"));
	done(&x);
}

/* A class that did not run on the GPU: against a CPU core, and against what devices can do. */
static void test_model_ceilings(void)
{
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	look(&x);
	CHECK(!found(&x, "model-impossible"));
	rows[1][0].mean_us = 20;
	rows[1][1].mean_us = 0.0039;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-impossible"), "cpu_us"), 20, 1e-9);
	rows[1][1].mean_us = 10;
	rows[1][1].flops = 1e10; /* 1e15 per second */
	look_again(&x);
	CHECK(!found(&x, "model-impossible"));
	rows[1][1].flops = 3e10;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-impossible"), "per_second"), 3e15, 1e-9);
	CHECK_HAS(found(&x, "model-impossible")->sentence, ", 3 PFlop/s, which no device does");
	rows[1][1].flops = 0;
	rows[1][1].size_bytes = (int64_t)300 << 20; /* 3.1e13 per second */
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-impossible"), "per_second"), 314572800 / 10e-6, 1e-9);
	CHECK_HAS(found(&x, "model-impossible")->sentence, ", 28.6 TiB of data per second, which no memory gives");
	done(&x);
}

/* Ten of the 40 GPU tasks take 2 ms: mean 1.25 times, deviation 35 % of it. The CPUs' ten are as the model says. */
static void test_model_run(void)
{
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	rows[0][0].deviation_us = 100;
	look(&x);
	CHECK(!found(&x, "model-run"));
	for (int i = 0; i < 10; i++)
		x.tasks[i].end_ns = x.tasks[i].start_ns + 2 * MS;
	rows[0][1].mean_us = 1250;
	rows[0][1].deviation_us = 300;
	look_again(&x);
	CHECK(!found(&x, "model-run"));
	rows[0][1].deviation_us = 100;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-run"), "run_deviation_share"), sqrt(0.1875) / 1.25, 1e-6);
	CHECK_NEAR(evidence(found(&x, "model-run"), "model_deviation_share"), 0.08, 1e-9);
	rows[0][1].deviation_us = 1000;
	rows[0][1].mean_us = 900;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "model-run"), "model_mean_ns"), 900000, 1e-9);
	/* One of 40 takes 30 ms: mean 1.975 times, but what that has met is not the model's fault. */
	for (int i = 0; i < 10; i++)
		x.tasks[i].end_ns = x.tasks[i].start_ns + (i ? 2 : 30) * MS;
	look_again(&x);
	CHECK(!found(&x, "model-run"));
	CHECK(found(&x, "spread"));
	done(&x);
}

/* Models alone: no run, no tasks. */
static void test_models_alone(void)
{
	struct model_entry rows[2][2], others[2];
	struct model other = {.symbol = "a", .host = "k", .version = 45, .entries = others, .nentries = 2};
	struct model_set set = {.models = &other, .count = 1};
	struct findings f = {0};
	struct made x;

	models(&x, rows);
	findings_of_models(&f, &x.models, NULL);
	CHECK_INT(f.count, 0);
	others[0] = rows[0][0];
	others[1] = rows[0][1];
	others[0].mean_us = 13000; /* of 4000 */
	others[1].mean_us = 100;   /* of 1000 */
	findings_of_models(&f, &x.models, &set);
	CHECK_INT(f.count, 2);
	CHECK_INT(findings_wrong(&f), 1);
	CHECK_STR(f.items[0].name, "model-hosts");
	CHECK_HAS(f.items[0].sentence, "a (footprint 00000000) takes 4.00 ms on cpu of h and 13.0 ms of k: 3.25 times");
	CHECK_HAS(f.items[1].sentence, "on cuda of h");
	findings_fini(&f);
	rows[1][1].mean_us = 20000.0 / 6000;
	rows[0][1].samples = 1;
	findings_of_models(&f, &x.models, NULL);
	CHECK_INT(f.count, 2);
	CHECK_STR(f.items[0].name, "model-impossible");
	CHECK_HAS(f.items[1].sentence,
	          "What 1 size of a would take on cuda rests on a model row of a single measurement");
	findings_fini(&f);
	look(&x);
	done(&x);
}

static void test_model_copied(void)
{
	struct manifest_entry entries[] = {{"generated", "fmm split=1"}};
	struct manifest manifest = {.entries = entries, .count = 1};
	struct model_entry rows[2][2];
	struct made x;

	models(&x, rows);
	rows[1][1].mean_us = 5000; /* both rows five times */
	look(&x);
	CHECK_NEAR(evidence(found(&x, "model-copied"), "factor"), 5, 1e-9);
	x.manifest = &manifest;
	look_again(&x);
	CHECK(!found(&x, "model-copied"));
	x.manifest = NULL;
	rows[1][1].samples++;
	look_again(&x);
	CHECK(!found(&x, "model-copied"));
	done(&x);
}

/*
 * 3000 models of two rows, three of each of 1000 proportions, which take different times. Of half of the proportions
 * all three are copies, and of the others two: the third one has another number of samples.
 */
static void test_many_models(void)
{
	enum { MODELS = 3000, KINDS = 1000 };
	struct model *models = ht_alloc(MODELS, sizeof(*models));
	struct model_entry(*rows)[2] = ht_alloc(MODELS, sizeof(*rows));
	struct model_set set = {.models = models, .count = MODELS};
	char(*symbols)[16] = ht_alloc(MODELS, sizeof(*symbols));
	struct findings f = {0};
	size_t n = 0;

	for (int i = 0; i < MODELS; i++) {
		double us = 100 + i % 7, ratio = 1 + (i % KINDS) * 0.001;

		snprintf(symbols[i], sizeof(symbols[i]), "m%05d", i);
		rows[i][0] = (struct model_entry){.arch = ARCH_CPU, .ncores = 1, .mean_us = us, .samples = 40};
		rows[i][1] = rows[i][0];
		rows[i][1].footprint = 1;
		rows[i][1].mean_us = us * ratio;
		if (i % KINDS >= KINDS / 2 && i >= 2 * KINDS)
			rows[i][1].samples = (uint64_t)i;
		models[i] = (struct model){.symbol = symbols[i], .host = "h", .entries = rows[i], .nentries = 2};
	}
	findings_of_models(&f, &set, NULL);
	for (size_t i = 0; i < f.count; i++)
		n += !strcmp(f.items[i].name, "model-copied");
	CHECK_INT(n, KINDS);
	CHECK_HAS(f.items[0].sentence,
	          "The models of m00000, m01000 and 1 more have the same numbers of samples in all 2 rows, and means "
	          "in one proportion (1.06 of the first two): they are copies of one");
	CHECK_HAS(f.items[KINDS - 1].sentence, "The models of m00999 and m01999 have the same numbers");
	findings_fini(&f);
	free(symbols);
	free(rows);
	free(models);
}

/* A model of as many sizes as a sparse factorisation has: each row is looked up, not looked for. */
static void test_many_rows(void)
{
	enum { SIZES = 40000 };
	struct model_entry *rows = ht_alloc(2 * SIZES, sizeof(*rows));
	struct model model = {.symbol = "a", .host = "h", .entries = rows, .nentries = 2 * SIZES};
	struct model_set set = {.models = &model, .count = 1};
	struct findings f = {0};
	clock_t from;

	for (uint32_t i = 0; i < 2 * SIZES; i++)
		rows[i] = (struct model_entry){.arch = i < SIZES ? ARCH_CPU : ARCH_CUDA,
		                               .footprint = i % SIZES,
		                               .ncores = 1,
		                               .mean_us = 100,
		                               .samples = i < SIZES ? 10 : 1};
	from = clock();
	findings_of_models(&f, &set, NULL);
	CHECK(clock() - from < CLOCKS_PER_SEC); /* 0.05 s; 5 s where each size looks at all rows */
	CHECK_INT(f.count, 1);
	CHECK_HAS(f.items[0].sentence, "What 40000 sizes of a would take on cuda rests on a model row");
	findings_fini(&f);
	free(rows);
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

int main(void)
{
	RUN(test_models_right);
	RUN(test_model_missing);
	RUN(test_where_unknown);
	RUN(test_model_not_missed);
	RUN(test_model_impossible);
	RUN(test_model_ceilings);
	RUN(test_model_run);
	RUN(test_models_alone);
	RUN(test_model_copied);
	RUN(test_many_models);
	RUN(test_many_rows);
	RUN(test_model_rows);
	return check_done();
}
