/* tests/unit/test_traffic.c - what links carried, how long they were busy, and the least time for that. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/traffic.h"

#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

enum { MS = 1000000 };

static struct trace_copy copy(int from, int to, double start_ms, double end_ms, uint64_t bytes)
{
	return (struct trace_copy){.start_ns = llround(start_ms * MS),
	                           .end_ns = llround(end_ms * MS),
	                           .size_bytes = bytes,
	                           .handle = TRACE_NONE,
	                           .from = (int16_t)from,
	                           .to = (int16_t)to};
}

/* A run from 10 to 110 ms on a machine of 1 GB/s links; node 0 is main memory, 1 and 2 are GPUs. */
static void look(struct traffic *x, struct trace_copy *copies, size_t n, int nranks)
{
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s", NULL);
	struct trace_task task = {.start_ns = 10 * MS, .end_ns = 110 * MS, .worker = 0, .parallel = 1};
	struct trace t = {.tasks = &task, .ntasks = 1, .copies = copies, .ncopies = n, .nranks = nranks};

	traffic_init(x, &t, m);
	machine_free(m);
}

static void test_busy(void)
{
	struct trace_copy copies[] = {
		copy(0, 1, 0, 5, 999),       /* before the run */
		copy(0, 1, 0, 20, 2000000),  /* half of it */
		copy(0, 1, 15, 30, 5000000), /* overlaps by 5 ms */
		copy(0, 1, 17, 25, 1000000), /* within */
		copy(1, 0, 40, 50, 4000000),
		copy(0, 1, 100, 120, 2000000), /* half of it */
		copy(0, 2, 105, TIME_NONE / 1e6, 7),
	};
	struct traffic x;

	copies[6].end_ns = TIME_NONE;
	look(&x, copies, 7, 1);
	CHECK_INT(x.nlinks, 3);
	CHECK(x.links[0].from == 0 && x.links[0].to == 1 && x.links[1].to == 2 && x.links[2].from == 1);
	CHECK_INT(x.links[0].copies, 4);
	CHECK_INT(x.links[0].bytes, 8000000);
	CHECK_INT(x.links[0].busy_ns, (20 + 10) * MS);
	CHECK_INT(x.links[1].busy_ns, 0);
	CHECK_INT(x.links[2].busy_ns, 10 * MS);
	CHECK_INT(x.links[0].least_ns, 8 * MS);
	CHECK_INT(x.host_bytes, 12000007);
	CHECK_INT(x.host_least_ns, 12000007);
	CHECK_INT(x.least_ns, x.host_least_ns);
	traffic_fini(&x);
}

static void test_unknown(void)
{
	struct trace_copy copies[] = {copy(0, 1, 20, 30, 10), copy(0, 1, 40, 50, 10)};
	struct traffic x;

	copies[1].rank = 1;
	look(&x, copies, 2, 2);
	CHECK_INT(x.nlinks, 2);
	CHECK_INT(x.least_ns, -1);
	CHECK_INT(x.bytes, 20);
	traffic_fini(&x);
	copies[0].from = 9; /* a node that the machine does not have */
	look(&x, copies, 1, 1);
	CHECK_INT(x.links[0].least_ns, -1);
	CHECK_INT(x.least_ns, -1);
	traffic_fini(&x);
	look(&x, copies, 0, 1);
	CHECK(!x.recorded && !x.nlinks && x.least_ns == -1);
	traffic_fini(&x);
}

int main(void)
{
	RUN(test_busy);
	RUN(test_unknown);
	return check_done();
}
