/* tests/unit/test_finding_placement.c - findings about tasks on the wrong architecture. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/dag_build.h"
#include "tests/lib/made_run.h"

/* A CPU executes four tasks of 20 ms while the second GPU has 18 ms free at their start: it could have run them all. */
static void test_architecture(void)
{
	struct made x;

	begin(&x);
	for (int i = 0; i < 40; i++)
		task(&x, PLAIN, GPU0, 0, i, i, i + 1);
	task(&x, GPUISH, CPU0, 0, 0, 0, 20);
	task(&x, GPUISH, CPU1, 0, 0, 0, 20);
	look(&x);
	CHECK(found(&x, "architecture") != NULL);
	CHECK_NEAR(evidence(found(&x, "architecture"), "tasks"), 2, 1e-9);
	CHECK_NEAR(evidence(found(&x, "architecture"), "lost_ns"), 38 * MS, 1e-9);
	done(&x);
	/* The same with the second GPU at work: nobody was free. */
	begin(&x);
	for (int i = 0; i < 20; i++) {
		task(&x, PLAIN, GPU0, 0, i, i, i + 1);
		task(&x, PLAIN, GPU1, 0, i, i, i + 1);
	}
	task(&x, GPUISH, CPU0, 0, 0, 0, 20);
	look(&x);
	CHECK(!found(&x, "architecture"));
	done(&x);
}

/* Each time of a free worker is given to one task only. */
static void test_architecture_once(void)
{
	struct made x;

	begin(&x);
	task(&x, PLAIN, GPU0, 0, 0, 0, 20);
	task(&x, GPUISH, CPU0, 0, 0, 0, 20);
	task(&x, GPUISH, CPU1, 0, 0, 0, 20);
	for (double at = 1.5; at < 19; at++) /* the second GPU is free for 1.5 ms, then never for 1 ms */
		task(&x, PLAIN, GPU1, at, at, at, at + 0.9);
	look(&x);
	CHECK_NEAR(evidence(found(&x, "architecture"), "tasks"), 1, 1e-9);
	done(&x);
}

int main(void)
{
	RUN(test_architecture);
	RUN(test_architecture_once);
	return check_done();
}
