/* tests/unit/test_network_trace.c - core/run/network_trace.h: the network that messages of a trace show. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/network_trace.h"

#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

/* 1000 bytes, 10 us and 20 us, at one time on one link; the third ends before it begins, by clocks that differ. */
static const struct trace_message recorded[] = {
	{.from = 0, .to = 1, .size_bytes = 1000, .post_ns = 0, .receive_ns = TIME_NONE, .arrive_ns = 10000},
	{.from = 0, .to = 1, .size_bytes = 1000, .post_ns = 0, .receive_ns = TIME_NONE, .arrive_ns = 20000},
	{.from = 1, .to = 0, .size_bytes = 1000, .post_ns = 900, .receive_ns = TIME_NONE, .arrive_ns = 800},
};

static struct machine_network measured(size_t n)
{
	struct trace_message messages[3];
	struct machine_network net;

	memcpy(messages, recorded, sizeof(messages));
	network_measure(&net, &(struct trace){.messages = messages, .nmessages = n, .nranks = 2});
	return net;
}

/* Where all messages overlap they say what there is to say; a message without a duration says nothing. */
static void overlapping_messages_count_where_no_other_has_a_duration(void)
{
	struct machine_network two = measured(2), three = measured(3);

	CHECK_NEAR(two.bytes_per_s, 1e9 * 1000 / 20000, 1);
	CHECK_NEAR(two.link_bytes_per_s, 1e9 * 2000 / 20000, 1);
	CHECK_NEAR(three.bytes_per_s, two.bytes_per_s, 0);
	CHECK_NEAR(three.link_bytes_per_s, two.link_bytes_per_s, 0);
}

int main(void)
{
	RUN(overlapping_messages_count_where_no_other_has_a_duration);
	return check_done();
}
