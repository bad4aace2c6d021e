/* tests/unit/test_memory.c - what tasks wait for, and copies that a driver begins and observes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "replay/memory/transfers.h"
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
	struct transfers *t = memory_transfers(mem);

	while (memory_missing(mem, worker)) {
		for (int node = 0; node < m->nnodes; node++) {
			int64_t busy_ns;

			transfers_poll(t, node);
			while (transfers_begin(t, node, now, &busy_ns))
				;
		}
		if (!memory_missing(mem, worker) || transfers_next_ns(t) == INT64_MAX)
			break;
		now = transfers_next_ns(t);
		transfers_advance(t, now);
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

/* What was prefetched is not copied again, neither while the copy is pending nor after; what was overwritten is. */
static void test_prefetch(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	struct network *n = network_create(m);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b), h = dag_builder_handle(b, GB), reader = dag_builder_task(b, type), writer;
	struct transfers *moves;
	struct memory *mem;
	struct dag *d;
	int64_t at, busy_ns;

	dag_builder_access(b, reader, h, ACCESS_R);
	writer = dag_builder_task(b, type);
	dag_builder_access(b, writer, h, ACCESS_W);
	d = dag_builder_finish(b, NULL);
	mem = memory_create(d, m, n, simgrid());
	moves = memory_transfers(mem);
	memory_prefetch(mem, reader, 1, 0);
	CHECK_INT(memory_missing(mem, 1), 0);
	transfers_poll(moves, 1);
	CHECK(transfers_begin(moves, 1, 0, &busy_ns));
	CHECK_INT(busy_ns, simgrid()->of[ARCH_CUDA].queue_ns + simgrid()->of[ARCH_CUDA].allocate_ns);
	CHECK(!transfers_begin(moves, 1, 0, &busy_ns));
	CHECK_INT(memory_bytes_moved(mem), GB);
	CHECK_INT(memory_fetch(mem, reader, 1, 0), 1);
	at = drive(mem, m, 0, 1);
	CHECK_INT(memory_bytes_moved(mem), GB);
	CHECK_INT(memory_fetch(mem, reader, 1, 0), 0);
	memory_write(mem, writer, 0);
	memory_prefetch(mem, reader, 1, 0);
	transfers_poll(moves, 1);
	CHECK(transfers_begin(moves, 1, at, &busy_ns));
	CHECK_INT(busy_ns, simgrid()->of[ARCH_CUDA].queue_ns); /* it has memory already */
	memory_write(mem, writer, 0);                          /* while it is on its way */
	while (transfers_next_ns(moves) < INT64_MAX) {
		transfers_advance(moves, transfers_next_ns(moves));
		transfers_poll(moves, 1);
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

/* A datum is copied for no task; one that then wants it waits for that copy. */
static void test_prefetch_data(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	struct network *n = network_create(m);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b), h = dag_builder_handle(b, GB), t = dag_builder_task(b, type);
	struct memory *mem;
	struct dag *d;

	dag_builder_access(b, t, h, ACCESS_R | ACCESS_W);
	d = dag_builder_finish(b, NULL);
	mem = memory_create(d, m, n, simgrid());
	memory_prefetch_data(mem, h, 0, 0); /* where it is from the start */
	CHECK_INT(memory_where(mem, h).pending, 0);
	memory_prefetch_data(mem, h, 1, 0);
	CHECK_INT(memory_where(mem, h).pending, 2);
	CHECK_INT(memory_missing(mem, 1), 0);
	CHECK_INT(memory_fetch(mem, t, 1, 0), 1);
	drive(mem, m, 0, 1);
	CHECK_INT(memory_where(mem, h).valid, 3);
	CHECK_INT(memory_bytes_moved(mem), GB);
	memory_free(mem);
	network_free(n);
	dag_free(d);
	machine_free(m);
}

/* Where data is prefetched for a task that writes it, it is valid there alone, whether it had to be copied or not. */
static void test_prefetch_to_write(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);

	for (int copied = 0; copied < 2; copied++) {
		struct network *n = network_create(m);
		struct dag_builder *b = dag_builder_create();
		uint32_t type = kind(b), h = dag_builder_handle(b, GB), reader = dag_builder_task(b, type), t;
		struct memory *mem;
		struct dag *d;

		dag_builder_access(b, reader, h, ACCESS_R);
		t = dag_builder_task(b, type);
		dag_builder_access(b, t, h, ACCESS_R | ACCESS_W);
		d = dag_builder_finish(b, NULL);
		mem = memory_create(d, m, n, simgrid());
		if (!copied) {
			CHECK_INT(memory_fetch(mem, reader, 1, 0), 1);
			drive(mem, m, 0, 1);
			CHECK_INT(memory_where(mem, h).valid, 3);
		}
		memory_prefetch(mem, t, 1, 0);
		CHECK_INT(memory_where(mem, h).valid, copied ? 1 : 2);
		CHECK_INT(memory_fetch(mem, t, 1, 0), copied);
		drive(mem, m, 0, 1);
		CHECK_INT(memory_where(mem, h).valid, 2);
		/* Taken by a CPU after all, the task needs a copy. */
		CHECK_INT(memory_fetch(mem, t, 0, 0), 1);
		drive(mem, m, SEC, 0);
		CHECK_INT(memory_bytes_moved(mem), 2 * GB);
		memory_free(mem);
		network_free(n);
		dag_free(d);
	}
	machine_free(m);
}

/* Data that the application will not use soon is written back after a task has written it; once. */
static void test_wont_use(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	struct network *n = network_create(m);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b), h = dag_builder_handle(b, GB), writer = dag_builder_task(b, type), next = 0;
	struct transfers *moves;
	struct memory *mem;
	struct dag *d;
	int64_t busy_ns;

	dag_builder_access(b, writer, h, ACCESS_W | ACCESS_WONT_USE);
	d = dag_builder_finish(b, NULL);
	d->handle_home[h] = 0;
	mem = memory_create(d, m, n, simgrid());
	moves = memory_transfers(mem);
	memory_write(mem, writer, 1);
	CHECK_INT(memory_next_wont_use(mem, writer, &next), h);
	CHECK_INT(memory_next_wont_use(mem, writer, &next), UINT32_MAX);
	transfers_write_back(moves, h);
	transfers_poll(moves, 1);
	CHECK(transfers_begin(moves, 1, 0, &busy_ns));
	CHECK(!transfers_begin(moves, 1, 0, &busy_ns));
	while (transfers_next_ns(moves) < INT64_MAX)
		transfers_advance(moves, transfers_next_ns(moves));
	transfers_poll(moves, 1);
	CHECK(!transfers_begin(moves, 1, 0, &busy_ns));
	CHECK_INT(transfers_observed(moves, 1), 1);
	CHECK_INT(memory_where(mem, h).valid, 3);
	transfers_write_back(moves, h);
	transfers_poll(moves, 1);
	CHECK(!transfers_begin(moves, 1, 2 * SEC, &busy_ns));
	CHECK_INT(memory_bytes_moved(mem), GB);
	memory_free(mem);
	network_free(n);
	dag_free(d);
	machine_free(m);
}

/*
 * Data of 4 MiB, eight of which make a chunk of main memory, that is received and read once: where it is gone then, the
 * ninth datum needs no second chunk. Data of the application stays in its memory.
 */
static void test_invalidated(void)
{
	for (int invalidated = 0; invalidated < 2; invalidated++) {
		struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
		struct network *n = network_create(m);
		struct dag_builder *b = dag_builder_create();
		struct dag_invalidated gone[9];
		uint32_t type = kind(b), last = 0;
		struct memory *mem;
		struct dag *d;

		for (uint32_t i = 0; i < 9; i++) {
			last = dag_builder_task(b, type);
			dag_builder_access(b, last, dag_builder_handle(b, 4 << 20), ACCESS_R);
			gone[i] = (struct dag_invalidated){i, 1};
		}
		d = dag_builder_finish(b, NULL);
		for (uint32_t i = 0; i < 9; i++)
			d->handle_home[i] = i < last ? -1 : 0;
		d->invalidated = invalidated ? gone : NULL;
		d->ninvalidated = invalidated ? 9 : 0;
		mem = memory_create(d, m, n, simgrid());
		for (uint32_t i = 0; i < 9; i++) {
			if (i < last)
				memory_receive(mem, i);
			CHECK_INT(memory_fetch(mem, i, 1, 0), 1);
			drive(mem, m, 0, 1);
			CHECK_INT(memory_where(mem, i).valid, 3);
			memory_finish(mem, i, 1);
			CHECK_INT(memory_where(mem, i).valid, invalidated ? 0 : 3);
			CHECK_INT(memory_where(mem, i).allocated, !invalidated ? 3 : i == last ? 1 : 0);
		}
		CHECK_INT(memory_use(mem)[0].bytes, (invalidated ? 1 : 9) * INT64_C(4 << 20));
		CHECK_INT(memory_use(mem)[1].bytes, invalidated ? 0 : 9 * INT64_C(4 << 20));
		CHECK_INT(memory_use(mem)[1].peak_bytes, (invalidated ? 1 : 9) * INT64_C(4 << 20));
		memory_free(mem);
		network_free(n);
		dag_free(d);
		machine_free(m);
	}
}

int main(void)
{
	RUN(test_by_main_memory);
	RUN(test_prefetch);
	RUN(test_prefetch_data);
	RUN(test_prefetch_to_write);
	RUN(test_wont_use);
	RUN(test_invalidated);
	return check_done();
}
