/* tests/unit/test_requests.c - the order in which a driver begins its copies. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/requests.h"
#include "tests/lib/check.h"

/* Fetches come before prefetches, by priority, a limited number at a time; a prefetch may become a fetch. */
static void test_order(void)
{
	struct requests *r = requests_create(3);
	struct request x = {.driver = 1, .peer = 0, .direction = REQUEST_IN};

	for (x.copy = 0; x.copy < 8; x.copy++) {
		x.urgency = x.copy < 4 ? REQUEST_PREFETCH : REQUEST_FETCH;
		x.priority = x.copy == 6;
		requests_put(r, &x);
	}
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 6);
	CHECK_INT(requests_next(r, 1, 0, 1000), 4);
	x.copy = 2;
	x.urgency = REQUEST_FETCH;
	x.priority = 0;
	requests_put(r, &x);
	CHECK_INT(requests_next(r, 1, 0, 1000), 5);
	CHECK_INT(requests_next(r, 1, 0, 1000), 7);
	/* 2 was put later; four are in flight: no prefetch */
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX);
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 2);
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX); /* five */
	for (int i = 0; i < 4; i++)
		requests_end(r, &(struct request){.driver = 1, .peer = 0, .direction = REQUEST_IN});
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 0);
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX); /* two */
	requests_end(r, &(struct request){.driver = 1, .peer = 0, .direction = REQUEST_IN});
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 1);
	x = (struct request){.copy = 9, .driver = 1, .peer = 0, .direction = REQUEST_OUT, .urgency = REQUEST_IDLE};
	requests_put(r, &x);
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX);
	requests_begin(r, 1, REQUEST_OUT);
	CHECK_INT(requests_next(r, 1, 0, 1000), 9); /* the other direction */
	CHECK_INT(requests_next(r, 2, 0, 1000), UINT32_MAX);
	requests_free(r);
}

/* A list is left after list_ns; an idle request waits until nothing is in flight. */
static void test_list_time(void)
{
	struct requests *r = requests_create(3);
	struct request x = {.driver = 1, .peer = 0, .direction = REQUEST_IN, .urgency = REQUEST_FETCH};

	for (x.copy = 0; x.copy < 3; x.copy++)
		requests_put(r, &x);
	x = (struct request){.copy = 3, .driver = 1, .peer = 2, .urgency = REQUEST_IDLE};
	requests_put(r, &x);
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 0);
	CHECK_INT(requests_next(r, 1, 999, 1000), 1);
	CHECK_INT(requests_next(r, 1, 1000, 1000), UINT32_MAX);
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 1000, 1000), 2);
	CHECK_INT(requests_next(r, 1, 1000, 1000), UINT32_MAX);
	for (int i = 0; i < 3; i++)
		requests_end(r, &(struct request){.driver = 1, .peer = 0, .direction = REQUEST_IN});
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 1000, 1000), 3);
	requests_free(r);
}

/* What was refused is where it was in the next poll, and holds back what is less urgent than a fetch. */
static void test_refused(void)
{
	struct requests *r = requests_create(2);
	struct request first = {.copy = 0, .driver = 1, .direction = REQUEST_IN, .urgency = REQUEST_FETCH};
	struct request second = {.copy = 1, .driver = 1, .direction = REQUEST_IN, .urgency = REQUEST_PREFETCH};

	requests_put(r, &first);
	requests_put(r, &second);
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 0);
	CHECK(!requests_refused(r, 1));
	requests_refuse(r, &first);
	CHECK(requests_refused(r, 1));
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX);
	requests_begin(r, 1, REQUEST_IN);
	CHECK(!requests_refused(r, 1));
	CHECK_INT(requests_next(r, 1, 0, 1000), 0);
	CHECK_INT(requests_next(r, 1, 0, 1000), 1);
	requests_free(r);
}

int main(void)
{
	RUN(test_order);
	RUN(test_list_time);
	RUN(test_refused);
	return check_done();
}
