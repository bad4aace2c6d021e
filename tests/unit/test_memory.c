/* tests/unit/test_memory.c - where data is, and copies that a driver begins and notices. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "replay/memory/requests.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

#define GB  INT64_C(1000000000)
#define SEC INT64_C(1000000000)
#define LAT INT64_C(10000) /* of machine_parse() */

static const struct overheads_all *simgrid(void)
{
	static struct overheads_all o;

	overheads_init(&o, OVERHEADS_SIMGRID);
	return &o;
}

static uint32_t kind(struct dag_builder *b)
{
	return dag_builder_type(b, "k", (const int64_t[ARCH_COUNT])COSTS(1, 1));
}

/* Every driver does what it can until `worker` has all it waits for: when that is. */
static int64_t drive(struct memory *mem, const struct machine *m, int64_t now, int worker)
{
	while (memory_missing(mem, worker)) {
		for (int node = 0; node < m->nnodes; node++) {
			int64_t busy_ns;

			memory_poll(mem, node);
			while (memory_begin(mem, node, now, &busy_ns))
				;
		}
		if (!memory_missing(mem, worker) || memory_next_ns(mem) == INT64_MAX)
			break;
		now = memory_next_ns(mem);
		memory_advance(mem, now);
	}
	return now;
}

/* A GPU writes, another one and the CPU read: without a link between GPUs the copy goes by main memory, once. */
static void test_by_main_memory(void)
{
	struct machine_link links[] = {
		{0, 1, 1e9, LAT, 0, 0},
		{0, 2, 1e9, LAT, 0, 0},
		{1, 0, 1e9, LAT, 0, 0},
		{2, 0, 1e9, LAT, 0, 0},
	};
	struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
	struct network *n;
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b), h = dag_builder_handle(b, GB), t[3];
	struct memory *mem;
	struct dag *d;
	int64_t at;

	for (int i = 0; i < 3; i++) {
		t[i] = dag_builder_task(b, type);
		dag_builder_access(b, t[i], h, i ? ACCESS_R : ACCESS_W);
		if (i)
			dag_builder_edge(b, t[0], t[i]);
	}
	d = dag_builder_finish(b, NULL);
	m->links = links;
	m->nlinks = 4;
	n = network_create(m);
	mem = memory_create(d, m, n, simgrid());
	/* Workers: the CPU, then the GPUs. */
	CHECK_INT(memory_fetch(mem, t[0], 1, 0), 1); /* for memory */
	CHECK_INT(drive(mem, m, 0, 1), 0);
	memory_write(mem, t[0], 1);
	CHECK_INT(memory_fetch(mem, t[1], 2, 0), 1);
	CHECK_INT(memory_fetch(mem, t[2], 0, 0), 1);
	at = drive(mem, m, 0, 0);
	CHECK(at > SEC && at < 2 * SEC); /* by way of main memory */
	CHECK_INT(memory_missing(mem, 0), 0);
	CHECK_INT(memory_missing(mem, 2), 1);
	CHECK(drive(mem, m, at, 2) > 2 * SEC);
	CHECK_INT(memory_bytes_moved(mem), 2 * GB);
	CHECK_INT(memory_fetch(mem, t[1], 2, 0), 0);
	memory_free(mem);
	network_free(n);
	dag_free(d);
	machine_free(m);
}

/* What was copied ahead is not copied again, on its way or there; what was overwritten meanwhile is. */
static void test_prefetch(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	struct network *n = network_create(m);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b), h = dag_builder_handle(b, GB), reader = dag_builder_task(b, type), writer;
	struct memory *mem;
	struct dag *d;
	int64_t at, busy_ns;

	dag_builder_access(b, reader, h, ACCESS_R);
	writer = dag_builder_task(b, type);
	dag_builder_access(b, writer, h, ACCESS_W);
	d = dag_builder_finish(b, NULL);
	mem = memory_create(d, m, n, simgrid());
	memory_prefetch(mem, reader, 1, 0);
	CHECK_INT(memory_missing(mem, 1), 0);
	memory_poll(mem, 1);
	CHECK(memory_begin(mem, 1, 0, &busy_ns));
	CHECK_INT(busy_ns, simgrid()->of[ARCH_CUDA].queue_ns + simgrid()->of[ARCH_CUDA].allocate_ns);
	CHECK(!memory_begin(mem, 1, 0, &busy_ns));
	CHECK_INT(memory_bytes_moved(mem), GB);
	CHECK_INT(memory_fetch(mem, reader, 1, 0), 1);
	at = drive(mem, m, 0, 1);
	CHECK_INT(memory_bytes_moved(mem), GB);
	CHECK_INT(memory_fetch(mem, reader, 1, 0), 0);
	memory_write(mem, writer, 0);
	memory_prefetch(mem, reader, 1, 0);
	memory_poll(mem, 1);
	CHECK(memory_begin(mem, 1, at, &busy_ns));
	CHECK_INT(busy_ns, simgrid()->of[ARCH_CUDA].queue_ns); /* it has memory already */
	memory_write(mem, writer, 0);                          /* while it is on its way */
	while (memory_next_ns(mem) < INT64_MAX) {
		memory_advance(mem, memory_next_ns(mem));
		memory_poll(mem, 1);
	}
	CHECK_INT(memory_bytes_moved(mem), 2 * GB);
	CHECK_INT(memory_fetch(mem, reader, 1, 0), 1);
	drive(mem, m, 9 * SEC, 1);
	CHECK_INT(memory_bytes_moved(mem), 3 * GB);
	memory_free(mem);
	network_free(n);
	dag_free(d);
	machine_free(m);
}

/* What was asked for ahead waits behind what somebody waits for, by priority; a few at a time; until somebody waits. */
static void test_requests(void)
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
	/* 2 has come later; four are under way: nothing ahead */
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX);
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 2);
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX); /* five */
	for (int i = 0; i < 4; i++)
		requests_arrived(r, 1, 0, REQUEST_IN);
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 0, 1000), 0);
	CHECK_INT(requests_next(r, 1, 0, 1000), UINT32_MAX); /* two */
	requests_arrived(r, 1, 0, REQUEST_IN);
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

/* What is taken of a list at once takes so long at most; what has time waits until nothing is under way. */
static void test_requests_take_time(void)
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
		requests_arrived(r, 1, 0, REQUEST_IN);
	requests_begin(r, 1, REQUEST_IN);
	CHECK_INT(requests_next(r, 1, 1000, 1000), 3);
	requests_free(r);
}

/* What the application will not need soon goes home when a task has written it; once, and not from home. */
static void test_wont_use(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	struct network *n = network_create(m);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b), h = dag_builder_handle(b, GB), writer = dag_builder_task(b, type), next = 0;
	struct memory *mem;
	struct dag *d;
	int64_t busy_ns;

	dag_builder_access(b, writer, h, ACCESS_W | ACCESS_WONT_USE);
	d = dag_builder_finish(b, NULL);
	d->handle_home[h] = 0;
	mem = memory_create(d, m, n, simgrid());
	memory_write(mem, writer, 1);
	CHECK_INT(memory_next_wont_use(mem, writer, &next), h);
	CHECK_INT(memory_next_wont_use(mem, writer, &next), UINT32_MAX);
	memory_write_back(mem, h);
	memory_poll(mem, 1);
	CHECK(memory_begin(mem, 1, 0, &busy_ns));
	CHECK(!memory_begin(mem, 1, 0, &busy_ns));
	while (memory_next_ns(mem) < INT64_MAX)
		memory_advance(mem, memory_next_ns(mem));
	memory_poll(mem, 1);
	CHECK(!memory_begin(mem, 1, 0, &busy_ns));
	CHECK_INT(memory_observed(mem, 1), 1);
	CHECK_INT(memory_where(mem, h).valid, 3);
	memory_write_back(mem, h);
	memory_poll(mem, 1);
	CHECK(!memory_begin(mem, 1, 2 * SEC, &busy_ns));
	CHECK_INT(memory_bytes_moved(mem), GB);
	memory_free(mem);
	network_free(n);
	dag_free(d);
	machine_free(m);
}

int main(void)
{
	RUN(test_by_main_memory);
	RUN(test_prefetch);
	RUN(test_requests);
	RUN(test_requests_take_time);
	RUN(test_wont_use);
	return check_done();
}
