/* tests/unit/test_owners.c - owners of data where the graph grows: when it is cut, and what stays where it is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/dag/live_dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "sched/placement/owners.h"
#include "sched/placement/plan.h"
#include "sched/policy.h"
#include "tests/lib/check.h"

enum { CHAINS = 16, LENGTH = 8 };

static struct dag *part(void *live, const uint32_t **task, const uint32_t **handle)
{
	return live_dag_part(live, task, handle);
}

/* A machine with two GPUs and a CPU; tasks of one class, which GPUs run ten times as fast. */
struct bench {
	int is_whole;
	struct live_dag *l;
	struct machine *m;
	struct policy_world w;
	struct placement_base b;
	struct placement_knobs k;
	struct owners *o;
	uint32_t task[CHAINS * LENGTH];
};

static void bench_open(struct bench *t)
{
	*t = (struct bench){.l = live_dag_create(0, 0), .m = machine_parse("cuda:2 cpu:1", NULL)};
	live_dag_set_length(t->l, live_dag_add_class(t->l, live_dag_add_type(t->l, "t")), 100);
	live_dag_view(t->l)->classes[0].cost_ns[ARCH_CPU] = 1000;
	live_dag_view(t->l)->classes[0].cost_ns[ARCH_CUDA] = 100;
	for (int i = 0; i < CHAINS; i++)
		live_dag_add_handle(t->l, 1000, 0);
	t->w = (struct policy_world){.dag = live_dag_view(t->l), .machine = t->m, .part = part, .ctx = t->l};
	placement_base_init_places(&t->b, t->w.dag, t->m);
	CHECK_INT(placement_knobs_read(&t->k, "", NULL), 0);
	t->o = owners_create(&t->w, &t->b, &t->k);
}

static void bench_close(struct bench *t)
{
	owners_free(t->o);
	placement_base_fini(&t->b);
	machine_free(t->m);
	live_dag_free(t->l);
}

/* Chains of tasks that write a piece of data each; those of one half read another one of that half. */
static void submit(struct bench *t, int from, int to)
{
	for (int i = from; i < to; i++) {
		uint32_t h = (uint32_t)i % CHAINS, read = h / 8 * 8 + (h + 1) % 8;
		const struct data_access a[] = {{h, ACCESS_R | ACCESS_W}, {read, ACCESS_R}};

		t->task[i] = live_dag_submit(t->l, &(struct live_task){.accesses = a, .naccesses = 2});
		owners_added(t->o, t->task[i]);
	}
}

static int is_cut(const struct bench *t)
{
	const uint32_t *task;
	int fills_bus = 0;
	struct dag *cut = owners_are_due(t->o, t->is_whole) ? owners_cut(t->o, &task, &fills_bus) : NULL;

	dag_free(cut);
	return cut != NULL;
}

static int owned_by(const struct bench *t, int place)
{
	int n = 0;

	for (uint32_t h = 0; h < CHAINS; h++)
		n += owners_of(t->o, h) == place;
	return n;
}

/* Not before there is enough; then both GPUs have half of it each, and data that goes together is together. */
static void test_cut(void)
{
	struct bench t;

	bench_open(&t);
	submit(&t, 0, OWNERS_FEWEST - 1);
	CHECK(!is_cut(&t));
	CHECK_INT(owners_of(t.o, 0), PLACES_NONE);
	submit(&t, OWNERS_FEWEST - 1, CHAINS * LENGTH);
	CHECK(is_cut(&t));
	CHECK(!is_cut(&t));
	CHECK_INT(owned_by(&t, t.b.places.of[0]), CHAINS / 2);
	CHECK_INT(owned_by(&t, t.b.places.of[1]), CHAINS / 2);
	for (uint32_t h = 0; h < CHAINS; h++)
		CHECK_INT(owners_of(t.o, h), owners_of(t.o, h / 8 * 8));
	bench_close(&t);
}

/* Of a program that had many tasks and data once the cut looks at what there is now. */
static void test_after_many(void)
{
	enum { MANY = 10000 };
	struct bench t;
	const uint32_t *task;
	uint32_t *many = ht_alloc(MANY, sizeof(*many));
	struct dag *cut;
	int fills_bus = 0;

	bench_open(&t);
	for (uint32_t i = 0; i < MANY; i++) {
		const struct data_access a = {live_dag_add_handle(t.l, 1000, 0), ACCESS_W};

		many[i] = live_dag_submit(t.l, &(struct live_task){.accesses = &a, .naccesses = 1});
	}
	for (uint32_t i = 0; i < MANY; i++)
		live_dag_done(t.l, many[i]);
	submit(&t, 0, CHAINS * LENGTH);
	CHECK(owners_are_due(t.o, 0));
	cut = owners_cut(t.o, &task, &fills_bus);
	CHECK(cut->ntasks < 2 * CHAINS * LENGTH);
	CHECK_INT(cut->nhandles, CHAINS);
	CHECK_INT(owned_by(&t, t.b.places.of[0]), CHAINS / 2);
	dag_free(cut);
	free(many);
	bench_close(&t);
}

/* The same graph once more, as another iteration is: nothing is cut again. Other data is. */
static void test_again(void)
{
	struct bench t;
	int owner;

	bench_open(&t);
	submit(&t, 0, CHAINS * LENGTH);
	CHECK(is_cut(&t));
	owner = owners_of(t.o, 0);
	for (int i = 0; i < CHAINS * LENGTH; i++) {
		live_dag_done(t.l, t.task[i]);
		owners_done(t.o);
	}
	submit(&t, 0, CHAINS * LENGTH);
	CHECK(!is_cut(&t));
	CHECK_INT(owners_of(t.o, 0), owner);
	bench_close(&t);
}

/* Once most data has owners it stays where it is, if that is as well as elsewhere. */
static void test_stays(void)
{
	struct bench t;
	int before[CHAINS];

	bench_open(&t);
	submit(&t, 0, CHAINS * LENGTH / 2);
	CHECK(is_cut(&t));
	for (uint32_t h = 0; h < CHAINS; h++)
		before[h] = owners_of(t.o, h);
	CHECK(!is_cut(&t));
	t.is_whole = 1;
	CHECK(is_cut(&t)); /* it was only a part, for all that was known */
	CHECK(!is_cut(&t));
	submit(&t, CHAINS * LENGTH / 2, CHAINS * LENGTH);
	CHECK(!is_cut(&t)); /* it is no more than twice as large, and was whole */
	for (uint32_t h = 0; h < CHAINS; h++)
		CHECK_INT(owners_of(t.o, h), before[h]);
	bench_close(&t);
}

/* Twice as many live tasks as at the last cut are cut again, though all their data has owners. */
static void test_grows(void)
{
	struct bench t;

	bench_open(&t);
	submit(&t, 0, OWNERS_FEWEST + 1);
	CHECK(is_cut(&t));
	submit(&t, OWNERS_FEWEST + 1, 2 * (OWNERS_FEWEST + 1));
	CHECK(!is_cut(&t));
	submit(&t, 2 * (OWNERS_FEWEST + 1), 2 * (OWNERS_FEWEST + 1) + 1);
	CHECK(is_cut(&t));
	bench_close(&t);
}

static int second_gpu(void *live, uint32_t handle)
{
	(void)live;
	return handle == CHAINS - 1 ? -1 : 1;
}

/* What a plan says counts at once, and instead of a cut. */
static void test_planned(void)
{
	struct bench t;

	bench_open(&t);
	t.w.owner = second_gpu;
	submit(&t, 0, CHAINS - 1);
	CHECK_INT(owners_of(t.o, CHAINS - 2), t.b.places.of[1]);
	submit(&t, CHAINS - 1, CHAINS);
	CHECK_INT(owners_of(t.o, CHAINS - 1), PLACES_NONE);
	submit(&t, CHAINS, CHAINS * LENGTH - 1);
	CHECK(!is_cut(&t));
	/* It is new to the owners once. */
	CHECK_INT(owners_added(t.o, t.task[0]), 0);
	owners_set(t.o, 0, PLACES_NONE);
	CHECK_INT(owners_added(t.o, t.task[0]), 1);
	owners_set(t.o, 1, t.b.places.of[0]);
	owners_set(t.o, CHAINS - 1, t.b.places.of[0]);
	owners_plan_changed(t.o);
	CHECK_INT(owners_of(t.o, 1), t.b.places.of[1]);
	CHECK_INT(owners_of(t.o, CHAINS - 1), t.b.places.of[0]); /* nobody's by the plan */
	bench_close(&t);
}

/* It is found late which plan it is: what was submitted until then has its owners, too. */
static void test_found_late(void)
{
	struct bench t;

	bench_open(&t);
	submit(&t, 0, CHAINS - 1);
	CHECK_INT(owners_of(t.o, CHAINS - 2), PLACES_NONE);
	t.w.owner = second_gpu;
	owners_plan_changed(t.o);
	CHECK_INT(owners_of(t.o, CHAINS - 2), t.b.places.of[1]);
	bench_close(&t);
}

static uint64_t number_of_reused = 1;

static uint64_t data_number(void *unused, uint32_t handle)
{
	(void)unused;
	return handle == 1 ? number_of_reused : 1;
}

/* An index that other data gets has no owner, and a task that writes the data counts as one without. */
static void test_reused(void)
{
	struct bench t;

	bench_open(&t);
	t.w.data_number = data_number;
	owners_set(t.o, 0, 1);
	owners_set(t.o, 1, 1);
	CHECK_INT(owners_of(t.o, 1), 1);
	number_of_reused++;
	CHECK_INT(owners_of(t.o, 0), 1);
	CHECK_INT(owners_of(t.o, 1), PLACES_NONE);
	owners_set(t.o, 1, 0);
	CHECK_INT(owners_of(t.o, 1), 0);
	bench_close(&t);
}

int main(void)
{
	RUN(test_cut);
	RUN(test_after_many);
	RUN(test_again);
	RUN(test_stays);
	RUN(test_grows);
	RUN(test_planned);
	RUN(test_found_late);
	RUN(test_reused);
	return check_done();
}
