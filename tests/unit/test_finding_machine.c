/* tests/unit/test_finding_machine.c - findings about workers, threads and cores, on made runs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/made_run.h"

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

/* Of one thread they are one; more threads than cores is in the manifest. */
static void test_threads(void)
{
	struct manifest_entry entries[] = {{"cores", "4"}};
	struct manifest manifest = {.entries = entries, .count = 1};
	struct made x;

	begin(&x);
	healthy(&x);
	x.manifest = &manifest;
	x.machine->workers[2].binding = x.machine->workers[3].binding = 3;
	x.workers[2].tid = x.workers[3].tid = 77;
	look(&x);
	CHECK(!found(&x, "cores") && !found(&x, "crowd"));
	entries[0].value = "2";
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "crowd"), "workers"), 3, 1e-9);
	CHECK_NEAR(evidence(found(&x, "crowd"), "cores"), 2, 1e-9);
	entries[0].value = "1";
	look_again(&x);
	CHECK_HAS(found(&x, "crowd") ? found(&x, "crowd")->sentence : "", "there was 1 core for them");
	x.workers[3].tid = 78;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "cores"), "workers"), 2, 1e-9);
	done(&x);
}

static void test_busy(void)
{
	struct manifest_entry entries[] = {{"cores", "4"}, {"others", "0.25"}};
	struct manifest manifest = {.entries = entries, .count = 2};
	struct made x;

	begin(&x);
	healthy(&x);
	x.manifest = &manifest;
	look(&x);
	CHECK_NEAR(found(&x, "busy") ? found(&x, "busy")->severity : -1, 0.25, 1e-9);
	CHECK_HAS(found(&x, "busy") ? found(&x, "busy")->sentence : "", "25 % of the 4 cores");
	for (int i = 0; i < 4; i++) { /* too little to matter, and no shares */
		entries[1].value = (const char *const[]){"0.09", "1.5", "nan", ""}[i];
		look_again(&x);
		CHECK(!found(&x, "busy"));
	}
	done(&x);
}

/*
 * A task of 1 ms for each GPU every 4 ms, submitted just before: until the last, at 76 ms, GPUs are idle for 3 of 4 ms.
 * The CPUs are right to leave what waits for no time.
 */
static void submit_late(struct made *x)
{
	begin(x);
	for (int i = 0; i < 20; i++)
		for (int g = 0; g < 2; g++)
			x->tasks[task(x, GPUISH, GPU0 + g, 4 * i, 4 * i, 4 * i, 4 * i + 1)].submit_ns = 4 * MS *
			                                                                                (int64_t)i;
	x->overheads.submit_ns = 2 * MS;
}

static int advises(const struct made *x, const char *name, const char *what)
{
	const struct finding *f = found(x, name);

	return f && strstr(f->advice, what);
}

static void test_submission(void)
{
	struct manifest_entry entries[] = {{"cores", "4"}};
	const struct manifest manifest = {.entries = entries, .count = 1};
	struct trace_wait waits[2];
	struct made x;

	submit_late(&x);
	x.manifest = &manifest;
	look(&x);
	CHECK_INT(x.idle.submitting_ns, 76 * MS);
	CHECK_INT(x.idle.submitted, 39);
	CHECK_INT(x.idle.arch[ARCH_CUDA].late_ns, 2 * 19 * 3 * MS);
	CHECK_NEAR(evidence(found(&x, "submission"), "cores"), 4, 1e-9);
	CHECK_NEAR(evidence(found(&x, "submission"), "submission_ns"), 76.0 * MS / 39, 1e-6);
	CHECK(advises(&x, "submission", "STARPU_RESERVE_NCPU=1"));
	CHECK(!found(&x, "starvation"));
	entries[0].value = "5"; /* the thread has one */
	look_again(&x);
	CHECK(advises(&x, "submission", "several threads"));
	x.overheads.submit_ns = MS / 2; /* it does something else most of the time */
	look_again(&x);
	CHECK(advises(&x, "submission", "Submit earlier"));
	x.overheads.submit_ns = -1; /* it is simulated */
	look_again(&x);
	CHECK(!found(&x, "submission") && found(&x, "starvation"));
	x.overheads.submit_ns = MS / 2;
	entries[0].value = "4";
	look_again(&x);
	CHECK(advises(&x, "submission", "STARPU_RESERVE_NCPU=1"));
	for (int i = 0; i < 2; i++) /* for tasks, nearly all the time */
		waits[i] = (struct trace_wait){.start_ns = (1 + 48 * i) * MS,
		                               .end_ns = (48 + 48 * i) * MS,
		                               .task = TRACE_NONE};
	x.trace.waits = waits;
	x.trace.nwaits = 2;
	look_again(&x);
	CHECK_INT(x.idle.submitting_ns, 0);
	CHECK(!found(&x, "submission") && found(&x, "starvation"));
	done(&x);
}

int main(void)
{
	RUN(test_cores);
	RUN(test_threads);
	RUN(test_busy);
	RUN(test_submission);
	return check_done();
}
