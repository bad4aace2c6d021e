/* tests/unit/test_radix_sort.c - rows in the order of their keys, those with equal keys as they were. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/radix_sort.h"

#include "core/base/rng.h"
#include "tests/lib/check.h"

enum { N = 5000 };

static const uint64_t masks[] = {0, 1, 0xff, 0x7ff00, 0xffffffff, 0xff00000000000000, UINT64_MAX};
enum { MASKS = sizeof(masks) / sizeof(*masks) };

static void test_items(void)
{
	static struct radix_item a[N];

	for (size_t m = 0; m < MASKS; m++) {
		struct rng rng = {m};
		uint64_t before = 0, after = 0;

		for (size_t i = 0; i < N; i++) {
			a[i] = (struct radix_item){rng_next(&rng) & masks[m], i};
			before += a[i].key;
		}
		radix_sort(a, N);
		after = a[0].key;
		for (size_t i = 1; i < N; i++) {
			CHECK(a[i - 1].key < a[i].key || (a[i - 1].key == a[i].key && a[i - 1].value < a[i].value));
			after += a[i].key;
		}
		CHECK(before == after);
	}
}

/* The keys of items and keys alone come in one order. */
static void test_keys(void)
{
	static struct radix_item items[N];
	static uint64_t keys[N];

	for (size_t m = 0; m < MASKS; m++) {
		struct rng rng = {m};

		for (size_t i = 0; i < N; i++)
			items[i].key = keys[i] = rng_next(&rng) & masks[m];
		radix_sort(items, N);
		radix_sort_keys(keys, N);
		for (size_t i = 0; i < N; i++)
			CHECK(items[i].key == keys[i]);
	}
}

static void test_few(void)
{
	uint64_t two[] = {7, 3};

	radix_sort(NULL, 0);
	radix_sort_keys(NULL, 0);
	radix_sort_keys(two, 1);
	CHECK_INT(two[0], 7);
	radix_sort_keys(two, 2);
	CHECK_INT(two[0], 3);
	CHECK_INT(two[1], 7);
}

int main(void)
{
	RUN(test_items);
	RUN(test_keys);
	RUN(test_few);
	return check_done();
}
