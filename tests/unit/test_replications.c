/* tests/unit/test_replications.c - durations that differ from task to task, many times. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/replications.h"
#include "replay/sim/jitter.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

/* So many tasks of a millisecond, all on one worker. */
static struct dag *tasks(int n)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "k", (const int64_t[ARCH_COUNT])COSTS(1000000, -1));

	for (int i = 0; i < n; i++)
		dag_builder_task(b, type);
	return dag_builder_finish(b, NULL);
}

/* The sum of n independent draws has n times the mean, and the deviation grows with the root of n. */
static void test_distribution(void)
{
	static const struct {
		int n;
		double cv;
	} cases[] = {{1, 0.5}, {100, 0.2}, {100, 0}};
	struct simulate_options how = {.policy = &policy_eager, .policy_options = ""};
	struct machine *m = machine_parse("cpu:1", NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct jitter_options j = {.source = JITTER_GIVEN, .cv = cases[i].cv, .seed = 3};
		struct dag *d = tasks(cases[i].n);
		double n = cases[i].n, mean = 0, squares = 0, deviation = cases[i].cv * sqrt(n);
		struct simulation *median;
		struct replications x;

		CHECK_INT(replications_make(&x, d, m, &how, &j, 1000, &median, NULL), 0);
		for (int k = 0; k < x.count; k++) {
			double ms = (double)x.makespan_ns[k] / 1e6;

			CHECK(k == 0 || x.makespan_ns[k - 1] <= x.makespan_ns[k]);
			mean += ms / x.count;
			squares += ms * ms / x.count;
		}
		CHECK(fabs(mean - n) <= 4 * deviation / sqrt(1000) + 1e-3);
		CHECK(fabs(sqrt(fmax(squares - mean * mean, 0)) - deviation) <= 0.15 * deviation + 1e-3);
		CHECK_INT(x.p10_ns, x.makespan_ns[99]);
		CHECK_INT(x.median_ns, x.makespan_ns[499]);
		CHECK_INT(x.p90_ns, x.makespan_ns[899]);
		simulation_free(median);
		replications_fini(&x);
		dag_free(d);
	}
	machine_free(m);
}

/* The first is that of the seed, the others those of the next ones; what is returned is the median. */
static void test_seeds(void)
{
	struct simulate_options how = {.policy = &policy_eager, .policy_options = ""};
	struct machine *m = machine_parse("cpu:3", NULL);
	struct dag *d = tasks(20);
	int64_t sum = 0;

	for (int i = -1; i < 4; i++) {
		struct jitter_options j = {.source = JITTER_GIVEN, .cv = 0.5, .seed = i < 0 ? 7 : 7 + (uint64_t)i};
		struct simulation *median;
		struct replications x;

		CHECK_INT(replications_make(&x, d, m, &how, &j, i < 0 ? 4 : 1, &median, NULL), 0);
		for (int k = 0; k < x.count; k++)
			sum += i < 0 ? x.makespan_ns[k] : -x.makespan_ns[k];
		CHECK_INT(median->makespan_ns, x.median_ns);
		CHECK(x.count != 1 || x.p10_ns == x.p90_ns);
		simulation_free(median);
		replications_fini(&x);
	}
	CHECK_INT(sum, 0);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_distribution);
	RUN(test_seeds);
	return check_done();
}
