/* tests/unit/test_plan_make.c - the plan of a config says what the replay under it does. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/config/config.h"
#include "core/machine/machine.h"
#include "core/dag/dag.h"
#include "core/metrics/rank.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "sched/placement/known_plan.h"
#include "sched/placement/plan.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tune/settings/plan_make.h"

enum { TILES = 6 };

static struct config *config_under(const char *policy, const char *knobs, int by_rank)
{
	struct config *c = config_create();

	c->policy = policy;
	c->knobs = knobs;
	c->has_rank_priorities = by_rank;
	return c;
}

/* Data as tasks first access it: seen[i] is the handle with number i; returns how many. */
static uint32_t first_accesses(const struct dag *d, uint32_t *seen)
{
	uint32_t n = 0;

	for (uint32_t a = 0; a < d->naccesses; a++) {
		uint32_t i = 0;

		while (i < n && seen[i] != d->accesses[a].handle)
			i++;
		if (i == n)
			seen[n++] = d->accesses[a].handle;
	}
	return n;
}

/* Buckets by place have a plan, by which an iteration is known; others have none. */
static void test_buckets(void)
{
	struct dag *d = graph_cholesky(TILES, 1000);
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct config_member member = {.limits = MEMBER_SUBMISSION};
	struct config_bucket bucket = {.members = &member, .nmembers = 1};
	struct config *c = config_under("heteroprio", "", 0);

	c->buckets = &bucket;
	c->nbuckets = 1;
	plan_make(c, d, m, 1);
	CHECK_INT(c->nplans, 1);
	CHECK_INT(c->nplans ? c->plans[0].ntasks : 0, d->ntasks);
	c->nplans = 0;
	member.limits = MEMBER_PRIORITY;
	plan_make(c, d, m, 1);
	CHECK_INT(c->nplans, 0);
	config_free(c);
	machine_free(m);
	dag_free(d);
}

/* In the order of the priorities, and close to the ranks. */
static void check_ranks(const struct config_plan *p, const struct placement_order *o)
{
	double ns = config_plan_rank_ns(p), longest = 0;

	for (uint32_t t = 0; t < p->ntasks; t++)
		longest = o->rank[t] > longest ? o->rank[t] : longest;
	CHECK_WITHIN((double)p->longest_us, longest / 1e3, 1);
	for (uint32_t t = 0; t < p->ntasks; t++) {
		CHECK_WITHIN(ns * p->rank[t], o->rank[t], 1e3);
		for (uint32_t u = 0; u < t; u++) {
			CHECK_INT(p->rank[t] > p->rank[u], o->priority[t] > o->priority[u]);
			CHECK_INT(p->rank[t] < p->rank[u], o->priority[t] < o->priority[u]);
		}
	}
}

/*
 * A search has changed the order: ranks are in that of the priorities, at least as far from each other as they may be,
 * and equal where these are.
 */
static void test_searched_ranks(void)
{
	struct dag *d = graph_cholesky(2, 1000); /* 4 tasks, a chain */
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct config *c = config_under("placement", "", 0);
	struct placement_knobs knobs;
	struct placement_base base;
	struct placement_plan plan;

	CHECK_INT(placement_knobs_read(&knobs, "rank=hops", NULL), 0);
	REQUIRE(d->ntasks == 4 && placement_base_init(&base, d, m, 1, NULL) == 0);
	placement_plan_init(&plan, &base, &knobs);
	memcpy(plan.order.priority, (const int32_t[4]){5, 30, 30, 40}, 4 * sizeof(int32_t)); /* of 4, 3, 2, 1 hops */
	plan_add(c, &plan, &knobs);
	REQUIRE(c->nplans == 1);
	CHECK_INT(c->plans[0].longest_us, 4000);
	CHECK_INT(c->plans[0].rank[0], 1 << 24);
	CHECK_INT(c->plans[0].rank[1], (1 << 24) + 1);
	CHECK_INT(c->plans[0].rank[2], (1 << 24) + 1);
	CHECK_INT(c->plans[0].rank[3], (1 << 24) + 2);
	placement_plan_fini(&plan);
	placement_base_fini(&base);
	config_free(c);
	machine_free(m);
	dag_free(d);
}

static void test_placement(void)
{
	struct dag *d = graph_cholesky(TILES, 1000);
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct config *c = config_under("placement", "windows=2,seed=3", 0);
	uint32_t seen[TILES * TILES], n = first_accesses(d, seen);
	struct placement_knobs knobs;
	struct placement_base base;
	struct placement_plan plan;

	plan_make(c, d, m, 1);
	REQUIRE(c->nplans == 1);
	CHECK_INT(c->plans[0].ntasks, d->ntasks);
	CHECK_INT(c->plans[0].nhandles, n);
	CHECK(strstr(c->plans[0].knobs, "windows=2,") && strstr(c->plans[0].knobs, "seed=3,"));
	CHECK_INT(placement_knobs_read(&knobs, c->knobs, NULL), 0);
	REQUIRE(placement_base_init(&base, d, m, 1, NULL) == 0);
	placement_plan_init(&plan, &base, &knobs);
	check_ranks(&c->plans[0], &plan.order);
	for (uint32_t i = 0; i < n; i++) {
		int place = plan.owner[seen[i]];
		const struct config_place *o = &c->plans[0].owner[i];

		CHECK_INT(o->arch == ARCH_NONE, place == PLACES_NONE);
		if (place != PLACES_NONE)
			CHECK_INT(o->devid, m->workers[base.places.place[place].worker].devid);
	}
	placement_plan_fini(&plan);
	placement_base_fini(&base);
	config_free(c);
	machine_free(m);
	dag_free(d);
}

/* A graph that is too large for a plan: the config has the knobs. */
static void test_too_large(void)
{
	enum { FIRST = 74 }; /* 70300 tasks */
	struct dag *d = graph_cholesky(FIRST, 1000);
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct config *c = config_under("placement", "", 0);
	struct placement_knobs knobs, again;
	struct placement_base base;
	struct placement_plan plan;

	REQUIRE(d->ntasks > CONFIG_PLAN_MAX_TASKS);
	CHECK_INT(placement_knobs_read(&knobs, "windows=2,f=7", NULL), 0);
	REQUIRE(placement_base_init(&base, d, m, 1, NULL) == 0);
	placement_plan_init(&plan, &base, &knobs);
	plan_add(c, &plan, &knobs);
	CHECK_INT(c->nplans, 0);
	CHECK_INT(placement_knobs_read(&again, c->knobs, NULL), 0);
	CHECK_INT(again.windows, 2);
	CHECK_NEAR(again.f, 7, 0);
	placement_plan_fini(&plan);
	placement_base_fini(&base);
	config_free(c);
	machine_free(m);
	dag_free(d);
}

/* Two graphs, a plan each; under a policy with upward ranks these are the priorities of its replay, and nobody owns. */
static void test_ranks(void)
{
	struct dag *d[2] = {graph_cholesky(TILES, 1000), graph_cholesky(3, 1000)};
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct config *c = config_under("dmdas", "", 1);

	for (int i = 0; i < 2; i++) {
		struct dag *ranked = rank_dag(d[i], m, RANKS_TOGETHER, NULL);

		plan_make(c, d[i], m, 1);
		REQUIRE(ranked && c->nplans == i + 1);
		CHECK_INT(c->plans[i].ntasks, d[i]->ntasks);
		CHECK_INT(c->plans[i].nhandles, 0);
		for (uint32_t t = 0; t < d[i]->ntasks; t++)
			CHECK_INT(c->plans[i].rank[t], ranked->tasks[t].priority);
		dag_free(ranked);
	}
	/* The same graph, the same hashes; the smaller one begins alike. */
	CHECK(c->plans[0].hash[0] == c->plans[1].hash[0]);
	CHECK(memcmp(c->plans[0].hash, c->plans[1].hash, d[1]->ntasks * sizeof(uint32_t)) != 0);
	config_free(c);
	machine_free(m);
	dag_free(d[0]);
	dag_free(d[1]);
}

/*
 * Rank 0 executes URGENT, which a long task of rank 1 waits for, and FIRST, which a short one of its own waits for. It
 * does not know which of them is urgent; the plan of a config says so, that of a cut too.
 */
static void test_ranks_of_mpi(void)
{
	enum { URGENT, FIRST, SHORT, LONG };
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "k", (const int64_t[ARCH_COUNT])COSTS(1000000, 1000000));
	uint32_t slow = dag_builder_type(b, "slow", (const int64_t[ARCH_COUNT])COSTS(9000000, 9000000));
	struct machine *m = machine_parse("cuda:1 cpu:1", NULL);
	struct dag *d;

	m->workers[0].arch = m->nodes[1].arch = ARCH_CPU;
	m->nodes[1].rank = 1;
	for (uint32_t t = URGENT; t <= LONG; t++) {
		uint32_t handle = dag_builder_handle(b, 1000);

		dag_builder_access(b, dag_builder_task(b, t == LONG ? slow : type), handle, ACCESS_R | ACCESS_W);
	}
	dag_builder_edge(b, URGENT, LONG);
	dag_builder_edge(b, FIRST, SHORT);
	d = dag_builder_finish(b, NULL);
	d->nranks = 2;
	d->tasks[LONG].rank = 1;
	for (int cut = 0; cut < 2; cut++) {
		struct config *c = cut ? config_under("placement", "", 0) : config_under("dmdas", "", 1);

		CHECK_INT(known_plan_scope(c, d), RANKS_ALONE);
		plan_make(c, d, m, 1);
		CHECK_INT(known_plan_scope(c, d), RANKS_TOGETHER);
		REQUIRE(c->nplans == 2);
		CHECK_INT(c->plans[0].ntasks, 3);
		CHECK_INT(c->plans[1].ntasks, 1);
		CHECK(c->plans[0].rank[URGENT] > c->plans[0].rank[FIRST]);
		CHECK(c->plans[0].rank[FIRST] > c->plans[0].rank[SHORT]);
		c->nplans = 1;
		CHECK_INT(known_plan_scope(c, d), RANKS_ALONE);
		config_free(c);
	}
	for (int scope = RANKS_TOGETHER; scope <= RANKS_ALONE; scope++) {
		struct dag *ranked = rank_dag(d, m, (enum rank_scope)scope, NULL);

		REQUIRE(ranked);
		CHECK_INT(ranked->tasks[URGENT].priority > ranked->tasks[FIRST].priority, scope == RANKS_TOGETHER);
		dag_free(ranked);
	}
	machine_free(m);
	dag_free(d);
}

/* A policy that takes neither owners nor ranks has no plan. */
static void test_none(void)
{
	struct dag *d = graph_cholesky(3, 1000);
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct config *c = config_under("dmdas", "", 0);

	plan_make(c, d, m, 1);
	CHECK_INT(c->nplans, 0);
	config_free(c);
	machine_free(m);
	dag_free(d);
}

static int64_t makespan(const struct config *c, const struct dag *d, const struct machine *m, const char *options)
{
	struct simulate_options o = {.policy = &policy_placement, .policy_options = options, .config = c};
	struct simulation *s = simulate(d, m, &o, NULL);
	int64_t ns = s ? s->makespan_ns : -1;

	simulation_free(s);
	return ns;
}

/* What all tasks take on one worker. */
static int64_t busy_ns(const struct dag *d, enum arch a)
{
	int64_t sum = 0;

	for (uint32_t t = 0; t < d->ntasks; t++)
		sum += dag_cost(d, t, a);
	return sum;
}

/*
 * A replay follows the plan, whatever its owners are, with the plan's knobs, where graph and options are those of the
 * config. On another graph it has the config's knobs, and so it has on a machine without one of the owners.
 */
static void test_replays_follow(void)
{
	static const char knobs[] = "windows=2,seed=3,f=1000000";
	struct dag *d = graph_cholesky(TILES, 1000), *other = graph_cholesky(TILES - 1, 1000);
	struct machine *m = machine_parse("cpu:1 cuda:2", NULL), *fewer = machine_parse("cpu:1 cuda:1", NULL);
	struct config *c = config_under("placement", knobs, 0);
	struct config_plan two[2];
	struct config_place *places;
	int64_t planned;

	plan_make(c, d, m, 0);
	REQUIRE(c->nplans == 1);
	c->knobs = "";
	CHECK_INT(makespan(c, d, m, ""), makespan(NULL, d, m, knobs));
	for (uint32_t h = 0; h < c->plans[0].nhandles; h++)
		c->plans[0].owner[h] = (struct config_place){ARCH_CUDA, 0};
	planned = makespan(c, d, m, "");
	CHECK(planned > makespan(NULL, d, m, knobs)); /* nothing is stolen from the one GPU */
	CHECK_INT(makespan(c, d, m, "windows=2,seed=3"), makespan(NULL, d, m, "windows=2,seed=3"));
	CHECK_INT(makespan(c, other, m, ""), makespan(NULL, other, m, ""));
	CHECK(makespan(c, other, m, "") != makespan(NULL, other, m, knobs));
	CHECK_INT(makespan(c, d, fewer, ""), planned);
	places = calloc(d->ntasks, sizeof(*places));
	REQUIRE(places != NULL);
	c->plans[0].place = places;
	for (uint32_t t = 0; t < d->ntasks; t++)
		places[t] = (struct config_place){ARCH_CPU, 0};
	CHECK_INT(makespan(c, d, m, ""), busy_ns(d, ARCH_CPU)); /* nor from the one CPU */
	CHECK_INT(makespan(c, d, fewer, ""), busy_ns(d, ARCH_CPU));
	places[3] = (struct config_place){ARCH_CUDA, 1};
	CHECK_INT(makespan(c, d, fewer, ""), makespan(NULL, d, fewer, ""));
	two[0] = two[1] = c->plans[0];
	two[1].place = NULL;
	c->plans = two;
	c->nplans = 2;
	CHECK_INT(makespan(c, d, fewer, ""), planned); /* by the second plan of the graph, which has no places */
	c->nplans = 1;
	c->plans[0].place = NULL;
	free(places);
	c->plans[0].owner[0].devid = 1;
	CHECK_INT(makespan(c, d, fewer, ""), makespan(NULL, d, fewer, ""));
	c->plans[0].knobs = "f=many";
	CHECK_INT(makespan(c, d, m, ""), -1);
	config_free(c);
	machine_free(m);
	machine_free(fewer);
	dag_free(d);
	dag_free(other);
}

int main(void)
{
	RUN(test_placement);
	RUN(test_searched_ranks);
	RUN(test_too_large);
	RUN(test_buckets);
	RUN(test_ranks);
	RUN(test_ranks_of_mpi);
	RUN(test_none);
	RUN(test_replays_follow);
	return check_done();
}
