/* tests/unit/test_minmaxheap.c - a heap with two ends, against a list that is searched from end to end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/minmaxheap.h"

#include "tests/lib/check.h"
#include "tests/lib/graphs.h"

static void test_by_hand(void)
{
	static const double scores[] = {3, 7, 1, 7, 1};
	struct minmaxheap h = {0};

	for (uint32_t i = 0; i < 5; i++)
		minmaxheap_put(&h, scores[i], i, i);
	CHECK_INT(minmaxheap_take_highest(&h), 1); /* of the two 7 the first */
	CHECK_INT(minmaxheap_take_lowest(&h), 4);  /* of the two 1 the last */
	CHECK_INT(minmaxheap_highest(&h)->task, 3);
	CHECK_INT(minmaxheap_take_lowest(&h), 2);
	CHECK_INT(minmaxheap_take_lowest(&h), 0);
	CHECK_INT(minmaxheap_lowest(&h)->task, 3);
	CHECK_INT(minmaxheap_take_highest(&h), 3);
	CHECK_INT(h.count, 0);
	minmaxheap_fini(&h);
}

/* The highest of a list, or the lowest. */
static size_t search(const struct minmaxheap_item *list, size_t n, int highest)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (minmaxheap_before(&list[i], &list[best]) == highest)
			best = i;
	return best;
}

static void test_against_list(void)
{
	enum { STEPS = 20000, MOST = 300 };
	static struct minmaxheap_item list[MOST];
	struct minmaxheap h = {0};
	uint64_t seed = 1, number = 0;
	size_t n = 0;

	for (int i = 0; i < STEPS && !check_failures; i++) {
		uint32_t what = graph_random(&seed) % (i / 2000 % 2 ? 5 : 3);

		if (what == 0 && n < MOST) {
			list[n] = (struct minmaxheap_item){graph_random(&seed) % 50, number, (uint32_t)number};
			minmaxheap_put(&h, list[n].score, number, (uint32_t)number);
			n++;
			number++;
		} else if (n) {
			size_t at = search(list, n, what % 2);

			CHECK_INT(what % 2 ? minmaxheap_take_highest(&h) : minmaxheap_take_lowest(&h), list[at].task);
			list[at] = list[--n];
		}
		CHECK_INT(h.count, n);
		if (n) {
			CHECK_INT(minmaxheap_highest(&h)->task, list[search(list, n, 1)].task);
			CHECK_INT(minmaxheap_lowest(&h)->task, list[search(list, n, 0)].task);
		}
	}
	CHECK(number > 5000);
	minmaxheap_fini(&h);
}

int main(void)
{
	RUN(test_by_hand);
	RUN(test_against_list);
	return check_done();
}
