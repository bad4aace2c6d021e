/* tests/unit/test_dag.c - task graphs: made by hand, and contracted out of a trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/intern.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/held.h"
#include "tests/lib/invariants.h"

/* A trace filled in by hand: workers 0 (cpu) and 1 (cuda), codelets 0 (gemm) and 1 (potrf). */
struct maker {
	struct trace *t;
	size_t captasks, capdeps;
};

static struct maker maker_create(void)
{
	struct maker k = {.t = ht_alloc(1, sizeof(struct trace))};
	struct trace *t = k.t;

	t->arena = arena_create();
	t->strings = intern_create(t->arena);
	t->host = "";
	t->nworkers = t->ncodelets = 2;
	t->workers = ht_alloc(2, sizeof(*t->workers));
	t->workers[0].arch = ARCH_CPU;
	t->workers[1].arch = ARCH_CUDA;
	t->codelets = ht_alloc(2, sizeof(*t->codelets));
	t->codelets[0].label = t->codelets[0].name = intern_str(t->strings, "gemm");
	t->codelets[1].label = t->codelets[1].name = intern_str(t->strings, "potrf");
	t->codelets[0].model = intern_str(t->strings, "m_gemm");
	return k;
}

/* A task of a codelet (TRACE_NONE: internal) that ran on `worker` for `ns`; job ids count from 1000. */
static uint32_t add(struct maker *k, uint32_t codelet, int worker, int64_t submit_ns, int64_t ns)
{
	struct trace_task *x = VEC_PUSH(k->t->tasks, k->t->ntasks, k->captasks);

	x->job = 999 + k->t->ntasks;
	x->codelet = codelet;
	x->worker = codelet == TRACE_NONE ? -1 : worker;
	x->submit_ns = submit_ns;
	x->start_ns = codelet == TRACE_NONE ? TIME_NONE : submit_ns + 10;
	x->end_ns = codelet == TRACE_NONE ? TIME_NONE : submit_ns + 10 + ns;
	x->kind = codelet == TRACE_NONE ? TASK_INTERNAL : TASK_NORMAL;
	x->name = codelet == TRACE_NONE ? 0 : k->t->codelets[codelet].name;
	x->parallel = 1;
	return (uint32_t)(k->t->ntasks - 1);
}

static void dep(struct maker *k, uint32_t pred, uint32_t succ, enum trace_dep_kind kind)
{
	struct trace_dep *x = VEC_PUSH(k->t->deps, k->t->ndeps, k->capdeps);

	x->pred = pred;
	x->succ = succ;
	x->kind = (uint8_t)kind;
}

static int has_edge(const struct dag *d, uint32_t a, uint32_t b)
{
	for (uint32_t i = d->succ_first[a]; i < d->succ_first[a + 1]; i++) {
		if (d->succ[i] == b)
			return 1;
	}
	return 0;
}

static void test_builder(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(10, 2);
	struct dag_builder *b = dag_builder_create();
	struct ht_err err = {""};
	struct dag *d;

	dag_builder_type(b, "x", cost);
	for (int i = 0; i < 4; i++)
		dag_builder_task(b, 0);
	dag_builder_edge(b, 3, 0);
	dag_builder_edge(b, 3, 0);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 3, 1);
	d = dag_builder_finish(b, &err);
	CHECK(d != NULL);
	CHECK(dag_check(d) == NULL);
	CHECK_INT(d->nedges, 3);
	CHECK_INT(dag_in_order(d, 0), 2);
	CHECK_INT(dag_in_order(d, 1), 3);
	CHECK_INT(dag_in_order(d, 2), 0);
	CHECK_INT(dag_in_order(d, 3), 1);
	CHECK_INT(dag_class_best(&d->classes[d->tasks[0].class_id], 3), ARCH_CUDA);
	CHECK_INT(dag_class_best(&d->classes[d->tasks[0].class_id], 1), ARCH_CPU);
	CHECK_INT(dag_class_best(&d->classes[d->tasks[0].class_id], 4), ARCH_NONE);
	dag_free(d);
}

/* How many dependencies the edge from a to b stands for, seen from both ends. */
static uint32_t times(const struct dag *d, uint32_t a, uint32_t b)
{
	uint32_t there = 0, back = 0;

	for (uint32_t i = d->succ_first[a]; i < d->succ_first[a + 1]; i++)
		there += d->succ[i] == b ? dag_times(d->succ_times, i) : 0;
	for (uint32_t i = d->pred_first[b]; i < d->pred_first[b + 1]; i++)
		back += d->pred[i] == a ? dag_times(d->pred_times, i) : 0;
	CHECK_INT(there, back);
	return there;
}

/* 0 -> 2 for the sake of three pieces of data, 1 -> 2 of one, 1 -> 3 of more than a byte counts, 2 -> 3 of two. */
static void test_dependencies_of_an_edge(void)
{
	struct maker k = maker_create();
	struct dag *d, *part;

	for (int i = 0; i < 4; i++)
		add(&k, 0, 0, i, 5);
	dep(&k, 1, 2, DEP_TASK);
	for (int i = 0; i < 3; i++)
		dep(&k, 0, 2, DEP_TASK);
	for (int i = 0; i < 300; i++)
		dep(&k, 1, 3, DEP_TASK);
	for (int i = 0; i < 2; i++)
		dep(&k, 2, 3, DEP_TASK);
	d = dag_from_trace(k.t, NULL, NULL, NULL);
	CHECK_INT(d->nedges, 4);
	CHECK_INT(times(d, 0, 2), 3);
	CHECK_INT(times(d, 1, 2), 1);
	CHECK_INT(times(d, 1, 3), 255);
	CHECK_INT(times(d, 2, 3), 2);
	part = dag_prefix(d, 3);
	CHECK_INT(part->nedges, 2);
	CHECK_INT(times(part, 0, 2), 3);
	CHECK_INT(times(part, 1, 2), 1);
	dag_free(part);
	dag_free(d);
	trace_free(k.t);
}

static void test_builder_cycle(void)
{
	static const int64_t cost[ARCH_COUNT] = COSTS(10, -1);
	struct dag_builder *b = dag_builder_create();
	struct ht_err err = {""};

	dag_builder_type(b, "x", cost);
	for (int i = 0; i < 5; i++)
		dag_builder_task(b, 0);
	dag_builder_edge(b, 0, 1);
	dag_builder_edge(b, 1, 2);
	dag_builder_edge(b, 2, 3);
	dag_builder_edge(b, 3, 1);
	dag_builder_edge(b, 3, 4);
	CHECK(dag_builder_finish(b, &err) == NULL);
	CHECK_HAS(err.text, "depends on itself through task");
	CHECK(!strstr(err.text, "task 0") && !strstr(err.text, "task 4"));
	CHECK(dag_builder_finish(dag_builder_create(), &err) == NULL);
}

/* Sorted by submission; internal tasks gone, also in chains; ghosts and tags count; duplicates do not. */
static void test_contraction(void)
{
	struct maker k = maker_create();
	uint32_t late = add(&k, 0, 0, 300, 5), i1 = add(&k, TRACE_NONE, 0, 50, 0), first = add(&k, 1, 0, 0, 7);
	uint32_t i2 = add(&k, TRACE_NONE, 0, 60, 0), mid = add(&k, 0, 1, 100, 3), tagged = add(&k, 0, 1, 200, 3);
	struct ht_err err = {""};
	struct dag *d;

	dep(&k, first, i1, DEP_TASK);
	dep(&k, i1, i2, DEP_TASK);
	dep(&k, i2, mid, DEP_GHOST);
	dep(&k, i2, late, DEP_TASK);
	dep(&k, first, mid, DEP_TASK);
	dep(&k, mid, tagged, DEP_TAG);
	dep(&k, mid, tagged, DEP_TASK);
	d = dag_from_trace(k.t, NULL, NULL, &err);
	CHECK(d != NULL);
	CHECK(dag_check(d) == NULL);
	CHECK_INT(d->ntasks, 4);
	CHECK_INT(d->tasks[0].trace_task, first);
	CHECK_INT(d->tasks[1].trace_task, mid);
	CHECK_INT(d->tasks[2].trace_task, tagged);
	CHECK_INT(d->tasks[3].trace_task, late);
	CHECK_INT(dag_submit_ns(d, 3), 300);
	CHECK(has_edge(d, 0, 1) && has_edge(d, 0, 3) && has_edge(d, 1, 2));
	CHECK_INT(d->nedges, 3);
	CHECK_STR(d->types[dag_type_of(d, 0)].name, "potrf");
	dag_free(d);
	trace_free(k.t);
}

/* What waits for a task waits for what its end waits for; the task itself does not. */
static void test_end_dependency(void)
{
	struct maker k = maker_create();
	uint32_t a = add(&k, 0, 0, 0, 5), sub = add(&k, 0, 0, 10, 5), after = add(&k, 0, 0, 20, 5);
	struct dag *d;

	dep(&k, sub, a, DEP_END);
	dep(&k, a, after, DEP_TASK);
	d = dag_from_trace(k.t, NULL, NULL, NULL);
	CHECK(d != NULL);
	CHECK(has_edge(d, 0, 2) && has_edge(d, 1, 2) && !has_edge(d, 1, 0));
	CHECK_INT(d->nedges, 2);
	dag_free(d);
	trace_free(k.t);
}

static void test_cycle(void)
{
	struct maker k = maker_create();
	uint32_t a = add(&k, 1, 0, 0, 5), i = add(&k, TRACE_NONE, 0, 10, 0);
	struct ht_err err = {""};

	dep(&k, a, i, DEP_TASK);
	dep(&k, i, a, DEP_TASK);
	CHECK(dag_from_trace(k.t, NULL, NULL, &err) == NULL);
	CHECK_HAS(err.text, "depends on itself through");
	CHECK_HAS(err.text, "task 1000 (potrf)");
	CHECK_HAS(err.text, "task 1001 (internal)");
	trace_free(k.t);
}

static void test_empty(void)
{
	struct maker k = maker_create();
	struct ht_err err = {""};

	CHECK(dag_from_trace(k.t, NULL, NULL, &err) == NULL);
	add(&k, TRACE_NONE, 0, 10, 0);
	CHECK(dag_from_trace(k.t, NULL, NULL, &err) == NULL);
	CHECK_HAS(err.text, "no executed task");
	trace_free(k.t);
}

/* The main program acquires the same data after every step: sets must not pile up along the chain. */
static void test_acquire_chain(void)
{
	enum { STEPS = 20000 };
	struct maker k = maker_create();
	uint32_t acquire = TRACE_NONE;
	struct dag *d;
	struct ht_err err = {""};

	for (int i = 0; i < STEPS; i++) {
		uint32_t task = add(&k, 0, 0, 10 * i, 5), next = add(&k, TRACE_NONE, 0, 10 * i + 1, 0);

		if (acquire != TRACE_NONE) {
			dep(&k, acquire, task, DEP_TASK);
			dep(&k, acquire, next, DEP_TASK);
		}
		dep(&k, task, next, DEP_TASK);
		acquire = next;
	}
	d = dag_from_trace(k.t, NULL, NULL, &err);
	CHECK(d != NULL);
	CHECK_INT(d->nedges, STEPS - 1);
	dag_free(d);
	trace_free(k.t);
}

/* The reference: reachability over raw edges between the tasks that stay, by brute force. */
static void reach(const struct trace *t, unsigned char *r, size_t n)
{
	for (size_t i = 0; i < t->ndeps; i++)
		r[t->deps[i].pred * n + t->deps[i].succ] = 1;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; r[i * n + k] && j < n; j++)
				r[i * n + j] |= r[k * n + j];
}

static void test_random_reachability(void)
{
	for (unsigned seed = 1; seed <= 30; seed++) {
		enum { N = 60 };
		struct maker k = maker_create();
		unsigned char *raw = ht_alloc(N * N, 1), *got = ht_alloc(N * N, 1);
		struct dag *d;

		srand(seed);
		for (int i = 0; i < N; i++)
			add(&k, i == 0 || rand() % 2 ? 0 : TRACE_NONE, 0, 10 * i, 5);
		for (int i = 1; i < N; i++)
			for (int e = rand() % 4; e > 0; e--)
				dep(&k, (uint32_t)(rand() % i), (uint32_t)i, DEP_TASK);
		d = dag_from_trace(k.t, NULL, NULL, NULL);
		CHECK(dag_check(d) == NULL);
		reach(k.t, raw, N);
		for (uint32_t p = d->ntasks; p-- > 0;) {
			for (uint32_t i = d->succ_first[p]; i < d->succ_first[p + 1]; i++) {
				got[p * N + d->succ[i]] = 1;
				for (uint32_t j = 0; j < d->ntasks; j++)
					got[p * N + j] |= got[d->succ[i] * N + j];
			}
		}
		for (uint32_t p = 0; p < d->ntasks; p++)
			for (uint32_t j = 0; j < d->ntasks; j++)
				CHECK_INT(got[p * N + j], raw[d->tasks[p].trace_task * N + d->tasks[j].trace_task]);
		free(raw);
		free(got);
		dag_free(d);
		trace_free(k.t);
	}
}

/* gemm: footprint 1 ran on both, 2 on the CPU only; the model knows 1 on CUDA. */
static void test_costs(void)
{
	struct model_entry entries[] = {
		{.footprint = 1, .arch = ARCH_CUDA, .ncores = 1, .mean_us = 0.002, .samples = 9},
		{.footprint = 3, .arch = ARCH_CUDA, .ncores = 1, .mean_us = 0.030, .samples = 9},
	};
	struct model model = {.symbol = "m_gemm", .host = "h", .entries = entries, .nentries = 2};
	struct model_set set = {.models = &model, .count = 1};
	struct dag_options o = {.min_samples = 3};
	struct maker k = maker_create();
	static const int64_t ns[] = {10, 20, 30, 5, 7, 100, 200, 60};
	static const int worker[] = {0, 0, 0, 1, 1, 0, 0, 0};
	static const uint32_t footprint[] = {1, 1, 1, 1, 1, 2, 2, 3};
	struct dag *d;

	for (int i = 0; i < 8; i++) {
		add(&k, 0, worker[i], i * 10, ns[i]);
		k.t->tasks[i].footprint = footprint[i];
	}
	add(&k, 1, 0, 100, 9);
	d = dag_from_trace(k.t, NULL, NULL, NULL);
	CHECK_INT(d->nclasses, 4);
	CHECK_INT(d->ntypes, 2);
	CHECK_INT(d->classes[0].cost_ns[ARCH_CPU], 20);
	CHECK_INT(d->classes[0].cost_ns[ARCH_CUDA], 6);
	CHECK_INT(d->classes[0].deviation_ns[ARCH_CUDA], 1);
	CHECK_INT(d->classes[0].source[ARCH_CUDA], COST_RUN);
	CHECK_INT(d->classes[1].cost_ns[ARCH_CPU], 150);
	CHECK_INT(d->classes[1].cost_ns[ARCH_CUDA], 45); /* 150 x 6 / 20 */
	CHECK_INT(d->classes[1].source[ARCH_CUDA], COST_RATIO);
	CHECK_INT(d->classes[1].deviation_ns[ARCH_CUDA], -1);
	CHECK_INT(d->classes[3].cost_ns[ARCH_CUDA], -1);
	CHECK_INT(d->types[1].where, 1 << ARCH_CPU);
	CHECK_INT(d->types[0].where, 1 << ARCH_CPU | 1 << ARCH_CUDA);
	CHECK(dag_check(d) == NULL);
	dag_free(d);
	d = dag_from_trace(k.t, &set, &o, NULL);
	CHECK_INT(d->classes[0].cost_ns[ARCH_CUDA], 2); /* two runs are not enough */
	CHECK_INT(d->classes[0].source[ARCH_CUDA], COST_MODEL);
	CHECK_INT(d->classes[0].cost_ns[ARCH_CPU], 20);
	CHECK_INT(d->classes[1].cost_ns[ARCH_CPU], 150); /* nor here, but there is nothing else */
	CHECK_INT(d->classes[2].cost_ns[ARCH_CUDA], 30);
	dag_free(d);
	k.t->codelets[0].where = 1 << ARCH_CPU; /* what ran there can run there, whatever was recorded */
	d = dag_from_trace(k.t, &set, NULL, NULL);
	CHECK_INT(d->types[0].where, 1 << ARCH_CPU | 1 << ARCH_CUDA);
	dag_free(d);
	trace_free(k.t);
}

/* Types have the order of their first tasks, not that of the codelets, which follows the lines of the recording. */
static void test_order_of_types(void)
{
	struct maker k = maker_create();
	struct dag *d;

	add(&k, 1, 0, 0, 9);
	add(&k, 0, 0, 10, 9);
	add(&k, 1, 1, 20, 9);
	d = dag_from_trace(k.t, NULL, NULL, NULL);
	CHECK_INT(d->ntypes, 2);
	CHECK_STR(d->types[0].name, "potrf");
	CHECK_INT(d->types[0].count, 2);
	CHECK_INT(d->types[0].where, 1 << ARCH_CPU | 1 << ARCH_CUDA);
	CHECK_STR(d->types[1].name, "gemm");
	CHECK_STR(d->types[dag_type_of(d, 1)].name, "gemm");
	dag_free(d);
	trace_free(k.t);
}

/* What takes longer than 73 years in all is damage, and would not fit when summed up. */
static void test_costs_that_do_not_fit(void)
{
	struct model_entry entry = {.footprint = 1, .arch = ARCH_CUDA, .ncores = 1, .mean_us = 2e15, .samples = 9};
	struct model model = {.symbol = "m_gemm", .host = "h", .entries = &entry, .nentries = 1};
	struct model_set set = {.models = &model, .count = 1};
	struct maker k = maker_create();
	struct ht_err err = {""};
	struct dag *d;

	add(&k, 0, 0, 0, 10);
	k.t->tasks[0].footprint = 1;
	d = dag_from_trace(k.t, &set, NULL, &err);
	CHECK(d != NULL);
	CHECK_INT(d->classes[0].cost_ns[ARCH_CUDA], INT64_C(2000000000000000000));
	dag_free(d);
	add(&k, 0, 0, 20, 10);
	k.t->tasks[1].footprint = 1;
	CHECK(dag_from_trace(k.t, &set, NULL, &err) == NULL);
	CHECK_HAS(err.text, "2 tasks of gemm that take up to 2000000000000000000 ns each");
	trace_free(k.t);
}

/* A million tasks: linear in time and memory. The limit on time is far above what it takes. */
static void test_million(void)
{
	struct maker k = maker_create();
	struct timespec a, b;
	struct dag *d;
	size_t held;

	for (uint32_t i = 0; i < 1000000; i++) {
		uint32_t task = add(&k, 0, (int)(i % 2), i, 5);

		k.t->tasks[task].footprint = i % 1000;
		for (uint32_t p = 1; p <= 3; p++) {
			if (i >= p * 7)
				dep(&k, i - p * 7, task, DEP_TASK);
		}
	}
	held = held_bytes();
	clock_gettime(CLOCK_MONOTONIC, &a);
	d = dag_from_trace(k.t, NULL, NULL, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	held = held_bytes() - held;
	CHECK_INT(d->ntasks, 1000000);
	CHECK_INT(d->nclasses, 1000);
	CHECK_INT(d->nedges, 3000000 - 7 - 14 - 21);
	CHECK(held < 200u << 20);
	printf("# a million tasks: %.2f s, %zu MiB\n",
	       (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec), held >> 20);
	CHECK(b.tv_sec - a.tv_sec < 60);
	dag_free(d);
	trace_free(k.t);
}

/* The accesses of the trace are the graph's where all are of its tasks; else the graph has those of its own. */
static void test_accesses(void)
{
	static struct trace_handle handles[2];
	struct data_access accesses[] = {{0, ACCESS_R}, {1, ACCESS_W}, {1, ACCESS_R}};
	struct trace_wont_use said = {.ns = 5000, .handle = 1};

	for (int changed = 0; changed < 4; changed++) {
		struct maker k = maker_create();
		struct dag *d;

		add(&k, 0, 0, 0, 100);
		add(&k, changed == 1 ? TRACE_NONE : 1, 0, 1000, 100);
		add(&k, 0, 0, 2000, 100);
		k.t->handles = handles;
		k.t->nhandles = 2;
		k.t->accesses = accesses;
		k.t->naccesses = 3;
		accesses[0].handle = changed == 2 ? TRACE_NONE : 0;
		for (uint32_t i = 0; i < 3; i++) {
			k.t->tasks[i].first_access = i;
			k.t->tasks[i].naccesses = 1;
		}
		k.t->wont_use = &said;
		k.t->nwont_use = changed == 3;
		d = dag_from_trace(k.t, NULL, NULL, NULL);
		CHECK_INT(d->accesses == accesses, !changed);
		CHECK_INT(d->naccesses, changed == 1 || changed == 2 ? 2 : 3);
		CHECK_INT(d->accesses[d->tasks[d->ntasks - 1].first_access].handle, 1);
		CHECK_INT(accesses[1].mode, ACCESS_W);
		dag_free(d);
		k.t->handles = NULL;
		k.t->accesses = NULL;
		k.t->wont_use = NULL;
		trace_free(k.t);
	}
}

/* A codelet whose function returns at the end keeps its device's thread; one that returns at once does not. */
static void test_synchronous(void)
{
	struct maker k = maker_create();
	struct dag *d;

	k.t->extras = ht_alloc(6, sizeof(*k.t->extras));
	for (int i = 0; i < 6; i++) {
		uint32_t task = add(&k, i % 2, 1, i * 1000, 500);
		struct trace_task *x = &k.t->tasks[task];

		k.t->extras[task] = (struct trace_extra)TRACE_EXTRA_NONE;
		k.t->extras[task].returned_ns = i % 2 && i < 5 ? x->end_ns - 1 : x->start_ns + 10;
	}
	d = dag_from_trace(k.t, NULL, NULL, NULL);
	CHECK_STR(d->types[dag_type_of(d, 1)].name, "potrf");
	CHECK_INT(d->types[dag_type_of(d, 1)].synchronous, 1 << ARCH_CUDA);
	CHECK_INT(d->types[dag_type_of(d, 0)].synchronous, 0);
	CHECK_INT(d->types[dag_type_of(d, 0)].asynchronous, 1 << ARCH_CUDA);
	dag_free(d);
	trace_free(k.t);
}

/* Half of the costs of one type on one architecture, the others as they were. */
static void test_faster(void)
{
	const int64_t cost[2][ARCH_COUNT] = {COSTS(100, 30), COSTS(100, -1)};
	struct dag_builder *b = dag_builder_create();
	struct dag *d, *faster;

	for (uint32_t p = 0; p < 2; p++)
		dag_builder_type(b, p ? "b" : "a", cost[p]);
	for (uint32_t p = 0; p < 2; p++)
		dag_builder_task(b, p);
	d = dag_builder_finish(b, NULL);
	faster = dag_with_faster(d, 0, ARCH_CPU, 0.5);
	CHECK_INT(dag_cost(faster, 0, ARCH_CPU), 50);
	CHECK_INT(dag_cost(faster, 0, ARCH_CUDA), 30);
	CHECK_INT(dag_cost(faster, 1, ARCH_CPU), 100);
	CHECK_INT(dag_cost(d, 0, ARCH_CPU), 100);
	dag_free(faster);
	faster = dag_with_faster(d, 1, ARCH_CUDA, 0.5);
	CHECK_INT(dag_cost(faster, 1, ARCH_CUDA), -1);
	dag_free(faster);
	dag_free(d);
}

int main(void)
{
	RUN(test_builder);
	RUN(test_builder_cycle);
	RUN(test_dependencies_of_an_edge);
	RUN(test_contraction);
	RUN(test_end_dependency);
	RUN(test_cycle);
	RUN(test_empty);
	RUN(test_acquire_chain);
	RUN(test_random_reachability);
	RUN(test_costs);
	RUN(test_order_of_types);
	RUN(test_costs_that_do_not_fit);
	RUN(test_accesses);
	RUN(test_synchronous);
	RUN(test_faster);
	RUN(test_million);
	return check_done();
}
