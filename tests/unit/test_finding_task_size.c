/* tests/unit/test_finding_task_size.c - the finding about tasks that are too small. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/dag_build.h"
#include "tests/lib/made_run.h"

/* Forty tasks of 0.1 ms, each submitted 0.4 ms after the one before: that is nearly all of the run. */
static void small_tasks(void)
{
	const struct finding *f;
	struct made x;

	begin(&x);
	for (int i = 0; i < 40; i++)
		task(&x, PLAIN, CPU0, 0.4 * i, 0.4 * i, 0.4 * i, 0.4 * i + 0.1);
	look(&x);
	CHECK(found(&x, "task-size") == NULL);
	x.overheads.submit_ns = 4 * MS / 10;
	look_again(&x);
	f = found(&x, "task-size");
	CHECK(f != NULL);
	CHECK_NEAR(evidence(f, "longer"), 36, 1e-9);
	CHECK_NEAR(f ? f->severity : 0, 1, 1e-9); /* 16 of 15.7 ms */
	CHECK(f == &x.found.items[0]);
	CHECK_HAS(f ? f->sentence : "",
	          "The tasks are too small: a task typically takes 100 us, and 400 us pass around it");
	CHECK_HAS(f ? f->advice : "", "Make tasks about 36 times longer");
	done(&x);
}

/* What StarPU's work explains of the idle time is less than all of it, and yet the first to change. */
static void before_what_it_causes(void)
{
	struct made x;

	begin(&x);
	for (int i = 0; i < 40; i++)
		task(&x, PLAIN, CPU0, 0.4 * i, 0.4 * i, 0.4 * i, 0.4 * i + 0.1);
	x.overheads.submit_ns = 15 * MS / 100;
	look(&x);
	CHECK(x.found.count > 1 && found(&x, "task-size") == &x.found.items[0]);
	done(&x);
}

int main(void)
{
	RUN(small_tasks);
	RUN(before_what_it_causes);
	return check_done();
}
