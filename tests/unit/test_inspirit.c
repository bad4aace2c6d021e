/* tests/unit/test_inspirit.c - INSPIRIT: the controller's transitions by table, and what each mode takes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/nready.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

/*
 * s_inc = s_dec = 4 tasks, k_inc = 1 task per ns. Each row: at that time, so many pushes, then a pop, whose mode is P
 * as pushed, A by ability or E by efficiency. The comment counts what is ready when the pop looks.
 */
static void test_controller(void)
{
	static const struct {
		double now;
		int pushes;
		char mode;
		uint64_t peak;
		uint32_t band;
	} rows[] = {
		{0, 2, 'P', 2, 0},    /* 2: a change of 2 decides nothing */
		{0, 3, 'A', 4, 0},    /* 4, in no time: an infinite slope */
		{5, 1, 'A', 4, 0},    /* 4: no change since */
		{6, 8, 'A', 11, 0},   /* 11: 7 in 6 ns, above 1 */
		{20, 8, 'E', 18, 0},  /* 18: 7 in 14 ns, below 1 */
		{21, 0, 'E', 18, 0},  /* 17: 1 since, not yet */
		{22, 0, 'E', 18, 0},  /* 16 */
		{23, 0, 'E', 18, 0},  /* 15 */
		{24, 0, 'E', 18, 0},  /* 14, still not below 18 - 4: falling by 4, slope -1, below k_inc */
		{25, 0, 'E', 18, 1},  /* 13, decreasing: not above 18 - 4, so the band goes down */
		{26, 0, 'E', 18, 1},  /* 12: not above 18 - 8 + 2 */
		{27, 0, 'E', 18, 1},  /* 11 */
		{28, 0, 'E', 18, 2},  /* 10: not above 18 - 8, so another band */
		{29, 4, 'A', 18, 2},  /* 13: above 18 - 8, by ability */
		{30, 0, 'A', 18, 2},  /* 12 */
		{31, 0, 'A', 18, 2},  /* 11 */
		{32, 0, 'A', 18, 2},  /* 10: between 18 - 12 + 2 and 18 - 8, nothing changes */
		{33, 0, 'A', 18, 2},  /* 9 */
		{34, 0, 'E', 18, 2},  /* 8: not above 8 */
		{35, 12, 'E', 19, 0}, /* 19: another peak, no bands; 5 since the last decision at 20 ns, in 11 ns */
	};
	static const double first_ns = 1000; /* all times are after that of the first push */
	struct nready n = {.s_inc = 4, .s_dec = 4, .k_inc = 1};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum nready_mode mode;

		for (int k = 0; k < rows[i].pushes; k++)
			nready_push(&n, first_ns + rows[i].now);
		mode = nready_pop(&n, first_ns + rows[i].now);
		CHECK_INT("PAE"[mode], rows[i].mode);
		CHECK_INT(n.peak, rows[i].peak);
		CHECK_INT(n.band, rows[i].band);
		if (check_failures) {
			printf("# row %d\n", (int)i);
			return;
		}
	}
}

static double now_ns;
static uint64_t lacks[3];

static int64_t world_now(void *ctx)
{
	(void)ctx;
	return (int64_t)now_ns;
}

static void world_wake(void *ctx, int worker)
{
	(void)ctx;
	(void)worker;
}

static void world_missing(void *ctx, uint32_t task, int worker, struct policy_missing *missing)
{
	(void)ctx;
	(void)worker;
	*missing = (struct policy_missing){.invalid_bytes = lacks[task]};
}

/*
 * Tasks 0, 1 and 2 are ready, of 5 ns each. 0 has no successor, 1 two that take 100, 2 one that takes 1 and a chain of
 * two such after it: of 14 ns after its start, 1 brings nothing to an end, 2 three tasks.
 */
static struct dag *three_tasks(void)
{
	struct dag_builder *b = dag_builder_create();
	const int64_t ready[ARCH_COUNT] = COSTS(5, -1);
	const int64_t longer[ARCH_COUNT] = COSTS(100, -1);
	const int64_t shorter[ARCH_COUNT] = COSTS(1, -1);

	dag_builder_type(b, "ready", ready);
	dag_builder_type(b, "long", longer);
	dag_builder_type(b, "short", shorter);
	for (uint32_t i = 0; i < 8; i++)
		dag_builder_task(b, i < 3 ? 0 : i < 5 ? 1 : 2);
	dag_builder_edge(b, 1, 3);
	dag_builder_edge(b, 1, 4);
	dag_builder_edge(b, 2, 5);
	dag_builder_edge(b, 5, 6);
	dag_builder_edge(b, 6, 7);
	return dag_builder_finish(b, NULL);
}

/* 1000 ns after their pushes one CPU worker takes the three: which is first to last. */
static void check_order(const char *options, const uint32_t order[3])
{
	struct policy_world w = {.now = world_now, .wake = world_wake, .missing = world_missing};
	struct ht_err err = {""};
	struct dag *d = three_tasks();
	struct machine *m = machine_parse("cpu:1", NULL);
	void *state;

	w.dag = d;
	w.machine = m;
	now_ns = 5000;
	state = policy_inspirit.create(&policy_inspirit, &w, options, &err);
	CHECK_STR(err.text, "");
	for (uint32_t i = 0; i < 3; i++)
		policy_inspirit.push(state, i, -1);
	now_ns += 1000;
	for (int i = 0; i < 3; i++)
		CHECK_INT(policy_inspirit.pop(state, 0), order[i]);
	CHECK_INT(policy_inspirit.pop(state, 0), POLICY_NO_TASK);
	policy_inspirit.free(state);
	machine_free(m);
	dag_free(d);
}

/* A slope of 3 tasks in 1000 ns is 3e6 a second. */
static void test_modes(void)
{
	memset(lacks, 0, sizeof(lacks));
	check_order("s_inc=10,s_dec=10", (const uint32_t[]){0, 1, 2});
	check_order("s_inc=3,s_dec=10,k_inc=1e6", (const uint32_t[]){2, 1, 0});
	check_order("s_inc=3,s_dec=10,k_inc=1e6,ability=direct", (const uint32_t[]){1, 2, 0});
	check_order("s_inc=3,s_dec=10,k_inc=1e7,window=0.014", (const uint32_t[]){2, 0, 1});
	check_order("s_inc=3,s_dec=10,k_inc=1e7,window=0.001", (const uint32_t[]){0, 1, 2});
}

/* By efficiency, what lacks less comes first among the most efficient; by ability it does not matter. */
static void test_locality(void)
{
	lacks[0] = 30;
	lacks[1] = 10;
	lacks[2] = 20;
	check_order("s_inc=3,s_dec=10,k_inc=1e7,window=0.014", (const uint32_t[]){1, 2, 0});
	check_order("s_inc=3,s_dec=10,k_inc=1e7,window=0.014,locality=2", (const uint32_t[]){2, 1, 0});
	check_order("s_inc=3,s_dec=10,k_inc=1e7,window=0.014,locality=1", (const uint32_t[]){2, 0, 1});
	check_order("s_inc=3,s_dec=10,k_inc=1e6", (const uint32_t[]){2, 1, 0});
}

/* With a step that is never reached nothing is decided, and it is dmda. */
static void test_dmda(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2 link:2GB/s", NULL);

	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct dag *d = seed % 2 ? graph_layers(seed, 15, 12, 1000) : graph_cholesky(8, 1000);
		struct simulate_options o = {.transfers = TRANSFERS_ON};
		struct simulation *inspirit, *dmda;

		o.policy = policy_find("inspirit:s_inc=1e9,s_dec=1e9,alpha=2,beta=0.5", &o.policy_options, NULL);
		inspirit = simulate(d, m, &o, NULL);
		o.policy = policy_find("dmda:beta=0.5,alpha=2", &o.policy_options, NULL);
		dmda = simulate(d, m, &o, NULL);
		CHECK_INT(inspirit->makespan_ns, dmda->makespan_ns);
		CHECK_INT(inspirit->bytes_moved, dmda->bytes_moved);
		simulation_free(inspirit);
		simulation_free(dmda);
		dag_free(d);
	}
	machine_free(m);
}

static void test_knobs(void)
{
	static const char *const bad[][2] = {
		{"inspirit:ability=x", "policy inspirit: ability is transitive or direct, found \"x\""},
		{"inspirit:s_inc=-1", "policy inspirit: s_inc is a number from 0 to 1e+09, found \"-1\""},
		{"inspirit:k_inc=", "policy inspirit: k_inc is a number from 0 to 1e+18, found \"\""},
		{"inspirit:locality=65", "policy inspirit: locality is a number from 0 to 64, found \"65\""},
		{"inspirit:alpha=x", "policy inspirit: alpha is a number from 0 to 1e+09, found \"x\""},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_refused(bad[i][0], bad[i][1]);
}

int main(void)
{
	RUN(test_controller);
	RUN(test_modes);
	RUN(test_locality);
	RUN(test_dmda);
	RUN(test_knobs);
	return check_done();
}
