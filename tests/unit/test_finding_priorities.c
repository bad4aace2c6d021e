/* tests/unit/test_finding_priorities.c - findings about priorities and calibration, on made runs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/made_run.h"

static void test_priorities(void)
{
	struct manifest_entry entries[] = {{"environment", "STARPU_HETEROPRIO_USE_AUTO_CALIBRATION=0"}};
	struct manifest manifest = {.entries = entries, .count = 1};
	struct made x;

	begin(&x);
	healthy(&x);
	end(&x);
	x.trace.starpu_minor = 4;
	look(&x);
	CHECK(!found(&x, "priorities"));
	x.dag->tasks[0].priority = 99;
	look_again(&x);
	CHECK_HAS(found(&x, "priorities") ? found(&x, "priorities")->sentence : "",
	          "go from 0 to 99: Heteroprio reads them");
	CHECK(!found(&x, "calibration"));
	x.dag->tasks[0].priority = 100;
	x.dag->tasks[1].priority = -1;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "priorities"), "tasks_outside"), 2, 1e-9);
	CHECK_INT(findings_wrong(&x.found), 0); /* another scheduler does not mind */
	x.scheduler = "heteroprio";
	look_again(&x);
	CHECK(found(&x, "calibration") != NULL); /* it is on, and minds neither */
	CHECK_INT(findings_wrong(&x.found), 1);
	x.manifest = &manifest;
	look_again(&x);
	CHECK(!found(&x, "calibration"));
	CHECK_STR(x.found.items[0].name, "priorities");
	CHECK_INT(findings_wrong(&x.found), 1);
	x.manifest = NULL;
	x.trace.starpu_minor = 3;
	look_again(&x);
	CHECK(!found(&x, "calibration") && findings_wrong(&x.found) == 1);
	done(&x);
}

int main(void)
{
	RUN(test_priorities);
	return check_done();
}
