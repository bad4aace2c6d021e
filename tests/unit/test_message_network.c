/* tests/unit/test_message_network.c - how long messages take alone, and beside others on the links of ranks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/message_network.h"

#include "core/machine/machine.h"
#include "tests/lib/check.h"

enum { RANKS = 4, MOST = 8 };

/* 1 byte a ns alone, 1.5 bytes a ns on a link. */
static const struct machine_network usual = {1e9, 1.5e9, 100};

static void run(struct message_network *n, int64_t arrived[MOST])
{
	while (message_network_next_ns(n) != INT64_MAX) {
		int64_t now = message_network_next_ns(n);
		uint32_t cookie;

		message_network_advance(n, now);
		while (message_network_arrived(n, &cookie))
			arrived[cookie] = now;
	}
	message_network_free(n);
}

static void one_takes_latency_and_bytes(void)
{
	struct message_network *n = message_network_create(&usual, RANKS);
	int64_t arrived[MOST] = {0};

	CHECK(message_network_next_ns(n) == INT64_MAX);
	message_network_send(n, 0, 1, 1000, 50, 0);
	message_network_send(n, 0, 1, 0, 5000, 1);
	run(n, arrived);
	CHECK_INT(arrived[1], 5100);
	n = message_network_create(&usual, RANKS);
	message_network_send(n, 0, 1, 1000, 50, 0);
	run(n, arrived);
	CHECK_INT(arrived[0], 1150);
}

/* Two out of one rank share its link until the first is there; one from elsewhere to another rank does not. */
static void links_are_shared(void)
{
	struct message_network *n = message_network_create(&usual, RANKS);
	int64_t arrived[MOST] = {0};

	message_network_send(n, 0, 1, 750, 0, 0);
	message_network_send(n, 0, 2, 1500, 0, 1);
	message_network_send(n, 2, 3, 1000, 0, 2);
	run(n, arrived);
	CHECK_INT(arrived[0], 1100); /* 0.75 bytes a ns */
	CHECK_INT(arrived[1], 1850); /* 750 bytes by then, the rest alone */
	CHECK_INT(arrived[2], 1100);
}

/* Into one rank from three, one of which sends to another, too: the fullest link first, what is left to the others. */
static void shares_are_max_min_fair(void)
{
	struct message_network *n = message_network_create(&usual, RANKS);
	int64_t arrived[MOST] = {0};

	for (uint32_t from = 0; from < 3; from++)
		message_network_send(n, (int)from, 3, 5000, 0, from);
	message_network_send(n, 0, 1, 5000, 0, 3);
	run(n, arrived);
	CHECK_INT(arrived[3], 5100); /* 1.5 less 0.5 is what one has alone */
	for (int i = 0; i < 3; i++)
		CHECK_INT(arrived[i], 10100);
}

static void without_bandwidth_only_latency(void)
{
	const struct machine_network slow = {.latency_ns = 7};
	struct message_network *n = message_network_create(&slow, RANKS);
	int64_t arrived[MOST] = {0};

	for (uint32_t i = 0; i < 3; i++)
		message_network_send(n, 0, 1, 1u << 30, 10, i);
	run(n, arrived);
	for (int i = 0; i < 3; i++)
		CHECK_INT(arrived[i], 17);
}

int main(void)
{
	RUN(one_takes_latency_and_bytes);
	RUN(links_are_shared);
	RUN(shares_are_max_min_fair);
	RUN(without_bandwidth_only_latency);
	return check_done();
}
