/* tests/unit/test_dag_invalidated.c - when data that the application has invalidated is gone. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/base/err.h"
#include "tests/lib/check.h"
#include "tests/lib/made_trace.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

/* Four tasks, one after the other, of 10 ms each; all read the one datum. */
static struct trace *four(struct trace_state *states, size_t n)
{
	static const struct row rows[] = {{0, 0, 0, 0, 10 * MS, 0, 0},
	                                  {1, 1, 1, 10 * MS, 20 * MS, 0, 0},
	                                  {2, 2, 2, 20 * MS, 30 * MS, 0, 0},
	                                  {3, 3, 3, 30 * MS, 40 * MS, 0, 0}};
	struct trace *t = trace_of(rows, 4, 1, 1);

	t->handles = arena_alloc(t->arena, 1, sizeof(*t->handles));
	t->nhandles = 1;
	t->accesses = arena_alloc(t->arena, 4, sizeof(*t->accesses));
	t->naccesses = 4;
	for (uint32_t i = 0; i < 4; i++) {
		t->accesses[i] = (struct data_access){.handle = 0, .mode = ACCESS_R};
		t->tasks[i].first_access = i;
		t->tasks[i].naccesses = 1;
	}
	t->states = states;
	t->nstates = n;
	return t;
}

#define FOUND(states, ...) \
	do { \
		static const uint32_t expected[] = {__VA_ARGS__}; \
\
		found(states, sizeof(states) / sizeof(*(states)), expected, sizeof(expected) / sizeof(*expected)); \
	} while (0)

/* Ends with a 0, which is none. */
static void found(struct trace_state *states, size_t nstates, const uint32_t *expected, size_t n)
{
	struct trace *t = four(states, nstates);
	struct ht_err err = {""};
	struct dag *d = dag_from_trace(t, NULL, NULL, &err);

	CHECK_STR(err.text, "");
	REQUIRE(d);
	CHECK_INT(d->ninvalidated, n - 1);
	for (uint32_t i = 0; i < d->ninvalidated && i + 1 < n; i++) {
		CHECK_INT(d->invalidated[i].handle, 0);
		CHECK_INT(d->invalidated[i].accesses, expected[i]);
	}
	dag_free(d);
	trace_drop(t);
}

/* Valid in two memories from the start; gone in both after the first task, and for good after the third. */
static void test_gone(void)
{
	struct trace_state states[] = {
		{0, 0, 0, STATE_SHARED},        {0, 0, 1, STATE_SHARED},      {10 * MS, 0, 0, STATE_INVALID},
		{10 * MS, 0, 1, STATE_INVALID}, {11 * MS, 0, 0, STATE_OWNER}, {30 * MS + 10 * US, 0, 0, STATE_INVALID},
	};

	FOUND(states, 1, 2, 0);
}

/* One memory still has it; a writer makes it valid elsewhere at once; it was never valid. */
static void test_not_gone(void)
{
	struct trace_state one[] = {{0, 0, 0, STATE_SHARED}, {0, 0, 1, STATE_SHARED}, {10 * MS, 0, 1, STATE_INVALID}};
	struct trace_state written[] = {{0, 0, 0, STATE_OWNER},
	                                {10 * MS, 0, 0, STATE_INVALID},
	                                {10 * MS + 5 * US, 0, 1, STATE_OWNER}};
	struct trace_state never[] = {{10 * MS, 0, 0, STATE_INVALID}};

	FOUND(one, 0);
	FOUND(written, 0);
	FOUND(never, 0);
}

/* The application unregisters it some time after the last task: its memory was taken until then. */
static void test_unregistered(void)
{
	struct trace_state late[] = {{0, 0, 0, STATE_OWNER}, {45 * MS, 0, 0, STATE_INVALID}};
	struct trace_state before[] = {{0, 0, 0, STATE_OWNER}, {1 * MS, 0, 0, STATE_INVALID}};
	struct trace_state again[] = {{0, 0, 0, STATE_OWNER},
	                              {19 * MS, 0, 0, STATE_INVALID},
	                              {25 * MS, 0, 0, STATE_OWNER},
	                              {30 * MS, 0, 0, STATE_INVALID}};

	FOUND(late, 0);
	FOUND(before, 0);
	FOUND(again, 3, 0); /* the accesses of the first time, which does not count, are of the second */
}

int main(void)
{
	RUN(test_gone);
	RUN(test_not_gone);
	RUN(test_unregistered);
	return check_done();
}
