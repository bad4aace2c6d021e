/* tests/unit/test_finding_replays.c - findings about what the run did that replays do not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/made_run.h"

/* One of two equal tasks ran on three workers: replays know nothing of the other two. */
static void test_parallel(void)
{
	struct made x;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 10);
	task(&x, PLAIN, CPU0, 10, 10, 10, 20);
	look(&x);
	CHECK(!found(&x, "parallel"));
	x.tasks[1].parallel = 3;
	look_again(&x);
	CHECK_NEAR(found(&x, "parallel") ? found(&x, "parallel")->severity : -1, 0.5, 1e-9);
	CHECK_NEAR(evidence(found(&x, "parallel"), "workers"), 3, 1e-9);
	CHECK_HAS(found(&x, "parallel") ? found(&x, "parallel")->sentence : "",
	          "1 task ran on up to 3 workers together");
	done(&x);
}

static void test_contexts(void)
{
	struct made x;

	begin(&x);
	healthy(&x);
	x.trace.contexts = 1 << 3;
	look(&x);
	CHECK(!found(&x, "contexts"));
	x.trace.contexts |= 1;
	look_again(&x);
	CHECK_NEAR(evidence(found(&x, "contexts"), "contexts"), 2, 1e-9);
	done(&x);
}

int main(void)
{
	RUN(test_parallel);
	RUN(test_contexts);
	return check_done();
}
