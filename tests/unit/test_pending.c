/* tests/unit/test_pending.c - replay/memory/pending.h: lists of copies and of what waits for them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/pending.h"
#include "tests/lib/check.h"

/* A stale copy is passed over, and the number of a removed one is used again. */
static void test_copies(void)
{
	struct pending p;
	uint32_t list = PENDING_NONE, a, b, c;

	pending_init(&p);
	a = pending_add(&p, &list, 7, 1);
	b = pending_add(&p, &list, 7, 2);
	CHECK_INT(pending_find(&p, list, 1), a);
	CHECK_INT(pending_find(&p, list, 2), b);
	pending_at(&p, a)->stale = 1;
	c = pending_add(&p, &list, 7, 1);
	CHECK_INT(pending_find(&p, list, 1), c);
	pending_remove(&p, &list, b);
	CHECK_INT(list, c);
	CHECK_INT(pending_at(&p, c)->next, a);
	CHECK_INT(pending_add(&p, &list, 8, 3), b);
	CHECK_INT(pending_at(&p, b)->datum, 8);
	CHECK_INT(pending_at(&p, b)->stale, 0);
	pending_remove(&p, &list, b);
	pending_remove(&p, &list, c);
	pending_remove(&p, &list, a);
	CHECK_INT(list, PENDING_NONE);
	pending_fini(&p);
}

/* The last to wait is the first; one that waits while they are taken belongs to another copy. */
static void test_waiters(void)
{
	struct pending p;
	uint32_t list = PENDING_NONE, a, b, waiters;
	struct pending_waiter w;

	pending_init(&p);
	a = pending_add(&p, &list, 7, 0);
	b = pending_add(&p, &list, 7, 1);
	pending_wait(&p, a, 4, PENDING_NONE);
	pending_wait(&p, a, -1, b);
	waiters = pending_at(&p, a)->waiters;
	pending_remove(&p, &list, a);
	CHECK(pending_take_waiter(&p, &waiters, &w));
	CHECK_INT(w.worker, -1);
	CHECK_INT(w.copy, b);
	pending_wait(&p, b, 5, PENDING_NONE);
	CHECK(pending_take_waiter(&p, &waiters, &w));
	CHECK_INT(w.worker, 4);
	CHECK(!pending_take_waiter(&p, &waiters, &w));
	CHECK(pending_take_waiter(&p, &pending_at(&p, b)->waiters, &w));
	CHECK_INT(w.worker, 5);
	pending_fini(&p);
}

int main(void)
{
	RUN(test_copies);
	RUN(test_waiters);
	return check_done();
}
