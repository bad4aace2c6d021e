/* tests/unit/test_tune.c - candidates, their replays, and the config that is chosen. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/heuristic.h"
#include "core/metrics/metrics.h"
#include "core/metrics/rank.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"
#include "tune/evaluate/evaluator.h"
#include "tune/settings/config_make.h"
#include "tune/tune.h"

struct tuned {
	struct dag *d;
	struct machine *m;
	struct metrics_input in;
	struct metrics *x;
	struct tune_result *r;
	struct ht_err err;
};

/*
 * Nobody has run the graph: two fifths of each type on the cpu, idle shares as in a run that starves its devices a
 * little.
 */
static void tuned_init(struct tuned *t, struct dag *d, const char *machine, const char *options)
{
	struct tune_problem p = {.policy_options = options, .run = "made", .trials = 400, .jobs = 2, .seed = 1};

	*t = (struct tuned){.d = d, .m = machine_parse(machine, NULL)};
	metrics_input_init(&t->in, d);
	for (uint32_t i = 0; i < d->ntypes; i++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			t->in.executed[i][a].count = d->types[i].where >> a & 1 ? 2 + a : 0;
	t->in.idle[ARCH_CPU] = 0.1;
	t->in.idle[ARCH_CUDA] = 0.3;
	p.dag = d;
	p.machine = t->m;
	p.metrics = t->x = metrics_compute(d, t->m, &t->in);
	t->r = tune(&p, &t->err);
}

static void tuned_fini(struct tuned *t)
{
	tune_result_free(t->r);
	metrics_free(t->x);
	metrics_input_fini(&t->in);
	dag_free(t->d);
	machine_free(t->m);
}

static int64_t replay(const struct tuned *t, const struct config *c, const char *options)
{
	struct simulate_options o = {.policy_options = options, .config = c};
	struct simulation *s;
	int64_t makespan;

	struct dag *ranked = c->has_rank_priorities ? rank_dag(t->d, t->m, RANKS_TOGETHER, NULL) : NULL;

	o.policy = policy_find(c->policy, &o.policy_options, NULL);
	o.policy_options = o.policy == &policy_heteroprio ? options : c->knobs;
	s = simulate(ranked ? ranked : t->d, t->m, &o, NULL);
	makespan = s ? s->makespan_ns : -1;
	simulation_free(s);
	dag_free(ranked);
	return makespan;
}

/*
 * The setting that is written replays to what was promised, is legal, and is the best there is; nothing is below the
 * bound.
 */
static void check_result(const struct tuned *t, const char *options)
{
	const struct tune_result *r = t->r;
	char label[TRIAL_LABEL];
	const struct finalist *chosen = &r->final_round.items[r->chosen], *start = &r->final_round.items[0];

	CHECK(config_check(r->config) == NULL);
	CHECK_INT(replay(t, r->config, options), r->makespan_ns);
	CHECK_STR(r->config->chosen, trial_label(label, &chosen->id, TRIAL_LABEL_WHOLE));
	CHECK_INT(r->config->bound_ns, r->bounds.largest_ns);
	for (size_t i = 0; i < r->search.nfound; i++)
		CHECK(r->search.found[i].mean_ns >= r->search.found[0].mean_ns);
	/* It is not only lucky: it is as good as the best start when durations vary, or simpler and level. */
	CHECK(chosen->median <= 1.01 * start->median);
	CHECK(!chosen->setting || chosen->p90 <= start->p90);
	for (int i = 0; i < r->config->ntrials; i++)
		CHECK(r->config->trials[i].makespan_ns >= r->config->bound_ns &&
		      r->config->trials[i].makespan_ns < EVALUATOR_NEVER);
}

static void test_cholesky(void)
{
	static const char *const variants[] = {"variant=starpu", "variant=paper"};
	struct tuned t;

	for (int v = 0; v < 2; v++) {
		tuned_init(&t, graph_cholesky(10, 1000), "cpu:6 cuda:2", variants[v]);
		CHECK(t.r != NULL);
		if (!t.r)
			return;
		check_result(&t, variants[v]);
		CHECK_INT(t.r->run_ns, -1);
		CHECK_INT(t.r->recorded_ns, -1);
		/* Six heuristics, the plain order, 28 of StarPU, four ways to slow down; eager. */
		CHECK_INT(t.r->initial.ncandidates, (6 + 1 + 28) * SLOW_VARIANTS);
		CHECK(t.r->initial.count > t.r->initial.ncandidates);
		CHECK(t.r->config->ntrials >= (int)t.r->initial.count + 6);
		/* potrf is the cpus' alone. */
		for (int i = 0; i < 6 * SLOW_VARIANTS; i++)
			CHECK_INT(t.r->initial.items[i].setting.list[ARCH_CPU][0], POTRF);
		tuned_fini(&t);
	}
}

/* One codelet factorises on CPUs and solves on GPUs, by the size of its data: no architecture can run all of it. */
static void test_by_size(void)
{
	struct dag *d = graph_cholesky(8, 1000);
	struct tuned t;

	d->classes[TRSM].codelet = POTRF;
	d->classes[TRSM].cost_ns[ARCH_CPU] = -1;
	d->types[POTRF].where |= 1 << ARCH_CUDA;
	for (uint32_t c = SYRK; c <= GEMM; c++) {
		d->types[c - 1] = d->types[c];
		d->classes[c].codelet = c - 1;
	}
	d->ntypes--;
	for (uint32_t c = 0; c < d->nclasses; c++)
		d->classes[c].footprint = c + 1;
	tuned_init(&t, d, "cpu:6 cuda:2", "variant=starpu");
	CHECK_STR(t.err.text, "");
	if (t.r)
		check_result(&t, "variant=starpu");
	tuned_fini(&t);
}

static int same_buckets(const struct config_list *a, const struct config_list *b)
{
	uint64_t seen = 0;

	for (int i = 0; i < a->count; i++)
		seen ^= UINT64_C(1) << a->buckets[i];
	for (int i = 0; i < b->count; i++)
		seen ^= UINT64_C(1) << b->buckets[i];
	return a->count == b->count && seen == 0;
}

static struct config *as_config(const struct setting *s, const struct config *base)
{
	struct config *k = config_create();

	memcpy(k->workers, base->workers, sizeof(k->workers));
	setting_config(s, k);
	return k;
}

/* Every list is a permutation of the base's; a candidate that is taken for an earlier one replays the same. */
static void test_candidates(void)
{
	struct tuned t;
	struct config *base;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		tuned_init(&t, graph_layers(seed, 10, 12, 1000), "cpu:3 cuda:2", "");
		CHECK(t.r != NULL);
		if (!t.r)
			return;
		check_result(&t, "");
		base = config_from_dag(t.d, t.m, NULL);
		for (size_t i = 0; i < t.r->initial.ncandidates; i++) {
			const struct initial_setting *c = &t.r->initial.items[i];
			struct config *k = as_config(&c->setting, base);

			for (int a = 0; a < ARCH_COUNT; a++)
				CHECK(same_buckets(&k->lists[a], &base->lists[a]));
			CHECK(config_check(k) == NULL);
			CHECK(c->same_as < (int)i);
			if (i % 7 == 0)
				CHECK_INT(replay(&t, k, ""), t.r->initial.items[i].makespan_ns);
			config_free(k);
		}
		config_free(base);
		tuned_fini(&t);
	}
}

/* T on the cpu takes four times as long, G twelve times, L on cuda four times. */
static void test_slow_variants(void)
{
	struct dag *d = twelve_graph(1);
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct config *base = config_from_dag(d, m, NULL);
	double *ranks = ht_alloc(d->ntasks, sizeof(*ranks));
	struct granularity *codelets = granularity_make(GRANULARITY_CODELET, d, m, ranks);

	for (int v = 0; v < SLOW_VARIANTS; v++) {
		struct setting s;
		struct config *k;

		setting_from_lists(&s, codelets, base, base->lists, slow_variants[v].scale);
		k = as_config(&s, base);
		CHECK_NEAR(k->buckets[TWELVE_T].slow_factor[ARCH_CPU], 4 * slow_variants[v].scale, 1e-12);
		CHECK_NEAR(k->buckets[TWELVE_G].slow_factor[ARCH_CPU], 12 * slow_variants[v].scale, 1e-12);
		CHECK_NEAR(k->buckets[TWELVE_L].slow_factor[ARCH_CUDA], 4 * slow_variants[v].scale, 1e-12);
		CHECK_NEAR(k->buckets[TWELVE_P].slow_factor[ARCH_CPU], 0, 1e-12);
		config_free(k);
	}
	CHECK_STR(slow_variants[0].suffix, "");
	granularity_free(codelets);
	free(ranks);
	config_free(base);
	machine_free(m);
	dag_free(d);
}

/* Costs times c: the same choice, every makespan times c. */
static void test_scaling(void)
{
	struct tuned a, b;

	for (uint64_t seed = 1; seed <= 4; seed++) {
		tuned_init(&a, graph_layers(seed, 8, 10, 1), "cpu:3 cuda:2", "");
		tuned_init(&b, graph_layers(seed, 8, 10, 1024), "cpu:3 cuda:2", "");
		CHECK(a.r && b.r);
		CHECK_INT(b.r->initial.count,
		          a.r->initial.count); /* what is within noise depends on a ns here and there */
		for (size_t i = 0; i < a.r->initial.ncandidates; i++) {
			const struct trial_id *id = &a.r->initial.items[i].id;

			if (id->order == ORDER_STARPU && (id->number == 23 || id->number == 27))
				continue; /* those add us to a ratio */
			CHECK_INT(b.r->initial.items[i].makespan_ns, a.r->initial.items[i].makespan_ns * 1024);
		}
		tuned_fini(&a);
		tuned_fini(&b);
	}
}

static void test_repeatable(void)
{
	struct tuned a, b;

	tuned_init(&a, graph_cholesky(8, 1000), "cpu:4 cuda:2", "");
	tuned_init(&b, graph_cholesky(8, 1000), "cpu:4 cuda:2", "");
	CHECK_STR(a.r->config->chosen, b.r->config->chosen);
	CHECK_INT(a.r->config->ntrials, b.r->config->ntrials);
	for (int i = 0; i < a.r->config->ntrials; i++) {
		CHECK_STR(a.r->config->trials[i].name, b.r->config->trials[i].name);
		CHECK_INT(a.r->config->trials[i].makespan_ns, b.r->config->trials[i].makespan_ns);
	}
	tuned_fini(&a);
	tuned_fini(&b);
}

/* Only cpus: no differences and no slow factors, so the slow variants are one setting. */
static void test_one_architecture(void)
{
	struct tuned t;

	tuned_init(&t, graph_cholesky(6, 1000), "cpu:4", "");
	CHECK(t.r != NULL);
	if (!t.r)
		return;
	check_result(&t, "");
	CHECK_INT(t.r->config->lists[ARCH_CUDA].count, 0);
	CHECK_INT(t.r->config->lists[ARCH_CPU].count, t.r->config->nbuckets);
	for (size_t i = 0; i < t.r->initial.ncandidates; i++)
		CHECK(t.r->initial.items[i].id.slow == 0 || t.r->initial.items[i].same_as >= 0);
	tuned_fini(&t);
}

static void test_written(void)
{
	char path[] = "/tmp/test_tune_XXXXXX";
	int fd = mkstemp(path);
	struct ht_err err = {""};
	struct config *c;
	struct tuned t;

	close(fd);
	tuned_init(&t, graph_cholesky(8, 1000), "cpu:4 cuda:2", "");
	CHECK_INT(config_save(t.r->config, path, &err), 0);
	c = config_load(path, &err);
	CHECK(c != NULL);
	if (c) {
		CHECK_INT(replay(&t, c, ""), t.r->makespan_ns);
		CHECK_INT(c->ntrials, t.r->config->ntrials);
		CHECK_STR(c->chosen, t.r->config->chosen);
		CHECK_INT(config_fits(c, t.m, &err), 0);
	}
	config_free(c);
	unlink(path);
	tuned_fini(&t);
}

/*
 * Three architectures on which AutoHeteroprio's slow factors refuse a task to the one worker that StarPU wakes for it:
 * such a policy is not compared, and no setting that leaves tasks behind is in the config.
 */
static void test_never(void)
{
	static const int64_t costs[3][ARCH_COUNT] = {{13600, 1220, 480, -1, -1, -1, -1, -1, -1},
	                                             {7740, 2440, 649, -1, -1, -1, -1, -1, -1},
	                                             {56800, 12900, 34700, -1, -1, -1, -1, -1, -1}};
	int ndeadlocks = 0;

	for (uint64_t round = 1; round < 6; round++) {
		uint64_t seed = round;
		struct dag_builder *b = dag_builder_create();
		struct tuned t;

		for (int i = 0; i < 3; i++)
			dag_builder_type(b, (const char *[]){"a", "b", "c"}[i], costs[i]);
		for (uint32_t i = 0; i < 24; i++) {
			dag_builder_task(b, graph_random(&seed) % 3);
			if (i > 3)
				dag_builder_edge(b, i - 1 - graph_random(&seed) % 4, i);
		}
		tuned_init(&t, dag_builder_finish(b, NULL), "cpu:2 cuda:2 opencl:1", "");
		CHECK_STR(t.err.text, "");
		if (t.r) {
			check_result(&t, "");
			ndeadlocks += t.r->final_round.nnever > 0;
		}
		tuned_fini(&t);
	}
	CHECK(ndeadlocks > 0);
}

static void test_impossible(void)
{
	struct tuned t;

	tuned_init(&t, twelve_graph(1), "cuda:2", ""); /* P is for cpus */
	CHECK(t.r == NULL);
	CHECK_HAS(t.err.text, "P");
	tuned_fini(&t);
	tuned_init(&t, twelve_graph(1), "cpu:2 cuda:1", "variant=nonsense");
	CHECK(t.r == NULL);
	CHECK_HAS(t.err.text, "nonsense");
	tuned_fini(&t);
}

int main(void)
{
	RUN(test_cholesky);
	RUN(test_by_size);
	RUN(test_candidates);
	RUN(test_slow_variants);
	RUN(test_scaling);
	RUN(test_repeatable);
	RUN(test_one_architecture);
	RUN(test_written);
	RUN(test_never);
	RUN(test_impossible);
	return check_done();
}
