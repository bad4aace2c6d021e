/* tests/unit/test_follow.c - submissions that are those of a plan, and those that are not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/dag/submission_hash.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

/* The scheduler library is no part of libheterotune.a. */
#include "plugin/follow.c"
#include "plugin/starpu/report.c"

static int with_place, with_priority; /* of the plans that are set next */
static int priority;                  /* of the tasks that are submitted next */

enum { LENGTH = 3, LONG = 16 };

static uint32_t length = LENGTH; /* of the graphs of the plans that are set next */

static const struct config_place gpu[] = {{ARCH_CUDA, 0}, {ARCH_CUDA, 1}, {ARCH_NONE, 0}};

/* Task i of a graph writes datum `base` + i and reads the one before; so many are live. */
static struct followed submit_while(const char *name, uint32_t base, uint32_t i, size_t nlive)
{
	const struct data_access a[] = {{base + i, ACCESS_R | ACCESS_W}, {base + (i ? i - 1 : 0), ACCESS_R}};

	return follow_submit(name, a, i ? 2 : 1, priority, nlive);
}

static struct followed submit_task(const char *name, uint32_t base, uint32_t i, int alone)
{
	return submit_while(name, base, i, !alone);
}

/* Its rank; NAN: no plan has it. */
static double submit(const char *name, uint32_t base, uint32_t i, int alone)
{
	struct followed f = submit_task(name, base, i, alone);

	return f.graph ? f.rank_ns : NAN;
}

/* A config with plans for graphs called names[] of `length` tasks, the first one's rank in us ten times that. */
static void set(const char *const *names, int n)
{
	struct config *c = config_create();
	struct submission_hash s = {0};

	c->plans = arena_alloc(c->arena, (size_t)n, sizeof(*c->plans));
	for (c->nplans = 0; c->nplans < n; c->nplans++) {
		struct config_plan *p = &c->plans[c->nplans];

		*p = (struct config_plan){.ntasks = length,
		                          .hash = arena_alloc(c->arena, length, sizeof(*p->hash)),
		                          .rank = arena_alloc(c->arena, length, sizeof(*p->rank)),
		                          .longest_us = 10 * length,
		                          .nhandles = length,
		                          .owner = arena_alloc(c->arena, length, sizeof(*p->owner)),
		                          .knobs = "f=3",
		                          .priority = with_priority ? 10 * (c->nplans + 1) : 0};
		if (with_place) {
			p->place = arena_alloc(c->arena, length, sizeof(*p->place));
			for (uint32_t i = 0; i < length; i++)
				p->place[i] = (struct config_place){i == 1 ? ARCH_CPU : ARCH_NONE, 0};
		}
		submission_hash_restart(&s);
		for (uint32_t i = 0; i < length; i++) {
			const struct data_access a[] = {{i, ACCESS_R | ACCESS_W}, {i ? i - 1 : 0, ACCESS_R}};

			p->hash[i] = submission_hash_next(&s, i < 2 ? "same" : names[c->nplans], a, i ? 2 : 1);
			p->rank[i] = (int32_t)(length - i) * (1 + c->nplans) - c->nplans;
			p->owner[i] = gpu[i % 3];
		}
	}
	submission_hash_fini(&s);
	follow_set(c);
	config_free(c);
}

/* The graph again and again, on other data: as at first, while nothing is left of the one before. */
static void test_iterations(void)
{
	static const char *const names[] = {"end"};

	set(names, 1);
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < LENGTH; i++)
			CHECK_INT(submit(i < 2 ? "same" : "end", 10 * k, i, i == 0), 1000 * (30 - 10 * (int)i));
}

/*
 * The graph of 16 tasks while `left` of the one before are live: two are few, with three neither follows the plan; it
 * is an iteration, and the next one with few follows it again. What is live is lost once.
 */
static void test_overlap(void)
{
	static const char *const names[] = {"end"};
	static const struct {
		size_t left;
		int lost, follows;
	} graphs[] = {{0, 0, 1}, {2, 0, 1}, {3, 1, 0}, {99, 0, 0}, {2, 0, 1}, {3, 1, 0}};

	length = LONG;
	set(names, 1);
	length = LENGTH;
	for (uint32_t k = 0; k < sizeof(graphs) / sizeof(*graphs); k++)
		for (uint32_t i = 0; i < LONG; i++) {
			struct followed f = submit_while(i < 2 ? "same" : "end", 100 * k, i, i ? 99 : graphs[k].left);

			CHECK_INT(f.lost, i == 0 && graphs[k].lost);
			CHECK_INT(f.graph, graphs[k].follows ? k + 1 : 0);
			CHECK_INT(f.iteration, k + 1);
			CHECK_INT(f.number, i);
			CHECK_INT(follow_owner(100 * k).arch, graphs[k].follows ? ARCH_CUDA : ARCH_NONE);
			CHECK_INT(follow_knobs(NULL) != NULL, graphs[k].follows);
		}
	CHECK_INT(follow.planned, 3 * LONG);
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
			CHECK_INT(submit_task(i < 2 ? "same" : "end", 50, i, i == 0).place.arch,
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
			CHECK_INT(submit_task(i < 2 ? "same" : "end", 10 * k, i, i == 0).graph, k + 1);
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
	RUN(test_overlap);
	RUN(test_owners);
	RUN(test_changes);
	RUN(test_priorities);
	RUN(test_places);
	RUN(test_between);
	RUN(test_other_graph);
	RUN(test_two_plans);
	RUN(test_iteration_numbers);
	RUN(test_no_plan);
	return check_done();
}
