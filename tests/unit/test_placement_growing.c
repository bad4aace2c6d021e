/* tests/unit/test_placement_growing.c - the policy placement where the graph grows: plans that are found, and lost. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/dag/live_dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "sched/placement/owners.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/play.h"

enum { NDATA = 4 };

/* The world where the graph grows: data has the owners of a plan. */
struct growing {
	struct live_dag *l;
	int owner[NDATA];
	struct distributed {
		uint32_t handle;
		int worker;
	} distributed[NDATA]; /* what the policy asks for */
	int ndistributed;
	uint32_t absent;          /* a bit a datum: it is nowhere but in main memory */
	uint64_t second_capacity; /* of the second device; 0: not known */
	int nprefetched;
	struct machine *m;
	struct policy_world w;
};

static double growing_rank(void *ctx, uint32_t task)
{
	return live_dag_rank_ns(((struct growing *)ctx)->l, task);
}

static struct dag *growing_part(void *ctx, const uint32_t **task, const uint32_t **handle)
{
	return live_dag_part(((struct growing *)ctx)->l, task, handle);
}

static int growing_owner(void *ctx, uint32_t handle)
{
	return handle < NDATA ? ((struct growing *)ctx)->owner[handle] : -1;
}

static const char *decided; /* the knobs of the plan; NULL: several fit */

static const char *growing_knobs(void *ctx)
{
	(void)ctx;
	return decided;
}

static int decided_owner(void *ctx, uint32_t handle)
{
	return decided ? growing_owner(ctx, handle) : -1;
}

static void growing_copy(void *ctx, uint32_t handle, int worker, int32_t priority)
{
	struct growing *g = ctx;

	(void)priority;
	g->distributed[g->ndistributed++] = (struct distributed){handle, worker};
}

static uint64_t growing_bytes(void *ctx)
{
	return live_dag_bytes(((struct growing *)ctx)->l);
}

static void growing_where(void *ctx, uint32_t handle, uint64_t *valid, uint64_t *coming)
{
	*valid = ((struct growing *)ctx)->absent >> handle & 1 ? 1 : UINT64_MAX;
	*coming = 0;
}

static void growing_prefetch(void *ctx, uint32_t task, int worker)
{
	(void)task;
	(void)worker;
	((struct growing *)ctx)->nprefetched++;
}

static int growing_takes_ahead(void *ctx, uint32_t task, int worker)
{
	(void)task;
	return worker < 2 && ((struct growing *)ctx)->second_capacity;
}

static void growing_wake(void *ctx, int worker)
{
	(void)ctx;
	(void)worker;
}

static uint32_t growing_submit(struct growing *g, void *state, uint32_t handle, uint32_t mode)
{
	const struct data_access a = {handle, mode};
	uint32_t task = live_dag_submit(g->l, &(struct live_task){.accesses = &a, .naccesses = 1});

	policy_placement.added(state, task);
	return task;
}

/* The policy: tasks take 1000 ns on a CPU, 100 on either device, the first of which has `capacity` bytes. */
static void *growing_begin(struct growing *g, uint64_t capacity)
{
	g->l = live_dag_create(0, 0);
	g->m = machine_parse("cuda:2 cpu:1", NULL);
	g->w = (struct policy_world){.config = g->w.config,
	                             .plan_options = g->w.plan_options,
	                             .machine = g->m,
	                             .now = play_no_time,
	                             .wake = growing_wake,
	                             .prefetch = growing_prefetch,
	                             .takes_ahead = growing_takes_ahead,
	                             .where = growing_where,
	                             .data_bytes = growing_bytes,
	                             .copies_take_time = 1,
	                             .prefetch_data = growing_copy,
	                             .rank_ns = growing_rank,
	                             .part = growing_part,
	                             .owner = g->w.plan_options ? decided_owner : growing_owner,
	                             .ctx = g};
	live_dag_set_length(g->l, live_dag_add_class(g->l, live_dag_add_type(g->l, "t")), 100);
	g->w.dag = live_dag_view(g->l);
	live_dag_view(g->l)->classes[0].cost_ns[ARCH_CPU] = 1000;
	live_dag_view(g->l)->classes[0].cost_ns[ARCH_CUDA] = 100;
	for (int i = 0; i < NDATA; i++)
		live_dag_add_handle(g->l, 100, 0);
	g->m->nodes[g->m->workers[0].node].capacity_bytes = (int64_t)capacity;
	g->m->nodes[g->m->workers[1].node].capacity_bytes = (int64_t)g->second_capacity;
	return policy_placement.create(&policy_placement, &g->w, "distribute=yes", NULL);
}

static void growing_end(struct growing *g, void *state)
{
	policy_placement.free(state);
	machine_free(g->m);
	live_dag_free(g->l);
}

/*
 * Data with a planned owner goes there with the submission of the first task that reads it, if that writes it too and
 * half of the memory has spare bytes, which come back when the task is done.
 */
static void test_growing_distribution(void)
{
	struct growing g = {.owner = {0, 0, 1, -1}};
	void *state = growing_begin(&g, 399);
	uint32_t first;

	REQUIRE(state != NULL);
	first = growing_submit(&g, state, 0, ACCESS_R | ACCESS_W);
	CHECK_INT(g.ndistributed, 1);
	CHECK_INT(g.distributed[0].handle, 0);
	CHECK_INT(g.distributed[0].worker, 0);
	(void)growing_submit(&g, state, 0, ACCESS_R | ACCESS_W);
	(void)growing_submit(&g, state, 1, ACCESS_R | ACCESS_W); /* no spare bytes */
	(void)growing_submit(&g, state, 2, ACCESS_W);            /* nothing to be copied */
	(void)growing_submit(&g, state, 3, ACCESS_R | ACCESS_W); /* nobody's by the plan */
	CHECK_INT(g.ndistributed, 1);

	policy_placement.push(state, first, -1);
	CHECK_INT(policy_placement.pop(state, 0), first);
	policy_placement.done(state, first, 0);
	live_dag_done(g.l, first);
	g.owner[3] = 0;
	(void)growing_submit(&g, state, 3, ACCESS_R | ACCESS_W);
	CHECK_INT(g.ndistributed, 2);
	CHECK_INT(g.distributed[1].handle, 3);
	growing_end(&g, state);
}

/*
 * As long as several plans fit nothing goes ahead; once it is known which it is, the data of all tasks so far does, but
 * of those that are done.
 */
static void test_growing_undecided(void)
{
	struct growing g = {.owner = {0, 0, 1, -1}};
	struct config *c = config_create();
	void *state;
	uint32_t first;

	decided = NULL;
	c->nplans = 1;
	c->plans = arena_alloc(c->arena, 1, sizeof(*c->plans));
	g.w.config = c;
	g.w.plan_options = growing_knobs;
	state = growing_begin(&g, 0);
	REQUIRE(state != NULL);
	first = growing_submit(&g, state, 0, ACCESS_R | ACCESS_W);
	policy_placement.push(state, first, -1);
	CHECK(policy_placement.pop(state, 0) == first || policy_placement.pop(state, 1) == first);
	policy_placement.done(state, first, 0);
	live_dag_done(g.l, first);
	for (uint32_t h = 1; h < NDATA; h++)
		(void)growing_submit(&g, state, h, ACCESS_R | ACCESS_W);
	CHECK_INT(g.ndistributed, 0);
	decided = "f=3,distribute=yes";
	(void)growing_submit(&g, state, 1, ACCESS_R | ACCESS_W);
	CHECK_INT(g.ndistributed, 2);
	CHECK_INT(g.distributed[0].handle + g.distributed[1].handle, 3);
	CHECK_INT(g.distributed[0].worker, g.owner[g.distributed[0].handle]);
	CHECK_INT(g.distributed[1].worker, g.owner[g.distributed[1].handle]);
	growing_end(&g, state);
	config_free(c);
}

/* Once the plan is lost, tasks that were submitted by it have the policy's knobs, too: CPUs may take them. */
static void test_growing_lost(void)
{
	for (int is_lost = 0; is_lost < 2; is_lost++) {
		struct growing g = {.owner = {0, 0, 0, 0}};
		uint32_t task[11];
		void *state;

		decided = "q=0,f=1e6";
		g.w.plan_options = growing_knobs;
		state = growing_begin(&g, 0);
		REQUIRE(state != NULL);
		for (int i = 0; i < 11; i++)
			task[i] = growing_submit(&g, state, 0, ACCESS_R | ACCESS_W);
		decided = is_lost ? NULL : decided;
		(void)growing_submit(&g, state, 1, ACCESS_R | ACCESS_W);
		for (int i = 0; i < 11; i++)
			policy_placement.push(state, task[i], -1);
		CHECK_INT(policy_placement.pop(state, 2) != POLICY_NO_TASK, is_lost);
		growing_end(&g, state);
	}
}

/* Tasks that wait at the owner send the next one to the CPUs, but nobody knows what waits when the data is needed. */
static void test_growing_distribution_while_tasks_wait(void)
{
	struct growing g = {.owner = {0, 0, 1, -1}};
	void *state = growing_begin(&g, 0);
	uint32_t task[11];

	REQUIRE(state != NULL);
	for (int i = 0; i < 11; i++) {
		task[i] = growing_submit(&g, state, 0, ACCESS_R | ACCESS_W);
		policy_placement.push(state, task[i], -1);
	}
	CHECK_INT(policy_placement.pop(state, 2), task[8]); /* 1000 ns < 800 that wait + 100 + 0.2 (900 - 100) */
	(void)growing_submit(&g, state, 1, ACCESS_R | ACCESS_W);
	CHECK_INT(g.ndistributed, 2);
	CHECK_INT(g.distributed[1].handle, 1);
	CHECK_INT(g.distributed[1].worker, 0);
	growing_end(&g, state);
}

/*
 * Ten readers of datum 0, 1000 at GPU 0, and a chain on datum 1, whose first task takes a CPU 1000 and would come first
 * at GPU 0. The devices share what is left, 50 a task: a chain of 9 takes less than that, and what waits behind its
 * first task counts, until one task is done; a chain of 10 takes as long.
 */
static void test_narrow(void)
{
	for (int i = 0; i < 3; i++) {
		struct growing g = {.owner = {0, 0, 0, 0}};
		void *state = growing_begin(&g, 0);
		uint32_t reader[10], chain[10];
		int length = i == 2 ? 10 : 9;

		REQUIRE(state != NULL);
		for (int k = 0; k < 10; k++)
			reader[k] = growing_submit(&g, state, 0, ACCESS_R);
		for (int k = 0; k < length; k++)
			chain[k] = growing_submit(&g, state, 1, ACCESS_R | ACCESS_W);
		for (int k = 0; k < 10; k++)
			policy_placement.push(state, reader[k], -1);
		if (i == 1)
			policy_placement.done(state, chain[8], -1);
		policy_placement.push(state, chain[0], -1);
		CHECK_INT(policy_placement.pop(state, i == 0 ? 2 : 0), chain[0]);
		growing_end(&g, state);
	}
}

/* When the graph is whole what waits has the ranks of then: the task with the longest chain behind it comes first. */
static void test_whole(void)
{
	for (int is_whole = 0; is_whole < 2; is_whole++) {
		struct growing g = {.owner = {-1, -1, -1, -1}};
		void *state = growing_begin(&g, 0);
		uint32_t first[3];

		REQUIRE(state != NULL);
		for (uint32_t h = 0; h < 3; h++) { /* the first and the third one to the first device */
			first[h] = growing_submit(&g, state, h, ACCESS_W);
			policy_placement.push(state, first[h], -1);
		}
		for (int i = 0; i < OWNERS_FEWEST; i++)
			(void)growing_submit(&g, state, 2, ACCESS_R | ACCESS_W);
		live_dag_sweep(g.l);
		if (is_whole)
			policy_placement.whole(state);
		CHECK_INT(policy_placement.pop(state, 0), first[is_whole ? 2 : 0]);
		growing_end(&g, state);
	}
}

/*
 * Two data of 100 bytes, of which the GPU lacks the first, whose task has the higher rank. With memory for three
 * quarters of them it takes the other task first, and asks for no data before it takes a task.
 */
static void test_scarce_memory(void)
{
	for (int is_scarce = 0; is_scarce < 2; is_scarce++) {
		uint64_t bytes = is_scarce ? 75 : 80;
		struct growing g = {.absent = 1, .second_capacity = bytes};
		void *state = growing_begin(&g, bytes);
		uint32_t task[3];

		REQUIRE(state != NULL);
		task[0] = growing_submit(&g, state, 0, ACCESS_R | ACCESS_W);
		task[1] = growing_submit(&g, state, 1, ACCESS_R | ACCESS_W);
		task[2] = growing_submit(&g, state, 0, ACCESS_R | ACCESS_W);
		CHECK_INT(live_dag_bytes(g.l), 200);
		policy_placement.push(state, task[1], -1);
		policy_placement.push(state, task[0], -1);
		CHECK_INT(g.nprefetched, is_scarce ? 0 : 2);
		CHECK_INT(policy_placement.pop(state, 0), task[is_scarce]);
		CHECK_INT(policy_placement.pop(state, 0), task[!is_scarce]);
		for (int i = 0; i < 3; i++) {
			policy_placement.done(state, task[i], 0);
			live_dag_done(g.l, task[i]);
		}
		CHECK_INT(live_dag_bytes(g.l), 0);
		growing_end(&g, state);
	}
}

int main(void)
{
	RUN(test_growing_distribution);
	RUN(test_growing_undecided);
	RUN(test_growing_lost);
	RUN(test_growing_distribution_while_tasks_wait);
	RUN(test_narrow);
	RUN(test_whole);
	RUN(test_scarce_memory);
	return check_done();
}
