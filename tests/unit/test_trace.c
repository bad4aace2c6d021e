/* tests/unit/test_trace.c - what has to hold of a trace, whoever made it: each thing that may be broken is found. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/trace.h"

#include "core/base/err.h"
#include "core/trace/trace_build.h"
#include "tests/lib/check.h"

/* One of everything, on two ranks. */
struct whole {
	struct trace trace;
	struct trace_task tasks[2];
	struct trace_extra extras[2];
	struct trace_codelet codelet;
	struct trace_worker worker;
	struct trace_handle handle;
	struct data_access access;
	struct trace_dep dep;
	struct trace_copy copy;
	struct trace_state state;
	struct trace_memory memory;
	struct trace_wait wait;
	struct trace_message message;
	struct trace_span span;
};

static void make(struct whole *w)
{
	*w = (struct whole){
		.tasks = {{.start_ns = 10, .end_ns = 20, .naccesses = 1},
	                  {.start_ns = TIME_NONE, .end_ns = TIME_NONE, .codelet = TRACE_NONE, .worker = -1}},
		.extras = {TRACE_EXTRA_NONE, TRACE_EXTRA_NONE},
		.handle = {.size_bytes = 8},
		.dep = {.succ = 1},
		.copy = {.end_ns = 5, .to = 1},
		.state = {.node = 1},
		.memory = {.node = 1},
		.wait = {.task = TRACE_NONE},
		.message = {.send = TRACE_NONE, .arrival = 1, .to_handle = TRACE_NONE, .to = 1},
		.span = {.end_ns = 3},
	};
	w->trace = (struct trace){
		.nranks = 2,
		.nnodes = 2,
		.tasks = w->tasks,
		.extras = w->extras,
		.ntasks = 2,
		.codelets = &w->codelet,
		.ncodelets = 1,
		.workers = &w->worker,
		.nworkers = 1,
		.handles = &w->handle,
		.nhandles = 1,
		.accesses = &w->access,
		.naccesses = 1,
		.deps = &w->dep,
		.ndeps = 1,
		.copies = &w->copy,
		.ncopies = 1,
		.states = &w->state,
		.nstates = 1,
		.memory = &w->memory,
		.nmemory = 1,
		.waits = &w->wait,
		.nwaits = 1,
		.messages = &w->message,
		.nmessages = 1,
		.spans = &w->span,
		.nspans = 1,
	};
}

#define BROKEN(change, sentence) \
	do { \
		struct whole w; \
		make(&w); \
		w.change; \
		CHECK_STR(trace_check(&w.trace), sentence); \
	} while (0)

static void a_whole_one(void)
{
	struct whole w;

	make(&w);
	CHECK(!trace_check(&w.trace));
	w.copy.end_ns = TIME_NONE;
	w.copy.handle = w.access.handle = TRACE_NONE;
	CHECK(!trace_check(&w.trace));
}

static void tasks(void)
{
	BROKEN(tasks[0].worker = 1, "a task ran on a worker that does not exist");
	BROKEN(extras[0].pusher = 1, "a task was pushed by a worker that does not exist");
	BROKEN(tasks[0].codelet = 1, "a task has a codelet that does not exist");
	BROKEN(tasks[0].naccesses = 2, "the data accesses of a task are out of range");
	BROKEN(tasks[0].first_access = UINT32_MAX, "the data accesses of a task are out of range");
	BROKEN(tasks[0].end_ns = 9, "a task ends before it starts");
	BROKEN(access.handle = 1, "a task uses data that does not exist");
	BROKEN(dep.succ = 2, "a dependency names a task that does not exist");
	BROKEN(dep.pred = TRACE_NONE, "a dependency names a task that does not exist");
	BROKEN(wait.task = 2, "the application waits for a task that does not exist");
}

static void data(void)
{
	BROKEN(handle.size_bytes = TRACE_MAX_BYTES + 1, "data has more than 16 TiB");
	BROKEN(copy.start_ns = 6, "a copy ends before it starts");
	BROKEN(copy.size_bytes = TRACE_MAX_BYTES + 1, "a copy is of more than 16 TiB");
	BROKEN(copy.handle = 1, "a copy is of data that does not exist");
	BROKEN(copy.from = -1, "a copy has a memory node that does not exist");
	BROKEN(copy.to = 2, "a copy has a memory node that does not exist");
	BROKEN(copy.cause = COPY_CAUSES, "a copy has a cause that does not exist");
	BROKEN(state.handle = 1, "a state is of data or of a memory node that does not exist");
	BROKEN(state.node = 2, "a state is of data or of a memory node that does not exist");
	BROKEN(memory.handle = TRACE_NONE, "memory is of data or on a memory node that does not exist");
	BROKEN(memory.node = -1, "memory is of data or on a memory node that does not exist");
}

static void messages(void)
{
	BROKEN(message.size_bytes = TRACE_MAX_BYTES + 1, "a message has more than 16 TiB");
	BROKEN(message.from = -1, "a message has a rank that does not exist");
	BROKEN(message.to = 2, "a message has a rank that does not exist");
	BROKEN(message.send = 2, "a message belongs to a task that does not exist");
	BROKEN(message.arrival = 2, "a message belongs to a task that does not exist");
	BROKEN(message.from_handle = 1, "a message is of data that does not exist");
	BROKEN(message.to_handle = 1, "a message is of data that does not exist");
}

static void workers(void)
{
	BROKEN(span.worker = 1, "a state of a worker is out of range");
	BROKEN(span.start_ns = 4, "a state of a worker is out of range");
	BROKEN(worker.arch = ARCH_COUNT, "a worker has no architecture");
	BROKEN(worker.arch = ARCH_NONE, "a worker has no architecture");
}

/* What a task has no room for is refused, and not cut off. */
static void limits(void)
{
	for (int bits = TRACE_JOB_BITS - 1; bits <= TRACE_JOB_BITS; bits++) {
		struct ht_err err = {0};
		struct trace_builder b;
		struct trace *t;

		trace_build_init(&b, TRACE_FXT);
		trace_build_task(&b, 3, UINT64_C(1) << bits);
		t = trace_build_finish(&b, "file", &err);
		CHECK_STR(err.text, t ? "" : "file: the trace does not hold together: a job id has more than 48 bits");
		CHECK_INT(t != NULL, bits < TRACE_JOB_BITS);
		CHECK(!t || (t->tasks[0].job == UINT64_C(1) << bits && t->tasks[0].rank == 3));
		trace_free(t);
	}
	BROKEN(trace.nworkers = TRACE_WORKERS + 1, "there are more than 16384 workers");
	CHECK_INT(sizeof(struct trace_task), 64);
}

int main(void)
{
	RUN(a_whole_one);
	RUN(tasks);
	RUN(data);
	RUN(messages);
	RUN(workers);
	RUN(limits);
	return check_done();
}
