/* tests/unit/test_others.c - the share of the cores that other programs use. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/others.h"

#include <math.h>

#include "tests/lib/check.h"

static const char stat_text[] = "cpu  1000 0 0 9000 0 0 0 0 0 0\n"
				"cpu0 10 20 30 4000 5000 60 70 80 9 9\n"
				"cpu1 1 1 1 1 1 1 1 1 0 0\n"
				"cpu12 100 200 300 1 1 0 0 0 0 0\n"
				"intr 33 cpu1 7 7 7 7 7 7 7 7\n";

static cpu_set_t cores(int a, int b)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(a, &set);
	CPU_SET(b, &set);
	return set;
}

/* Those of these cores, without idle time, that of waits for disks, and what is in another column already. */
static void test_ticks(void)
{
	cpu_set_t two = cores(0, 12), one = cores(1, 1), missing = cores(0, 3);

	CHECK_INT(others_busy_ticks(stat_text, &two), 10 + 20 + 30 + 60 + 70 + 80 + 600);
	CHECK_INT(others_busy_ticks(stat_text, &one), 6);
	CHECK_INT(others_busy_ticks(stat_text, &missing), -1);
	CHECK_INT(others_busy_ticks("", &one), -1);
}

/* Cores that were busy for 6 of 10 s each, and this process or its children for 2 s of that. */
static void test_share(void)
{
	const int64_t second = 1000000000;
	struct others o;
	double all;
	int n;

	others_begin(&o);
	n = CPU_COUNT(&o.cores);
	if (o.busy_ns < 0) {
		CHECK(isnan(others_share(&o, 10 * second)));
		return;
	}
	o.busy_ns -= 6 * n * second;
	all = others_share(&o, 10 * second);
	CHECK(all >= 0.59 && all < 0.7);
	o.own_ns -= 2 * n * second;
	CHECK_NEAR(others_share(&o, 10 * second), all - 0.2, 0.05);
	CHECK(isnan(others_share(&o, OTHERS_LEAST_NS - 1)));
	CHECK_NEAR(others_share(&o, second), 1, 1e-9);
	o.own_ns -= 60 * n * second;
	CHECK_NEAR(others_share(&o, second), 0, 1e-9);
}

int main(void)
{
	RUN(test_ticks);
	RUN(test_share);
	return check_done();
}
