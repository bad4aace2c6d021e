/* tests/unit/test_jitter.c - random durations have the mean and the deviation that are asked for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/jitter.h"

#include <math.h>

#include "core/dag/dag.h"
#include "tests/lib/check.h"

enum { TASKS = 20000 };

static struct dag_task tasks[TASKS];

/* Mean and coefficient of variation of durations with a mean of `mean_ns`. */
static void measure(const struct jitter *j, int64_t mean_ns, double *mean, double *cv)
{
	double sum = 0, squares = 0;

	for (uint32_t t = 0; t < TASKS; t++) {
		double ns = (double)jitter_ns(j, t, ARCH_CPU, mean_ns);

		sum += ns / TASKS;
		squares += ns * ns / TASKS;
	}
	*mean = sum;
	*cv = sqrt(squares - sum * sum) / sum;
}

static void mean_and_deviation(void)
{
	/* 20 % were measured on CPUs; of CUDA nothing is known. */
	struct dag_class c = {.cost_ns = {1000, 1000}, .deviation_ns = {200, -1}};
	const struct dag d = {.tasks = tasks, .ntasks = TASKS, .classes = &c, .nclasses = 1};
	const struct {
		struct jitter_options o;
		double cv;
	} cases[] = {{{JITTER_GIVEN, 0.1, 1}, 0.1},
	             {{JITTER_GIVEN, 0, 1}, 0},
	             {{JITTER_GIVEN, 5, 1}, 1}, /* at most 1 */
	             {{JITTER_RECORDED, 0, 1}, 0.2},
	             {{JITTER_RECORDED, 0.5, 1}, 0.5}}; /* at least what is given */

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct jitter *j = jitter_create(&d, &cases[i].o);
		double mean, cv;

		measure(j, 1000000, &mean, &cv);
		CHECK(fabs(mean / 1e6 - 1) < 0.03);
		CHECK(fabs(cv - cases[i].cv) <= 0.1 * cases[i].cv + 1e-4);
		jitter_free(j);
	}
}

static void seeds_and_limits(void)
{
	struct dag_class c = {.cost_ns = {1000}};
	const struct dag d = {.tasks = tasks, .ntasks = TASKS, .classes = &c, .nclasses = 1};
	struct jitter *a = jitter_create(&d, &(struct jitter_options){JITTER_GIVEN, 0.5, 1});
	struct jitter *b = jitter_create(&d, &(struct jitter_options){JITTER_GIVEN, 0.5, 1});
	struct jitter *other = jitter_create(&d, &(struct jitter_options){JITTER_GIVEN, 0.5, 2});
	int differ = 0, same = 0, below = 0;

	for (uint32_t t = 0; t < TASKS; t++) {
		same += jitter_ns(a, t, ARCH_CPU, 1000) == jitter_ns(b, t, ARCH_CPU, 1000);
		differ += jitter_ns(a, t, ARCH_CPU, 1000) != jitter_ns(other, t, ARCH_CPU, 1000);
		below += jitter_ns(a, t, ARCH_CPU, 1) < 1;
	}
	CHECK_INT(same, TASKS);
	CHECK(differ > TASKS * 9 / 10);
	CHECK_INT(below, 0);
	CHECK_INT(jitter_ns(a, 0, ARCH_CPU, 0), 0);
	CHECK_INT(jitter_ns(a, 0, ARCH_CPU, -1), -1);
	jitter_free(a);
	jitter_free(b);
	jitter_free(other);
}

/* At most 50 us, or a hundredth of the mean task; nothing as often as not; other nodes, times and seeds are others. */
static void wakes(void)
{
	static const struct {
		int64_t cost_ns;
		double most;
	} cases[] = {{10000000, 50000}, {100000, 1000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dag_class c = {.cost_ns = {2 * cases[i].cost_ns, cases[i].cost_ns, -1, -1, -1, -1, -1, -1, -1},
		                      .count = TASKS};
		const struct dag d = {.tasks = tasks, .ntasks = TASKS, .classes = &c, .nclasses = 1};
		struct jitter *j = jitter_create(&d, &(struct jitter_options){JITTER_GIVEN, 0.02, 1});
		struct jitter *other = jitter_create(&d, &(struct jitter_options){JITTER_GIVEN, 0.02, 2});
		int none = 0, same = 0;
		double sum = 0, most = 0;

		for (int64_t now = 0; now < TASKS; now++) {
			double ns = (double)jitter_wake_ns(j, now, -1);

			CHECK(ns >= 0 && ns <= cases[i].most);
			none += ns == 0;
			sum += ns;
			most = fmax(most, ns);
			same += ns > 0 && (jitter_wake_ns(j, now, 1) == (int64_t)ns ||
			                   jitter_wake_ns(other, now, -1) == (int64_t)ns);
			CHECK_INT(jitter_wake_ns(j, now, -1), (int64_t)ns);
		}
		CHECK(fabs(none / (double)TASKS - 0.5) < 0.02);
		CHECK(fabs(sum / TASKS / (cases[i].most / 4) - 1) < 0.05);
		CHECK(most > 0.99 * cases[i].most);
		CHECK(same < TASKS / 100);
		jitter_free(j);
		jitter_free(other);
	}
}

int main(void)
{
	RUN(mean_and_deviation);
	RUN(seeds_and_limits);
	RUN(wakes);
	return check_done();
}
