/* core/trace/fxt_reader.h - what the parts of the FxT reader share: event codes and the state of one walk. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_FXT_READER_H
#define CORE_TRACE_FXT_READER_H

#include <stdint.h>

#include "core/trace/fxt.h"
#include "core/trace/trace.h"
#include "core/trace/trace_build.h"

struct ht_err;

/*
 * Codes and parameter orders are those of StarPU 1.4.10's src/common/fxt.h; they are the same in 1.3 and in 1.5
 * (src/profiling/starpu_tracing.c) but where a handler looks at `minor` or at their number. What 1.5 adds behind
 * parameters is not read.
 */
enum {
	EV_WORKER_INIT_START = 0x5100,
	EV_START_BODY = 0x5102,
	EV_END_BODY = 0x5103,
	EV_JOB_PUSH = 0x5104,
	EV_JOB_POP = 0x5105,
	EV_START_FETCH_TID = 0x5107,
	EV_END_FETCH_TID = 0x5108,
	EV_START_PUSH_OUTPUT = 0x5109,
	EV_END_PUSH_OUTPUT = 0x5110,
	EV_TAG = 0x5111,
	EV_TAG_DEPS = 0x5112,
	EV_TASK_DEPS = 0x5113,
	EV_SLEEP_START = 0x5118,
	EV_SLEEP_END = 0x5119,
	EV_TASK_SUBMIT = 0x511a,
	EV_DATA_HANDLE = 0x511b,
	EV_MODEL_NAME = 0x511c,
	EV_DATA_NAME = 0x511d,
	EV_DATA_COORDINATES = 0x511e,
	EV_DATA_UNREGISTER = 0x511f,
	EV_NEW_MEM_NODE = 0x5122,
	EV_START_CALLBACK = 0x5123,
	EV_END_CALLBACK = 0x5124,
	EV_TASK_DONE = 0x5125,
	EV_START_ALLOC = 0x5127,
	EV_END_ALLOC = 0x5128,
	EV_TASK_NAME = 0x512b,
	EV_WONT_USE = 0x512c,
	EV_END_ALLOC_REUSE = 0x5130,
	EV_START_COPY = 0x5133,
	EV_END_COPY = 0x5134,
	EV_BEGUN_COPY = 0x5136,
	EV_CODELET_DETAILS = 0x513e,
	EV_START_FREE = 0x5156,
	EV_START_WRITEBACK = 0x5158,
	EV_END_WRITEBACK = 0x5159,
	EV_SCHEDULING_START = 0x5164,
	EV_SCHEDULING_END = 0x5165,
	EV_END_EXECUTING = 0x5169,
	EV_TASK_WAIT_START = 0x5178,
	EV_TASK_WAIT_END = 0x5179,
	EV_WAIT_FOR_ALL_START = 0x517a,
	EV_WAIT_FOR_ALL_END = 0x517b,
	EV_DATA_REGISTER = 0x517c,
	EV_START_FETCH = 0x517e,
	EV_END_FETCH = 0x517f,
	EV_STATE_INVALID = 0x5182,
	EV_STATE_OWNER = 0x5183,
	EV_STATE_SHARED = 0x5184,
	EV_PAPI = 0x5186,
	EV_EXCLUDE = 0x5187,
	EV_END_DEP = 0x5188,
	EV_MPI_START = 0x5201,
	EV_MPI_BARRIER = 0x5203,
	EV_MPI_SEND_BEGIN = 0x5204,
	EV_MPI_SEND = 0x5205,
	EV_MPI_RECEIVE = 0x5206,
	EV_MPI_RECEIVED = 0x521b,
	EV_FUT_KEYCHANGE = 0xfffe,
	EV_FUT_STOP_FLUSH = 0xfff4,
	EV_FUT_START_FLUSH = 0xfff5,
};

enum fxt_message_kind { MESSAGE_SEND, MESSAGE_RECEIVE, MESSAGE_ARRIVED, MESSAGE_KINDS };

/* One of the events of a message, until those of the other rank are there. */
struct fxt_message_event {
	int64_t ns;
	uint64_t tag, size_bytes;
	size_t number;
	uint32_t task, handle, early; /* TRACE_NONE; as of struct trace_message */
	int32_t from, to, kind;
};

/* A task that was executed before, and is again. */
struct fxt_repeat {
	uint32_t before, task;
	int by_itself; /* StarPU has submitted it again, not the program */
};

/* A thread has released data that StarPU had acquired, by a task of StarPU's own. */
struct fxt_release {
	uint64_t thread;
	uint32_t task;
};

/* What the reader keeps while it walks the events of one file. */
struct fxt_reader {
	struct trace_builder b;
	const char *path;
	int rank, minor;
	int muted;                /* the application has switched profiling off */
	struct idmap copies;      /* copies that have begun: (com_id, from, to) -> index */
	struct idmap last_copy;   /* (from, to) -> index */
	struct idmap allocations; /* thread -> index in allocates_ns[]: since when it allocates */
	int64_t *allocates_ns;
	size_t nallocates, cap_allocates;
	struct idmap waits;          /* thread -> index of the wait it is in */
	struct idmap tag_nodes;      /* tag -> the node that stands for it */
	struct idmap tag_owners;     /* tag -> the task it was given to */
	int64_t (*open)[SPAN_COUNT]; /* per worker: when the state began, TIME_NONE when it is not in it */
	int64_t *ended;              /* per worker: when it has ended its last task; 0: it has not */
	size_t cap_ended;
	uint32_t *ending; /* per worker: 1 + the task that its thread has ended and is not done with; 0: none */
	size_t cap_ending;
	size_t nopen;
	struct fxt_message_event *messages; /* of all files */
	size_t nmessages, cap_messages;
	struct fxt_release *releases; /* of this file, where there are several */
	size_t nreleases, cap_releases;
	struct fxt_repeat *repeats; /* of this file, in the order in which they began to be submitted */
	size_t nrepeats, cap_repeats;
	struct idmap repeat_of; /* task -> index in repeats[] */
	int64_t isend_ns;       /* since when a send is being given to MPI; TIME_NONE */
};

/* One event, at `ns` from the start of the run. Events that say nothing here are skipped. */
int fxt_reader_event(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err);

/*
 * After the last event of a file: join tags and executions to tasks, and forget what belongs to this rank. first_dep:
 * where its dependencies begin.
 */
void fxt_reader_end_of_file(struct fxt_reader *r, size_t first_dep);

/* After the last file: the messages of the trace, and what waits for them. */
void fxt_match_messages(struct fxt_reader *r);

/* Parts of the dispatch that live in files of their own. */
typedef int fxt_handler(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err);
fxt_handler fxt_on_tag, fxt_on_access, fxt_on_data, fxt_on_copy, fxt_on_state, fxt_on_memory, fxt_on_wont_use,
	fxt_on_message;
void fxt_bind_tags(struct fxt_reader *r, size_t first_dep);

/*
 * At the end of a file, where dependencies of `first_dep` and on are the rank's: what has arrived in data of
 * StarPU-MPI's own has arrived in that of the program when this was released. Which data that is is not recorded.
 */
void fxt_join_early(struct fxt_reader *r, size_t first_dep);

/* The node that stands for a tag. */
int fxt_is_tag_node(const struct trace_task *task);

/* The task that the job is now. */
uint32_t fxt_task(struct fxt_reader *r, uint64_t job);

/*
 * Tasks that are executed again under the same job id. fxt_is_over(): whether a task has been executed before an event
 * submits it, or, by itself, shows that StarPU has. fxt_repeat(): the task that its job is from then on.
 * fxt_done_task(): the one that is done where its job is. fxt_join_repeats(), at the end of a file: what they wait for,
 * when they were submitted, and job numbers of their own.
 */
int fxt_is_over(struct fxt_reader *r, uint32_t task, int by_itself);
uint32_t fxt_repeat(struct fxt_reader *r, uint32_t task, int by_itself);
uint32_t fxt_done_task(struct fxt_reader *r, uint32_t task);
void fxt_join_repeats(struct fxt_reader *r, size_t first_dep);

/* Parameter `param` as a memory node; an error names the event when it cannot be one. */
int fxt_node(struct fxt_reader *r, const struct fxt_event *e, uint32_t param, int *node, struct ht_err *err);

#endif
