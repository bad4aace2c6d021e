/* tests/unit/test_events.c - what is due when, and in which order at one time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/events.h"
#include "tests/lib/check.h"

static struct event take(struct events *e)
{
	return events_take(e, events_first(e));
}

/* Events of one time: those put earlier first; of those put at one time the last, then executions; late ones last. */
static void test_order(void)
{
	static const int expected[] = {0, 3, 2, 5, 6, 7, 8, 1, 4, 9, 10};
	struct events e;

	events_init(&e, 11);
	CHECK_INT(events_first(&e)->at_ns, INT64_MAX);
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
		CHECK_INT(events_first(&e)->at_ns, 10);
		CHECK_INT(take(&e).thread, expected[i]);
	}
	events_put(&e, 10, 2, 1, EVENT_DELAY);
	events_put(&e, 10, 1, 2, EVENT_LATE);
	CHECK_INT(take(&e).thread, 2);
	events_fini(&e);
}

static void check_threads(struct events *e, struct event *taken, const int *threads)
{
	while (taken->count)
		CHECK_INT(events_take_thread(e, taken), *threads++);
	CHECK_INT(*threads, -1);
}

/* Threads that were put one after the other share an event, in the order in which they would be taken one by one. */
static void test_join(void)
{
	struct events e;
	struct event taken;

	events_init(&e, 6);
	events_join(&e, 0, 10, 0, EVENT_DELAY);
	events_join(&e, 0, 10, 1, EVENT_DELAY);
	events_join(&e, 0, 10, 2, EVENT_DELAY);
	events_put(&e, 0, 10, 3, EVENT_DELAY);
	events_join(&e, 0, 10, 4, EVENT_DELAY); /* not with the first three: thread 3 is between */
	taken = take(&e);
	check_threads(&e, &taken, (const int[]){4, -1});
	CHECK_INT(take(&e).thread, 3);
	events_advance(&e);
	taken = take(&e);
	CHECK_INT(taken.count, 3);
	events_put_group(&e, 10, &taken, EVENT_LATEST);
	events_join(&e, 10, 0, 5, EVENT_LATEST);
	CHECK_INT(events_first(&e)->at_ns, 10);
	taken = take(&e);
	CHECK_INT(events_take_thread(&e, &taken), 2);
	events_put(&e, 10, 0, 2, EVENT_LATEST);
	CHECK(event_before(&taken, events_first(&e)));
	events_put(&e, 10, 0, 3, EVENT_DELAY);
	CHECK(event_before(events_first(&e), &taken));
	events_put_back(&e, &taken);
	CHECK_INT(take(&e).thread, 3);
	taken = take(&e);
	check_threads(&e, &taken, (const int[]){1, 0, 5, -1});
	CHECK_INT(take(&e).thread, 2);
	CHECK_INT(events_first(&e)->at_ns, INT64_MAX);
	events_fini(&e);
}

int main(void)
{
	RUN(test_order);
	RUN(test_join);
	return check_done();
}
