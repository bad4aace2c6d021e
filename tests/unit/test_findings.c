/* tests/unit/test_findings.c - findings of a healthy run, of which none is wrong; their order, and as text. */
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

static void add(struct findings *f, const char *check, double severity, const char *sentence, const char *advice)
{
	const struct finding_check self = {.name = check};

	finding_advise(finding_add(f, &self, severity, "%s", sentence), "%s", advice);
}

/* What one advice is for stands together, at the place of the worst, and counts as one; a note does not join it. */
static void shared_advice(void)
{
	struct findings f = {0};
	char text[1024] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");

	add(&f, "spread", 0.1, "A varies", "Look");
	add(&f, "tail", 0.2, "The end is idle", "Look");
	add(&f, "spread", 0, "D varies", "Look");
	add(&f, "spread", 0.3, "B varies", "Look");
	add(&f, "spread", 0.1, "C varies", "Look");
	findings_sort(&f);
	CHECK_INT(findings_wrong(&f), 2);
	findings_text(&f, to);
	fclose(to);
	CHECK_STR(text, "The checks find 2 things wrong:\n\n 1. B varies.\n    A varies.\n    C varies.\n    Look.\n"
	                " 2. The end is idle.\n    Look.\n\nTo know, but not wrong:\n\n  - D varies.\n    Look.\n");
	findings_fini(&f);
}

int main(void)
{
	RUN(shared_advice);
	RUN(test_healthy);
	return check_done();
}
