/* tests/unit/test_transfers.c - copies to a device whose memory is full, and what they evict: by hand. */
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

/* Data of 10 MB each in main memory; task t reads and task t + 6 writes datum t. A GPU with so much memory. */
enum { NDATA = 6, CPU = 0, GPU = 1, MB = 1000000 };

struct bench {
	struct machine *m;
	struct network *n;
	struct dag *d;
	struct memory *mem;
	struct transfers *moves; /* of mem */
	int64_t now;
};

static const struct overheads_all *simgrid(void)
{
	static struct overheads_all o;

	overheads_init(&o, OVERHEADS_SIMGRID);
	return &o;
}

static void bench_open(struct bench *b, int64_t capacity_bytes)
{
	struct dag_builder *build = dag_builder_create();
	uint32_t type = dag_builder_type(build, "k", (const int64_t[ARCH_COUNT])COSTS(1, 1));

	for (int i = 0; i < NDATA; i++)
		dag_builder_handle(build, 10 * MB);
	for (uint32_t i = 0; i < 2 * NDATA; i++)
		dag_builder_access(build, dag_builder_task(build, type), i % NDATA, i < NDATA ? ACCESS_R : ACCESS_W);
	b->d = dag_builder_finish(build, NULL);
	b->m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);
	b->m->nodes[1].capacity_bytes = capacity_bytes;
	b->n = network_create(b->m);
	b->mem = memory_create(b->d, b->m, b->n, simgrid());
	b->moves = memory_transfers(b->mem);
	b->now = 0;
}

static void bench_close(struct bench *b)
{
	CHECK(memory_use(b->mem)[1].peak_bytes <= (uint64_t)b->m->nodes[1].capacity_bytes);
	memory_free(b->mem);
	network_free(b->n);
	dag_free(b->d);
	machine_free(b->m);
}

/* The GPU's driver does what it can, until nothing is on its way. */
static void drive(struct bench *b)
{
	int64_t busy_ns;

	do {
		if (transfers_next_ns(b->moves) < INT64_MAX)
			transfers_advance(b->moves, b->now = transfers_next_ns(b->moves));
		transfers_poll(b->moves, 1);
		while (transfers_begin(b->moves, 1, b->now, &busy_ns))
			;
	} while (transfers_next_ns(b->moves) < INT64_MAX || transfers_observed(b->moves, 1));
}

static void execute(struct bench *b, uint32_t task)
{
	memory_fetch(b->mem, task, GPU, 0);
	drive(b);
	CHECK_INT(memory_missing(b->mem, GPU), 0);
	memory_write(b->mem, task, GPU);
	memory_finish(b->mem, task, GPU);
}

/* The data that the GPU holds, a bit each. */
static int held(const struct bench *b)
{
	int bits = 0;

	for (uint32_t i = 0; i < NDATA; i++)
		bits |= (int)(memory_where(b->mem, i).allocated >> 1 & 1) << i;
	return bits;
}

/* The least recently used datum is evicted; where it is valid elsewhere, that costs nothing. */
static void test_least_recent(void)
{
	struct bench b;

	bench_open(&b, 30 * MB);
	execute(&b, 0);
	execute(&b, 1);
	execute(&b, 2);
	execute(&b, 0);
	CHECK_INT(held(&b), 1 | 2 | 4);
	execute(&b, 3);
	CHECK_INT(held(&b), 1 | 4 | 8);
	execute(&b, 4);
	CHECK_INT(held(&b), 1 | 8 | 16);
	CHECK_INT(memory_use(b.mem)[1].evictions, 2);
	CHECK_INT(memory_use(b.mem)[1].written_back, 0);
	CHECK_INT(memory_bytes_moved(b.mem), 50 * MB);
	bench_close(&b);
}

/* A datum valid elsewhere is evicted before an older only copy; without one, twice the bytes needed are evicted. */
static void test_write_back(void)
{
	struct bench b;

	bench_open(&b, 30 * MB);
	execute(&b, NDATA + 0);
	execute(&b, 1);
	execute(&b, NDATA + 2);
	execute(&b, 3);
	CHECK_INT(held(&b), 1 | 4 | 8);
	execute(&b, NDATA + 3);
	CHECK_INT(memory_use(b.mem)[1].written_back, 0);
	execute(&b, NDATA + 4); /* now all were written: 0 and 2 go home */
	CHECK_INT(held(&b), 8 | 16);
	CHECK_INT(memory_use(b.mem)[1].written_back, 20 * MB);
	CHECK_INT(memory_bytes_moved(b.mem), 40 * MB);
	CHECK_INT(memory_where(b.mem, 0).valid, 1);
	CHECK_INT(memory_where(b.mem, 3).valid, 2);
	bench_close(&b);
}

/* While a datum is written back its driver is blocked; pinned data stays, and the request waits. */
static void test_in_use(void)
{
	struct bench b;
	int64_t busy_ns;

	bench_open(&b, 20 * MB);
	execute(&b, NDATA + 0);
	CHECK_INT(memory_fetch(b.mem, 1, GPU, 0), 1);
	drive(&b);
	memory_prefetch(b.mem, 2, GPU, 0); /* 0 is the only copy, 1 is in use */
	transfers_poll(b.moves, 1);
	CHECK(transfers_begin(b.moves, 1, b.now, &busy_ns)); /* 0 to main memory */
	CHECK(transfers_blocked(b.moves, 1));
	drive(&b);
	CHECK(!transfers_blocked(b.moves, 1));
	CHECK_INT(held(&b), 2 | 4);
	memory_prefetch(b.mem, 3, GPU, 0);
	drive(&b);
	CHECK_INT(held(&b), 2 | 4); /* 1 is in use, and 2 was prefetched for a task */
	CHECK(memory_where(b.mem, 3).pending & 2);
	memory_finish(b.mem, 1, GPU);
	drive(&b);
	CHECK_INT(held(&b), 4 | 8);
	CHECK_INT(memory_fetch(b.mem, 4, GPU, 0), 1); /* a fetch evicts what was prefetched, too */
	drive(&b);
	CHECK_INT(memory_missing(b.mem, GPU), 0);
	CHECK(held(&b) & 16);
	bench_close(&b);
}

/* Small data is cut out of chunks of 32 MiB: 9 of 3.6 MB in one, where 18 of them would fit into 64 MB. */
static void test_chunks(void)
{
	struct dag_builder *build = dag_builder_create();
	uint32_t type = dag_builder_type(build, "k", (const int64_t[ARCH_COUNT])COSTS(1, 1));
	struct bench b = {.m = machine_parse("cpu:1 cuda:1@64M link:1GB/s", NULL)};

	for (uint32_t i = 0; i < 30; i++)
		dag_builder_access(build, dag_builder_task(build, type), dag_builder_handle(build, 3686400), ACCESS_R);
	b.d = dag_builder_finish(build, NULL);
	b.n = network_create(b.m);
	b.mem = memory_create(b.d, b.m, b.n, simgrid());
	b.moves = memory_transfers(b.mem);
	for (uint32_t i = 0; i < 30; i++)
		execute(&b, i);
	CHECK_INT(memory_use(b.mem)[1].peak_bytes, 18 * 3686400);
	CHECK_INT(memory_use(b.mem)[1].evictions, 12);
	bench_close(&b);
}

/*
 * Three data are prefetched to the GPU, a copy at a time, and the CPU is to write the last of them: it waits for its
 * copy, which goes before the others, and for no other one.
 */
static void test_write_waits(void)
{
	struct bench b;
	int64_t busy_ns;

	bench_open(&b, 60 * MB);
	for (uint32_t i = 0; i < NDATA; i++)
		memory_prefetch_data(b.mem, i, GPU, (int32_t)(NDATA - i));
	CHECK_INT(memory_fetch(b.mem, 2 * NDATA - 1, CPU, 0), 1);
	transfers_poll(b.moves, 1);
	CHECK_INT(transfers_begin(b.moves, 1, 0, &busy_ns), 1);
	while (transfers_begin(b.moves, 1, 0, &busy_ns))
		;
	while (memory_missing(b.mem, CPU)) {
		transfers_advance(b.moves, b.now = transfers_next_ns(b.moves));
		transfers_poll(b.moves, 1);
	}
	CHECK_INT(memory_where(b.mem, NDATA - 1).valid >> 1 & 1, 1);
	CHECK_INT(memory_where(b.mem, 1).valid >> 1 & 1, 0);
	drive(&b);
	memory_write(b.mem, 2 * NDATA - 1, CPU);
	CHECK_INT(memory_where(b.mem, NDATA - 1).valid, 1);
	memory_finish(b.mem, 2 * NDATA - 1, CPU);
	bench_close(&b);
}

/* Of two that are copied ahead the one goes first that somebody needs more urgently by now. */
static void test_more_urgent(void)
{
	struct bench b;
	int64_t busy_ns;

	bench_open(&b, 60 * MB);
	memory_prefetch(b.mem, 0, GPU, 2);
	memory_prefetch(b.mem, 1, GPU, 1);
	memory_prefetch(b.mem, NDATA + 0, GPU, 1);
	memory_prefetch_data(b.mem, 1, GPU, 3);
	transfers_poll(b.moves, 1);
	CHECK_INT(transfers_begin(b.moves, 1, 0, &busy_ns), 1);
	CHECK(transfers_locked_ns(b.moves, 1, busy_ns - 1) > 0);
	CHECK_INT(transfers_locked_ns(b.moves, 0, busy_ns - 1), 0);
	drive(&b);
	bench_close(&b);
}

/* A driver that begins a copy holds the datum for 10 us, after the 175 to allocate; drivers allocate one by one. */
static void test_held(void)
{
	struct bench b;
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s", NULL);
	int64_t busy_ns;

	bench_open(&b, 60 * MB);
	memory_free(b.mem);
	network_free(b.n);
	machine_free(b.m);
	b.m = m;
	b.n = network_create(m);
	b.mem = memory_create(b.d, m, b.n, simgrid());
	b.moves = memory_transfers(b.mem);
	for (int worker = GPU; worker <= GPU + 1; worker++)
		memory_prefetch_data(b.mem, 0, worker, 0);
	for (int node = 1; node <= 2; node++)
		transfers_poll(b.moves, node);
	CHECK_INT(transfers_begin(b.moves, 1, 1000, &busy_ns), 1);
	CHECK_INT(busy_ns, 185000);
	CHECK_INT(transfers_locked_ns(b.moves, 0, 6000), 0);
	CHECK_INT(transfers_locked_ns(b.moves, 0, 176000), 10000);
	CHECK_INT(transfers_locked_ns(b.moves, 0, 186000), 0);
	CHECK_INT(transfers_locked_ns(b.moves, 1, 176000), 0);
	CHECK_INT(transfers_begin(b.moves, 2, 6000, &busy_ns), 1);
	CHECK_INT(busy_ns, 170000 + 175000 + 10000);
	CHECK_INT(transfers_locked_ns(b.moves, 0, 351000), 10000);
	m->nodes[1].capacity_bytes = 60 * MB; /* what bench_close() looks at */
	bench_close(&b);
}

/*
 * Main memory: a thread takes five requests, serves the first, which needs a chunk, and has no time for the others; a
 * second one waits for the chunk, of which its own are cut, and serves them all.
 */
static void test_main_memory(void)
{
	struct bench b;
	struct dag_builder *build = dag_builder_create();
	uint32_t type = dag_builder_type(build, "k", (const int64_t[ARCH_COUNT])COSTS(1, 1));
	struct overheads_all o = *simgrid();
	struct allocations_taken first = {0}, second = {0};
	int64_t busy_ns;

	bench_open(&b, 60 * MB);
	memory_free(b.mem);
	dag_free(b.d);
	for (int i = 0; i < 8; i++)
		dag_builder_handle(build, MB);
	dag_builder_task(build, type);
	b.d = dag_builder_finish(build, NULL);
	for (int i = 0; i < 8; i++)
		b.d->handle_home[i] = -1;
	o.of[ARCH_CPU].allocate_ns = 20000000;
	b.mem = memory_create(b.d, b.m, b.n, &o);
	b.moves = memory_transfers(b.mem);
	CHECK_INT(transfers_allocates(b.moves), 0);
	for (uint32_t i = 0; i < 8; i++)
		CHECK_INT(memory_expect(b.mem, i), 0);
	CHECK_INT(transfers_allocate(b.moves, &first, 0, &busy_ns), 1);
	CHECK_INT(busy_ns, 20000000);
	CHECK_INT(first.n, 5);
	CHECK_INT(transfers_allocate(b.moves, &second, 5000000, &busy_ns), 1);
	CHECK_INT(busy_ns, 15000000);
	CHECK_INT(transfers_allocates(b.moves), 0);
	CHECK_INT(memory_expect(b.mem, 0), 0);
	CHECK_INT(transfers_allocated(b.moves, &first, 20000000, &busy_ns), 0);
	CHECK_INT(memory_expect(b.mem, 0), 1);
	CHECK_INT(memory_expect(b.mem, 1), 0);
	CHECK_INT(transfers_allocates(b.moves), 1);
	CHECK_INT(transfers_allocated(b.moves, &second, 20000000, &busy_ns), 0);
	CHECK_INT(memory_expect(b.mem, 5), 1);
	CHECK_INT(memory_expect(b.mem, 6), 0);
	CHECK_INT(transfers_allocate(b.moves, &first, 21000000, &busy_ns), 1);
	for (int i = 0; i < 4; i++) { /* data 6 and 7, and of the others the first that were given back */
		CHECK_INT(busy_ns, 0);
		CHECK_INT(transfers_allocated(b.moves, &first, 21000000, &busy_ns), 1);
	}
	CHECK_INT(transfers_allocated(b.moves, &first, 21000000, &busy_ns), 0);
	CHECK_INT(memory_expect(b.mem, 6) + memory_expect(b.mem, 7), 2);
	CHECK_INT(memory_expect(b.mem, 4), 0);
	bench_close(&b);
}

int main(void)
{
	RUN(test_main_memory);
	RUN(test_least_recent);
	RUN(test_write_back);
	RUN(test_in_use);
	RUN(test_chunks);
	RUN(test_write_waits);
	RUN(test_more_urgent);
	RUN(test_held);
	return check_done();
}
