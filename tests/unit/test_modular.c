/* tests/unit/test_modular.c - StarPU's modular schedulers: decisions, back-pressure and spreading, by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"

/* ns on a CPU and on a GPU; what a GPU speeds up: 2.5, 10, 10.5, 100 and 1.11 times. */
enum { LONG, FAST, FASTER, FASTEST, EVEN, CPU_ONLY, GPU_ONLY, UNKNOWN, NTYPES };
enum { NTASKS = 8 };

static const int64_t costs[NTYPES][ARCH_COUNT] = {
	[LONG] = COSTS(10, 4), [FAST] = COSTS(40, 4),      [FASTER] = COSTS(42, 4),   [FASTEST] = COSTS(400, 4),
	[EVEN] = COSTS(10, 9), [CPU_ONLY] = COSTS(10, -1), [GPU_ONLY] = COSTS(-1, 5), [UNKNOWN] = COSTS(0, 0),
};

/* The world answers what the test sets. */
struct bench {
	struct dag *d;
	struct machine *m;
	const struct policy *p;
	void *state;
	int64_t now, to_gpu_ns[NTASKS];
	struct policy_missing missing[NTASKS];
	unsigned woken;         /* a bit a worker, since it was cleared */
	int prefetched[NTASKS]; /* how often */
};

static int64_t bench_now(void *ctx)
{
	return ((struct bench *)ctx)->now;
}

static void bench_wake(void *ctx, int worker)
{
	((struct bench *)ctx)->woken |= 1u << worker;
}

static void bench_prefetch(void *ctx, uint32_t task, int worker)
{
	(void)worker;
	((struct bench *)ctx)->prefetched[task]++;
}

static int64_t bench_transfer_ns(void *ctx, uint32_t task, int worker)
{
	const struct bench *b = ctx;

	return b->m->workers[worker].arch == ARCH_CUDA ? b->to_gpu_ns[task] : 0;
}

static void bench_missing(void *ctx, uint32_t task, int worker, struct policy_missing *missing)
{
	(void)worker;
	*missing = ((struct bench *)ctx)->missing[task];
}

/* `types`: of the tasks, in their order; the priorities of `priority` (NULL: 0). */
static void bench_open(struct bench *b, const char *machine, const char *policy, int n, const int *types,
                       const int *priority)
{
	struct dag_builder *builder = dag_builder_create();
	struct policy_world w = {.now = bench_now,
	                         .wake = bench_wake,
	                         .prefetch = bench_prefetch,
	                         .transfer_ns = bench_transfer_ns,
	                         .missing = bench_missing,
	                         .ctx = b};
	const char *options = "";

	memset(b, 0, sizeof(*b));
	for (int i = 0; i < NTYPES; i++)
		dag_builder_type(builder, "t", costs[i]);
	for (int i = 0; i < n; i++)
		dag_builder_task(builder, (uint32_t)types[i]);
	w.dag = b->d = dag_builder_finish(builder, NULL);
	for (int i = 0; priority && i < n; i++)
		b->d->tasks[i].priority = priority[i];
	w.machine = b->m = machine_parse(machine, NULL);
	b->p = policy_find(policy, &options, NULL);
	b->state = b->p->create(b->p, &w, options, NULL);
	CHECK(b->state != NULL);
}

static void bench_close(struct bench *b)
{
	b->p->free(b->state);
	machine_free(b->m);
	dag_free(b->d);
}

/* The workers that a push wakes. */
static unsigned push(struct bench *b, uint32_t task)
{
	b->woken = 0;
	b->p->push(b->state, task, -1);
	return b->woken;
}

static uint32_t pop(struct bench *b, int worker)
{
	return b->p->pop(b->state, worker);
}

/*
 * Workers 0 and 1 are CPUs, 2 is the GPU. Where the tasks would end: 10 and 4; 10, 8; 10, 12; the CPUs share the one
 * that waits, 5 + 10, 12; 15, 16.
 */
static void test_nodes(void)
{
	static const int types[] = {LONG, LONG, LONG, LONG, LONG};
	static const unsigned woken[] = {4, 4, 3, 4, 3};
	static const uint32_t order[] = {0, 1, 3, POLICY_NO_TASK};
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "modular-heft-prio", 5, types, NULL);
	for (uint32_t i = 0; i < 5; i++) {
		CHECK_INT(push(&b, i), woken[i]);
		CHECK_INT(b.prefetched[i], 1);
	}
	CHECK_INT(pop(&b, 1), 2);
	CHECK_INT(pop(&b, 0), 4);
	CHECK_INT(pop(&b, 0), POLICY_NO_TASK);
	for (int i = 0; i < 4; i++)
		CHECK_INT(pop(&b, 2), order[i]);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_INT(b.prefetched[i], 1);
	bench_close(&b);
}

/* The same, where a CPU takes no task of the other: 10, 10 and 4; 10, 10, 8; 10, 10, 12; 20, 10, 12; 20, 20, 12. */
static void test_workers(void)
{
	static const int types[] = {LONG, LONG, LONG, LONG, LONG};
	static const unsigned woken[] = {4, 4, 1, 2, 4};
	static const uint32_t order[] = {0, 1, 4, POLICY_NO_TASK};
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "modular-heft", 5, types, NULL);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_INT(push(&b, i), woken[i]);
	CHECK_INT(pop(&b, 1), 3);
	CHECK_INT(pop(&b, 1), POLICY_NO_TASK);
	CHECK_INT(pop(&b, 0), 2);
	for (int i = 0; i < 4; i++)
		CHECK_INT(pop(&b, 2), order[i]);
	bench_close(&b);
}

/* A copy to the GPU takes 5: ends 10 and 9, fitness alpha and 5 beta. */
static void test_by_transfer(void)
{
	static const struct {
		const char *policy;
		unsigned woken;
	} cases[] = {{"modular-heft-prio", 1},
	             {"modular-heft-prio:beta=0", 2},
	             {"modular-heteroprio", 1},
	             {"modular-heteroprio:alpha=10", 2},
	             {"modular-heft-prio:alpha=10,beta=3", 1}};
	static const int types[] = {LONG};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, "cpu:1 cuda:1", cases[i].policy, 1, types, NULL);
		b.to_gpu_ns[0] = 5;
		CHECK_INT(push(&b, 0), cases[i].woken);
		bench_close(&b);
	}
}

/*
 * The GPU executes task 0 since 0. At 1 task 1 would end there at 8, on the CPU at 11. As the GPU asks for it, it
 * forgets task 0: its end is 5 with task 1, so task 2 would end there at 9, and not at 12. When task 0 has ended it is
 * right: at 4, task 1 ends at 8, tasks 2 and 3 then at 12 and 16, on the CPU at 14.
 */
static void test_forgetting(void)
{
	static const int types[] = {LONG, LONG, LONG, LONG};
	struct bench b;

	bench_open(&b, "cpu:1 cuda:1", "modular-heft-prio", 4, types, NULL);
	CHECK_INT(push(&b, 0), 2);
	CHECK_INT(pop(&b, 1), 0);
	b.p->started(b.state, 0, 1);
	b.now = 1;
	CHECK_INT(push(&b, 1), 2);
	CHECK_INT(pop(&b, 1), 1);
	CHECK_INT(push(&b, 2), 2);
	b.now = 4;
	b.p->done(b.state, 0, 1);
	CHECK_INT(push(&b, 3), 1);
	bench_close(&b);
}

/*
 * One task fits below. Task 1 would end on the GPU at 8 and is refused, which holds up task 2 of the same priority, but
 * not task 3; when the GPU takes task 0, that one comes down first.
 */
static void test_back_pressure(void)
{
	static const char *const names[] = {"modular-heft-prio:ntasks_threshold=1",
	                                    "modular-heft-prio:exp_len_threshold=0.005",
	                                    "modular-heteroprio:ntasks_threshold=1"};
	static const int types[] = {LONG, LONG, CPU_ONLY, LONG}, priority[] = {0, 0, 0, 5};
	static const uint32_t order[] = {0, 3, 1, POLICY_NO_TASK};
	struct bench b;

	for (int k = 0; k < 2; k++) {
		bench_open(&b, "cpu:1 cuda:1", names[k], 4, types, priority);
		CHECK_INT(push(&b, 0), 2);
		CHECK_INT(push(&b, 1), 0);
		CHECK_INT(push(&b, 2), 0);
		CHECK_INT(pop(&b, 0), POLICY_NO_TASK);
		CHECK_INT(push(&b, 3), 0);
		for (int i = 0; i < 4; i++)
			CHECK_INT(pop(&b, 1), order[i]);
		CHECK_INT(pop(&b, 0), k ? POLICY_NO_TASK : 2); /* it takes 10 */
		bench_close(&b);
	}
	/* Heteroprio has what not every worker can execute in a queue of its own, and refuses nothing. */
	bench_open(&b, "cpu:1 cuda:1", names[2], 4, types, priority);
	CHECK_INT(push(&b, 0), 2);
	CHECK_INT(push(&b, 1), 0);
	CHECK_INT(push(&b, 2), 1);
	bench_close(&b);
}

/*
 * CPU 0 gets the task that lacks least; the next one of those, 2, has been taken out to see whether it goes too, and is
 * first from then on.
 */
static void test_spread(void)
{
	static const int types[] = {CPU_ONLY, CPU_ONLY, CPU_ONLY};
	struct bench b;

	bench_open(&b, "cpu:2 cuda:1", "modular-heft-prio", 3, types, NULL);
	for (uint32_t i = 0; i < 3; i++) {
		b.missing[i].invalid_bytes = 100 - 10 * (i * 2 % 3); /* 100, 80, 90 */
		CHECK_INT(push(&b, i), 3);
	}
	CHECK_INT(pop(&b, 0), 1);
	memset(b.missing, 0, sizeof(b.missing));
	CHECK_INT(pop(&b, 1), 2);
	CHECK_INT(pop(&b, 1), 0);
	bench_close(&b);
}

/* What has no duration anywhere goes to the first worker that can execute it. */
static void test_unknown(void)
{
	static const int types[] = {UNKNOWN, LONG, UNKNOWN};
	struct bench b;

	for (int k = 0; k < 2; k++) {
		bench_open(&b, "cpu:2 cuda:1", k ? "modular-heteroprio" : "modular-heft-prio", 3, types, NULL);
		CHECK_INT(push(&b, 0), 1);
		CHECK_INT(push(&b, 1), 4);
		CHECK_INT(push(&b, 2), 1);
		CHECK_INT(pop(&b, 1), POLICY_NO_TASK);
		CHECK_INT(pop(&b, 0), 0);
		CHECK_INT(pop(&b, 0), 2);
		CHECK_INT(pop(&b, 2), 1);
		bench_close(&b);
	}
}

/* One child: nothing to decide. Two tasks come down at once, then one whenever one is taken, the most urgent. */
static void test_alone(void)
{
	static const int types[] = {LONG, LONG, LONG, LONG}, priority[] = {0, 0, 0, 9};
	static const uint32_t order[] = {0, 3, 1, 2, POLICY_NO_TASK};
	static const char *const names[] = {"modular-heft-prio", "modular-heteroprio"};
	struct bench b;

	for (int k = 0; k < 2; k++) {
		bench_open(&b, "cuda:1", names[k], 4, types, priority);
		for (uint32_t i = 0; i < 4; i++) {
			push(&b, i);
			CHECK_INT(b.prefetched[i], 1); /* above too: there is but one memory */
		}
		for (int i = 0; i < 5; i++)
			CHECK_INT(pop(&b, 0), order[i]);
		bench_close(&b);
	}
	bench_open(&b, "cpu:2", names[0], 4, types, priority);
	for (uint32_t i = 0; i < 4; i++)
		push(&b, i);
	for (int i = 0; i < 5; i++)
		CHECK_INT(pop(&b, i % 2), order[i]);
	bench_close(&b);
}

/*
 * Worker 0 is the CPU, 1 the GPU, and one task fits below. Task 0 (EVEN) would end at 10 or 9, task 1 at 10 or 18; task
 * 2 (FAST) at 50 or 13, and the GPU refuses; task 3 (EVEN) at 20 or 18, which is not for a CPU. When the GPU takes task
 * 0, the accelerated task comes down first, then the other.
 */
static void test_both_ends(void)
{
	static const int types[] = {EVEN, EVEN, FAST, EVEN};
	static const unsigned woken[] = {2, 1, 0, 0};
	static const uint32_t order[] = {0, 2, 3, POLICY_NO_TASK};
	struct bench b;

	bench_open(&b, "cpu:1 cuda:1", "modular-heteroprio:ntasks_threshold=1", 4, types, NULL);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_INT(push(&b, i), woken[i]);
	for (int i = 0; i < 4; i++)
		CHECK_INT(pop(&b, 1), order[i]);
	CHECK_INT(pop(&b, 0), 1);
	bench_close(&b);
}

/*
 * Task 0 fills the GPU. Task 1 is looked at and refused, and is urgent from then on, so that task 2, of its class
 * within a tenth, stays behind it whatever its priority; task 3 is of a class that is accelerated more. The GPU's own
 * task 4 has a queue for itself.
 */
static void test_classes(void)
{
	static const int types[] = {FAST, FAST, FASTER, FASTEST, GPU_ONLY}, priority[] = {0, 0, 7, 0, 0};
	static const uint32_t order[] = {0, 4, 3, 1, 2, POLICY_NO_TASK};
	struct bench b;

	bench_open(&b, "cpu:1 cuda:1", "modular-heteroprio:ntasks_threshold=1", 5, types, priority);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_INT(push(&b, i), i ? 0 : 2);
	for (int i = 0; i < 6; i++)
		CHECK_INT(pop(&b, 1), order[i]);
	CHECK_INT(pop(&b, 0), POLICY_NO_TASK);
	bench_close(&b);
}

/*
 * StarPU's comes to a standstill here too. A copy of 100 lets the tasks 0 and 1 end first on the CPU, although nothing
 * is accelerated more; task 2 ends first on the GPU. Task 1 finds the CPU full and stays behind. From then on what is
 * first for devices is for the CPU, and what is first for the CPU is for the GPU.
 */
static void test_standstill(void)
{
	static const int types[] = {FAST, FAST, EVEN};
	struct bench b;

	bench_open(&b, "cpu:1 cuda:1", "modular-heteroprio:ntasks_threshold=1", 3, types, NULL);
	b.to_gpu_ns[0] = b.to_gpu_ns[1] = 100;
	CHECK_INT(push(&b, 0), 1);
	CHECK_INT(push(&b, 1), 0);
	CHECK_INT(push(&b, 2), 0);
	CHECK_INT(pop(&b, 1), POLICY_NO_TASK);
	CHECK_INT(pop(&b, 0), 0);
	CHECK_INT(pop(&b, 0), POLICY_NO_TASK);
	CHECK_INT(pop(&b, 1), POLICY_NO_TASK);
	bench_close(&b);
}

static void test_bad_knobs(void)
{
	static const char *const bad[] = {"modular-heft-prio:gamma=1", "modular-heft-prio:alpha=x",
	                                  "modular-heteroprio:ntasks_threshold=-1",
	                                  "modular-heteroprio:exp_len_threshold="};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check_refused(bad[i], "");
}

/* A threshold that no task fits under: nobody ever takes one, and that is said. */
static void test_deadlock(void)
{
	static const char *const names[] = {"modular-heft-prio", "modular-heteroprio"};
	struct machine *m = machine_parse("cpu:1 cuda:1", NULL);
	struct dag *d = graph_cholesky(3, 1);

	for (int i = 0; i < 2; i++) {
		struct simulate_options o = {.policy_options = "exp_len_threshold=1"};
		const char *options;
		struct ht_err err = {""};

		o.policy = policy_find(names[i], &options, &err);
		CHECK(simulate(d, m, &o, &err) == NULL);
		CHECK_HAS(err.text, "leaves task 0 (potrf) ready and nobody takes it");
	}
	machine_free(m);
	dag_free(d);
}

static void test_throughput(void)
{
	static const char *const names[] = {"modular-heft-prio", "modular-heteroprio"};
	struct machine *m = machine_parse("cpu:20 cuda:4", NULL);
	struct dag *d = graph_cholesky(30, 1000);

	for (int i = 0; i < 2; i++) {
		struct simulate_options o = {.transfers = TRANSFERS_ON};
		clock_t from = clock();
		struct simulation *s;

		o.policy = policy_find(names[i], &o.policy_options, NULL);
		s = simulate(d, m, &o, NULL);
		CHECK(s != NULL);
		printf("# %s: %.0f tasks/s\n", names[i], d->ntasks / ((double)(clock() - from + 1) / CLOCKS_PER_SEC));
		simulation_free(s);
	}
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(test_nodes);
	RUN(test_workers);
	RUN(test_by_transfer);
	RUN(test_forgetting);
	RUN(test_back_pressure);
	RUN(test_spread);
	RUN(test_unknown);
	RUN(test_alone);
	RUN(test_both_ends);
	RUN(test_classes);
	RUN(test_standstill);
	RUN(test_bad_knobs);
	RUN(test_deadlock);
	RUN(test_throughput);
	return check_done();
}
