/* tests/unit/test_time_breakdown.c - the makespan as a sum: prices and parts by hand, and the sum of any run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/time_breakdown.h"

#include "tests/lib/graphs.h"
#include "tests/lib/made_run.h"

static void time_breakdown(struct made *x, struct bounds *b, struct time_breakdown *a)
{
	look(x);
	CHECK_INT(bounds_of(b, x->dag, x->machine, BOUNDS_WITHOUT_COPIES, NULL), 0);
	time_breakdown_init(a, b, x->dag, x->machine, &x->trace, &x->times);
}

static double sum(const struct time_breakdown *a)
{
	double s = a->bound_ns + a->all.placement_ns + a->all.durations_ns;

	for (int i = 0; i < WORKER_STATES; i++)
		s += a->all.state_ns[i];
	return s;
}

/*
 * Eight tasks of 4 and 1 ms on two CPUs and two GPUs: T / 4 + T / 4 + T + T = 8 gives 3.2 ms, and prices of 0.1 and
 * 0.4. One takes 5 ms on a CPU, and four and three are on the GPUs, until 4 and 3.
 */
static void test_prices(void)
{
	struct time_breakdown a;
	struct bounds b;
	struct made x;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 5);
	for (int i = 0; i < 7; i++)
		task(&x, PLAIN, i % 2 ? GPU1 : GPU0, 0, i / 2, i / 2, i / 2 + 1);
	time_breakdown(&x, &b, &a);
	CHECK(a.known);
	CHECK_NEAR(b.price[ARCH_CPU], 0.1, 1e-9);
	CHECK_NEAR(b.price[ARCH_CUDA], 0.4, 1e-9);
	CHECK_NEAR(a.bound_ns, 3.2 * MS, 1e-9);
	CHECK_WITHIN(a.all.placement_ns, 0, 1e-3);
	CHECK_NEAR(a.arch[ARCH_CPU].durations_ns, 0.1 * MS, 1e-9);
	CHECK_NEAR(a.arch[ARCH_CUDA].durations_ns, 0, 1e-3);
	CHECK_NEAR(sum(&a), 5.0 * MS, 1e-9);
	done(&x);
}

/*
 * Forty tasks of 20 and 1 ms cost the same on either, as long as both are needed: T / 20 + T / 20 + T + T = 40.
 * One of 4 and 1 ms then belongs on a CPU, and costs on a GPU what that is worth there, less what it would be on a CPU.
 */
static void test_placement(void)
{
	struct time_breakdown a;
	struct bounds b;
	struct made x;

	begin(&x);
	task(&x, GPUISH, CPU0, 0, 0, 0, 20);
	for (int i = 0; i < 39; i++)
		task(&x, GPUISH, i % 2 ? GPU1 : GPU0, 0, i / 2, i / 2, i / 2 + 1);
	time_breakdown(&x, &b, &a);
	CHECK_NEAR(a.bound_ns, 40 / 2.1 * MS, 1e-9);
	CHECK_WITHIN(a.all.placement_ns, 0, 1e-3);
	CHECK_NEAR(sum(&a), 20.0 * MS, 1e-9);
	done(&x);

	begin(&x);
	task(&x, PLAIN, GPU0, 0, 0, 0, 1);
	task(&x, GPUISH, CPU0, 0, 0, 0, 20);
	for (int i = 0; i < 38; i++)
		task(&x, GPUISH, i % 2 ? GPU1 : GPU0, 0, 1 + i / 2, 1 + i / 2, 2 + i / 2);
	time_breakdown(&x, &b, &a);
	CHECK_NEAR(b.price[ARCH_CUDA], 20 * b.price[ARCH_CPU], 1e-9);
	CHECK_NEAR(a.arch[ARCH_CUDA].placement_ns, (b.price[ARCH_CUDA] - 4 * b.price[ARCH_CPU]) * MS, 1e-9);
	CHECK_WITHIN(a.arch[ARCH_CPU].placement_ns, 0, 1e-3);
	CHECK_NEAR(sum(&a), 20.0 * MS, 1e-9);
	done(&x);
}

/* A machine with other workers than the run: no account. */
static void test_other_machine(void)
{
	struct time_breakdown a;
	struct bounds b;
	struct made x;

	begin(&x);
	machine_free(x.machine);
	x.machine = machine_parse("cpu:3 cuda:2", NULL);
	task(&x, PLAIN, CPU0, 0, 0, 0, 4);
	time_breakdown(&x, &b, &a);
	CHECK(!a.known);
	done(&x);
}

int main(void)
{
	RUN(test_prices);
	RUN(test_placement);
	RUN(test_other_machine);
	return check_done();
}
