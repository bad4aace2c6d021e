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
	x.workers[3].tid = 78;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "cores"), "workers"), 2, 1e-9);
	done(&x);
}

int main(void)
{
	RUN(test_cores);
	RUN(test_threads);
	return check_done();
}
