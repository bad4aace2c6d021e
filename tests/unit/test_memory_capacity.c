/* tests/unit/test_memory_capacity.c - replay/memory/capacity.h: what is evicted, in which order, and when it waits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "replay/memory/capacity.h"
#include "tests/lib/check.h"

enum { NDATA = 6, LIMIT = 30 };

static const uint64_t bytes[NDATA] = {10, 10, 10, 5, 20, 40};

/* Data 0, 1 and 2 fill the memory, used in this order; all are valid elsewhere. */
static struct capacity *full(void)
{
	struct capacity *c = capacity_create(LIMIT, bytes, NDATA);

	for (uint32_t i = 0; i < 3; i++) {
		CHECK(capacity_fits(c, i));
		capacity_add(c, i);
	}
	CHECK(!capacity_fits(c, 3));
	return c;
}

/* The next step: 100 + datum: evict; 200 + datum: write back; 0: done. An eviction is carried out. */
static int next(struct capacity *c)
{
	uint32_t datum;

	switch (capacity_next(c, &datum)) {
	case CAPACITY_EVICT: capacity_remove(c, datum); return 100 + (int)datum;
	case CAPACITY_WRITE_BACK: return 200 + (int)datum;
	case CAPACITY_DONE: break;
	}
	return 0;
}

/* One datum of the size needed, else twice the bytes; the least recently used first. */
static void test_least_recently_used(void)
{
	struct capacity *c = full();

	capacity_use(c, 0, CAPACITY_USE);
	CHECK_INT(next(c), 0); /* nothing was to be reclaimed */
	CHECK_INT(capacity_reclaim(c, 0, CAPACITY_SPARE_RESERVED), 1);
	CHECK_INT(next(c), 101);
	CHECK_INT(next(c), 0);
	CHECK(capacity_fits(c, 3));
	capacity_add(c, 3);
	CHECK(!capacity_fits(c, 1));
	CHECK_INT(capacity_reclaim(c, 4, CAPACITY_SPARE_RESERVED), 0);
	CHECK_INT(next(c), 102);
	CHECK_INT(next(c), 100);
	CHECK_INT(next(c), 103);
	CHECK_INT(next(c), 0); /* nothing is left, though twice 20 were not reached */
	CHECK(capacity_fits(c, 4));
	CHECK(!capacity_fits(c, 5));
	capacity_free(c);
}

static void test_pins_and_reservations(void)
{
	struct capacity *c = full();

	capacity_pin(c, 0);
	capacity_use(c, 0, CAPACITY_PIN);
	capacity_use(c, 1, CAPACITY_RESERVE);
	capacity_pin(c, 2);
	CHECK_INT(capacity_reclaim(c, 3, CAPACITY_SPARE_RESERVED), 0);
	CHECK_INT(next(c), 0);
	CHECK_INT(capacity_reclaim(c, 3, CAPACITY_EVICT_RESERVED), 0);
	CHECK_INT(next(c), 101);
	CHECK_INT(next(c), 0);
	CHECK(!capacity_unpin(c, 0));
	CHECK(capacity_unpin(c, 0));
	capacity_add(c, 1); /* its reservation has stayed */
	CHECK_INT(capacity_reclaim(c, 1, CAPACITY_SPARE_RESERVED), 1);
	CHECK_INT(next(c), 100);
	CHECK_INT(next(c), 0);
	capacity_unreserve(c, 1);
	capacity_unreserve(c, 1); /* there is none any more */
	CHECK_INT(capacity_reclaim(c, 1, CAPACITY_SPARE_RESERVED), 1);
	CHECK_INT(next(c), 101);
	capacity_free(c);
}

/* The only copy is evicted after it was written back, even where another one is less recently used by then. */
static void test_write_back(void)
{
	struct capacity *c = full();

	for (uint32_t i = 0; i < 3; i++)
		capacity_set_sole(c, i, 1);
	CHECK_INT(capacity_reclaim(c, 0, CAPACITY_SPARE_RESERVED), 0);
	CHECK_INT(next(c), 200);
	CHECK(capacity_is_blocked(c));
	CHECK_INT(capacity_writing(c), 0);
	CHECK_INT(next(c), 0);
	capacity_use(c, 0, CAPACITY_USE);
	capacity_set_sole(c, 0, 0);
	capacity_written_back(c);
	CHECK_INT(next(c), 100);
	CHECK_INT(next(c), 201);
	capacity_pin(c, 1); /* by a task: it stays */
	capacity_set_sole(c, 1, 0);
	capacity_written_back(c);
	CHECK_INT(next(c), 202);
	capacity_set_sole(c, 2, 0);
	capacity_written_back(c);
	CHECK_INT(next(c), 102);
	CHECK_INT(next(c), 0);
	CHECK(!capacity_is_blocked(c));
	capacity_free(c);
}

/* Where less than 5 % are clean, 10 % are brought to be: of 40 data 4. */
static void test_clean(void)
{
	enum { N = 40 };
	uint64_t sizes[N];
	struct capacity *c;
	int cleaned = 0;

	for (uint32_t i = 0; i < N; i++)
		sizes[i] = 1;
	c = capacity_create(N, sizes, N);
	for (uint32_t i = 0; i < N; i++) {
		capacity_add(c, i);
		if (i >= 2)
			capacity_set_dirty(c, i);
	}
	CHECK(!capacity_needs_cleaning(c));
	capacity_set_dirty(c, 1);
	CHECK(capacity_needs_cleaning(c));
	capacity_pin(c, 2);
	CHECK_INT(capacity_next_dirty(c), 1);
	for (; capacity_next_dirty(c) != CAPACITY_NO_DATUM; cleaned++)
		;
	CHECK_INT(cleaned, 2); /* 3 and 4, for 2 is pinned */
	CHECK(!capacity_needs_cleaning(c));
	capacity_free(c);
}

static void test_admission(void)
{
	struct capacity *c = capacity_create(LIMIT, bytes, NDATA);

	CHECK(capacity_admits(c, 100)); /* alone */
	capacity_fetch_begin(c, 20);
	CHECK(capacity_admits(c, 10));
	CHECK(!capacity_admits(c, 11));
	CHECK(!capacity_admits(c, UINT64_MAX));
	capacity_fetch_begin(c, 10);
	capacity_fetch_end(c, 20);
	CHECK(capacity_admits(c, 20));
	CHECK(!capacity_admits(c, 21));
	capacity_free(c);
}

/* Against a list that is searched: many uses, pins and evictions at random, with entries that do not count any more. */
static void test_against_list(void)
{
	enum { N = 50, STEPS = 20000 };
	uint64_t sizes[N], used[N] = {0}, now = 0;
	int resident[N] = {0}, pins[N] = {0}, wrong = 0, evictions = 0;
	struct capacity *c;
	uint32_t random = 1;

	for (int i = 0; i < N; i++)
		sizes[i] = 1;
	c = capacity_create(N / 2, sizes, N);
	for (int step = 0; step < STEPS; step++) {
		uint32_t i = (random = random * 1664525 + 1013904223) >> 16, victim, want = CAPACITY_NO_DATUM;
		int what = i / N % 4;

		i %= N;
		if (resident[i] && what == 0 && !pins[i] && i % 2) {
			capacity_pin(c, i);
			pins[i] = 1;
		} else if (what == 1 && pins[i]) {
			wrong += !capacity_unpin(c, i);
			pins[i] = 0;
		} else if (resident[i]) {
			capacity_use(c, i, CAPACITY_USE);
			used[i] = ++now;
		} else {
			if (!capacity_fits(c, i)) {
				for (uint32_t k = 0; k < N; k++)
					if (resident[k] && !pins[k] &&
					    (want == CAPACITY_NO_DATUM || used[k] < used[want]))
						want = k;
				wrong += capacity_reclaim(c, i, CAPACITY_SPARE_RESERVED) != (want != CAPACITY_NO_DATUM);
				if (capacity_next(c, &victim) == CAPACITY_DONE)
					continue;
				wrong += victim != want;
				capacity_remove(c, victim);
				resident[victim] = 0;
				evictions++;
			}
			capacity_add(c, i);
			resident[i] = 1;
			used[i] = ++now;
		}
	}
	CHECK_INT(wrong, 0);
	CHECK(evictions > STEPS / 20);
	capacity_free(c);
}

int main(void)
{
	RUN(test_least_recently_used);
	RUN(test_pins_and_reservations);
	RUN(test_write_back);
	RUN(test_clean);
	RUN(test_admission);
	RUN(test_against_list);
	return check_done();
}
