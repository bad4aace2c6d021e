/* tests/unit/test_scoreheap.c - the highest score first, beside lists that are searched from end to end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/alloc.h"
#include "sched/policy.h"
#include "sched/queue/scoreheap.h"
#include "tests/lib/check.h"

enum { NTASKS = 200, STEPS = 20000 };

static void test_by_hand(void)
{
	struct scoreheap h = {0};
	static const double scores[] = {1, 5, 3, 5, -2, 3, 5, 1};
	static const uint32_t order[] = {6, 1, 3, 2, 5, 7, 0, 4};

	for (uint32_t i = 0; i < 6; i++)
		scoreheap_put(&h, scores[i], i);
	for (uint32_t i = 6; i < 8; i++)
		scoreheap_put_front(&h, scores[i], i);
	for (int i = 0; i < 8; i++)
		CHECK_INT(scoreheap_take(&h), order[i]);
	CHECK_INT(h.count, 0);
	scoreheap_fini(&h);
}

/* The list has tasks in the order of their places; the first one of the highest priority is the one to take. */
static uint32_t take_from_list(uint32_t *list, int *n, const int32_t *priority)
{
	int best = 0;
	uint32_t task;

	if (!*n)
		return POLICY_NO_TASK;
	for (int i = 1; i < *n; i++) {
		if (priority[list[i]] > priority[list[best]])
			best = i;
	}
	task = list[best];
	memmove(list + best, list + best + 1, (size_t)(--*n - best) * sizeof(*list));
	return task;
}

/* Two heaps, tasks that come back with another priority. */
static void test_against_lists(void)
{
	static int32_t priority[NTASKS];
	uint32_t lists[2][NTASKS], idle[NTASKS];
	int lengths[2] = {0, 0}, nidle = NTASKS, same = 1;
	struct scoreheap heaps[2] = {0};

	srand(7);
	for (uint32_t i = 0; i < NTASKS; i++)
		idle[i] = i;
	for (int step = 0; step < STEPS; step++) {
		int k = rand() % 2, what = rand() % 4;

		if (what < 2) {
			uint32_t task = heaps[k].count ? scoreheap_take(&heaps[k]) : POLICY_NO_TASK;

			same &= task == take_from_list(lists[k], &lengths[k], priority);
			if (task != POLICY_NO_TASK)
				idle[nidle++] = task;
		} else if (nidle) {
			uint32_t task = idle[--nidle];

			priority[task] = rand() % 8 - 4;
			if (what == 2) {
				scoreheap_put(&heaps[k], priority[task], task);
				lists[k][lengths[k]++] = task;
			} else {
				scoreheap_put_front(&heaps[k], priority[task], task);
				memmove(lists[k] + 1, lists[k], (size_t)lengths[k]++ * sizeof(**lists));
				lists[k][0] = task;
			}
		}
		same &= (int)heaps[k].count == lengths[k];
	}
	CHECK(same);
	for (int i = 0; i < 2; i++)
		scoreheap_fini(&heaps[i]);
}

/* A million of different priorities, in and out again. */
static void test_large(void)
{
	enum { LARGE = 1000000 };
	int32_t *priority = ht_alloc(LARGE, sizeof(*priority)), last = INT32_MAX;
	clock_t from = clock();
	struct scoreheap h = {0};
	int sorted = 1;

	for (uint32_t i = 0; i < LARGE; i++)
		priority[i] = (int32_t)(i * 2654435761u);
	for (uint32_t i = 0; i < LARGE; i++)
		scoreheap_put(&h, priority[i], i);
	for (uint32_t i = 0; i < LARGE; i++) {
		uint32_t task = scoreheap_take(&h);

		sorted &= priority[task] <= last;
		last = priority[task];
	}
	CHECK(sorted && !h.count);
	printf("# %.2f s\n", (double)(clock() - from) / CLOCKS_PER_SEC);
	scoreheap_fini(&h);
	free(priority);
}

int main(void)
{
	RUN(test_by_hand);
	RUN(test_against_lists);
	RUN(test_large);
	return check_done();
}
