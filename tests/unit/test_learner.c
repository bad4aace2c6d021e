/* tests/unit/test_learner.c - what an execution teaches: what a task releases, as far as StarPU's graph has it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "sched/heteroprio/learner.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

#define EPS 1e-12
enum { A, B, C, D, NTASKS };

/* A -> B, A -> C, D -> C; A and D of type "first", B and C of type "then". A writes data that is not needed again. */
struct bench {
	struct dag *d;
	struct learner l;
	arch_mask where[2];
	int submitted[NTASKS];
};

static int is_submitted(void *ctx, uint32_t task)
{
	return ((struct bench *)ctx)->submitted[task];
}

/* C waits for A so many times, as for the sake of so many pieces of data. */
static void bench_open_times(struct bench *b, int wont_use, int times)
{
	const int64_t cost[ARCH_COUNT] = COSTS(5, 5);
	struct dag_builder *k = dag_builder_create();
	struct ht_err err = {""};

	memset(b, 0, sizeof(*b));
	dag_builder_type(k, "first", cost);
	dag_builder_type(k, "then", cost);
	dag_builder_handle(k, 8);
	dag_builder_task(k, 0);
	dag_builder_access(k, A, 0, ACCESS_W | (wont_use ? ACCESS_WONT_USE : 0));
	dag_builder_task(k, 1);
	dag_builder_task(k, 1);
	dag_builder_task(k, 0);
	dag_builder_edge(k, A, B);
	for (int i = 0; i < times; i++)
		dag_builder_edge(k, A, C);
	dag_builder_edge(k, D, C);
	b->d = dag_builder_finish(k, &err);
	CHECK(b->d != NULL);
	b->where[0] = b->where[1] = 3;
	CHECK_INT(learner_init(&b->l,
	                       &(struct learner_view){.dag = b->d,
	                                              .where = b->where,
	                                              .present = 3,
	                                              .nworkers = 2,
	                                              .is_submitted = is_submitted,
	                                              .ctx = b},
	                       &err),
	          0);
	for (int i = 0; i < NTASKS; i++)
		b->submitted[i] = 1;
}

static void bench_open(struct bench *b, int wont_use)
{
	bench_open_times(b, wont_use, 1);
}

static void bench_close(struct bench *b)
{
	learner_fini(&b->l);
	dag_free(b->d);
}

/* NOD 1 + 1/2; nothing was executed, so every best time is 1000 us and no architecture has a share. */
static void test_released(void)
{
	struct bench b;

	bench_open(&b, 0);
	learner_ready(&b.l, A);
	CHECK_INT(b.l.autoheteroprio_data.ntypes, 2); /* its successors' type has been seen */
	CHECK_STR(b.l.autoheteroprio_data.types[1].name, "then");
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].nod, 1.5, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].released_us, 2000, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].arch[ARCH_CPU].urt, 0, EPS);
	learner_ready(&b.l, D);
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].nod, (1.5 + 0.5) / 2, EPS);
	bench_close(&b);
}

/*
 * StarPU 1.4.10 itself, of tasks that write two pieces of data and one, and a third that reads all three: NOD 0.666667
 * and 0.333333, and 2000 and 1000 us of successors.
 */
static void test_two_pieces_of_data(void)
{
	struct bench b;

	bench_open_times(&b, 0, 2);
	b.submitted[B] = 0;
	learner_ready(&b.l, A);
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].nod, 2. / 3, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].released_us, 2000, EPS);
	bench_close(&b);
	bench_open_times(&b, 0, 2);
	learner_ready(&b.l, D);
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].nod, 1. / 3, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.types[0].released_us, 1000, EPS);
	bench_close(&b);
}

/* A successor that is not submitted is not there, nor is what the application says after it. */
static void test_submission(void)
{
	struct bench b;

	for (int wont_use = 0; wont_use < 2; wont_use++) {
		bench_open(&b, wont_use);
		b.submitted[B] = b.submitted[C] = 0;
		learner_ready(&b.l, A);
		CHECK_NEAR(b.l.autoheteroprio_data.types[0].nod, 0, EPS);
		CHECK_INT(b.l.autoheteroprio_data.ntypes, 1);
		bench_close(&b);
		bench_open(&b, wont_use);
		b.submitted[C] = 0;
		learner_ready(&b.l, A);
		CHECK_NEAR(b.l.autoheteroprio_data.types[0].nod, 1 + wont_use,
		           EPS); /* starpu_data_wont_use() is a task too */
		CHECK_NEAR(b.l.autoheteroprio_data.types[0].released_us, 1000, EPS); /* without a codelet */
		bench_close(&b);
	}
}

/* D ended when C was submitted, or before: then C has one predecessor, else two. */
static void test_finished_predecessor(void)
{
	struct bench b;

	for (int late = 0; late < 2; late++) {
		bench_open(&b, 0);
		b.d->submit_ns[C] = 100 + late;
		learner_started(&b.l, 0, ARCH_CPU, 10);
		learner_done(&b.l, D, 0, ARCH_CPU, 101);
		learner_ready(&b.l, A);
		CHECK_NEAR(b.l.autoheteroprio_data.types[0].nod, late ? 2 : 1.5, EPS);
		bench_close(&b);
	}
}

/*
 * "then" ran once on each architecture, in 3 and 1 us; "first" has been ready once before, so 1 is 1000 us in
 * normalised times: B and C give CPUs 1/2 (3/1000) and 1/4 (3/1000), GPUs a third of that.
 */
static void test_times(void)
{
	struct bench b;

	bench_open(&b, 0);
	learner_started(&b.l, 0, ARCH_CPU, 2000);
	learner_done(&b.l, B, 0, ARCH_CPU, 5000);
	learner_started(&b.l, 1, ARCH_CUDA, 7000);
	learner_done(&b.l, C, 1, ARCH_CUDA, 8000);
	learner_ready(&b.l, A);
	CHECK_NEAR(b.l.autoheteroprio_data.types[1].arch[ARCH_CPU].urt, 0.75 * 3 / 1000, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.types[1].arch[ARCH_CUDA].urt, 0.75 * 1 / 1000, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.types[1].released_us, 2, EPS);
	learner_finish(&b.l);
	CHECK_NEAR(b.l.autoheteroprio_data.busy_us[ARCH_CPU], 3, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.free_us[ARCH_CPU], 2, EPS);
	CHECK_NEAR(b.l.autoheteroprio_data.free_us[ARCH_CUDA], 7, EPS);
	bench_close(&b);
}

int main(void)
{
	RUN(test_released);
	RUN(test_two_pieces_of_data);
	RUN(test_submission);
	RUN(test_finished_predecessor);
	RUN(test_times);
	return check_done();
}
