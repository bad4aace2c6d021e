/* tests/unit/test_search.c - granularities, settings, changes of them, trials, and what a search finds. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/rng.h"
#include "core/config/config.h"
#include "core/config/config_match.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "replay/sim/jitter.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"
#include "tune/evaluate/sensitivity.h"
#include "tune/search/permute.h"
#include "tune/search/search.h"
#include "tune/settings/config_make.h"
#include "tune/settings/granularity.h"
#include "tune/tune.h"

struct ground {
	struct dag *d;
	struct machine *m;
	struct ranks ranks;
	struct config *base;
	struct granularity *granularities[GRANULARITY_COUNT];
};

static void ground_of(struct ground *g, struct dag *d, const char *machine)
{
	struct ht_err err = {""};

	*g = (struct ground){.d = d, .m = machine_parse(machine, NULL)};
	CHECK_INT(ranks_init(&g->ranks, g->d, g->m, &err), 0);
	g->base = config_from_dag(g->d, g->m, &err);
	for (int k = 0; k < GRANULARITY_COUNT; k++)
		g->granularities[k] = granularity_make((enum granularity_kind)k, g->d, g->m, g->ranks.upward_ns);
}

/* A Cholesky factorisation whose priorities are those of its iterations, and whose data has three sizes. */
static void ground_init(struct ground *g, int n)
{
	struct dag *d = graph_cholesky(n, 1000);

	for (uint32_t t = 0; t < d->ntasks; t++)
		d->tasks[t].priority = (int32_t)(d->ntasks - t) / 7 - 20;
	ground_of(g, d, "cpu:4 cuda:2");
}

/* Two tasks, one behind the other, for CPUs and GPUs. */
static struct dag *pair(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(40, 10);
	struct dag_builder *b = dag_builder_create();
	struct ht_err err = {""};
	struct dag *d;

	dag_builder_type(b, "one", cost);
	dag_builder_task(b, 0);
	dag_builder_task(b, 0);
	dag_builder_edge(b, 0, 1);
	d = dag_builder_finish(b, &err);
	CHECK_STR(err.text, "");
	return d;
}

static void ground_fini(struct ground *g)
{
	for (int k = 0; k < GRANULARITY_COUNT; k++)
		granularity_free(g->granularities[k]);
	config_free(g->base);
	ranks_fini(&g->ranks);
	dag_free(g->d);
	machine_free(g->m);
}

static struct config *config_of(const struct ground *g, const struct setting *s)
{
	struct config *c = config_create();

	memcpy(c->workers, g->base->workers, sizeof(c->workers));
	setting_config(s, c);
	return c;
}

/* Every task is in one group, whose numbers are those of its tasks; a config of the groups puts it there. */
static void granularities_share_out_all_tasks(void)
{
	struct ground g;

	ground_init(&g, 9);
	CHECK(g.granularities[GRANULARITY_FOOTPRINT] == NULL); /* one size: nothing to tell apart */
	for (int k = 0; k < GRANULARITY_COUNT; k++) {
		struct setting s;
		struct config *c;
		uint8_t *bucket_of;
		uint32_t count[CONFIG_MAX_BUCKETS] = {0}, total = 0;
		double rank[CONFIG_MAX_BUCKETS] = {0};
		struct ht_err err = {""};

		if (k == GRANULARITY_FOOTPRINT)
			continue;
		bucket_of = ht_alloc(g.d->ntasks, 1);
		CHECK(g.granularities[k] != NULL);
		setting_by_urgency(&s, g.granularities[k], 1, 1);
		c = config_of(&g, &s);
		CHECK(config_check(c) == NULL);
		CHECK_INT(config_match_dag(c, g.d, bucket_of, &err), 0);
		CHECK_STR(err.text, "");
		for (uint32_t t = 0; t < g.d->ntasks; t++) {
			CHECK_INT(g.granularities[k]->groups[bucket_of[t]].type, g.d->tasks[t].type);
			count[bucket_of[t]]++;
			rank[bucket_of[t]] += g.ranks.upward_ns[t];
		}
		for (int i = 0; i < g.granularities[k]->ngroups; i++) {
			const struct task_group *a = &g.granularities[k]->groups[i];

			CHECK_INT(a->count, count[i]);
			CHECK_NEAR(a->rank_ns, rank[i] / count[i], 1);
			CHECK(k != GRANULARITY_RANK || !a->level || a->rank_ns <= a[-1].rank_ns);
			CHECK_INT(a->where, a->type == POTRF ? 1 << ARCH_CPU : 1 << ARCH_CPU | 1 << ARCH_CUDA);
			total += a->count;
		}
		CHECK_INT(total, g.d->ntasks);
		free(bucket_of);
		config_free(c);
	}
	ground_fini(&g);
}

/* Random changes: legal at every step, all tasks find a bucket, and no replay is left without an end. */
static void changes_keep_it_legal(void)
{
	struct ground g;
	struct rng r = {7};
	const struct move_options o = {.locality = 1};
	int split = 0, joined = 0;

	ground_init(&g, 6);
	for (int k = 0; k < GRANULARITY_COUNT; k++) {
		struct setting s;

		if (!g.granularities[k])
			continue;
		setting_by_urgency(&s, g.granularities[k], 0.5, 1);
		for (int i = 0; i < 1500; i++) {
			uint64_t before = setting_hash(&s);
			int buckets = s.nbuckets;
			struct config *c;

			CHECK_INT(move_any(&s, &r, &o), 1);
			CHECK(setting_hash(&s) != before);
			split += s.nbuckets > buckets;
			joined += s.nbuckets < buckets;
			c = config_of(&g, &s);
			CHECK(config_check(c) == NULL);
			if (config_check(c))
				printf("# %s after %d changes by %s\n", config_check(c), i, granularity_name(k));
			if (i % 50 == 0) {
				struct simulate_options how = {.policy = &policy_heteroprio,
				                               .policy_options = "",
				                               .config = c};
				struct ht_err err = {""};
				struct simulation *done = simulate(g.d, g.m, &how, &err);

				CHECK(done != NULL);
				CHECK_STR(err.text, "");
				simulation_free(done);
			}
			config_free(c);
		}
	}
	CHECK(split > 50 && joined > 50);
	ground_fini(&g);
}

/* What AutoHeteroprio can hold still at, changes leave so. */
static void frozen_stays_frozen(void)
{
	const struct move_options o = {.locality = 1, .frozen = 1};
	struct ground g;
	struct setting s;
	struct rng r = {7};

	ground_init(&g, 6);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 0.5, 1);
	for (int i = 0; i < 1500; i++)
		CHECK(setting_can_freeze(&s) && move_any(&s, &r, &o));
	setting_remove(&s, ARCH_CPU, 0);
	CHECK(!setting_can_freeze(&s));
	ground_fini(&g);
}

/* Taken apart, a setting has its lists still: every group where its type was. */
static void refining_keeps_the_order(void)
{
	struct ground g;
	struct setting coarse, fine;

	ground_init(&g, 8);
	setting_by_urgency(&coarse, g.granularities[GRANULARITY_CODELET], 0, 2);
	setting_refine(&fine, &coarse, g.granularities[GRANULARITY_RANK]);
	for (int a = 0; a < ARCH_COUNT; a++) {
		int at = 0;

		for (int i = 0; i < coarse.count[a]; i++) {
			const struct granularity *f = g.granularities[GRANULARITY_RANK];
			uint32_t type = g.granularities[GRANULARITY_CODELET]->groups[coarse.list[a][i]].type, level = 0;

			for (; at < fine.count[a] && f->groups[fine.list[a][at]].type == type; at++)
				CHECK_INT(f->groups[fine.list[a][at]].level, level++);
			CHECK(level > 0);
		}
		CHECK_INT(at, fine.count[a]);
	}
	ground_fini(&g);
}

static struct evaluator *evaluator_of(const struct ground *g, int jobs, const char *journal, const char *policy_options,
                                      struct ht_err *err)
{
	struct evaluator_options o = {.base = g->base,
	                              .policy_options = policy_options,
	                              .jobs = jobs,
	                              .journal = journal,
	                              .jitter_cv = 0.1,
	                              .seed = 3};
	struct evaluator_graph graph = {g->d, g->m, NULL};
	struct evaluator *j = evaluator_create(&o);

	evaluator_add(j, &graph);
	evaluator_limit_tasks(j, 400 * (uint64_t)g->d->ntasks);
	CHECK_INT(evaluator_open(j, err), 0);
	return j;
}

static void run_search(const struct ground *g, struct evaluator *j, struct search_result *r)
{
	struct initial_setting starts[3] = {0};
	struct search_problem p = {
		.evaluator = j, .initial = starts, .ninitial = 3, .seed = 5, .planned = 400, .samples = 2};
	struct ht_err err = {""};

	setting_by_urgency(&starts[0].setting, g->granularities[GRANULARITY_CODELET], 1, 0);
	setting_by_urgency(&starts[1].setting, g->granularities[GRANULARITY_CODELET], 0, 1);
	setting_by_urgency(&starts[2].setting, g->granularities[GRANULARITY_RANK], 1, 1);
	CHECK_INT(search_run(&p, r, &err), 0);
	CHECK_STR(err.text, "");
	for (size_t i = 1; i < r->nfound; i++)
		CHECK(r->found[i].mean_ns >= r->found[i - 1].mean_ns);
}

/* Whatever the threads, and whatever part of it a journal has already: the same settings in the same order. */
static void a_search_has_one_result(void)
{
	char path[] = "/tmp/test_search_XXXXXX";
	struct search_result *r = ht_alloc(4, sizeof(*r));
	struct evaluator_state state[4];
	struct ht_err err = {""};
	struct ground g;
	size_t bytes;
	char *text;
	int fd = mkstemp(path);
	FILE *f;

	ground_init(&g, 8);
	for (int i = 0; i < 4; i++) {
		struct evaluator *j = evaluator_of(&g, 1 + i % 2 * 2, i ? path : NULL, "", &err);

		CHECK_STR(err.text, "");
		run_search(&g, j, &r[i]);
		evaluator_state(j, &state[i]);
		evaluator_free(j);
		if (i == 1) { /* killed in the middle of a line */
			text = file_read(path, 1 << 20, &bytes, &err);
			CHECK(text && bytes > 2000);
			CHECK_INT(truncate(path, (off_t)(bytes / 2 + 3)), 0);
			free(text);
		}
		CHECK_INT(r[i].nfound, r[0].nfound);
		for (size_t k = 0; k < r[0].nfound; k++) {
			CHECK_INT(r[i].found[k].mean_ns, r[0].found[k].mean_ns);
			CHECK(setting_hash(&r[i].found[k].setting) == setting_hash(&r[0].found[k].setting));
		}
		CHECK_INT(state[i].replays + state[i].remembered, state[0].replays);
	}
	CHECK_INT(state[1].remembered, 0);
	CHECK(state[2].remembered > 20 && state[2].replays > 20);
	CHECK_INT(state[3].replays, 0);
	/* A line that nobody wrote so is cut off. */
	f = fopen(path, "a");
	fputs("0123456789abcdef 5 01234567\n", f);
	fclose(f);
	evaluator_free(evaluator_of(&g, 1, path, "", &err));
	text = file_read(path, 1 << 20, &bytes, &err);
	CHECK(text && !strstr(text, "0123456789abcdef"));
	free(text);
	/* A journal of another problem is of no use. */
	g.d->tasks[0].priority++;
	evaluator_free(evaluator_of(&g, 1, path, "", &err));
	text = file_read(path, 1 << 20, &bytes, &err);
	CHECK(text && bytes < 100);
	free(text);
	free(r);
	close(fd);
	unlink(path);
	ground_fini(&g);
}

/* 0 1 2, 0 2 1, 1 0 2, ...: as next to each other in a dictionary. */
static void permutations_are_lexicographic(void)
{
	static const int want[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	int places[PERMUTATION_MAX], before[PERMUTATION_MAX];

	for (uint32_t k = 0; k < 6; k++) {
		permutation_places(places, 3, k);
		for (int i = 0; i < 3; i++)
			CHECK_INT(places[i], want[k][i]);
	}
	CHECK_INT(permutation_count(0), 1);
	CHECK_INT(permutation_count(1), 1);
	CHECK_INT(permutation_count(PERMUTATION_MAX), 40320);
	permutation_places(before, PERMUTATION_MAX, 0);
	for (uint32_t k = 1; k < permutation_count(PERMUTATION_MAX); k++) {
		int i = 0;

		permutation_places(places, PERMUTATION_MAX, k);
		while (i < PERMUTATION_MAX - 1 && places[i] == before[i])
			i++;
		CHECK(places[i] > before[i]);
		memcpy(before, places, sizeof(before));
	}
}

/* All orders of two lists of twelve tasks' types: nothing is better than what permuting one at a time ends at. */
static void permuting_reaches_the_best_order(void)
{
	struct ht_err err = {""};
	struct ground g = {.d = graph_cholesky(7, 1000), .m = machine_parse("cpu:3 cuda:1", NULL)};
	struct evaluator *j;
	struct setting s;
	struct trial t = {.setting = &s};
	int64_t ns, before;

	CHECK_INT(ranks_init(&g.ranks, g.d, g.m, &err), 0);
	g.base = config_from_dag(g.d, g.m, &err);
	g.granularities[GRANULARITY_CODELET] = granularity_make(GRANULARITY_CODELET, g.d, g.m, g.ranks.upward_ns);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 0, 0);
	j = evaluator_of(&g, 2, NULL, "", &err);
	CHECK_INT(evaluator_run(j, &t, 1, EVALUATOR_ALWAYS, &err), 0);
	before = ns = t.makespan_ns;
	CHECK_INT(permute_lists(j, 0, 1, 100, &s, &ns, &err), 0);
	CHECK(ns <= before);
	/* What one step of it would try: no exchange in either list is better. */
	for (int a = 0; a < 2; a++)
		for (int i = 0; i + 1 < s.count[a]; i++) {
			struct setting other = s;

			other.list[a][i] = s.list[a][i + 1];
			other.list[a][i + 1] = s.list[a][i];
			t.setting = &other;
			CHECK_INT(evaluator_run(j, &t, 1, EVALUATOR_ALWAYS, &err), 0);
			CHECK(t.makespan_ns >= ns);
		}
	evaluator_free(j);
	ground_fini(&g);
}

/* A test against an architecture that does not look at the bucket would never end: it is dropped. */
static void nobody_waits_for_who_does_not_come(void)
{
	struct ground g;
	struct setting s;
	struct config *c;

	ground_init(&g, 5);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 1, 1);
	for (int b = 0; b < s.nbuckets; b++)
		if (setting_place(&s, ARCH_CUDA, b) >= 0)
			setting_remove(&s, ARCH_CUDA, setting_place(&s, ARCH_CUDA, b));
	c = config_of(&g, &s);
	CHECK_HAS(config_check(c), "that the fastest architecture does not look at");
	config_free(c);
	setting_normalise(&s);
	c = config_of(&g, &s);
	CHECK(config_check(c) == NULL);
	config_free(c);
	ground_fini(&g);
}

/* Mean and deviation of durations: 20 000 draws of a class with a recorded cv of 0.3. */
static void jitter_is_as_recorded(void)
{
	enum { N = 20000 };
	struct dag_builder *b = dag_builder_create();
	int64_t cost[ARCH_COUNT] = COSTS(1000000, 100000);
	struct jitter_options o = {.source = JITTER_RECORDED, .cv = 0.05, .seed = 9};
	double sum[2] = {0}, squares[2] = {0};
	struct jitter *j, *same;
	struct dag *d;

	dag_builder_type(b, "a", cost);
	for (int i = 0; i < N; i++)
		dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	d->classes[0].deviation_ns[ARCH_CPU] = 300000;
	j = jitter_create(d, &o);
	same = jitter_create(d, &o);
	for (uint32_t t = 0; t < N; t++) {
		CHECK_INT(jitter_ns(j, t, ARCH_HIP, -1), -1);
		for (int a = 0; a < 2; a++) {
			double x = (double)jitter_ns(j, t, (enum arch)a, cost[a]) / (double)cost[a];

			CHECK_INT(jitter_ns(same, t, (enum arch)a, cost[a]), jitter_ns(j, t, (enum arch)a, cost[a]));
			sum[a] += x;
			squares[a] += x * x;
		}
	}
	CHECK_NEAR(sum[0] / N, 1, 0.01);
	CHECK_NEAR(sum[1] / N, 1, 0.002);
	CHECK_NEAR(sqrt(squares[0] / N - pow(sum[0] / N, 2)), 0.3, 0.01);
	CHECK_NEAR(sqrt(squares[1] / N - pow(sum[1] / N, 2)), 0.05, 0.002);
	jitter_free(j);
	jitter_free(same);
	dag_free(d);
}

static void a_prefix_is_a_graph(void)
{
	struct dag *d = graph_cholesky(9, 1000);

	for (uint32_t n = 1; n <= d->ntasks + 3; n += 13) {
		struct dag *part = dag_prefix(d, n);

		CHECK_STR(dag_check(part) ? dag_check(part) : "", "");
		CHECK_INT(part->ntasks, n < d->ntasks ? n : d->ntasks);
		CHECK(part->ntasks < d->ntasks || part->nedges == d->nedges);
		for (uint32_t i = 0; i < part->nedges; i++)
			CHECK(part->succ[i] < part->ntasks);
		dag_free(part);
	}
	dag_free(d);
}

/* What is worth most is found: one bucket first in its list decides, nothing else does. */
static void sensitivity_compares_draw_by_draw(void)
{
	struct sensitivity *w = ht_alloc(1, sizeof(*w));
	struct ht_err err = {""};
	struct ground g;
	struct setting s;
	struct finalist x = {.setting = &s};
	int found = 0;
	struct evaluator *j;

	ground_init(&g, 7);
	j = evaluator_of(&g, 2, NULL, "", &err);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 1, 1);
	s.locality.enabled = 1;
	x.id.starpu_env.value[STARPU_ENV_CPUS] = 2;
	CHECK_INT(sensitivity_of(w, j, 0, &x, 3, 20, &err), 0);
	CHECK(w->count > 5 && w->count <= 20);
	for (size_t i = 0; i < w->count; i++) {
		CHECK(w->items[i].worst <= w->items[i].effect);
		CHECK(i == 0 || w->items[i].effect <= w->items[i - 1].effect);
		CHECK(*w->items[i].what != '\0');
		CHECK(isinf(w->items[i].effect) || w->items[i].effect < 100);
		found += !strcmp(w->items[i].what, "locality: AUTO");
		found += !strcmp(w->items[i].what, "startup: 2 CPU workers");
	}
	CHECK_INT(found, 2);
	evaluator_free(j);
	free(w);
	ground_fini(&g);
}

/*
 * Drivers that sleep: who is woken for a task may be one whose list has lost it, and then nobody takes it. That is no
 * number of percent.
 */
static void sensitivity_knows_what_never_ends(void)
{
	struct sensitivity *w = ht_alloc(1, sizeof(*w));
	struct ht_err err = {""};
	struct ground g;
	struct setting s;
	struct finalist x = {.setting = &s};
	int never = 0;
	struct evaluator *j;

	ground_of(&g, pair(), "cuda:1 cpu:1");
	j = evaluator_of(&g, 2, NULL, "drivers=blocking", &err);
	setting_by_urgency(&s, g.granularities[GRANULARITY_CODELET], 1, 1);
	CHECK_INT(sensitivity_of(w, j, 0, &x, 3, 20, &err), 0);
	for (size_t i = 0; i < w->count; i++) {
		never += isinf(w->items[i].effect);
		CHECK(isinf(w->items[i].effect) || w->items[i].effect < 100);
	}
	CHECK(never > 0);
	evaluator_free(j);
	free(w);
	ground_fini(&g);
}

int main(void)
{
	RUN(granularities_share_out_all_tasks);
	RUN(changes_keep_it_legal);
	RUN(frozen_stays_frozen);
	RUN(refining_keeps_the_order);
	RUN(a_search_has_one_result);
	RUN(permutations_are_lexicographic);
	RUN(permuting_reaches_the_best_order);
	RUN(nobody_waits_for_who_does_not_come);
	RUN(jitter_is_as_recorded);
	RUN(a_prefix_is_a_graph);
	RUN(sensitivity_compares_draw_by_draw);
	RUN(sensitivity_knows_what_never_ends);
	return check_done();
}
