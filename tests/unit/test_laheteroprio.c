/* tests/unit/test_laheteroprio.c - Heteroprio with locality: where tasks are put, and in what order workers look. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "sched/heteroprio/heteroprio.h"
#include "sched/heteroprio/nearby.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tune/settings/config_make.h"

#define NONE (-1)

/* Workers 0 and 1 are CPUs of node 0; worker 2 is the GPU of node 1, worker 3 that of node 2. */
struct bench {
	struct dag *d;
	struct machine *m;
	struct config *c;
	struct policy_world w;
	const struct policy *p;
	void *state;
	uint64_t valid[4], coming[4]; /* per handle */
};

static int64_t bench_now(void *ctx)
{
	(void)ctx;
	return 0;
}

static void bench_wake(void *ctx, int worker)
{
	(void)ctx;
	(void)worker;
}

static void bench_where(void *ctx, uint32_t handle, uint64_t *valid, uint64_t *coming)
{
	struct bench *b = ctx;

	*valid = b->valid[handle];
	*coming = b->coming[handle];
}

/* Copies to node n take n + 1 ns less 3 n for the task 0. */
static int64_t bench_transfer(void *ctx, uint32_t task, int worker)
{
	struct bench *b = ctx;
	int node = b->m->workers[worker].node;

	return task == 0 ? 10 - 3 * node : node + 1;
}

/*
 * Four types, ten tasks of each: type t has tasks 10 t .. 10 t + 9. A task 10 t + i reads handle 0 (3 bytes) and
 * writes handle 1 (2 bytes).
 */
static struct dag *make_dag(void)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	const int64_t cost[ARCH_COUNT] = COSTS(5, 5);
	struct dag_builder *b = dag_builder_create();
	struct dag *d;

	for (int i = 0; i < 4; i++)
		dag_builder_type(b, names[i], cost);
	dag_builder_handle(b, 3);
	dag_builder_handle(b, 2);
	for (uint32_t i = 0; i < 40; i++) {
		dag_builder_task(b, i / 10);
		dag_builder_access(b, i, 0, ACCESS_R);
		dag_builder_access(b, i, 1, ACCESS_R | ACCESS_W);
	}
	d = dag_builder_finish(b, NULL);
	CHECK(d != NULL);
	return d;
}

static void bench_start(struct bench *b, const char *policy)
{
	struct ht_err err = {""};
	const char *options = "";

	if (b->state)
		b->p->free(b->state);
	b->p = policy_find(policy, &options, &err);
	b->state = b->p ? b->p->create(b->p, &b->w, options, &err) : NULL;
	if (!b->state)
		printf("# %s\n", err.text);
	CHECK(b->state != NULL);
}

/* CPUs see a, b, c; GPUs d, c, b: nobody is held back. Nodes of GPUs are next to main memory. */
static void bench_open(struct bench *b, const char *policy)
{
	static const int cpu[] = {0, 1, 2}, gpu[] = {3, 2, 1};

	memset(b, 0, sizeof(*b));
	b->d = make_dag();
	b->m = machine_parse("cpu:2 cuda:2", NULL);
	b->c = config_from_dag(b->d, b->m, NULL);
	for (int i = 0; i < 4; i++) {
		b->c->buckets[i].fastest = ARCH_NONE;
		memset(b->c->buckets[i].slow_factor, 0, sizeof(b->c->buckets[i].slow_factor));
	}
	b->c->lists[ARCH_CPU].count = b->c->lists[ARCH_CUDA].count = 3;
	memcpy(b->c->lists[ARCH_CPU].buckets, cpu, sizeof(cpu));
	memcpy(b->c->lists[ARCH_CUDA].buckets, gpu, sizeof(gpu));
	b->w = (struct policy_world){.dag = b->d,
	                             .machine = b->m,
	                             .config = b->c,
	                             .now = bench_now,
	                             .wake = bench_wake,
	                             .where = bench_where,
	                             .transfer_ns = bench_transfer,
	                             .ctx = b};
	bench_start(b, policy);
}

static void bench_close(struct bench *b)
{
	b->p->free(b->state);
	config_free(b->c);
	machine_free(b->m);
	dag_free(b->d);
}

static int64_t pop(struct bench *b, int worker)
{
	uint32_t task = b->p->pop(b->state, worker);

	return task == POLICY_NO_TASK ? NONE : (int64_t)task;
}

static void check_pops(struct bench *b, int worker, int n, const int *want)
{
	for (int i = 0; i < n; i++)
		CHECK_INT(pop(b, worker), want[i]);
	CHECK_INT(pop(b, worker), NONE);
}

/*
 * Table 3 of the paper: 4 buckets, GPUs see 3, 2, 1; step 2, subgroup 1, and the node next to GPU 0 is main memory:
 * (3,G0) (2,G0) (3,C) (2,C) (1,G0) (1,C) (3,G1) (2,G1) (1,G1). One task each, put there by the worker that releases it.
 */
static void test_access_order(void)
{
	static const int releaser[] = {2, 0, 3}; /* G0, C, G1 */
	static const int want[] = {30, 20, 31, 21, 10, 11, 32, 22, 12};
	struct bench b;

	bench_open(&b, "laheteroprio:push=LaRU,step_cuda=2,subgroup_cuda=1");
	for (uint32_t t = 10; t < 40; t += 10) {
		for (uint32_t i = 0; i < 3; i++)
			b.p->push(b.state, t + i, releaser[i]);
	}
	check_pops(&b, 2, 9, want);
	bench_close(&b);
}

/* StarPU's defaults: a GPU looks at its whole list in its own lists first, a CPU at one bucket on all nodes. */
static void test_defaults(void)
{
	static const int releaser[] = {2, -1, 3};
	static const int gpu[] = {30, 20, 10, 31, 21, 11, 32, 22, 12}, cpu[] = {11, 10, 12, 21, 20, 22};
	struct bench b;

	for (int side = 0; side < 2; side++) {
		bench_open(&b, "laheteroprio:push=LaRU");
		for (uint32_t t = 10; t < 40; t += 10) {
			for (uint32_t i = 0; i < 3; i++)
				b.p->push(b.state, t + i, releaser[i]);
		}
		if (side)
			check_pops(&b, 0, 6, cpu);
		else
			check_pops(&b, 2, 9, gpu);
		bench_close(&b);
	}
}

/* One at a time, the last one pushed first, and nothing is taken ahead that another one could steal. */
static void test_lifo(void)
{
	struct bench b;

	bench_open(&b, "laheteroprio:push=LaRU");
	for (uint32_t i = 0; i < 8; i++)
		b.p->push(b.state, 10 + i, 2);
	CHECK_INT(pop(&b, 2), 17);
	CHECK_INT(pop(&b, 3), 16);
	CHECK_INT(pop(&b, 0), 15);
	bench_close(&b);
	bench_open(&b, "laheteroprio:push=LaRU,variant=paper");
	for (uint32_t i = 0; i < 8; i++)
		b.p->push(b.state, 10 + i, 2);
	CHECK_INT(pop(&b, 2), 10); /* and took 11 too */
	CHECK_INT(pop(&b, 3), 12);
	bench_close(&b);
}

/* The slow factor is about the bucket, on all nodes together. */
static void test_slow_factor(void)
{
	struct bench b;

	bench_open(&b, "eager");
	b.c->buckets[1].fastest = ARCH_CUDA;
	b.c->buckets[1].slow_factor[ARCH_CPU] = 1.5;
	bench_start(&b, "laheteroprio:push=LaRU");
	b.p->push(b.state, 10, 2);
	b.p->push(b.state, 11, 3);
	CHECK_INT(pop(&b, 0), NONE);
	b.p->push(b.state, 12, 0);
	CHECK_INT(pop(&b, 0), 12); /* 3 / 2 >= 1.5 */
	CHECK_INT(pop(&b, 1), NONE);
	bench_close(&b);
}

/* By the knobs of laheteroprio, without a config. */
static struct nearby *open_nearby(const struct policy_world *w, enum locality_rules rules, const char *options)
{
	struct heteroprio_knobs k;

	CHECK_INT(knobs_read("laheteroprio", policy_laheteroprio.knobs, options, &k, NULL), 0);
	return nearby_create(w, rules, "laheteroprio", &k.nearby, NULL, NULL);
}

/* Where a task is put that reads 3 bytes valid on the nodes `read` and writes 2 bytes valid on `written`. */
static int node_of(struct bench *b, enum locality_rules rules, const char *push, uint64_t read, uint64_t written,
                   uint64_t coming, int releaser)
{
	char options[32];
	struct nearby *n;
	int node;

	snprintf(options, sizeof(options), "push=%s", push);
	n = open_nearby(&b->w, rules, options);
	CHECK(n != NULL);
	b->valid[0] = read;
	b->valid[1] = written;
	b->coming[0] = coming;
	node = nearby_put(n, 11, releaser);
	nearby_free(n);
	return node;
}

/* The names are the paper's: StarPU's LS_SDHB and LC_SMWB are each other's formulas. */
static void test_formulas(void)
{
	struct bench b;

	bench_open(&b, "eager");
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "LaRU", 2, 2, 0, 3), 2);
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "WORKER", 2, 2, 0, -1), 0);
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "LS_SDH", 2, 4, 0, 0), 1);  /* 3 bytes against 2 */
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "LS_SDH2", 2, 4, 0, 0), 2); /* 3 against 4 */
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "LS_SDHB", 2, 4, 0, 0), 2); /* 3 against 2000 */
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "LC_SMWB", 2, 4, 0, 0), 1); /* they lack 6, 2 x 1.5 and 3 */
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "MC", 2, 4, 0, 0), 0);
	/* A copy that is on its way counts for StarPU, not for the paper. */
	CHECK_INT(node_of(&b, LOCALITY_STARPU, "LS_SDH", 0, 4, 2, 0), 1);
	CHECK_INT(node_of(&b, LOCALITY_PAPER, "LS_SDH", 0, 4, 2, 0), 2);
	/* StarPU's AUTO stays with what it calls LS_SDHB, which is LC_SMWB. */
	for (uint64_t read = 0; read < 8; read++) {
		for (uint64_t written = 0; written < 8; written++)
			CHECK_INT(node_of(&b, LOCALITY_STARPU, "AUTO", read, written, 0, 1),
			          node_of(&b, LOCALITY_STARPU, "LC_SMWB", read, written, 0, 1));
	}
	bench_close(&b);
}

/*
 * Scratch memory is nobody's data: by the paper LC_SMWB weighs what is written 2 - 1/2, so that both nodes lack 3. For
 * StarPU two of three are written, 4/3.
 */
static void test_scratch(void)
{
	const int64_t cost[ARCH_COUNT] = COSTS(5, 5);
	struct dag_builder *k = dag_builder_create();
	struct bench b;

	dag_builder_type(k, "a", cost);
	for (uint32_t h = 0; h < 3; h++)
		dag_builder_handle(k, 3 - h);
	dag_builder_task(k, 0);
	dag_builder_access(k, 0, 0, ACCESS_R);
	dag_builder_access(k, 0, 1, ACCESS_W);
	dag_builder_access(k, 0, 2, ACCESS_SCRATCH);
	bench_open(&b, "eager");
	b.w.dag = dag_builder_finish(k, NULL);
	b.valid[0] = 2;
	b.valid[1] = 4;
	for (int rules = LOCALITY_PAPER; rules <= LOCALITY_STARPU; rules++) {
		struct nearby *n = open_nearby(&b.w, (enum locality_rules)rules, "push=LC_SMWB");

		CHECK_INT(nearby_put(n, 0, 3), rules == LOCALITY_PAPER ? 2 : 1);
		nearby_free(n);
	}
	dag_free((struct dag *)b.w.dag);
	b.w.dag = b.d;
	bench_close(&b);
}

/* MC asks for the predicted time to the last worker of each node. */
static void test_transfer_time(void)
{
	struct bench b;
	struct nearby *n;

	bench_open(&b, "eager");
	n = open_nearby(&b.w, LOCALITY_STARPU, "push=MC");
	CHECK_INT(nearby_put(n, 0, 0), 2); /* 10, 7, 4 */
	CHECK_INT(nearby_put(n, 1, 3), 0); /* 1, 2, 3 */
	nearby_free(n);
	bench_close(&b);
}

/*
 * The paper's AUTO takes the formula whose choice has changed least. At push everything is on node 1, at pop the data
 * that is read has moved to node 2: LS_SDH names 2 then, the others stay. So the next one does not go where LS_SDH
 * would send it.
 */
static void test_automatic(void)
{
	struct bench b;
	struct nearby *n;

	bench_open(&b, "eager");
	n = open_nearby(&b.w, LOCALITY_PAPER, "");
	b.valid[0] = 2;
	b.valid[1] = 4;
	CHECK_INT(nearby_put(n, 1, 0), 1); /* no pop yet: the first, LS_SDH: 3 bytes against 2 */
	b.valid[0] = 4;
	nearby_taken(n, 1); /* LS_SDH names 2 now, as LC_SMWB does; LS_SDH2 and LS_SDHB did before */
	b.valid[0] = 2;
	CHECK_INT(nearby_put(n, 2, 0), 2); /* LS_SDH2 */
	nearby_free(n);
	bench_close(&b);
}

/*
 * Where nothing has moved, nothing has changed, whoever takes the task: of nodes that are as good the pusher's is named
 * at the pop, too. What is read is on node 1, what is written on node 2, and is as large: LS_SDH may name both.
 */
static void test_automatic_ties(void)
{
	struct bench b;
	struct nearby *n;

	bench_open(&b, "eager");
	b.d->handle_bytes[0] = 2;
	b.valid[0] = 2;
	b.valid[1] = 4;
	n = open_nearby(&b.w, LOCALITY_PAPER, "");
	CHECK_INT(nearby_put(n, 1, 2), 1);
	nearby_taken(n, 1); /* by the GPU of node 2 */
	CHECK_INT(nearby_put(n, 2, 2), 1);
	nearby_free(n);
	bench_close(&b);
}

/* A config with locality makes heteroprio look as laheteroprio does. */
static void test_config(void)
{
	static const int releaser[] = {2, 0, 3};
	static const int want[] = {30, 20, 31, 21, 10, 11, 32, 22, 12};
	struct bench b;

	bench_open(&b, "eager");
	b.c->locality = (struct config_locality){.enabled = 1,
	                                         .push = "WORKER",
	                                         .step = {[ARCH_CUDA] = 2},
	                                         .subgroup = {[ARCH_CUDA] = 1}};
	for (int i = 0; i < 2; i++) {
		bench_start(&b, i ? "heteroprio" : "laheteroprio");
		for (uint32_t t = 10; t < 40; t += 10) {
			for (uint32_t k = 0; k < 3; k++)
				b.p->push(b.state, t + k, releaser[k]);
		}
		check_pops(&b, 2, 9, want);
	}
	bench_start(&b, "laheteroprio:step_cuda=1"); /* a knob goes before the config */
	b.p->push(b.state, 20, 2);
	b.p->push(b.state, 30, 0);
	CHECK_INT(pop(&b, 2), 30);
	bench_close(&b);
}

static void test_bad_knobs(void)
{
	static const char *const bad[] = {"push=SDH",
	                                  "push=",
	                                  "step_cuda=0",
	                                  "subgroup_cpu=x",
	                                  "step=1",
	                                  "prefetch=one",
	                                  "push=AUTOAUTOAUTOAUTOAUTO"};
	struct bench b;
	struct machine *large = machine_parse("cpu:1 cuda:10", NULL);

	bench_open(&b, "laheteroprio");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ht_err err = {""};

		CHECK(policy_laheteroprio.create(&policy_laheteroprio, &b.w, bad[i], &err) == NULL);
		CHECK_HAS(err.text, "laheteroprio");
	}
	b.w.machine = large;
	b.w.config = NULL;
	CHECK(policy_laheteroprio.create(&policy_laheteroprio, &b.w, "", NULL) == NULL); /* StarPU: at most 10 nodes */
	b.c->locality.enabled = 1;
	b.w.config = b.c;
	b.state = (b.p->free(b.state),
	           policy_heteroprio.create(&policy_heteroprio, &b.w, "", NULL)); /* as the plugin: without it then */
	CHECK(b.state != NULL);
	b.w.machine = b.m;
	machine_free(large);
	bench_close(&b);
}

/* What is put next to its data is moved less. */
static void test_moves_less(void)
{
	struct machine *m = machine_parse("cpu:4 cuda:3", NULL);
	struct dag *d = graph_cholesky(14, 1000);
	struct config *c = config_from_dag(d, m, NULL);
	struct simulate_options o = {.config = c, .policy_options = ""};
	struct simulation *plain, *near;

	o.policy = &policy_heteroprio;
	plain = simulate(d, m, &o, NULL);
	o.policy = &policy_laheteroprio;
	near = simulate(d, m, &o, NULL);
	CHECK(plain && near && near->bytes_moved < plain->bytes_moved);
	simulation_free(plain);
	simulation_free(near);
	config_free(c);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_access_order);
	RUN(test_defaults);
	RUN(test_lifo);
	RUN(test_slow_factor);
	RUN(test_formulas);
	RUN(test_scratch);
	RUN(test_transfer_time);
	RUN(test_automatic);
	RUN(test_automatic_ties);
	RUN(test_config);
	RUN(test_bad_knobs);
	RUN(test_moves_less);
	return check_done();
}
