/* tests/unit/test_locality.c - the tables of LAHeteroprio's paper, and where StarPU's code departs from it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/heteroprio/locality.h"

#include "core/base/err.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

/* "A/R/1 B/W/1" and which node holds what, node by node: "A", "AB", ... */
static uint32_t data_of(const char *text, const char *const *hosts, int n, struct locality_datum *data)
{
	uint32_t count = 0;
	char name, mode;
	unsigned bytes;
	int used;

	for (; sscanf(text, " %c/%c/%u%n", &name, &mode, &bytes, &used) == 3; text += used) {
		data[count] = (struct locality_datum){.bytes = bytes, .written = mode == 'W'};
		for (int m = 0; m < n; m++)
			data[count].there |= (uint64_t)(strchr(hosts[m], name) != NULL) << m;
		count++;
	}
	return count;
}

/*
 * Table 1. Winners as masks. The fifth row is the one that the printed formula contradicts: with A = 2, C = 2 and D = 2
 * node 1 holds A and C, 4 bytes, as many as node 2 with C and D, so that LS_SDH has two winners, where the paper prints
 * node 2 alone.
 */
static void table_1(void)
{
	static const struct {
		const char *task, *hosts[3];
		unsigned winners[4]; /* LS_SDH, LS_SDH2, LS_SDHB, LC_SMWB */
	} rows[] = {
		{"A/R/1 B/W/1", {"A", "A", "B"}, {7, 7, 4, 4}},
		{"A/R/1 B/W/1", {"A", "AB", "B"}, {2, 2, 2, 2}},
		{"A/W/1 B/W/1 C/W/2", {"AB", "C", "AC"}, {4, 4, 4, 4}},
		{"A/W/1 B/W/1 C/W/1", {"AB", "AB", "AC"}, {7, 7, 7, 7}},
		{"A/R/2 B/R/1 C/W/2 D/W/2", {"AB", "AC", "CD"}, {6, 4, 4, 4}},
		{"A/W/10 B/W/11 C/W/18 D/W/11", {"AD", "C", "BD"}, {4, 2, 4, 4}},
		{"A/W/10 B/W/11 C/W/22 D/W/11", {"AD", "C", "BD"}, {6, 2, 4, 6}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct locality_datum data[4];
		struct locality_task t = {.data = data, .nnodes = 3, .pusher = 1};
		int nodes[LOCALITY_FORMULAS];

		t.ndata = data_of(rows[i].task, rows[i].hosts, 3, data);
		locality_nodes(LOCALITY_PAPER, &t, nodes);
		for (int f = 0; f < 4; f++) {
			enum locality_formula formula = (enum locality_formula)(LOCALITY_LS_SDH + f);

			CHECK_INT(locality_best(LOCALITY_PAPER, formula, &t), rows[i].winners[f]);
			/* The pusher's node where it is among them. */
			CHECK_INT(locality_node(LOCALITY_PAPER, formula, &t),
			          rows[i].winners[f] & 2 ? 1 : __builtin_ctz(rows[i].winners[f]));
			CHECK_INT(nodes[formula], locality_node(LOCALITY_PAPER, formula, &t));
		}
	}
}

static void scores(void)
{
	static const char *const hosts[] = {"AB", "AC", "CD"};
	static const double want[][3] = {{3, 4, 4}, {3, 6, 8}, {3, 2002, 8000}, {6, 4, 3}};
	struct locality_datum data[4];
	struct locality_task t = {.data = data, .nnodes = 3};
	double score[3];

	t.ndata = data_of("A/R/2 B/R/1 C/W/2 D/W/2", hosts, 3, data);
	for (int f = 0; f < 4; f++) {
		locality_scores(LOCALITY_PAPER, (enum locality_formula)(LOCALITY_LS_SDH + f), &t, score);
		for (int m = 0; m < 3; m++)
			CHECK_NEAR(score[m], want[f][m], 1e-12);
	}
}

static void large_data(void)
{
	struct locality_datum data[2] = {{5ull << 30, 1, 1}, {5ull << 30, 2, 0}};
	struct locality_task t = {.data = data, .ndata = 2, .nnodes = 2, .pusher = 1};

	CHECK_INT(locality_node(LOCALITY_PAPER, LOCALITY_LS_SDH2, &t), 0);
	data[0].bytes = 1ull << 32; /* its square is 0 in StarPU's 64 bits */
	CHECK_INT(locality_node(LOCALITY_PAPER, LOCALITY_LS_SDH2, &t), 0);
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LS_SDH2, &t), 1);
}

static void laru_and_mc(void)
{
	double ns[4] = {7, 3, NAN, 3};
	struct locality_task t = {.nnodes = 4, .pusher = 3, .transfer = ns};

	CHECK_INT(locality_best(LOCALITY_PAPER, LOCALITY_LARU, &t), 8);
	CHECK_INT(locality_best(LOCALITY_PAPER, LOCALITY_MC, &t), 10);
	CHECK_INT(locality_node(LOCALITY_PAPER, LOCALITY_MC, &t), 3);
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_MC, &t), 1);
	t.transfer = NULL;
	CHECK_INT(locality_node(LOCALITY_PAPER, LOCALITY_MC, &t), -1);
}

static void starpu_ties(void)
{
	struct locality_datum data[2] = {{8, 4, 0}, {8, 2, 0}};
	struct locality_task t = {.data = data, .ndata = 2, .nnodes = 3, .pusher = 0};

	/* Node 2 got there first; the pusher has nothing. */
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LS_SDH, &t), 2);
	CHECK_INT(locality_node(LOCALITY_PAPER, LOCALITY_LS_SDH, &t), 1);
	t.pusher = 1;
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LS_SDH, &t), 1);
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LC_SMWB, &t), 1);
	/* Data that is nowhere: node 0 or the pusher's. */
	data[0].there = data[1].there = 0;
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LS_SDH, &t), 0);
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LS_SDHB, &t), 1);
	CHECK_INT(locality_node(LOCALITY_PAPER, LOCALITY_LS_SDH, &t), 1);
	t.ndata = 0;
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LC_SMWB, &t), 0);
	CHECK_INT(locality_node(LOCALITY_STARPU, LOCALITY_LS_SDHB, &t), 1);
}

/* Two written data of which one is everywhere: the paper counts it in the number, StarPU does not. */
static void starpu_everywhere(void)
{
	struct locality_datum data[2] = {{8, 3, 1}, {2, 2, 1}};
	struct locality_task t = {.data = data, .ndata = 2, .nnodes = 2};
	double score[2];

	locality_scores(LOCALITY_PAPER, LOCALITY_LS_SDHB, &t, score);
	CHECK_NEAR(score[0], 8000, 0);
	CHECK_NEAR(score[1], 20000, 0);
	locality_scores(LOCALITY_STARPU, LOCALITY_LS_SDHB, &t, score);
	CHECK_NEAR(score[0], 0, 0);
	CHECK_NEAR(score[1], 2000, 0);
}

static void swapped_names(void)
{
	CHECK_STR(locality_starpu_name(LOCALITY_LS_SDHB), "LC_SMWB");
	CHECK_STR(locality_starpu_name(LOCALITY_LC_SMWB), "LS_SDHB");
	CHECK_STR(locality_starpu_name(LOCALITY_AUTO), "AUTO");
	CHECK_INT(locality_find("nothing"), -1);
	for (int f = 0; f < LOCALITY_FORMULAS; f++) {
		CHECK_INT(locality_find(locality_paper_name((enum locality_formula)f)), f);
		CHECK_INT(locality_find(locality_config_name((enum locality_formula)f)), f);
	}
	CHECK(!locality_is_write(ACCESS_R));
	CHECK(locality_is_write(ACCESS_R | ACCESS_W));
	CHECK(locality_is_write(ACCESS_SCRATCH));
	CHECK(!locality_is_write(ACCESS_R | ACCESS_UNORDERED)); /* what is our own mark makes no write of a read */
}

static void automatic(void)
{
	uint64_t changed[LOCALITY_FORMULAS] = {0};

	CHECK_INT(locality_automatic(LOCALITY_PAPER, changed, 0), LOCALITY_LS_SDH);
	CHECK_INT(locality_automatic(LOCALITY_STARPU, changed, 0), LOCALITY_LC_SMWB);
	CHECK_INT(locality_automatic(LOCALITY_STARPU, changed, 1), LOCALITY_LS_SDHB);
	changed[LOCALITY_LS_SDH] = changed[LOCALITY_LS_SDHB] = 3;
	changed[LOCALITY_LS_SDH2] = changed[LOCALITY_LC_SMWB] = 2;
	CHECK_INT(locality_automatic(LOCALITY_PAPER, changed, 9), LOCALITY_LS_SDH2);
	CHECK_INT(locality_automatic(LOCALITY_STARPU, changed, 9), LOCALITY_LC_SMWB);
}

static void transfer_distance(void)
{
	struct ht_err err;
	struct machine *m = machine_parse("cpu:2 cuda:2 link:10GB/s", &err);
	double ns[9], d[9];

	CHECK(m != NULL);
	if (!m)
		return;
	locality_transfer_times(m, ns);
	/* 2 devices, both ways: 4 GiB at 10 GB/s, and 10 us; through main memory twice that. */
	CHECK_NEAR(ns[1], 1e4 + 4 * 1073741824. / 10, 1e-9);
	CHECK_NEAR(ns[1 * 3 + 2], 2 * ns[1], 1e-12);
	CHECK_NEAR(ns[0], 0, 0);
	locality_transfer_distance(ns, 3, d);
	CHECK_NEAR(d[1], 0.5, 1e-12);
	CHECK_NEAR(d[5], 1, 0);
	ns[0] = 0;
	locality_transfer_distance(ns, 1, d); /* a single node is no distance from itself, not 0/0 */
	CHECK_NEAR(d[0], 0, 0);
	machine_free(m);
}

static void priority_distance(void)
{
	static const int forward[] = {0, 1, 2, 3}, backward[] = {-1, 2, 1, 0};

	CHECK_NEAR(locality_priority_distance(forward, forward, 4), 1, 0);
	/* 1-based 1,2,3,4 and 0,3,2,1: differences 1+1+1+3 of 5 * 6 / 2. */
	CHECK_NEAR(locality_priority_distance(forward, backward, 4), 1 - 6. / 15, 1e-12);
	CHECK_NEAR(locality_priority_distance(backward, forward, 4), 1 - 6. / 15, 1e-12);
	/* A bucket that is not in a list counts as place 0: 0,1,2 and 1,2,0. */
	CHECK_NEAR(locality_priority_distance((int[]){-1, 0, 1}, (int[]){0, 1, -1}, 3), 1 - 4. / 6, 1e-12);
}

static void nearest(void)
{
	static const double priority[9] = {1, .6, .6, .6, 1, 1, .6, 1, 1};
	static const double transfer[9] = {0, .5, .5, .5, 0, 1, .5, 1, 0};
	static const double equal[16];
	double d[9];
	int order[4];

	locality_distance(LOCALITY_ALPHA, priority, transfer, 3, d);
	CHECK_NEAR(d[3], .55, 1e-12);
	CHECK_NEAR(d[5], 1, 1e-12);
	locality_nearest(d, 3, 1, order);
	CHECK(order[0] == 1 && order[1] == 0 && order[2] == 2);
	locality_nearest(d, 3, 2, order);
	CHECK(order[0] == 2 && order[1] == 0 && order[2] == 1);
	/* Ties stay as StarPU's swap of the node to the front leaves them. */
	locality_nearest(equal, 4, 2, order);
	CHECK(order[0] == 2 && order[1] == 1 && order[2] == 0 && order[3] == 3);
}

static void check_order(const int *near, int nslots, int step, int close, const struct locality_access *want)
{
	struct locality_access got[12];
	int count = locality_access_order(near, 3, nslots, step, close, got);

	CHECK_INT(count, nslots * 3);
	for (int i = 0; i < count; i++) {
		CHECK_INT(got[i].slot, want[i].slot);
		CHECK_INT(got[i].node, want[i].node);
	}
}

/* Table 3: nodes CPU 0, GPU-0 1, GPU-1 2; slots of the GPUs: 0 is bucket 3, 1 bucket 2, 2 bucket 1. */
static void table_3(void)
{
	static const struct locality_access gpu0[] = {{0, 1}, {1, 1}, {0, 0}, {1, 0}, {2, 1},
	                                              {2, 0}, {0, 2}, {1, 2}, {2, 2}};
	static const struct locality_access gpu1[] = {{0, 2}, {1, 2}, {0, 0}, {1, 0}, {2, 2},
	                                              {2, 0}, {0, 1}, {1, 1}, {2, 1}};
	/* B goes to GPU-1 before GPU-0, though in row CPU of A it is the further one: A is read by columns there. */
	static const struct locality_access cpu[] = {{0, 0}, {1, 0}, {0, 2}, {0, 1}, {1, 2}, {1, 1},
	                                             {2, 0}, {3, 0}, {2, 2}, {2, 1}, {3, 2}, {3, 1}};

	check_order((int[]){1, 0, 2}, 3, 2, 1, gpu0);
	check_order((int[]){2, 0, 1}, 3, 2, 1, gpu1);
	check_order((int[]){0, 2, 1}, 4, 2, 2, cpu);
	check_order((int[]){0, 2, 1}, 4, 2, 99, cpu);
}

/* Whatever step and subgroup, each list is visited exactly once. */
static void every_list_once(void)
{
	static const int near[] = {2, 0, 3, 1};

	for (int step = 1; step < 8; step++) {
		for (int close = 0; close < 6; close++) {
			struct locality_access order[24];
			unsigned seen = 0;

			CHECK_INT(locality_access_order(near, 4, 6, step, close, order), 24);
			for (int i = 0; i < 24; i++)
				seen |= 1u << (order[i].slot * 4 + (unsigned)order[i].node);
			CHECK_INT(seen, (1u << 24) - 1);
		}
	}
	CHECK_INT(locality_access_order(near, 4, 6, INT32_MAX, 1, (struct locality_access[24]){{0, 0}}), 24);
}

int main(void)
{
	RUN(table_1);
	RUN(scores);
	RUN(large_data);
	RUN(laru_and_mc);
	RUN(starpu_ties);
	RUN(starpu_everywhere);
	RUN(swapped_names);
	RUN(automatic);
	RUN(transfer_distance);
	RUN(priority_distance);
	RUN(nearest);
	RUN(table_3);
	RUN(every_list_once);
	return check_done();
}
