/* tests/unit/test_events.c - what is due when, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/events.h"
#include "tests/lib/check.h"

/* Events of one time: those put earlier first; of those put at one time the last, then executions; late ones last. */
static void test_order(void)
{
	static const int expected[] = {0, 3, 2, 5, 6, 7, 8, 1, 4, 9, 10};
	struct events e = {0};

	CHECK_INT(events_next_ns(&e), INT64_MAX);
	events_put(&e, 0, 10, 0, EVENT_DELAY);
	events_put(&e, 0, 10, 1, EVENT_LATE);
	events_put(&e, 0, 10, 9, EVENT_LATEST);
	events_advance(&e);
	events_put(&e, 5, 5, 5, EVENT_EXECUTION);
	events_put(&e, 5, 5, 2, EVENT_DELAY);
	events_put(&e, 5, 5, 3, EVENT_DELAY);
	events_put(&e, 5, 5, 6, EVENT_EXECUTION);
	events_advance(&e);
	events_put(&e, 10, 0, 10, EVENT_LATEST);
	events_put(&e, 10, 0, 4, EVENT_LATE);
	events_put(&e, 10, 0, 7, EVENT_DELAY);
	events_put(&e, 10, 0, 8, EVENT_DELAY);
	for (int i = 0; i < 11; i++) {
		CHECK_INT(events_next_ns(&e), 10);
		CHECK_INT(events_take(&e).thread, expected[i]);
	}
	events_put(&e, 10, 2, 1, EVENT_DELAY);
	events_put(&e, 10, 1, 2, EVENT_LATE);
	CHECK_INT(events_take(&e).thread, 2);
	events_fini(&e);
}

int main(void)
{
	RUN(test_order);
	return check_done();
}
