/* tests/unit/test_submission_hash.c - graphs that are known again on other data, and those that are not the same. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/dag/submission_hash.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

enum { NTASKS = 4, RW = ACCESS_R | ACCESS_W };

struct task {
	const char *name;
	struct data_access a[2];
	uint32_t n;
};

static const struct task graph[NTASKS] = {
	{"potrf", {{7, RW}}, 1},
	{"trsm", {{7, ACCESS_R}, {3, RW}}, 2},
	{"trsm", {{7, ACCESS_R}, {900, RW}}, 2},
	{"syrk", {{3, ACCESS_R}, {900, RW}}, 2},
};

static void hash_graph(struct submission_hash *s, const struct task *tasks, uint32_t *hash)
{
	submission_hash_restart(s);
	for (int i = 0; i < NTASKS; i++)
		hash[i] = submission_hash_next(s, tasks[i].name, tasks[i].a, tasks[i].n);
}

/* Other data, in the same roles; then the first data again. */
static void test_same_graph(void)
{
	static const uint32_t others[][2] = {{7, 50}, {3, 8000}, {900, 7}};
	struct submission_hash s = {0};
	struct task moved[NTASKS];
	uint32_t first[NTASKS], again[NTASKS];

	hash_graph(&s, graph, first);
	memcpy(moved, graph, sizeof(moved));
	for (int i = 0; i < NTASKS; i++)
		for (uint32_t k = 0; k < moved[i].n; k++)
			for (int o = 0; o < 3; o++)
				if (graph[i].a[k].handle == others[o][0])
					moved[i].a[k].handle = others[o][1];
	hash_graph(&s, moved, again);
	CHECK(memcmp(first, again, sizeof(first)) == 0);
	hash_graph(&s, graph, again);
	CHECK(memcmp(first, again, sizeof(first)) == 0);
	submission_hash_fini(&s);
}

/* Each task differs from the recorded one if its name, a mode, its number of accesses or the role of its data does. */
static void test_other_tasks(void)
{
	static const struct task others[] = {
		{"syrl", {{3, ACCESS_R}, {900, RW}}, 2},
		{"syrk", {{3, RW}, {900, RW}}, 2},
		{"syrk", {{3, ACCESS_R}, {7, RW}}, 2},
		{"syrk", {{3, ACCESS_R}, {901, RW}}, 2},
		{"syrk", {{3, ACCESS_R}}, 1},
		{"", {{3, ACCESS_R}, {900, RW}}, 2},
	};
	uint32_t first[NTASKS], other[NTASKS];
	struct submission_hash s = {0};

	hash_graph(&s, graph, first);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct task changed[NTASKS];

		memcpy(changed, graph, sizeof(changed));
		changed[NTASKS - 1] = others[i];
		hash_graph(&s, changed, other);
		CHECK(memcmp(first, other, (NTASKS - 1) * sizeof(*first)) == 0);
		CHECK(first[NTASKS - 1] != other[NTASKS - 1]);
	}
	submission_hash_fini(&s);
}

/* Data gets its number when a task first accesses it, and loses it where another graph begins. */
static void test_numbers(void)
{
	struct submission_hash s = {0};
	uint32_t hash[NTASKS];

	CHECK_INT(submission_hash_number(&s, 7), SUBMISSION_HASH_NONE);
	hash_graph(&s, graph, hash);
	CHECK_INT(submission_hash_number(&s, 7), 0);
	CHECK_INT(submission_hash_number(&s, 3), 1);
	CHECK_INT(submission_hash_number(&s, 900), 2);
	CHECK_INT(submission_hash_number(&s, 4), SUBMISSION_HASH_NONE);
	submission_hash_restart(&s);
	CHECK_INT(submission_hash_number(&s, 7), SUBMISSION_HASH_NONE);
	(void)submission_hash_next(&s, "syrk", graph[3].a, 2);
	CHECK_INT(submission_hash_number(&s, 900), 1);
	submission_hash_fini(&s);
}

/* Data that gets the index of other data has a number of its own in the same graph. */
static void test_forgotten(void)
{
	const struct data_access same[] = {{0, ACCESS_R | ACCESS_W}}, other[] = {{1, ACCESS_R | ACCESS_W}};
	struct submission_hash reused = {0}, apart = {0};

	submission_hash_next(&reused, "a", same, 1);
	submission_hash_next(&apart, "a", same, 1);
	submission_hash_forget(&reused, 0);
	submission_hash_forget(&reused, 1000);
	CHECK_INT(submission_hash_number(&reused, 0), SUBMISSION_HASH_NONE);
	CHECK_INT(submission_hash_next(&reused, "a", same, 1), submission_hash_next(&apart, "a", other, 1));
	CHECK_INT(submission_hash_number(&reused, 0), 1);
	submission_hash_fini(&reused);
	submission_hash_fini(&apart);
}

int main(void)
{
	RUN(test_same_graph);
	RUN(test_other_tasks);
	RUN(test_numbers);
	RUN(test_forgotten);
	return check_done();
}
