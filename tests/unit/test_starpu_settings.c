/* tests/unit/test_starpu_settings.c - what finalists gain by another startup, and what is only noise. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"
#include "tune/evaluate/noise.h"
#include "tune/evaluate/starpu_settings.h"
#include "tune/settings/config_make.h"

enum { MS = 1000000 };

/* One task of 30 ms that only CPUs can run and then twenty that take 1 ms on the device and 100 ms on a CPU. */
static struct dag *trap(int64_t slow_ns)
{
	struct dag_builder *b = dag_builder_create();
	const int64_t own[ARCH_COUNT] = COSTS(30 * MS, -1);
	const int64_t fast[ARCH_COUNT] = COSTS(slow_ns, 1 * MS);
	struct ht_err err = {""};

	dag_builder_type(b, "own", own);
	dag_builder_type(b, "fast", fast);
	dag_builder_task(b, 0);
	for (int i = 0; i < 20; i++)
		dag_builder_task(b, 1);
	return dag_builder_finish(b, &err);
}

static struct finalist search(struct dag *d, const char *machine)
{
	struct finalist c = {.policy = &policy_eager, .options = ""};
	struct machine *m = machine_parse(machine, NULL);
	struct evaluator_graph graph = {d, m, NULL};
	struct ht_err err = {""};
	struct config *base = config_from_dag(d, m, &err);
	struct evaluator_options o = {.base = base, .policy_options = "", .jobs = 2, .jitter_cv = 0.02, .seed = 1};
	struct evaluator *j = evaluator_create(&o);
	const struct starpu_settings_problem p = {.evaluator = j,
	                                          .graph = evaluator_add(j, &graph),
	                                          .first_replication = 1,
	                                          .replications = 6};

	CHECK_INT(evaluator_open(j, &err), 0);
	CHECK_INT(starpu_settings_search(&p, &c, &err), 0);
	CHECK_STR(err.text, "");
	evaluator_free(j);
	config_free(base);
	machine_free(m);
	dag_free(d);
	return c;
}

/* Every CPU worker but the one that is busy takes a task that the device would have had done long before. */
static void fewer_cpus_are_faster(void)
{
	struct finalist c = search(trap(100 * MS), "cpu:5 cuda:1");

	CHECK_INT(c.id.starpu_env.value[STARPU_ENV_CPUS], 1);
	CHECK(c.starpu_env_gain[STARPU_ENV_CPUS] > 0.6 && c.starpu_env_gain[STARPU_ENV_CPUS] < 0.75);
	CHECK_INT(c.id.starpu_env.value[STARPU_ENV_NO_PREFETCH], 0);
	CHECK_INT(c.id.starpu_env.value[STARPU_ENV_PIPELINE], 0);
}

/* Where CPUs do their share all stay, and a machine that has one keeps it. */
static void all_cpus_stay(void)
{
	struct finalist c = search(trap(2 * MS), "cpu:5 cuda:1");

	CHECK(starpu_env_is_plain(&c.id.starpu_env));
	CHECK(c.starpu_env_gain[STARPU_ENV_CPUS] == 0);
	c = search(trap(100 * MS), "cpu:1 cuda:1");
	CHECK(starpu_env_is_plain(&c.id.starpu_env));
}

static void a_startup_is_another_trial(void)
{
	struct dag *d = trap(100 * MS);
	struct machine *m = machine_parse("cpu:5 cuda:1", NULL);
	struct evaluator_graph graph = {d, m, NULL};
	struct ht_err err = {""};
	struct config *base = config_from_dag(d, m, &err);
	struct evaluator_options o = {.base = base, .policy_options = "", .jobs = 1, .seed = 1};
	struct evaluator *j = evaluator_create(&o);
	struct finalist c = {.policy = &policy_eager, .options = ""};
	struct trial t[3];

	evaluator_add(j, &graph);
	CHECK_INT(evaluator_open(j, &err), 0);
	t[0] = t[1] = t[2] = finalist_trial(&c, 0, 0);
	t[1].starpu_env.value[STARPU_ENV_CPUS] = 1;
	t[2].starpu_env.value[STARPU_ENV_CPUS] = 5; /* those there are */
	CHECK_INT(evaluator_run(j, t, 3, EVALUATOR_ALWAYS, &err), 0);
	CHECK(t[0].makespan_ns >= 100 * MS);
	CHECK_INT(t[1].makespan_ns, 30 * MS);
	CHECK_INT(t[2].makespan_ns, t[0].makespan_ns);
	evaluator_free(j);
	config_free(base);
	machine_free(m);
	dag_free(d);
}

static void noise_is_what_draws_say(void)
{
	struct trial a[4], b[4];
	struct noise x;

	for (int i = 0; i < 4; i++) {
		a[i].makespan_ns = i % 2 ? 90 : 110;
		b[i].makespan_ns = 100;
	}
	x = noise_of_ratio(a, b, 4);
	CHECK(fabs(x.mean - 1) < 1e-12);
	CHECK(fabs(x.error - sqrt(0.04 / 3 / 4)) < 1e-12);
	x = noise_of_ratio(b, b, 4);
	CHECK(x.mean == 1 && x.error == 0);
	a[2].makespan_ns = EVALUATOR_NEVER;
	CHECK(noise_of_ratio(a, b, 4).mean > 1e5);
	CHECK(noise_of_ratio(a, b, 1).error == 0);
}

int main(void)
{
	RUN(fewer_cpus_are_faster);
	RUN(all_cpus_stay);
	RUN(a_startup_is_another_trial);
	RUN(noise_is_what_draws_say);
	return check_done();
}
