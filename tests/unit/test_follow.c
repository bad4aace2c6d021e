/* tests/unit/test_follow.c - submissions that are those of a plan, and those that are not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/dag/submission_hash.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

/* The scheduler library is no part of libheterotune.a. */
#include "plugin/follow.c"
#include "plugin/report.c"

static int with_place, with_priority; /* of the plans that are set next */
static int priority;                  /* of the tasks that are submitted next */

enum { LENGTH = 3 };

static const struct config_place gpu[] = {{ARCH_CUDA, 0}, {ARCH_CUDA, 1}, {ARCH_NONE, 0}};

/* Task i of a graph writes datum `base` + i and reads the one before. */
static struct followed submit_task(const char *name, uint32_t base, uint32_t i, int alone)
{
	const struct data_access a[] = {{base + i, ACCESS_R | ACCESS_W}, {base + (i ? i - 1 : 0), ACCESS_R}};

	return follow_submit(name, a, i ? 2 : 1, priority, alone);
}

/* Its rank; NAN: no plan has it. */
static double submit(const char *name, uint32_t base, uint32_t i, int alone)
{
	struct followed f = submit_task(name, base, i, alone);

	return f.graph ? f.rank_ns : NAN;
}

/* A config with plans for graphs of LENGTH tasks called names[], whose first task has rank 3 of 30 us. */
static void set(const char *const *names, int n)
{
	static const int32_t ranks[LENGTH] = {3, 2, 1};
	struct config *c = config_create();
	struct submission_hash s = {0};

	c->knobs = "f=1";
	c->plans = arena_alloc(c->arena, (size_t)n, sizeof(*c->plans));
	for (c->nplans = 0; c->nplans < n; c->nplans++) {
		struct config_plan *p = &c->plans[c->nplans];

		*p = (struct config_plan){LENGTH,
		                          arena_alloc(c->arena, LENGTH, sizeof(*p->hash)),
		                          arena_alloc(c->arena, LENGTH, sizeof(*p->rank)),
		                          30,
		                          LENGTH,
		                          arena_alloc(c->arena, LENGTH, sizeof(*p->owner)),
		                          NULL,
		                          "f=3",
		                          with_priority ? 10 * (c->nplans + 1) : 0};
		if (with_place) {
			p->place = arena_alloc(c->arena, LENGTH, sizeof(*p->place));
			for (uint32_t i = 0; i < LENGTH; i++)
				p->place[i] = (struct config_place){i == 1 ? ARCH_CPU : ARCH_NONE, 0};
		}
		submission_hash_restart(&s);
		for (uint32_t i = 0; i < LENGTH; i++) {
			const struct data_access a[] = {{i, ACCESS_R | ACCESS_W}, {i ? i - 1 : 0, ACCESS_R}};

			p->hash[i] = submission_hash_next(&s, i < 2 ? "same" : names[c->nplans], a, i ? 2 : 1);
			p->rank[i] = ranks[i] * (1 + c->nplans) - c->nplans;
			p->owner[i] = gpu[i];
		}
	}
	submission_hash_fini(&s);
	follow_set(c);
	config_free(c);
}

/* The graph three times, on other data, without a pause: ranks fall from one to the next; after a pause as at first. */
static void test_iterations(void)
{
	static const char *const names[] = {"end"};

	set(names, 1);
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < LENGTH; i++)
			CHECK_INT(submit(i < 2 ? "same" : "end", 10 * k, i, k == 0 && i == 0),
			          1000 * (30 - 10 * (int)i - 30 * (int)k) - (int)k);
	CHECK_INT(submit("same", 0, 0, 1), 30000);
}

/* A graph has its plan's knobs if nothing was live when it began; the second one has the config's, and owners. */
static void test_knobs(void)
{
	static const char *const names[] = {"end"};

	set(names, 1);
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < LENGTH; i++) {
			(void)submit(i < 2 ? "same" : "end", 10 * k, i, k != 1 && i == 0);
			CHECK_STR(follow_knobs(NULL), k == 1 ? "f=1" : "f=3");
			CHECK_INT(follow_owner(10 * k + i).devid, gpu[i].devid);
		}
}

static void test_owners(void)
{
	static const char *const names[] = {"end"};

	set(names, 1);
	CHECK_INT(follow_owner(50).arch, ARCH_NONE);
	CHECK(!follow_knobs(NULL));
	for (uint32_t i = 0; i < LENGTH; i++) {
		(void)submit(i < 2 ? "same" : "end", 50, i, i == 0);
		CHECK_STR(follow_knobs(NULL), "f=3");
		CHECK_INT(follow_owner(50 + i).arch, gpu[i].arch);
		CHECK_INT(follow_owner(50 + i).devid, gpu[i].devid);
		CHECK_INT(follow_owner(51 + i).arch, ARCH_NONE);
	}
	(void)submit("other", 50, 0, 0);
	CHECK(!follow_knobs(NULL));
}

/* Two plans begin alike: what the first one has said of the second task is put right by the second one's own task. */
static void test_changes(void)
{
	static const char *const names[] = {"end", "other"};
	struct followed second, third;

	set(names, 2);
	CHECK_INT(submit_task("same", 7, 0, 1).changed, 0);
	second = submit_task("same", 7, 1, 0);
	CHECK_INT(second.changed, 0);
	CHECK_INT(second.number, 1);
	CHECK_INT(second.rank_ns, 20000);
	CHECK(!follow_knobs(NULL));
	CHECK_INT(follow_owner(7).arch, ARCH_NONE);
	third = submit_task("other", 7, 2, 0);
	CHECK_INT(third.changed, second.graph);
	follow_again(&second);
	CHECK_INT(second.rank_ns, 18000);
	CHECK_STR(follow_knobs(NULL), "f=3");
	CHECK_INT(follow_owner(7).arch, gpu[0].arch);
	CHECK_INT(second.graph, third.graph);
}

/* Two plans begin alike, but with other priorities: the program's says at once which it is, and may be wrong. */
static void test_priorities(void)
{
	static const char *const names[] = {"end", "other"};
	struct followed second;

	with_priority = 1;
	set(names, 2);
	with_priority = 0;
	priority = 20;
	CHECK_INT(submit_task("same", 7, 0, 1).rank_ns, 30000);
	CHECK_STR(follow_knobs(NULL), "f=3");
	CHECK_INT(follow_owner(7).arch, gpu[0].arch);
	second = submit_task("same", 7, 1, 0);
	CHECK_INT(second.changed, 0);
	CHECK_INT(second.rank_ns, 18000);
	CHECK_INT(submit_task("other", 7, 2, 0).changed, 0);
	(void)submit_task("same", 70, 0, 1);
	second = submit_task("same", 70, 1, 0);
	CHECK_INT(second.rank_ns, 18000);
	CHECK_INT(submit_task("end", 70, 2, 0).changed, second.graph);
	follow_again(&second);
	CHECK_INT(second.rank_ns, 20000);
	priority = 30; /* that of neither */
	(void)submit_task("same", 7, 0, 1);
	CHECK(!follow_knobs(NULL));
	priority = 0;
}

/* The second task of the graph goes to the CPUs, in every iteration. */
static void test_places(void)
{
	static const char *const names[] = {"end"};

	with_place = 1;
	set(names, 1);
	with_place = 0;
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < LENGTH; i++)
			CHECK_INT(submit_task(i < 2 ? "same" : "end", 50, i, 0).place.arch,
			          i == 1 ? ARCH_CPU : ARCH_NONE);
	CHECK_INT(submit_task("other", 50, 0, 0).place.arch, ARCH_NONE);
	set(names, 1);
	CHECK_INT(submit_task("same", 50, 0, 1).place.arch, ARCH_NONE);
}

/* Tasks of no plan, before a graph and between two of them; each graph has a number. */
static void test_between(void)
{
	static const char *const names[] = {"end"};

	set(names, 1);
	CHECK(isnan(submit("other", 90, 0, 1)));
	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < LENGTH; i++)
			CHECK_INT(submit_task(i < 2 ? "same" : "end", 10 * k, i, 0).graph, k + 1);
		CHECK(isnan(submit("other", 90, 0, 0)));
		CHECK_INT(submit_task("other", 90, 0, 0).lost, 0);
	}
}

/* A task in place of another one ends the graph, and what has begun is lost; none begins until nothing is live. */
static void test_other_graph(void)
{
	static const char *const names[] = {"end"};

	set(names, 1);
	CHECK_INT(submit("same", 0, 0, 1), 30000);
	CHECK_INT(submit_task("other", 0, 1, 0).lost, 1);
	CHECK_INT(follow_owner(0).arch, ARCH_NONE);
	CHECK_INT(submit_task("other", 0, 1, 0).lost, 0);
	CHECK(isnan(submit("same", 0, 0, 0)));
	CHECK(isnan(submit("same", 0, 1, 0)));
	CHECK_INT(submit("same", 0, 0, 1), 30000);
	CHECK_INT(submit("same", 0, 1, 0), 20000);
	CHECK_INT(submit_task("end", 0, 2, 0).graph, 2);
}

/* The first plan counts until a task fits the other one alone. */
static void test_two_plans(void)
{
	static const char *const names[] = {"short", "long"};

	set(names, 2);
	CHECK_INT(submit("same", 0, 0, 1), 30000);
	CHECK_INT(submit("same", 0, 1, 0), 20000);
	CHECK_INT(submit("long", 0, 2, 0), 6000);
	CHECK(isnan(submit("long", 0, 3, 0)));
}

/* The graph of another plan, while that of the first one is live, is followed no more than what is live. */
static void test_other_plan(void)
{
	static const char *const names[] = {"short", "long"};

	set(names, 2);
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < LENGTH; i++)
			CHECK_INT(submit_task(i < 2 ? "same" : "short", 0, i, k == 0 && i == 0).lost, 0);
	CHECK_INT(submit_task("same", 0, 0, 0).graph, 3);
	CHECK_INT(submit_task("same", 0, 1, 0).lost, 0);
	CHECK_INT(submit_task("long", 0, 2, 0).lost, 1);
	CHECK_INT(follow_owner(0).arch, ARCH_NONE);
	CHECK_INT(follow.planned, 8);
	follow_lost(5);
	CHECK_INT(follow.planned, 3);
	CHECK(isnan(submit("same", 0, 0, 0)));
	for (uint32_t i = 0; i < LENGTH; i++)
		CHECK_INT(submit_task(i < 2 ? "same" : "long", 0, i, i == 0).lost, 0);
	CHECK_INT(follow_owner(0).arch, gpu[0].arch);
}

/* A graph of the plan is an iteration, and so is what begins after a pause outside of one; a pause inside is none. */
static void test_iteration_numbers(void)
{
	static const char *const names[] = {"end"};
	static const struct {
		const char *name;
		uint32_t i;
		int alone;
		uint32_t iteration;
	} rows[] = {
		{"same", 0, 1, 1},  {"same", 1, 1, 1}, {"end", 2, 0, 1},  {"same", 0, 0, 2},
		{"same", 1, 0, 2},  {"end", 2, 1, 2},  {"same", 0, 1, 3}, {"other", 1, 0, 3},
		{"other", 0, 0, 3}, {"same", 0, 1, 4}, {"same", 0, 1, 5}, {"same", 1, 0, 5},
	};

	set(names, 1);
	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		CHECK_INT(submit_task(rows[r].name, 0, rows[r].i, rows[r].alone).iteration, rows[r].iteration);
	set(NULL, 0);
	CHECK_INT(submit_task("same", 0, 0, 1).iteration, 1);
	CHECK_INT(submit_task("same", 0, 0, 0).iteration, 1);
	CHECK_INT(submit_task("same", 0, 0, 1).iteration, 2);
}

static void test_no_plan(void)
{
	set(NULL, 0);
	CHECK(isnan(submit("same", 0, 0, 1)));
	CHECK_INT(follow_owner(0).arch, ARCH_NONE);
}

int main(void)
{
	RUN(test_iterations);
	RUN(test_knobs);
	RUN(test_owners);
	RUN(test_changes);
	RUN(test_priorities);
	RUN(test_places);
	RUN(test_between);
	RUN(test_other_graph);
	RUN(test_two_plans);
	RUN(test_other_plan);
	RUN(test_iteration_numbers);
	RUN(test_no_plan);
	return check_done();
}
