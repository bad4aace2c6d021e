/* tests/unit/test_heap.c - the binary heap: elements leave in order, and the places that are reported are right. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdint.h>

#include "core/base/heap.h"
#include "tests/lib/check.h"

enum { MOST = 200 };

struct item {
	uint32_t key, id;
};

static int is_before(const struct item *a, const struct item *b)
{
	return a->key != b->key ? a->key < b->key : a->id < b->id;
}

static void set_place(void *arg, const struct item *x, size_t at)
{
	((size_t *)arg)[x->id] = at;
}

HEAP(plain, struct item, is_before, HEAP_NO_PLACES)
HEAP(placed, struct item, is_before, set_place)

/* Any number of elements leaves in order. */
static void test_order(void)
{
	struct item items[MOST], last = {0, 0};

	for (uint32_t n = 0; n <= MOST; n++) {
		uint32_t wrong = 0;

		for (int is_made = 0; is_made < 2; is_made++) {
			for (uint32_t i = 0; i < n; i++) {
				items[i] = (struct item){i * 7919 % 31, i};
				if (!is_made)
					plain_up(items, i, &(struct item){i * 7919 % 31, i}, NULL);
			}
			if (is_made)
				plain_make(items, n, NULL);
			for (uint32_t left = n; left; last = items[0], plain_drop(items, --left, NULL))
				wrong += left < n && !is_before(&last, &items[0]);
		}
		CHECK_INT(wrong, 0);
	}
}

/* Every element is where the heap said it is, also after keys have changed. */
static void test_places(void)
{
	struct item items[MOST];
	size_t place[MOST];
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < MOST; i++)
		placed_up(items, i, &(struct item){i * 7919 % 101, i}, place);
	for (uint32_t step = 0; step < 1000; step++) {
		struct item x = items[place[step * 31 % MOST]];
		size_t at = place[x.id];

		x.key = step * 104729 % 211;
		if (placed_up(items, at, &x, place) == at)
			placed_down(items, MOST, at, &x, place);
		for (size_t i = 0; i < MOST; i++)
			wrong += place[items[i].id] != i || (i && is_before(&items[i], &items[(i - 1) / 2]));
	}
	CHECK_INT(wrong, 0);
}

int main(void)
{
	RUN(test_order);
	RUN(test_places);
	return check_done();
}
