/* tests/unit/test_network.c - transfers over links that share bandwidth or exclude each other: times by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/machine.h"
#include "replay/memory/network.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"

#define GB  INT64_C(1000000000)
#define SEC INT64_C(1000000000)
#define LAT INT64_C(10000) /* of machine_parse() */

static int64_t next_end(struct network *n, uint32_t *cookie)
{
	int64_t at = network_next_ns(n);

	for (; at < INT64_MAX; at = network_next_ns(n)) {
		network_advance(n, at);
		if (network_completed(n, cookie))
			return at;
	}
	return -1;
}

static void test_one_link(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	struct network *n = network_create(m);
	uint32_t user = 9;

	CHECK_INT(network_link(n, 0, 1), 0);
	CHECK_INT(network_link(n, 1, 1), -1);
	CHECK_INT(network_next_ns(n), INT64_MAX);
	CHECK_NEAR(network_seconds(n, 0, GB), 1.00001, 1e-12);
	network_send(n, 0, GB, 0, 500, 7);
	network_send(n, 0, GB, 0, 600, 8); /* after it */
	CHECK_INT(next_end(n, &user), 500 + LAT + SEC);
	CHECK_INT(user, 7);
	CHECK_INT(next_end(n, &user), 500 + 2 * (LAT + SEC));
	CHECK_INT(user, 8);
	CHECK_INT(next_end(n, &user), -1);
	network_send(n, 0, 0, 5 * SEC, 5 * SEC, 9); /* nothing takes the latency */
	CHECK_INT(next_end(n, &user), 5 * SEC + LAT);
	network_send_bytes(n, 0, GB, 10 * SEC, 10 * SEC + 500, 1); /* its latency was 500 */
	network_send(n, 0, GB, 10 * SEC, 10 * SEC, 2);             /* that was ready before it */
	CHECK_INT(next_end(n, &user), 11 * SEC + LAT);
	CHECK_INT(next_end(n, &user), 12 * SEC + LAT);
	CHECK_INT(user, 1);
	network_free(n);
	machine_free(m);
}

static void test_shared_link(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s", NULL);
	struct network *n = network_create(m);
	uint32_t user = 9;

	/* Both at once have half of it each; what is left of the longer one then has all. */
	network_send(n, network_link(n, 0, 1), GB, 0, 0, 1);
	network_send(n, network_link(n, 0, 2), 3 * GB, 0, 0, 2);
	CHECK_INT(next_end(n, &user), LAT + 2 * SEC);
	CHECK_INT(user, 1);
	CHECK_INT(next_end(n, &user), LAT + 4 * SEC);
	CHECK_INT(user, 2);
	/* The way back shares it too. */
	network_send(n, network_link(n, 0, 1), GB, 10 * SEC, 10 * SEC, 1);
	network_send(n, network_link(n, 1, 0), GB, 10 * SEC, 10 * SEC, 2);
	CHECK_INT(next_end(n, &user), 10 * SEC + LAT + 2 * SEC);
	network_free(n);
	machine_free(m);
}

/* Links of 1 and 4 GB/s: the slow one cannot use its half of the host's 4, the fast one has the other 3. */
static void test_max_min(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:2 link:4GB/s", NULL);
	struct network *n;
	uint32_t user = 9;

	m->links[0].bytes_per_s = 1e9;
	n = network_create(m);
	network_send(n, 0, 2 * GB, 0, 0, 1);
	network_send(n, 1, 3 * GB, 0, 0, 2);
	CHECK_INT(next_end(n, &user), LAT + SEC);
	CHECK_INT(user, 2);
	CHECK_INT(next_end(n, &user), LAT + 2 * SEC);
	network_free(n);
	machine_free(m);
}

/* What goes between devices excludes its way back and what goes into its ends, not what leaves them. */
static void test_peers(void)
{
	struct machine_link links[] = {
		{0, 1, 1e9, 0, 0, 0}, {0, 2, 1e9, 0, 0, 0}, {1, 0, 1e9, 0, 0, 0},
		{1, 2, 5e8, 0, 0, 0}, {2, 0, 1e9, 0, 0, 0}, {2, 1, 5e8, 0, 0, 0},
	};
	struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
	struct network *n;
	uint32_t user = 9;

	m->links = links;
	m->nlinks = 6;
	n = network_create(m);
	network_send(n, network_link(n, 1, 2), GB, 0, 0, 1); /* 2 s */
	network_send(n, network_link(n, 2, 1), GB, 0, 0, 2); /* after it: 2 s */
	network_send(n, network_link(n, 0, 1), GB, 0, 0, 3); /* after both: 1 s */
	CHECK_INT(next_end(n, &user), 2 * SEC);
	CHECK_INT(user, 1);
	CHECK_INT(next_end(n, &user), 4 * SEC);
	CHECK_INT(user, 2);
	CHECK_INT(next_end(n, &user), 5 * SEC);
	CHECK_INT(user, 3);
	/* 1 -> 2 uses half of the host's link, 1 -> 0 has the other half. */
	network_send(n, network_link(n, 1, 2), GB, 10 * SEC, 10 * SEC, 1);
	network_send(n, network_link(n, 1, 0), GB, 10 * SEC, 10 * SEC, 2);
	CHECK_INT(next_end(n, &user), 12 * SEC);
	CHECK_INT(network_completed(n, &user), 1); /* the other as well */
	/* Each waits for its memory first: the copy with it comes before others, on the link and where one excludes. */
	network_send(n, network_link(n, 0, 2), GB, 20 * SEC, 20 * SEC + 1000, 1);
	network_send(n, network_link(n, 0, 2), GB, 20 * SEC, 20 * SEC + 500, 2);
	network_send(n, network_link(n, 2, 1), GB, 20 * SEC, 20 * SEC + 100, 3);
	CHECK_INT(next_end(n, &user), 22 * SEC + 100);
	CHECK_INT(user, 3);
	CHECK_INT(next_end(n, &user), 23 * SEC + 100);
	CHECK_INT(user, 2);
	CHECK_INT(next_end(n, &user), 24 * SEC + 100);
	CHECK_INT(user, 1);
	network_free(n);
	machine_free(m);
}

/* Every time of a network is proportional to its latencies and to the inverse of its bandwidths. */
static void test_scaling(void)
{
	for (int64_t k = 2; k <= 64; k *= 8) {
		struct machine *m = machine_parse("cpu:1 cuda:3 link:6GB/s", NULL);
		struct machine *slow = machine_parse("cpu:1 cuda:3", NULL);
		struct network *a, *b;
		uint64_t seed = 5;

		for (int i = 0; i < m->nlinks; i++) {
			slow->links[i] = m->links[i];
			slow->links[i].bytes_per_s /= (double)k;
			slow->links[i].latency_ns *= k;
		}
		a = network_create(m);
		b = network_create(slow);
		for (uint32_t i = 0; i < 50; i++) {
			int link = (int)(graph_random(&seed) % (uint32_t)m->nlinks);
			uint64_t bytes = 1000 + graph_random(&seed) % 10000000;

			network_send(a, link, bytes, 0, 0, i);
			network_send(b, link, bytes, 0, 0, i);
		}
		for (int i = 0; i < 50; i++) {
			uint32_t x = 98, y = 99;
			double s = (double)next_end(a, &x), t = (double)next_end(b, &y);

			CHECK_INT(x, y);
			CHECK(fabs(t - s * (double)k) <= 100 * (double)k); /* each of 50 events is rounded up to a ns */
		}
		network_free(a);
		network_free(b);
		machine_free(m);
		machine_free(slow);
	}
}

int main(void)
{
	RUN(test_one_link);
	RUN(test_shared_link);
	RUN(test_max_min);
	RUN(test_peers);
	RUN(test_scaling);
	return check_done();
}
