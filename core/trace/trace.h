/* core/trace/trace.h - the events of a run, in memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_TRACE_H
#define CORE_TRACE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"
#include "core/trace/access.h"

struct arena;
struct ht_err;
struct intern;

/*
 * Built once by a reader (trace_fxt.c, trace_rec.c), then read-only. Everything is an array of plain structs, indexed
 * by 32-bit ids; strings are ids of `strings`. Times are nanoseconds from the first event of the run; TIME_NONE: not
 * recorded.
 */
#define TIME_NONE       INT64_MIN
#define TIME_LIMIT      ((int64_t)1 << 50) /* 13 days; readers refuse a time further away, so that sums fit */
#define TRACE_RANKS     (1 << 15)          /* at most */
#define TRACE_WORKERS   (1 << 14)          /* of all ranks, at most; trace_task.worker holds them */
#define TRACE_JOB_BITS  48                 /* those of a job id, at most */
#define TRACE_NODES     64                 /* memory nodes of a rank, at most; trace_task.node holds them */
#define TRACE_NONE      UINT32_MAX
#define TRACE_MAX_BYTES (UINT64_C(1) << 44) /* of one piece of data: sums of many still fit into 63 bits */

enum trace_task_kind { TASK_NORMAL = 0, TASK_INTERNAL = 1, TASK_ACQUIRE = 2 };

/* The name of the empty task by which starpu_data_acquire() waits; that of starpu_data_acquire_cb() has another one. */
#define TRACE_ACQUIRE "_starpu_data_acquire_pre"

/* What StarPU calls each task that starpu_task_build() has made (1.4.10, starpu_task_insert.c): no name of its own. */
#define TRACE_TASK_BUILD "task_build"

/* Large recordings have millions: 64 bytes each. A task's model is that of its codelet. */
struct trace_task {
	uint64_t job : TRACE_JOB_BITS; /* StarPU's job id, unique with `rank` */
	uint64_t rank : 16;            /* MPI rank of the file it came from, 0 for one file */
	int64_t submit_ns, start_ns, end_ns;
	uint32_t name; /* string id; 0: none */
	union {
		uint32_t codelet; /* index into codelets[]; TRACE_NONE for a task without (internal, acquire) */
		uint32_t model;   /* until trace_build_finish(): string id of the model's symbol; 0: none */
	};
	uint32_t footprint;
	uint32_t submit_order;            /* 0: none */
	uint32_t first_access, naccesses; /* into accesses[] */
	int32_t priority;                 /* the application's */
	int32_t worker : 15;              /* index into workers[]; -1: never executed */
	int32_t node : 7;                 /* memory node it ran on; -1: not recorded */
	uint32_t parallel : 8;            /* how many workers ran it together, 1 for an ordinary task */
	uint32_t kind : 2;                /* enum trace_task_kind */
};

/* More of a task, which few ask for and few recordings have. */
struct trace_extra {
	int64_t ready_ns, pop_ns, done_ns;
	int64_t returned_ns; /* its codelet's function has; before end_ns where that only queued a kernel */
	uint64_t size_bytes; /* size its model used */
	double gflop;
	uint64_t tag;              /* meaningful when has_tag */
	int32_t iteration[2];      /* -1: none */
	int32_t pusher;            /* worker whose thread made it ready; -1: the main thread, or not recorded */
	uint8_t has_tag, excluded; /* excluded: StarPU keeps it out of its task graph */
	uint8_t is_released;       /* a task that ended brought about its submission, not the program by itself */
};
#define TRACE_EXTRA_NONE \
	{ \
		.ready_ns = TIME_NONE, .pop_ns = TIME_NONE, .done_ns = TIME_NONE, .returned_ns = TIME_NONE, \
		.iteration = {-1, -1}, .pusher = -1 \
	}

/* A kind of task: what StarPU calls a codelet. The word "type" of the metrics is this. */
struct trace_codelet {
	uint32_t label;       /* string id: what it is called in every output, unique */
	uint32_t name, model; /* string ids: codelet (task) name and model symbol; 0: none */
	uint32_t executed;    /* tasks of it that ran */
	arch_mask where;      /* recorded by the collector; 0: not recorded */
	uint8_t has_no_model; /* recorded by the collector: StarPU has no model of it */
};

/* A footprint of what a model distinguishes, in place of StarPU's own, which is that of the data (run/footprints.h). */
struct trace_footprint {
	uint32_t footprint, of_data;
};

/* A task that can run on fewer architectures than others of its codelet (run/footprints.h). */
struct trace_narrowed {
	uint32_t task;
	arch_mask where;
};

struct trace_handle {
	uint64_t address; /* StarPU's pointer: reused after unregistration, so (address, epoch) is the key */
	uint32_t epoch;
	int32_t rank, home_node;
	uint64_t size_bytes;
	int64_t register_ns, unregister_ns;
	uint32_t name, description; /* string ids */
	int32_t coordinates[5], ncoordinates;
};

/*
 * DEP_MESSAGE: from what a send waited for to what waits for its arrival on another rank. DEP_SUBMITTED: from a task to
 * one that was submitted because it ended, as by its callback.
 */
enum trace_dep_kind { DEP_TASK = 0, DEP_GHOST = 1, DEP_TAG = 2, DEP_END = 3, DEP_MESSAGE = 4, DEP_SUBMITTED = 5 };

/* There are several to each task: nine bytes each. */
struct __attribute__((packed)) trace_dep {
	uint32_t pred, succ; /* indices into tasks[] */
	uint8_t kind;
};

/* Why StarPU made a copy: its enum starpu_is_prefetch (1.4.10, include/starpu_data.h), whose numbers traces hold. */
enum copy_cause { COPY_FETCH = 0, COPY_TASK_PREFETCH, COPY_PREFETCH, COPY_IDLE_FETCH, COPY_CAUSES };

struct copy_cause_name {
	const char *text;   /* "task prefetch" */
	const char *starpu; /* "TaskPreFetch", in the names of StarPU's Paje traces */
	const char *paje;   /* "TF", the alias of the event in those traces */
};

/* By enum copy_cause. */
extern const struct copy_cause_name copy_cause_names[COPY_CAUSES];

struct trace_copy {
	int64_t start_ns, end_ns; /* end TIME_NONE: not seen to end */
	uint64_t size_bytes;
	uint32_t handle;
	int16_t from, to; /* memory nodes */
	int32_t rank;
	uint8_t cause;     /* enum copy_cause, below COPY_CAUSES */
	uint32_t begin_ns; /* what it took its driver to begin it; 0: not recorded */
};

/*
 * Data that StarPU-MPI has sent to another rank. `send` and `arrival` are tasks of StarPU's own: the send waits for
 * what `send` waits for, and what waits for `arrival` waits for the data.
 */
struct trace_message {
	int64_t post_ns;    /* the data was ready, and the send was given to MPI */
	int64_t receive_ns; /* the receive was given to MPI; TIME_NONE: not recorded */
	int64_t arrive_ns;  /* the receiver had the data */
	uint64_t size_bytes, tag;
	uint32_t send, arrival;          /* indices into tasks[]; TRACE_NONE: there is none */
	uint32_t from_handle, to_handle; /* of each rank; TRACE_NONE: not recorded */
	uint32_t early;                  /* data of StarPU-MPI's own, from which it was copied; TRACE_NONE: none */
	int32_t from, to;                /* ranks */
};

enum trace_state_kind { STATE_INVALID = 0, STATE_OWNER = 1, STATE_SHARED = 2 };

struct __attribute__((packed)) trace_state { /* 15 bytes */
	int64_t ns;
	uint32_t handle;
	int16_t node;
	uint8_t state;
};

/* Memory of data on a node. Evicting ends with the node's copy invalid, unless a task has requested it before that. */
enum trace_memory_kind { MEMORY_ALLOCATED = 0, MEMORY_FREED, MEMORY_EVICTING, MEMORY_EVICTED };

struct trace_memory {
	int64_t ns;
	uint32_t handle;
	int16_t node;
	uint8_t kind, again; /* again: of an allocation, memory of other data that StarPU has kept */
	uint32_t took_ns;    /* of any other allocation; 0: not recorded */
};

/* starpu_data_wont_use(): what the last task submitted before had written is copied home when links are idle. */
struct trace_wont_use {
	int64_t ns;
	uint32_t handle;
	uint32_t order; /* of submission, as trace_task.submit_order; 0: not known */
};

/* starpu_task_wait() and starpu_task_wait_for_all() of the application. */
struct trace_wait {
	int64_t start_ns, end_ns; /* end TIME_NONE: not seen to end */
	uint32_t task;            /* index into tasks[]; TRACE_NONE: for all that were submitted before */
	int32_t rank;
};

/*
 * What a worker's thread was doing, beside executing tasks of its own; PARALLEL: executing a task that another worker
 * stands for. Spans of one worker may nest (push inside scheduling); those of one kind do not, and end in order.
 */
enum trace_span_kind {
	SPAN_SLEEP = 0,
	SPAN_SCHEDULING,
	SPAN_FETCH,
	SPAN_CALLBACK,
	SPAN_PUSH_OUTPUT,
	SPAN_PARALLEL,
	SPAN_COUNT
};

struct __attribute__((packed)) trace_span { /* 21 bytes */
	int64_t start_ns, end_ns;
	uint32_t worker;
	uint8_t kind;
};

struct trace_worker {
	enum arch arch;
	int32_t rank, id, devid, node, binding; /* id: StarPU's worker id within its rank */
	uint64_t tid;
	uint32_t name;
};

/* How many tasks were ready at a time, where a reader has only that (Paje); raw traces have each task's own times. */
struct trace_sample {
	int64_t ns;
	int32_t value;
};

struct trace_counter { /* a PAPI counter of a task */
	uint32_t task, event;
	int64_t value;
};

/* What was wrong with the recording itself: counted, never silent. */
struct trace_defects {
	uint64_t flushes;         /* times the buffer was flushed to disk, which threads waited for */
	uint64_t unfinished;      /* tasks submitted and never seen done */
	uint64_t unmatched;       /* ends without a start, events of messages without those of the other rank */
	uint64_t unordered;       /* events that were not in the order of time */
	uint64_t profiling_gaps;  /* times the application switched profiling off and on again */
	uint64_t truncated_bytes; /* bytes after the last whole event */
	uint64_t unknown_workers; /* workers whose architecture the recording lacks: taken as CPUs */
	uint64_t missing_ranks;   /* of StarPU-MPI, of which there is no worker */
	uint64_t orphan_accesses; /* accesses to data whose registration was not recorded */
};

enum trace_source { TRACE_FXT, TRACE_TASKS_REC };

struct trace {
	enum trace_source source;
	int starpu_minor; /* 3, 4 or 5, known by the events; 0: not known */
	int nranks;
	uint64_t nevents;
	const char *host; /* from the trace; "" */
	struct trace_task *tasks;
	size_t ntasks;              /* by (rank, job) of first appearance */
	struct trace_extra *extras; /* of each task; NULL: nothing is known of any */
	struct trace_codelet *codelets;
	size_t ncodelets; /* by first execution */
	struct trace_footprint *footprints;
	size_t nfootprints; /* by `footprint` */
	struct trace_narrowed *narrowed;
	size_t nnarrowed; /* by `task`, one each */
	struct data_access *accesses;
	size_t naccesses;
	uint64_t *access_bytes; /* of each access; NULL: all are of what their data has */
	struct trace_handle *handles;
	size_t nhandles;
	struct trace_dep *deps;
	size_t ndeps;
	struct trace_copy *copies;
	size_t ncopies; /* by start */
	struct trace_message *messages;
	size_t nmessages; /* by the time of the send; none where there is one rank */
	struct trace_state *states;
	size_t nstates; /* by (rank, time) */
	struct trace_memory *memory;
	size_t nmemory; /* by (rank, time) */
	struct trace_wont_use *wont_use;
	size_t nwont_use; /* by (rank, time) */
	struct trace_wait *waits;
	size_t nwaits; /* by (rank, start) */
	int64_t *flush_ends;
	size_t nflush_ends; /* until then a thread wrote the buffer to disk, and others waited that had filled one */
	struct trace_span *spans;
	size_t nspans;
	struct trace_worker *workers;
	size_t nworkers; /* by (rank, id) */
	struct trace_counter *counters;
	size_t ncounters;
	struct trace_sample *ready;
	size_t nready;
	int nnodes;
	uint64_t contexts; /* a bit for each scheduling context, below 64, that a task was executed in; 0: not known */
	struct trace_defects defects;
	struct intern *strings;
	struct arena *arena;
};

const char *trace_text(const struct trace *t, uint32_t string);
void trace_free(struct trace *t);

/* Frees the dependencies, once a graph (core/dag/dag.h) has been made of them. */
void trace_drop_deps(struct trace *t);

/* Frees the tasks, most of a large trace, where nothing will ask for one any more; their data accesses stay. */
void trace_drop_tasks(struct trace *t);

/* Raw FxT files, one per MPI rank. Rejects what is not one with file, position and what was expected. */
struct trace *trace_load_fxt(const char *const *paths, int npaths, struct ht_err *err);

/* Files of starpu_fxt_tool, of any StarPU since 2016. NULL: there is none, but of tasks. */
struct trace_rec_files {
	const char *tasks; /* tasks.rec */
	const char *data;  /* data.rec: home nodes and coordinates of data */
	const char *paje;  /* paje.trace: workers, and how many tasks were ready */
};

struct trace *trace_load_rec(const struct trace_rec_files *files, struct ht_err *err);

/* For qsort() and bsearch() of `footprints`. */
int trace_footprint_order(const void *a, const void *b);

/* StarPU's own footprint of the data, where the task's is one of `footprints`. */
uint32_t trace_data_footprint(const struct trace *t, uint32_t footprint);

/* What more is known of one of its tasks. */
const struct trace_extra *trace_extra(const struct trace *t, const struct trace_task *task);

/* The size of one of its accesses, and of its data where the access has none of its own. */
uint64_t trace_access_bytes(const struct trace *t, const struct data_access *access);

/* Executed tasks with a codelet; those are what every metric and every replay is about. */
static inline int trace_task_counts(const struct trace_task *t)
{
	return t->codelet != TRACE_NONE && t->worker >= 0 && t->start_ns != TIME_NONE && t->end_ns != TIME_NONE;
}

size_t trace_executed(const struct trace *t);

/* Those of them whose codelets have neither a name nor a model: all such codelets are one type. */
size_t trace_nameless(const struct trace *t);

/* From the first start to the last end of those; 0 when there are none. *first_ns may be NULL. */
int64_t trace_makespan_ns(const struct trace *t, int64_t *first_ns);

/*
 * Recorded under SimGrid: threads are numbered by addresses there (1.4, src/common/fxt.c), and by the kernel, below
 * 2^22 (PID_MAX_LIMIT), elsewhere.
 */
int trace_simulated(const struct trace *t);

/* NULL when every invariant holds (indices in range, times in order, ...), else what is broken. */
const char *trace_check(const struct trace *t);

#endif
