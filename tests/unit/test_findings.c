/* tests/unit/test_findings.c - findings of a healthy run: none is wrong. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/dag_build.h"
#include "tests/lib/made_run.h"

/* Bound by its workers: a note, and nothing is wrong. */
static void test_healthy(void)
{
	struct made x;

	begin(&x);
	healthy(&x);
	look(&x);
	CHECK_INT(x.found.count, 1);
	CHECK(found(&x, "area") != NULL);
	CHECK_INT(findings_wrong(&x.found), 0);
	CHECK_NEAR(evidence(found(&x, "area"), "area_bound_ns"), 20 * MS, 1e-6);
	CHECK_NEAR(x.idle.power[ARCH_CUDA], 0.8, 1e-9);
	CHECK_INT(x.idle.tail_ns, 0);
	done(&x);
}

int main(void)
{
	RUN(test_healthy);
	return check_done();
}
