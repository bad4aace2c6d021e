/* tests/unit/test_data_state.c - where data is valid and allocated, from traces made by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/data_state.h"

#include <stdlib.h>

#include "analyze/data/data_event.h"
#include "core/base/radix_sort.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/data_check.h"

enum { MOST = 16, NODES = 4 };

/* A trace that grows by the functions below; one datum of 100 bytes, at home on node 0. */
static struct trace trace;
static struct trace_task tasks[MOST];
static struct trace_extra extras[MOST];
static struct data_access accesses[MOST];
static struct trace_copy copies[MOST];
static struct trace_state states[MOST];
static struct trace_memory memory[MOST];
static struct trace_worker workers[NODES] = {{.arch = ARCH_CPU, .node = 0},
                                             {.arch = ARCH_CUDA, .node = 1},
                                             {.arch = ARCH_CUDA, .node = 2},
                                             {.arch = ARCH_CUDA, .node = 3}};
static struct trace_handle handle;
static struct data_events events;
static struct data_state *state;
static struct data_cursor cursor;

static void begin(void)
{
	handle = (struct trace_handle){.home_node = 0, .size_bytes = 100, .register_ns = 0, .unregister_ns = TIME_NONE};
	trace = (struct trace){.tasks = tasks,
	                       .extras = extras,
	                       .accesses = accesses,
	                       .copies = copies,
	                       .states = states,
	                       .memory = memory,
	                       .handles = &handle,
	                       .nhandles = 1,
	                       .workers = workers,
	                       .nworkers = NODES,
	                       .nnodes = NODES};
}

static void add_task(int node, uint32_t mode, int64_t ready, int64_t start, int64_t end)
{
	accesses[trace.naccesses] = (struct data_access){.handle = 0, .mode = mode};
	extras[trace.ntasks] = (struct trace_extra){.ready_ns = ready, .pusher = -1};
	tasks[trace.ntasks++] = (struct trace_task){.node = node,
	                                            .start_ns = start,
	                                            .end_ns = end,
	                                            .first_access = (uint32_t)trace.naccesses++,
	                                            .naccesses = 1};
}

static void add_copy(int from, int to, int64_t start, int64_t end)
{
	copies[trace.ncopies++] = (struct trace_copy){
		.start_ns = start, .end_ns = end, .size_bytes = 100, .from = (int16_t)from, .to = (int16_t)to};
}

static void add_memory(enum trace_memory_kind kind, int node, int64_t ns)
{
	memory[trace.nmemory++] = (struct trace_memory){.ns = ns, .node = (int16_t)node, .kind = (uint8_t)kind};
}

static void add_state(enum trace_state_kind kind, int node, int64_t ns)
{
	states[trace.nstates++] = (struct trace_state){.ns = ns, .node = (int16_t)node, .state = (uint8_t)kind};
}

static void build(enum data_source source)
{
	data_events_init(&events, &trace);
	state = data_state_create(&trace, &events, source);
	data_cursor_init(&cursor, state, &trace);
}

static void end(void)
{
	data_cursor_fini(&cursor);
	data_state_free(state);
	data_events_fini(&events);
}

/* Just after ns: masks of nodes. */
static void check_at(int64_t ns, uint64_t valid, uint64_t owner, uint64_t allocated)
{
	data_cursor_before(&cursor, ns + 1);
	CHECK_INT(cursor.place[0].valid, valid);
	CHECK_INT(cursor.place[0].owner, owner);
	CHECK_INT(cursor.place[0].allocated, allocated);
}

/* Copied to node 1, read there, written there, evicted back to node 0 and fetched again. */
static void life_of_a_datum(void)
{
	begin();
	add_copy(0, 1, 10, 20);
	add_task(1, ACCESS_R, 5, 20, 24);
	add_task(1, ACCESS_R | ACCESS_W, 25, 30, 35);
	add_memory(MEMORY_EVICTING, 1, 40);
	add_copy(1, 0, 41, 50);
	add_memory(MEMORY_EVICTED, 1, 50);
	add_copy(0, 1, 60, 70);
	handle.unregister_ns = 80;
	build(DATA_REBUILT);
	check_at(0, 1, 1, 1);
	check_at(10, 1, 1, 3);
	data_cursor_before(&cursor, 20);
	CHECK_INT(cursor.place[0].valid, 1);
	check_at(20, 3, 0, 3);
	check_at(29, 3, 0, 3);
	check_at(30, 2, 2, 3);
	check_at(49, 2, 2, 3);
	check_at(50, 1, 1, 1);
	check_at(70, 3, 0, 3);
	check_at(80, 0, 0, 0);
	CHECK_INT(state->copies[0], 0);
	CHECK_INT(state->copies[1], COPY_WRITEBACK);
	CHECK_INT(state->copies[2], COPY_AGAIN);
	CHECK_INT(state->nunexplained, 0);
	end();
}

/* A copy made for a task that will write takes the data away at once; one begun before that task was ready does not. */
static void copies_for_a_writer(void)
{
	begin();
	add_copy(0, 2, 5, 20);
	add_copy(0, 1, 12, 22);
	add_task(1, ACCESS_R | ACCESS_W, 10, 30, 40);
	build(DATA_REBUILT);
	check_at(20, 5, 0, 7);
	check_at(22, 2, 2, 7);
	CHECK_INT(state->copies[1], 0);
	end();
}

/* Another copy from the node keeps the datum from being evicted. */
static void eviction_given_up(void)
{
	begin();
	add_task(1, ACCESS_W, 0, 1, 2);
	add_memory(MEMORY_EVICTING, 1, 10);
	add_copy(1, 0, 10, 20);
	add_copy(1, 2, 15, 30); /* a fetch for a task on node 2 */
	add_memory(MEMORY_EVICTED, 1, 20);
	build(DATA_REBUILT);
	check_at(20, 3, 0, 7);
	check_at(30, 7, 0, 7);
	CHECK_INT(state->copies[0] & COPY_WRITEBACK, COPY_WRITEBACK);
	CHECK_INT(state->copies[1] & COPY_WRITEBACK, 0);
	end();
}

/* What leaves a node that evicts the datum is no part of that, unless StarPU fetches it to main memory or its home. */
static void copies_beside_an_eviction(void)
{
	begin();
	handle.home_node = 3;
	add_task(1, ACCESS_W, 0, 1, 2);
	add_memory(MEMORY_EVICTING, 1, 10);
	add_copy(1, 2, 11, 20);
	copies[0].cause = COPY_TASK_PREFETCH;
	add_copy(1, 2, 12, 20);
	add_copy(1, 0, 13, 20);
	copies[2].cause = COPY_IDLE_FETCH;
	add_copy(1, 3, 14, 20);
	add_copy(1, 0, 15, 20);
	build(DATA_RECORDED);
	for (int i = 0; i < 5; i++)
		CHECK_INT(state->copies[i] & COPY_WRITEBACK, i < 3 ? 0 : COPY_WRITEBACK);
	end();
}

static void reads_without_a_copy(void)
{
	begin();
	add_task(3, ACCESS_R, 0, 10, 20);
	add_task(2, ACCESS_R, TIME_NONE, 15, 20);
	add_task(1, ACCESS_SCRATCH, 0, 30, 40);
	add_task(1, ACCESS_REDUX, 0, 50, 60);
	build(DATA_REBUILT);
	check_at(10, 9, 0, 9);
	check_at(15, 13, 0, 13);
	check_at(60, 13, 0, 13);
	CHECK_INT(state->nunexplained, 2);
	end();
}

static void nothing_registered(void)
{
	begin();
	handle.home_node = -1;
	handle.register_ns = TIME_NONE;
	add_copy(2, 3, 10, 20);
	build(DATA_REBUILT);
	check_at(9, 0, 0, 0);
	check_at(10, 4, 4, 8);
	check_at(20, 12, 0, 8);
	end();
	begin();
	trace.nhandles = 0;
	build(DATA_REBUILT);
	CHECK_INT(events.count, 0);
	CHECK_INT(state->nchanges, 0);
	end();
}

/* The application writes in main memory between two copies to node 1: the second is of another version. */
static void written_by_the_application(void)
{
	begin();
	add_copy(0, 1, 10, 20);
	add_state(STATE_SHARED, 0, 20);
	add_state(STATE_SHARED, 1, 20);
	add_state(STATE_INVALID, 1, 30);
	add_state(STATE_OWNER, 0, 30);
	add_copy(0, 1, 40, 50);
	add_state(STATE_SHARED, 0, 50);
	add_state(STATE_SHARED, 1, 50);
	build(DATA_RECORDED);
	check_at(25, 3, 0, 3);
	check_at(30, 1, 1, 3);
	check_at(50, 3, 0, 3);
	CHECK_INT(state->copies[1], 0);
	end();
}

static struct data_check checked(int64_t slack_ns)
{
	struct data_check c;

	data_check(&trace, slack_ns, &c);
	CHECK_INT(c.points, c.exact + c.taken + c.acquired + c.unsettled + c.differ);
	return c;
}

/* StarPU's own account of a copy, a task that takes the datum 3 ns before it starts, and an acquisition at 60. */
static void add_account(void)
{
	begin();
	add_copy(0, 1, 10, 20);
	add_state(STATE_SHARED, 0, 20);
	add_state(STATE_SHARED, 1, 20);
	add_task(1, ACCESS_R | ACCESS_W, 25, 30, 40);
	add_state(STATE_INVALID, 0, 27);
	add_state(STATE_INVALID, 1, 27);
	add_state(STATE_OWNER, 1, 27);
	add_copy(1, 0, 50, 55);
	add_state(STATE_SHARED, 1, 55);
	add_state(STATE_SHARED, 0, 55);
	add_state(STATE_INVALID, 1, 60);
	add_state(STATE_OWNER, 0, 60);
}

static void sources_agree(void)
{
	struct data_check c;

	add_account();
	c = checked(0);
	CHECK_INT(c.points, 6); /* at 0, 20, 27, 30, 55, 60 */
	CHECK_INT(c.compared, 6 * NODES);
	CHECK_INT(c.exact, 4);
	CHECK_INT(c.taken, 1);
	CHECK_INT(c.acquired, 1);
	CHECK_INT(c.differ, 0);
}

/* Every wrong state of the account is found; that at 3 says nothing that the next one does not. */
static void sources_differ(void)
{
	for (int i = 0; i < 5; i++) {
		struct data_check c;

		if (i == 3)
			continue;
		add_account();
		states[i].node = (int16_t)(states[i].node + 2);
		c = checked(0);
		CHECK(c.differ > 0);
		CHECK_INT(c.differ_ns, states[i].ns);
	}
	add_account();
	trace.ncopies = 0; /* what is recorded comes from nowhere */
	CHECK(checked(0).differ > 0);
	add_account();
	trace.nstates = 2; /* without the task's states its start differs */
	CHECK_INT(checked(0).differ_ns, 30);
}

/* On a real machine states come one by one, a little before the end of the copy. */
static void unsettled(void)
{
	struct data_check c;

	begin();
	add_copy(0, 1, 10, 20);
	add_state(STATE_SHARED, 0, 17);
	add_state(STATE_SHARED, 1, 19);
	CHECK_INT(checked(0).differ, 2);
	c = checked(5);
	CHECK_INT(c.differ, 0);
	CHECK_INT(c.exact, 2);
	CHECK_INT(c.unsettled, 2);
}

static void sorted_by_key(void)
{
	enum { N = 5000 };
	static struct radix_item a[N];
	uint64_t x = 1;

	for (int bits = 1; bits <= 64; bits += 9) {
		for (uint64_t i = 0; i < N; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			a[i] = (struct radix_item){.key = x >> (64 - bits), .value = i};
		}
		radix_sort(a, N);
		for (int i = 1; i < N; i++)
			CHECK(a[i - 1].key < a[i].key || (a[i - 1].key == a[i].key && a[i - 1].value < a[i].value));
	}
	radix_sort(a, 0);
}

int main(void)
{
	RUN(life_of_a_datum);
	RUN(copies_for_a_writer);
	RUN(eviction_given_up);
	RUN(copies_beside_an_eviction);
	RUN(reads_without_a_copy);
	RUN(nothing_registered);
	RUN(written_by_the_application);
	RUN(sources_agree);
	RUN(sources_differ);
	RUN(unsettled);
	RUN(sorted_by_key);
	return check_done();
}
