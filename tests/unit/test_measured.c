/* tests/unit/test_measured.c - what runs say of the program as it is and of the finalists, and which is taken. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measured.h"

#include <string.h>

#include "core/config/config.h"
#include "tests/lib/check.h"

/* A case of n runs, in ms. */
static void add(struct measured *m, const char *name, enum config_effort effort, const int *ms, int n)
{
	struct measured_case *c = &m->cases[m->count++];

	*c = (struct measured_case){
		.name = (char *)name, .words = (char *)name, .effort = effort, .predicted_ns = -1, .n = n};
	for (int i = 0; i < n; i++)
		c->ns[i] = (int64_t)ms[i] * 1000000;
}

static const int slow[] = {105, 104, 103, 107, 106}, fast[] = {90, 91, 92, 93, 94}, wide[] = {80, 120, 95, 88, 130},
		 near[] = {93, 94, 95, 96, 92};

static void the_simplest_that_is_not_clearly_slower_is_taken(void)
{
	struct measured m = {.count = 0};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "placement", CONFIG_EFFORT_OWN, fast, 5);
	add(&m, "buckets", CONFIG_EFFORT_BUCKETS, near, 5);
	measured_compare(&m);
	CHECK_INT(m.fastest, 1);
	CHECK_INT(m.cases[0].median_ns, 105000000);
	CHECK_INT(m.cases[0].low_ns, 103000000);
	CHECK_INT(m.cases[0].high_ns, 107000000);
	CHECK_NEAR(m.cases[0].p, 2 * 2.0 / 252, 1e-9);
	CHECK(!m.cases[0].level);
	/* 94 is more than 1 % above 92, but its runs do not show it. */
	CHECK(m.cases[2].level && m.cases[2].p > 0.05);
	CHECK_INT(m.chosen, 2);
}

/* What is level with the fastest, and with the program as it is as well, is no reason for a change. */
static void what_is_level_with_both_is_not_taken(void)
{
	struct measured m = {.count = 0};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "placement", CONFIG_EFFORT_OWN, fast, 5);
	add(&m, "eager", CONFIG_EFFORT_SCHED, wide, 5);
	measured_compare(&m);
	CHECK(m.cases[2].level);
	CHECK_INT(m.chosen, 1);
	/* It is where the program as it is does not run. */
	m.cases[0].n = 0;
	measured_compare(&m);
	CHECK_INT(m.chosen, 2);
}

/* The fastest of several looks faster than it is: more runs are needed for more candidates. */
static void candidates_are_counted(void)
{
	static const int better[] = {104, 90, 91, 92, 93};
	struct measured m = {.count = 0};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "eager", CONFIG_EFFORT_SCHED, better, 5);
	CHECK_INT(measured_least_runs(&m), 4);
	measured_compare(&m);
	CHECK_INT(m.chosen, 1);
	add(&m, "ws", CONFIG_EFFORT_SCHED, slow, 5);
	add(&m, "dmda", CONFIG_EFFORT_SCHED, slow, 5);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, slow, 5);
	CHECK_INT(measured_least_runs(&m), 5);
	measured_compare(&m);
	CHECK_INT(m.chosen, 0);
}

/* Three runs cannot show a difference, however large: nothing is changed for it. */
static void few_runs_show_nothing(void)
{
	struct measured m = {.count = 0};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 3);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, fast, 3);
	measured_compare(&m);
	CHECK_INT(m.fastest, 1);
	CHECK_INT(m.chosen, 0);
	/* But where StarPU only simulates, one run is as good as many. */
	m.simulated = 1;
	m.cases[0].n = m.cases[1].n = 1;
	measured_compare(&m);
	CHECK_INT(m.chosen, 1);
	/* Less than 1 % is no difference there either. */
	m.cases[0].ns[0] = m.cases[1].ns[0] + m.cases[1].ns[0] / 101;
	measured_compare(&m);
	CHECK_INT(m.chosen, 0);
}

static void what_failed_is_out(void)
{
	struct measured m = {.count = 0};

	measured_compare(&m);
	CHECK_INT(m.chosen, -1);
	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 0);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, slow, 5);
	measured_compare(&m);
	CHECK_INT(m.chosen, 1);
	CHECK_INT(measured_surprise(&m), -1);
}

static void predictions_that_are_off_are_found(void)
{
	struct measured m = {.count = 0};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "buckets", CONFIG_EFFORT_BUCKETS, fast, 5);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, wide, 5);
	m.cases[0].predicted_ns = 95000000; /* 10 % */
	m.cases[2].predicted_ns = 70000000; /* 36 %, where runs differ by 62 % */
	measured_compare(&m);
	CHECK_INT(measured_surprise(&m), -1);
	m.cases[1].predicted_ns = 30000000;
	CHECK_INT(measured_surprise(&m), 1);
	m.cases[0].predicted_ns = 900000000;
	CHECK_INT(measured_surprise(&m), 0);
}

int main(void)
{
	RUN(the_simplest_that_is_not_clearly_slower_is_taken);
	RUN(what_is_level_with_both_is_not_taken);
	RUN(candidates_are_counted);
	RUN(few_runs_show_nothing);
	RUN(what_failed_is_out);
	RUN(predictions_that_are_off_are_found);
	return check_done();
}
