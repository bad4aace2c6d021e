/* tests/unit/test_placement.c - the policy placement: tasks and workers by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "core/trace/trace.h"
#include "sched/placement/placement_state.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

/* Costs on a CPU and a GPU. The tasks are a chain, which gives each its rank, though all are pushed as if ready. */
enum { EVEN, FAST, FASTER, CPU_ONLY, NTYPES, PER_TYPE = 4, NTASKS = NTYPES * PER_TYPE, NDATA = 4 };

static const int64_t costs[NTYPES][2] = {{11, 10}, {40, 10}, {80, 10}, {30, -1}};

/*
 * Tasks 0 to 3 are EVEN, 4 to 7 FAST, 8 to 11 FASTER, 12 to 15 CPU_ONLY; the first one of a type has the lowest rank.
 * Task i writes datum i % 4, whose owner the test sets. Workers 0 and 1 are GPUs, 2 and 3 CPUs.
 */
struct bench {
	struct dag *d;
	struct machine *m;
	struct placement_base base;
	struct placement_plan plan;
	void *state;
	uint64_t woken;              /* a bit a worker */
	int prefetched, takes_ahead; /* -1: nothing; whether devices do */
	uint32_t prefetched_task;
	int nprefetched;
	int ahead[4];           /* per worker */
	int64_t transfer_ns[2]; /* of what any task lacks on CPUs, on devices */
	uint32_t absent;        /* a bit a datum: it is nowhere but in main memory */
	struct distributed {
		uint32_t handle;
		int worker;
		int32_t priority;
	} distributed[NDATA];
	int ndistributed;
};

static void bench_prefetch(void *ctx, uint32_t task, int worker)
{
	struct bench *b = ctx;

	b->prefetched = worker;
	b->prefetched_task = task;
	b->nprefetched++;
}

static int bench_takes_ahead(void *ctx, uint32_t task, int worker)
{
	const struct bench *b = ctx;

	(void)task;
	return b->takes_ahead && b->m->workers[worker].arch != ARCH_CPU;
}

static int bench_ahead(void *ctx, int worker)
{
	return ((const struct bench *)ctx)->ahead[worker];
}

static void bench_prefetch_data(void *ctx, uint32_t handle, int worker, int32_t priority)
{
	struct bench *b = ctx;

	b->distributed[b->ndistributed++] = (struct distributed){handle, worker, priority};
}

static int64_t bench_transfer_ns(void *ctx, uint32_t task, int worker)
{
	const struct bench *b = ctx;

	(void)task;
	return b->transfer_ns[b->m->workers[worker].arch != ARCH_CPU];
}

static void bench_where(void *ctx, uint32_t handle, uint64_t *valid, uint64_t *coming)
{
	*valid = ((const struct bench *)ctx)->absent >> handle & 1 ? 1 : UINT64_MAX;
	*coming = 0;
}

static void bench_wake(void *ctx, int worker)
{
	struct bench *b = ctx;

	b->woken |= UINT64_C(1) << worker;
}

/* `reversed`: types of tasks the other way round, CPU_ONLY first. */
static void bench_make(struct bench *b, const char *machine, const char *options, int reversed)
{
	struct dag_builder *builder = dag_builder_create();
	struct policy_world w = {.now = play_no_time,
	                         .wake = bench_wake,
	                         .prefetch = bench_prefetch,
	                         .prefetch_data = bench_prefetch_data,
	                         .takes_ahead = bench_takes_ahead,
	                         .ahead = bench_ahead,
	                         .transfer_ns = bench_transfer_ns,
	                         .where = bench_where,
	                         .copies_take_time = 1,
	                         .ctx = b};
	struct placement_knobs knobs;

	memset(b, 0, sizeof(*b));
	b->prefetched = -1;
	for (int i = 0; i < NTYPES; i++) {
		const int64_t cost[ARCH_COUNT] = {costs[i][0], costs[i][1], -1, -1, -1, -1, -1, -1, -1};

		dag_builder_type(builder, (const char *[]){"even", "fast", "faster", "cpu"}[i], cost);
	}
	for (uint32_t i = 0; i < NDATA; i++)
		dag_builder_handle(builder, 100);
	for (uint32_t i = 0; i < NTASKS; i++)
		dag_builder_access(builder, dag_builder_task(builder, (reversed ? NTASKS - 1 - i : i) / PER_TYPE),
		                   i % NDATA, ACCESS_R | ACCESS_W);
	for (uint32_t i = 1; i < NTASKS; i++)
		dag_builder_edge(builder, i, i - 1);
	w.dag = b->d = dag_builder_finish(builder, NULL);
	w.machine = b->m = machine_parse(machine, NULL);
	CHECK_INT(placement_base_init(&b->base, b->d, b->m, 0, NULL), 0);
	CHECK_INT(placement_knobs_read(&knobs, options, NULL), 0);
	placement_plan_init(&b->plan, &b->base, &knobs);
	w.data = &b->plan;
	b->state = policy_placement.create(&policy_placement, &w, options, NULL);
	CHECK(b->state != NULL);
}

static void bench_open(struct bench *b, const char *machine, const char *options)
{
	bench_make(b, machine, options, 0);
}

static void bench_close(struct bench *b)
{
	policy_placement.free(b->state);
	placement_plan_fini(&b->plan);
	placement_base_fini(&b->base);
	machine_free(b->m);
	dag_free(b->d);
}

static void push(struct bench *b, uint32_t task)
{
	policy_placement.push(b->state, task, -1);
}

static int64_t pop(struct bench *b, int worker)
{
	uint32_t task = policy_placement.pop(b->state, worker);

	return task == POLICY_NO_TASK ? -1 : (int64_t)task;
}

/* All data belongs to GPU 0; f forbids theft. */
static void test_rank_order(void)
{
	static const uint32_t pushed[] = {5, 9, 4, 11, 6};
	static const int64_t popped[] = {11, 9, 6, 5, 4, -1};
	struct bench b;

	bench_open(&b, "cuda:2 cpu:2", "f=1e6,q=1");
	for (int h = 0; h < NDATA; h++)
		b.plan.owner[h] = 0;
	for (int i = 0; i < 5; i++)
		push(&b, pushed[i]);
	CHECK_INT(pop(&b, 1), -1);
	CHECK_INT(pop(&b, 2), -1);
	for (int i = 0; i < 6; i++)
		CHECK_INT(pop(&b, 0), popped[i]);
	CHECK(policy_placement.priority(b.state, 9) > policy_placement.priority(b.state, 6));
	bench_close(&b);
}

/*
 * Datum 0 belongs to GPU 0, the others to GPU 1; `waiting` tasks FASTER, 10 each, wait at GPU 0, and where `busy` one
 * CPU_ONLY, 15 for each of the CPUs. EVEN loses 1 on a CPU, FAST 30: they go there where b times what waits is more.
 */
static void test_owners(void)
{
	static const struct {
		const char *options;
		int waiting, busy;
		uint32_t task;
		int worker;
	} cases[] = {
		{"s=0,f=1e6", 0, 0, 0, 0},
		{"s=0,f=1e6", 1, 0, 0, 2},
		{"s=0,f=1e6,b=0.09", 1, 0, 0, 0},
		{"s=0,f=1e6,b=0.11", 1, 0, 0, 2},
		{"s=0,f=1e6", 1, 1, 0, 0},
		{"s=0,f=1e6", 2, 1, 0, 2},
		{"s=0,f=1e6", 1, 0, 1, 1},
		{"s=0,f=1e6", 3, 0, 4, 0},
		{"s=0,f=1e6", 4, 0, 4, 2},
		{"s=0,f=1e6,q=3.9", 4, 0, 4, 0},
		{"s=0,f=1e6,q=4.1,b=10", 1, 0, 4, 2},
		{"s=0,f=1e6,q=0", 4, 0, 0, 0},
		{"s=0,f=1e6,b=0", 0, 0, CPU_ONLY * PER_TYPE, 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", cases[i].options);
		for (int k = 0; k < cases[i].waiting; k++) {
			b.plan.owner[k] = 0;
			push(&b, FASTER * PER_TYPE + (uint32_t)k);
		}
		if (cases[i].busy)
			push(&b, CPU_ONLY * PER_TYPE + 1);
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = h > 0;
		push(&b, cases[i].task);
		CHECK_INT(b.prefetched, cases[i].worker);
		bench_close(&b);
	}
}

/* The data of a task is asked for at once where its worker would not do so while it executes another one. */
static void test_prefetch(void)
{
	static const struct {
		const char *options;
		int takes_ahead;
		uint32_t task;
		int worker;
	} cases[] = {
		{"prefetch=least", 0, FASTER * PER_TYPE, 0},          {"prefetch=least", 1, CPU_ONLY * PER_TYPE, 2},
		{"prefetch=least", 1, FASTER * PER_TYPE, -1},         {"prefetch=all", 1, FASTER * PER_TYPE, 0},
		{"prefetch=least,ahead=1", 1, FASTER * PER_TYPE, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", cases[i].options);
		b.takes_ahead = cases[i].takes_ahead;
		b.plan.owner[0] = 0;
		push(&b, cases[i].task);
		CHECK_INT(b.prefetched, cases[i].worker);
		bench_close(&b);
	}
}

/* By default also that of the first one in a device's queue, once others wait behind it. */
static void test_prefetch_of_next(void)
{
	struct bench b;

	bench_open(&b, "cuda:2 cpu:2 link:100GB/s latency:0ns", "rank=hops,q=0"); /* a copy takes 1 ns, a task 10 ns */
	b.takes_ahead = 1;
	for (int h = 0; h < NDATA; h++)
		b.plan.owner[h] = 0;
	push(&b, 4);
	CHECK_INT(b.nprefetched, 0);
	push(&b, 6);
	CHECK_INT(b.prefetched_task, 6);
	push(&b, 9);
	CHECK_INT(b.prefetched_task, 9);
	CHECK_INT(b.nprefetched, 2);
	push(&b, 5);
	CHECK_INT(pop(&b, 0), 9);
	CHECK_INT(pop(&b, 0), 6);
	CHECK_INT(b.nprefetched, 3);
	CHECK_INT(b.prefetched_task, 5);
	CHECK_INT(pop(&b, 0), 5);
	CHECK_INT(pop(&b, 0), 4);
	CHECK_INT(b.nprefetched, 3);
	bench_close(&b);
}

/* And of those behind it, as long as what is before them takes less than twice their copies; nobody steals these. */
static void test_prefetch_of_next_few(void)
{
	struct bench b;

	bench_open(&b, "cuda:2 cpu:2 link:100GB/s latency:14ns", "rank=hops,q=0,f=0"); /* 15 ns: three tasks of 10 ns */
	b.takes_ahead = 1;
	for (int h = 0; h < NDATA; h++)
		b.plan.owner[h] = 0;
	for (uint32_t i = 4; i < 9; i++)
		push(&b, i);
	CHECK_INT(b.nprefetched, 5); /* each came first */
	push(&b, 1);
	push(&b, 2);
	CHECK_INT(b.nprefetched, 5);
	CHECK_INT(pop(&b, 1), 1);
	CHECK_INT(pop(&b, 0), 8);
	CHECK_INT(pop(&b, 0), 7);
	CHECK_INT(b.nprefetched, 5);
	CHECK_INT(pop(&b, 0), 6);
	CHECK_INT(b.nprefetched, 6);
	CHECK_INT(b.prefetched_task, 2);
	CHECK_INT(pop(&b, 1), -1);
	bench_close(&b);
}

/* A worker that has as many tasks to begin as it may have gets no other one, and is not taken for one that sleeps. */
static void test_ahead(void)
{
	struct bench b;

	bench_open(&b, "cuda:2 cpu:2", "rank=hops,q=0,f=1e9,ahead=2");
	for (int h = 0; h < NDATA; h++)
		b.plan.owner[h] = 0;
	push(&b, 8);
	push(&b, 9);
	b.ahead[0] = 1;
	CHECK_INT(pop(&b, 0), 9);
	b.ahead[0] = 2;
	CHECK_INT(pop(&b, 0), -1);
	b.woken = 0;
	push(&b, 10);
	CHECK(!b.woken);
	b.ahead[0] = 1;
	CHECK_INT(pop(&b, 0), 10);
	bench_close(&b);
}

/*
 * A hop of the chain is 1e6 of rank. FAST for GPU 0, where FASTER waits, of a rank 5e6 higher: 40 on a CPU is less than
 * 10 + 10 + 5e6 s where s is more than 4e-6. What is more urgent than all that wait stays.
 */
static void test_slack(void)
{
	static const struct {
		const char *options;
		uint32_t waiting, task;
		int worker;
	} cases[] = {
		{"rank=hops,f=1e6,s=3.9e-6", 9, 4, 0},
		{"rank=hops,f=1e6,s=4.1e-6", 9, 4, 2},
		{"rank=hops,f=1e6,s=1,q=3.9", 9, 4, 0},
		{"rank=hops,f=1e6,s=1e9", 9, 10, 0},
		{"rank=hops,f=1e6,s=4.1e-6,b=0", 9, 4, 0},
		{"rank=hops,f=1e6,s=6.1e-6,b=0", 9, 4, 2},
		{"rank=hops,f=1e6", 9, 4, 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", cases[i].options);
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = 0;
		push(&b, cases[i].waiting);
		push(&b, cases[i].task);
		CHECK_INT(b.prefetched, cases[i].worker);
		bench_close(&b);
	}
}

/*
 * Nothing is left but what waits, so what is before a task counts. FASTER 4 and EVEN 15 are at GPU 0, 20 of work, of
 * which EVEN 14 has one eleventh before it, and 13 two: more than the 1 that a CPU is slower, or half of that.
 */
static void test_work_before(void)
{
	static const struct {
		const char *options;
		uint32_t task;
		int worker;
	} cases[] = {
		{"s=0,f=1e6", 14, 2},        {"s=0,f=1e6,b=0.54", 14, 0}, {"s=0,f=1e6,b=0.56", 14, 2},
		{"s=0,f=1e6,b=0.27", 13, 0}, {"s=0,f=1e6,b=0.28", 13, 2}, {"s=0,f=1e6,b=0.09,waiting=all", 14, 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_make(&b, "cuda:2 cpu:2", cases[i].options, 1);
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = 0;
		push(&b, 4);
		push(&b, 15);
		push(&b, cases[i].task);
		CHECK_INT(b.prefetched, cases[i].worker);
		bench_close(&b);
	}
}

/* Tasks are taken by priority, which a search may have changed; the slack is by ranks. */
static void test_slack_of_searched(void)
{
	struct bench b;

	bench_open(&b, "cuda:2 cpu:2", "rank=hops,f=1e6,s=4.1e-6");
	for (int h = 0; h < NDATA; h++)
		b.plan.owner[h] = 0;
	b.plan.order.priority[9] = 0;
	push(&b, 9);
	push(&b, 8);
	push(&b, 3);
	CHECK_INT(b.prefetched, 2);
	CHECK_INT(pop(&b, 0), 8);
	CHECK_INT(pop(&b, 0), 9);
	bench_close(&b);
}

/*
 * GPU 0 has FAST 4, 5 and FASTER 8, 9: 40 are waiting. A CPU takes a task that takes it less than 40 / f: with f 0.75
 * that is FAST, of the lowest rank first; then 30 are waiting, less than 0.75 * 40. With f 0.25 it may take FASTER as
 * well, but FAST loses less; of what then waits, 20, FASTER is no more than 0.25 * 80. GPU 1 is as fast as GPU 0: all
 * have ratio 1, and it takes the lowest rank. The highest, 9, is nobody's but GPU 0's.
 */
static void test_theft(void)
{
	static const struct {
		const char *options;
		int worker;
		int64_t popped[4];
	} cases[] = {
		{"q=1,f=1", 2, {-1}},          {"q=1,f=0.75", 2, {4, -1}}, {"q=1,f=0.25", 2, {4, 5, -1}},
		{"q=1,f=0", 3, {4, 5, 8, -1}}, {"q=1,f=3", 1, {4, -1}},    {"q=1,f=1", 1, {4, 5, 8, -1}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", cases[i].options);
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = 0;
		for (uint32_t t = 4; t < 10; t++)
			if (t < 6 || t > 7)
				push(&b, t);
		for (int k = 0; k < 4 && (k == 0 || cases[i].popped[k - 1] >= 0); k++)
			CHECK_INT(pop(&b, cases[i].worker), cases[i].popped[k]);
		bench_close(&b);
	}
}

/*
 * A CPU takes FASTER 8 for 80 if the devices need longer for all that is left, or where a path through it is longer
 * than that: it is not to end after everything else. Another GPU would take 10.
 */
static void test_theft_of_the_last(void)
{
	static const struct {
		int64_t left_ns;
		double rank_ns;
		int worker;
		int64_t popped;
	} cases[] = {{81, 5, 2, 8}, {80, 5, 2, -1}, {80, 79, 2, -1}, {80, 80, 2, 8}, {10, 5, 1, 8}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", "q=1,f=0");
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = 0;
		for (uint32_t t = 8; t < 11; t++) {
			b.plan.order.rank[t] = cases[i].rank_ns;
			push(&b, t);
		}
		((struct placement *)b.state)->left.ns = cases[i].left_ns;
		CHECK_INT(pop(&b, cases[i].worker), cases[i].popped);
		bench_close(&b);
	}
}

/* As test_theft() with f=0 where copies fill the bus, without a plan: a CPU takes nothing, and GPU 1 does. */
static void test_theft_with_a_full_bus(void)
{
	for (int is_planned = 0; is_planned < 2; is_planned++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", "q=1,f=0");
		((struct placement *)b.state)->fills_bus = 1;
		((struct placement *)b.state)->is_planned = is_planned;
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = 0;
		push(&b, 0);
		push(&b, 4);
		push(&b, 5);
		CHECK_INT(pop(&b, 2), is_planned ? 0 : -1);
		CHECK_INT(pop(&b, 1), is_planned ? 4 : 0);
		bench_close(&b);
	}
}

/* As test_theft() with f=0, of an MPI rank that sends something, without a plan: a CPU takes nothing, GPU 1 all. */
static void test_theft_among_ranks(void)
{
	for (int is_planned = 0; is_planned < 2; is_planned++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", "q=1,f=0");
		b.d->nsends = 1;
		((struct placement *)b.state)->is_planned = is_planned;
		memset(b.plan.owner, 0, NDATA * sizeof(*b.plan.owner));
		push(&b, 4);
		push(&b, 8);
		push(&b, 9);
		CHECK_INT(pop(&b, 2), is_planned ? 4 : -1);
		CHECK_INT(pop(&b, 1), is_planned ? 8 : 4);
		b.d->nsends = 0;
		bench_close(&b);
	}
}

#define NO_COPIES "cuda:2 cpu:2 latency:0ns link:1000GB/s"
#define COPIES    "cuda:2 cpu:2 latency:0ns link:1GB/s"

/*
 * Where the datum of a task takes 100 to be copied, copies count twice. EVEN 1 takes a CPU 11, and GPU 0 10 after the
 * 10 that wait there. Of FAST a CPU takes 4, as in test_theft(), where 0.25 * 40 and copies are less than the 40 that
 * wait.
 */
static void test_copies(void)
{
	static const struct {
		const char *machine;
		int64_t transfer_ns[2], stolen;
		int worker;
	} cases[] = {
		{NO_COPIES, {1000, 0}, 4, 2}, {COPIES, {4, 0}, 4, 2},  {COPIES, {5, 0}, 4, 0},
		{COPIES, {5, 1}, 4, 2},       {COPIES, {14, 0}, 4, 0}, {COPIES, {15, 0}, -1, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, cases[i].machine, "f=1e6,s=0");
		memcpy(b.transfer_ns, cases[i].transfer_ns, sizeof(b.transfer_ns));
		memset(b.plan.owner, 0, NDATA * sizeof(*b.plan.owner));
		push(&b, 9);
		push(&b, 1);
		CHECK_INT(b.prefetched, cases[i].worker);
		bench_close(&b);
		bench_open(&b, cases[i].machine, "q=1,f=0.25");
		memcpy(b.transfer_ns, cases[i].transfer_ns, sizeof(b.transfer_ns));
		memset(b.plan.owner, 0, NDATA * sizeof(*b.plan.owner));
		for (uint32_t t = 4; t < 10; t++)
			if (t < 6 || t > 7)
				push(&b, t);
		CHECK_INT(pop(&b, 2), cases[i].stolen);
		bench_close(&b);
	}
}

/*
 * Copies to the CPUs come one after the other. For FAST 4 a CPU takes 0.25 * 40 and 2 * 8, less than the 40 that wait;
 * for FAST 5 26 and the 8 of 4 before it, not less than 30, until 4 has begun. EVEN 1 takes the CPUs 11, 15 in which
 * what waits there is executed while its data comes, and 2 * 6; GPU 0 takes 40.
 */
static void test_copies_in_turn(void)
{
	struct bench b;

	bench_open(&b, COPIES, "q=1,f=0.25");
	memset(b.plan.owner, 0, NDATA * sizeof(*b.plan.owner));
	b.transfer_ns[0] = 8;
	for (uint32_t t = 4; t < 10; t++)
		if (t < 6 || t > 7)
			push(&b, t);
	CHECK_INT(pop(&b, 2), 4);
	CHECK_INT(pop(&b, 3), -1);
	policy_placement.started(b.state, 4, 2);
	CHECK_INT(pop(&b, 3), 5);
	bench_close(&b);
	bench_open(&b, COPIES, "f=1e6,s=0");
	memset(b.plan.owner, 0, NDATA * sizeof(*b.plan.owner));
	b.transfer_ns[0] = 6;
	for (uint32_t t = 8; t < 11; t++)
		push(&b, t);
	push(&b, 12);
	push(&b, 1);
	CHECK_INT(b.prefetched, 2);
	CHECK_INT(b.prefetched_task, 1);
	bench_close(&b);
}

/* Tasks 9 and 5 use datum 1, which GPU 0 lacks, 8 datum 0. Where copies are long, 8 comes first, then the highest. */
static void test_absent_data(void)
{
	static const char *const machines[] = {NO_COPIES, COPIES};
	static const int64_t popped[][4] = {{9, 8, 5, -1}, {8, 9, 5, -1}};

	for (int i = 0; i < 2; i++) {
		struct bench b;

		bench_open(&b, machines[i], "f=1e6,q=1");
		b.absent = 1 << 1;
		memset(b.plan.owner, 0, NDATA * sizeof(*b.plan.owner));
		push(&b, 5);
		push(&b, 9);
		push(&b, 8);
		for (int k = 0; k < 4; k++)
			CHECK_INT(pop(&b, 0), popped[i][k]);
		bench_close(&b);
	}
}

/*
 * The CPUs have CPU_ONLY 12 and 13, 30 each, so 30 for each of the two workers; GPU 1 has FAST 4 and 5, 20. GPU 0 can
 * do nothing with the CPUs' tasks, though most is waiting there, and takes the lower one of GPU 1.
 */
static void test_second_victim(void)
{
	struct bench b;

	bench_open(&b, "cuda:2 cpu:2", "q=1,f=0.5");
	b.plan.owner[0] = b.plan.owner[1] = 1;
	push(&b, 12);
	push(&b, 13);
	push(&b, 4);
	push(&b, 5);
	CHECK_INT(pop(&b, 0), 4);
	CHECK_INT(pop(&b, 0), -1);
	CHECK_INT(pop(&b, 3), 13);
	CHECK_INT(pop(&b, 2), 12);
	bench_close(&b);
}

/*
 * All have asked in vain. FAST for GPU 0 wakes it, and the next one others that would steal the first: a CPU does where
 * 40 f < 20.
 */
static void test_wakes(void)
{
	static const struct {
		const char *options;
		uint64_t woken[3];
	} cases[] = {{"q=1,f=1", {1, 1 << 1, 0}}, {"q=1,f=0.2", {1, 1 << 1 | 1 << 2, 1 << 3}}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cuda:2 cpu:2", cases[i].options);
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = 0;
		for (int w = 0; w < 4; w++)
			CHECK_INT(pop(&b, w), -1);
		for (uint32_t k = 0; k < 3; k++) {
			b.woken = 0;
			push(&b, 4 + k);
			CHECK_INT(b.woken, cases[i].woken[k]);
		}
		bench_close(&b);
	}
}

/*
 * Tasks are a chain from 15 to 0, so 15 to 12, CPU_ONLY, are the first users of data 3 to 0, and none is copied to a
 * device. With the types the other way round the first users are 3 to 0; CPUs are as fast at them where q is 2. GPU 1
 * has room for one datum in half of its memory.
 */
static void test_distribution(void)
{
	static const struct {
		const char *options;
		int reversed;
		uint64_t capacity;
		int n;
		struct distributed expected[NDATA];
	} cases[] = {
		{"distribute=yes", 0, 0, 0, {{0}}},
		{"distribute=yes", 1, 0, 4, {{3, 1, 15}, {2, 0, 14}, {1, 1, 13}, {0, 0, 12}}},
		{"distribute=yes", 1, 399, 3, {{3, 1, 15}, {2, 0, 14}, {0, 0, 12}}},
		{"distribute=no", 1, 0, 0, {{0}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_make(&b, "cuda:2 cpu:2", cases[i].options, cases[i].reversed);
		for (int h = 0; h < NDATA; h++)
			b.plan.owner[h] = h % 2;
		b.m->nodes[b.m->workers[1].node].capacity_bytes = (int64_t)cases[i].capacity;
		for (uint32_t k = 0; k < b.d->ntasks; k++)
			policy_placement.added(b.state, dag_in_order(b.d, k));
		CHECK_INT(b.ndistributed, cases[i].n);
		for (int k = 0; k < cases[i].n && k < b.ndistributed; k++) {
			CHECK_INT(b.distributed[k].handle, cases[i].expected[k].handle);
			CHECK_INT(b.distributed[k].worker, cases[i].expected[k].worker);
			CHECK_INT(b.distributed[k].priority, cases[i].expected[k].priority);
		}
		bench_close(&b);
	}
}

/* The slower of two GPUs gets a smaller part of the data, by the time that both need. */
static void test_shares(void)
{
	static const int64_t on_devices[4][2] = {{-1, -1}, {6000, 18000}, {6000, 18000}, {6000, 18000}};
	struct machine *m = machine_parse("cuda:2 cpu:1", NULL);
	struct dag *d = graph_cholesky(12, 1000);
	struct placement_base base;
	struct placement_plan plan;
	struct placement_knobs k;
	double work[3] = {0};

	graph_devices(d, on_devices);
	placement_knobs_read(&k, "windows=2", NULL);
	CHECK_INT(placement_base_init(&base, d, m, 0, NULL), 0);
	CHECK_NEAR(base.share[0], 0.75, 1e-9);
	placement_plan_init(&plan, &base, &k);
	for (uint32_t t = 0; t < d->ntasks; t++)
		work[plan.owner[data_graph_written(d, t)]] += base.work_ns[t];
	CHECK_NEAR(work[0] / (work[0] + work[1]), 0.75, 0.05);
	CHECK_INT(base.places.cpus, 2);
	placement_plan_fini(&plan);
	placement_base_fini(&base);
	machine_free(m);
	dag_free(d);
}

/* Four GPUs of which 0 and 2, and 1 and 3, have wide links: parts that exchange most are on such a pair. */
static void test_near_parts(void)
{
	struct machine *m = machine_parse("cuda:4 cpu:1", NULL);
	struct machine_link links[16];
	struct dag *d = graph_cholesky(14, 1000);
	double near = 0, far = 0;
	struct placement_base base;
	struct placement_plan plan;
	struct placement_knobs k;
	int n = 0;

	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++)
			if (a != b)
				links[n++] = (struct machine_link){
					m->workers[a].node, m->workers[b].node, a % 2 == b % 2 ? 1e11 : 1e9, 0, 0, 0};
	m->links = links;
	m->nlinks = n;
	placement_knobs_read(&k, "windows=3", NULL);
	CHECK_INT(placement_base_init(&base, d, m, 1, NULL), 0);
	placement_plan_init(&plan, &base, &k);
	for (uint32_t t = 0; t < d->ntasks; t++)
		for (uint32_t i = 0; i < d->tasks[t].naccesses; i++) {
			int from = plan.owner[d->accesses[d->tasks[t].first_access + i].handle];
			int to = plan.owner[data_graph_written(d, t)];

			near += from != to && from % 2 == to % 2;
			far += from != to && from % 2 != to % 2;
		}
	CHECK(near > 0.5 * far); /* of 12 pairs 4 are near: half as many where the parts do not matter */
	placement_plan_fini(&plan);
	placement_base_fini(&base);
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(test_rank_order);
	RUN(test_owners);
	RUN(test_prefetch);
	RUN(test_prefetch_of_next);
	RUN(test_prefetch_of_next_few);
	RUN(test_ahead);
	RUN(test_slack);
	RUN(test_work_before);
	RUN(test_slack_of_searched);
	RUN(test_theft);
	RUN(test_theft_of_the_last);
	RUN(test_theft_with_a_full_bus);
	RUN(test_theft_among_ranks);
	RUN(test_copies);
	RUN(test_copies_in_turn);
	RUN(test_absent_data);
	RUN(test_second_victim);
	RUN(test_wakes);
	RUN(test_distribution);
	RUN(test_shares);
	RUN(test_near_parts);
	return check_done();
}
