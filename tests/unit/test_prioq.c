/* tests/unit/test_prioq.c - queues by priority with two ends, against lists that are searched from end to end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "core/base/alloc.h"
#include "sched/policy.h"
#include "sched/queue/prioq.h"
#include "tests/lib/check.h"

enum { NTASKS = 200, STEPS = 20000 };

static void test_by_hand(void)
{
	static const int32_t priority[] = {0, 5, 0, -1, 5};
	static const uint32_t order[] = {4, 1, 2, 0, 3, POLICY_NO_TASK};
	struct prioq_links l;
	struct prioq q;

	prioq_links_init(&l, 5, priority);
	prioq_init(&q);
	CHECK_INT(prioq_pop(&l, &q), POLICY_NO_TASK);
	prioq_push_back(&l, &q, 0);
	prioq_push_back(&l, &q, 1);
	prioq_push_front(&l, &q, 2);
	prioq_push_front(&l, &q, 3);
	prioq_push_front(&l, &q, 4);
	CHECK_INT(q.count, 5);
	for (int i = 0; i < 6; i++)
		CHECK_INT(prioq_pop(&l, &q), order[i]);
	CHECK_INT(q.count, 0);
	prioq_links_fini(&l);
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

/* Two queues with the same links, tasks that come back with another priority. */
static void test_against_lists(void)
{
	static int32_t priority[NTASKS];
	uint32_t lists[2][NTASKS], idle[NTASKS];
	int lengths[2] = {0, 0}, nidle = NTASKS, same = 1;
	struct prioq_links l;
	struct prioq queues[2];

	srand(7);
	prioq_links_init(&l, NTASKS, priority);
	for (uint32_t i = 0; i < NTASKS; i++)
		idle[i] = i;
	for (int i = 0; i < 2; i++)
		prioq_init(&queues[i]);
	for (int step = 0; step < STEPS; step++) {
		int k = rand() % 2, what = rand() % 4;

		if (what < 2) {
			uint32_t task = prioq_pop(&l, &queues[k]);

			same &= task == take_from_list(lists[k], &lengths[k], priority);
			if (task != POLICY_NO_TASK)
				idle[nidle++] = task;
		} else if (nidle) {
			uint32_t task = idle[--nidle];

			priority[task] = rand() % 8 - 4;
			if (what == 2) {
				prioq_push_back(&l, &queues[k], task);
				lists[k][lengths[k]++] = task;
			} else {
				prioq_push_front(&l, &queues[k], task);
				memmove(lists[k] + 1, lists[k], (size_t)lengths[k]++ * sizeof(**lists));
				lists[k][0] = task;
			}
		}
		same &= (int)queues[k].count == lengths[k];
	}
	CHECK(same);
	prioq_links_fini(&l);
}

/* A million of different priorities, in and out again. */
static void test_large(void)
{
	enum { LARGE = 1000000 };
	int32_t *priority = ht_alloc(LARGE, sizeof(*priority)), last = INT32_MAX;
	clock_t from = clock();
	struct prioq_links l;
	struct prioq q;
	int sorted = 1;

	for (uint32_t i = 0; i < LARGE; i++)
		priority[i] = (int32_t)(i * 2654435761u);
	prioq_links_init(&l, LARGE, priority);
	prioq_init(&q);
	for (uint32_t i = 0; i < LARGE; i++)
		prioq_push_back(&l, &q, i);
	for (uint32_t i = 0; i < LARGE; i++) {
		uint32_t task = prioq_pop(&l, &q);

		sorted &= task != POLICY_NO_TASK && priority[task] <= last;
		last = priority[task];
	}
	CHECK(sorted && !q.count);
	printf("# %.2f s\n", (double)(clock() - from) / CLOCKS_PER_SEC);
	prioq_links_fini(&l);
	free(priority);
}

int main(void)
{
	RUN(test_by_hand);
	RUN(test_against_lists);
	RUN(test_large);
	return check_done();
}
