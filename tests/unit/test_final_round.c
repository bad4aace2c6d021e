/* tests/unit/test_final_round.c - what cannot be distinguished: the one that asks least of a user is chosen. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/final_round.h"

#include "replay/scenario.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/tuned_graph.h"

enum { MS = 1000000 };

/* A hundred tasks of two types, each 10 ms, without dependencies. */
static struct dag *independent(void)
{
	const int64_t cost[ARCH_COUNT] = COSTS(10 * MS, -1);
	struct dag_builder *b = dag_builder_create();

	dag_builder_type(b, "a", cost);
	dag_builder_type(b, "b", cost);
	for (int i = 0; i < 100; i++)
		dag_builder_task(b, i % 2);
	return dag_builder_finish(b, NULL);
}

/* A hundred short tasks, and then a chain that takes as long as all of them and has to come first. */
static struct dag *chained(void)
{
	const int64_t cost[2][ARCH_COUNT] = {COSTS(10 * MS, -1), COSTS(1 * MS, -1)};
	struct dag_builder *b = dag_builder_create();

	dag_builder_type(b, "a", cost[0]);
	dag_builder_type(b, "b", cost[1]);
	for (int i = 0; i < 100; i++)
		dag_builder_task(b, 1);
	for (uint32_t i = 0; i < 10; i++) {
		dag_builder_task(b, 0);
		if (i)
			dag_builder_edge(b, 99 + i, 100 + i);
	}
	return dag_builder_finish(b, NULL);
}

/* Most of a user first. */
enum entry { MANY_BUCKETS, FEW_BUCKETS, RANKS, KNOBS, VARIABLE, DMDA, EAGER, ENTRIES };

/* Of the first n entries, the place of the best. */
static size_t best_of(struct dag *d, const char *machine, size_t n, const char *recorded, size_t *best_setting)
{
	struct setting many, few;
	struct tuned_graph g;
	struct ht_err err = {""};
	const struct finalist entries[ENTRIES] = {
		[MANY_BUCKETS] = {.setting = &many},
		[FEW_BUCKETS] = {.setting = &few},
		[RANKS] = {.policy = &policy_dmdas, .id = {.origin = TRIAL_POLICY, .policy = "dmdas", .by_rank = 1}},
		[KNOBS] = {.policy = &policy_dmda,
	                   .options = "beta=3",
	                   .id = {.origin = TRIAL_POLICY, .policy = "dmda", .knobs = "beta=3"}},
		[VARIABLE] = {.policy = &policy_dmda, .id = {.origin = TRIAL_POLICY, .policy = "dmda"}},
		[DMDA] = {.policy = &policy_dmda, .id = {.origin = TRIAL_POLICY, .policy = "dmda"}},
		[EAGER] = {.policy = &policy_eager, .id = {.origin = TRIAL_POLICY, .policy = "eager"}},
	};
	struct final_round f = {.nruns = 1, .replications = 5, .first_replication = 1, .recorded = recorded};
	struct evaluator *e;

	tuned_graph_of(&g, d, machine);
	setting_by_urgency(&many, g.granularities[GRANULARITY_ORDER], 1, 0);
	setting_by_urgency(&few, g.granularities[GRANULARITY_CODELET], 1, 0);
	CHECK(many.nbuckets > few.nbuckets);
	e = evaluator_of(&g, 1, NULL, "", &err);
	for (size_t i = 0; i < n; i++)
		final_round_add(&f, &entries[i]);
	if (n > VARIABLE)
		f.items[VARIABLE].id.starpu_env.value[STARPU_ENV_NO_PREFETCH] = 1;
	CHECK_INT(final_round_run(&f, e, &err), 0);
	CHECK_STR(err.text, "");
	evaluator_free(e);
	tuned_graph_fini(&g);
	if (best_setting)
		*best_setting = f.best_setting;
	return f.best;
}

/* On one worker every order takes as long: whatever is added and asks for less is chosen. */
static void the_simplest_of_equals(void)
{
	for (size_t n = 1; n <= ENTRIES; n++) {
		/* Knobs and variables of StarPU's ask as much, and the one that stands first stays. */
		size_t expected = n == VARIABLE + 1 ? KNOBS : n == ENTRIES ? DMDA : n - 1, setting;

		CHECK_INT(best_of(independent(), "cpu:1", n, "lws", &setting), expected);
		CHECK_INT(setting, n > FEW_BUCKETS ? FEW_BUCKETS : MANY_BUCKETS);
	}
	CHECK_INT(best_of(independent(), "cpu:1", ENTRIES, "eager", NULL), EAGER);
	CHECK_INT(best_of(independent(), "cpu:1", ENTRIES, "dmda", NULL), DMDA);
	CHECK_INT(best_of(independent(), "cpu:1", ENTRIES, NULL, NULL), DMDA);
}

/* What is faster is not given up for what is simple. */
static void a_gain_is_kept(void)
{
	CHECK_INT(best_of(chained(), "cpu:2", FEW_BUCKETS + 1, "eager", NULL), FEW_BUCKETS);
	CHECK(best_of(chained(), "cpu:2", ENTRIES, "eager", NULL) < KNOBS);
}

/* Four hundred tasks of 1 ms, and then a longer one that has to come first: on two workers half of it is at stake. */
static struct dag *long_last(int ms)
{
	const int64_t cost[2][ARCH_COUNT] = {COSTS(1 * MS, -1), COSTS((int64_t)ms * MS, -1)};
	struct dag_builder *b = dag_builder_create();

	dag_builder_type(b, "a", cost[0]);
	dag_builder_type(b, "b", cost[1]);
	for (int i = 0; i <= 400; i++)
		dag_builder_task(b, i == 400);
	return dag_builder_finish(b, NULL);
}

/* For a gain of less than 2 % nobody changes the scheduler that a program has, and any other one for 1.5 %. */
static void a_small_gain_changes_nothing(void)
{
	CHECK_INT(best_of(long_last(6), "cpu:2", ENTRIES, "eager", NULL), EAGER);
	CHECK(best_of(long_last(6), "cpu:2", ENTRIES, "lws", NULL) < KNOBS);
	CHECK(best_of(long_last(20), "cpu:2", ENTRIES, "eager", NULL) < KNOBS);
}

/* Replays that there is time for. */
static int left;

static int is_over(const void *tune)
{
	(void)tune;
	return left-- <= 0;
}

/*
 * A setting, eager and dmdas on two runs. On the first all take as long, and eager asks least; on the second only dmdas
 * begins with the chain. Status of the final round of what is known after so many replays, out of 3 * 2 * 6.
 */
static int known_after(int replays, struct final_round *f)
{
	struct tuned_graph g, h;
	struct setting few;
	struct ht_err err = {""};
	struct evaluator_options o = {.policy_options = "", .jobs = 1, .jitter_cv = 0.1, .seed = 3, .is_over = is_over};
	struct evaluator *e;
	int status;

	tuned_graph_of(&g, independent(), "cpu:2");
	tuned_graph_of(&h, chained(), "cpu:2");
	setting_by_urgency(&few, g.granularities[GRANULARITY_CODELET], 1, 0);
	o.base = g.base;
	e = evaluator_create(&o);
	evaluator_add(e, &(struct evaluator_graph){g.d, g.m, NULL});
	*f = (struct final_round){.nruns = 2, .replications = 5, .first_replication = 1, .recorded = "lws"};
	f->runs[1] = evaluator_add(e, &(struct evaluator_graph){h.d, h.m, NULL});
	CHECK_INT(evaluator_open(e, &err), 0);
	final_round_add(f, &(struct finalist){.setting = &few});
	final_round_add(f,
	                &(struct finalist){.policy = &policy_eager, .id = {.origin = TRIAL_POLICY, .policy = "eager"}});
	final_round_add(f, &(struct finalist){.policy = &policy_dmdas,
	                                      .id = {.origin = TRIAL_POLICY, .policy = "dmdas", .by_rank = 1}});
	left = replays;
	CHECK_INT(final_round_run(f, e, &err), FINAL_ROUND_CUT);
	CHECK_INT(f->count, 3);
	status = final_round_of_known(f, e, &err);
	CHECK_STR(err.text, "");
	evaluator_free(e);
	tuned_graph_fini(&g);
	tuned_graph_fini(&h);
	return status;
}

/* Mean durations come first, of all runs, and the setting to beat is always there. */
static void cut_off_it_compares_what_is_known(void)
{
	struct final_round f;

	CHECK_INT(known_after(0, &f), FINAL_ROUND_CUT);
	for (int n = 1; n < 36; n++) {
		int runs = n < 4 ? 1 : 2;

		CHECK_INT(known_after(n, &f), 0);
		CHECK_INT(f.nruns, runs);
		CHECK_INT(f.count, runs == 1 ? n : n > 6 ? 3 : n - 3);
		CHECK(f.items[0].setting && f.items[f.best_setting].setting);
		CHECK_INT(f.best, n >= 6 ? 2 : n == 2 || n == 3);
	}
}

/* Tasks are submitted every 20 ms, so all schedules end with the last one; at once, orders differ or not. */
static struct final_round best_submitted(struct dag *d, int has_at_once)
{
	const struct scenario at_once = {.ignore_submission = 1};
	struct final_round f = {.nruns = 1, .replications = 5, .first_replication = 1, .recorded = "eager"};
	struct setting few;
	struct tuned_graph g;
	struct ht_err err = {""};
	struct evaluator *e;

	for (uint32_t t = 0; t < d->ntasks; t++)
		d->submit_ns[t] = f.submitted_ns = (int64_t)t * 20 * MS;
	tuned_graph_of(&g, d, "cpu:2");
	setting_by_urgency(&few, g.granularities[GRANULARITY_CODELET], 1, 0);
	e = evaluator_of(&g, 1, NULL, "", &err);
	if (has_at_once)
		f.at_once = evaluator_add(e, &(struct evaluator_graph){g.d, g.m, &at_once});
	final_round_add(&f, &(struct finalist){.setting = &few});
	final_round_add(&f, &(struct finalist){.policy = &policy_eager, .id = {.policy = "eager"}});
	CHECK_INT(final_round_run(&f, e, &err), 0);
	CHECK_STR(err.text, "");
	evaluator_free(e);
	tuned_graph_fini(&g);
	return f;
}

static void where_submission_limits_all_at_once_decides(void)
{
	struct final_round f = best_submitted(chained(), 1);

	CHECK_INT(f.best, 0);
	CHECK(f.at_once_ns > 90 * MS && f.at_once_ns < 120 * MS && f.other_at_once_ns > 130 * MS);
	f = best_submitted(chained(), 0);
	CHECK_INT(f.best, 1);
	CHECK_INT(f.at_once_ns, 0);
	f = best_submitted(independent(), 1);
	CHECK_INT(f.best, 1);
	CHECK_INT(f.at_once_ns, 0);
}

int main(void)
{
	RUN(the_simplest_of_equals);
	RUN(a_gain_is_kept);
	RUN(a_small_gain_changes_nothing);
	RUN(cut_off_it_compares_what_is_known);
	RUN(where_submission_limits_all_at_once_decides);
	return check_done();
}
