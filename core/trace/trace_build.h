/* core/trace/trace_build.h - how the readers put a trace together: look up or create, then finish. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_TRACE_BUILD_H
#define CORE_TRACE_TRACE_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/intern.h"
#include "core/trace/job_map.h"
#include "core/trace/trace.h"

struct ht_err;

/* So many accesses that follow each other in the recording are of one task. */
struct trace_build_run {
	uint32_t task, count;
};

/*
 * Arrays of `t` grow while a reader works; trace_build_finish() sorts them, gives every task its accesses and codelet,
 * and moves them to their final place. Ranks distinguish the jobs, handles, tags and workers of several MPI processes.
 */
struct trace_builder {
	struct trace *t;
	size_t cap_tasks, cap_handles, cap_deps, cap_copies, cap_states, cap_memory, cap_spans, cap_workers,
		cap_counters, cap_codelets, cap_ready, cap_wont_use, cap_messages, cap_accesses, cap_access_bytes,
		cap_waits, cap_extras, cap_flush_ends;
	size_t nextras;
	int wide_job;                 /* a job id of more than TRACE_JOB_BITS */
	struct trace_build_run *runs; /* of accesses */
	size_t nruns, cap_runs;
	struct job_map jobs;
	struct idmap handles, workers, threads;
};

void trace_build_init(struct trace_builder *b, enum trace_source source);

/* Index of the task; created, with every time TIME_NONE, when the job has not been seen. */
uint32_t trace_build_task(struct trace_builder *b, int rank, uint64_t job);

/* Another task, which the job of this one is from now on: it is executed again. */
uint32_t trace_build_task_again(struct trace_builder *b, uint32_t task);

/* More of a task, to be filled in; valid until the next call. */
struct trace_extra *trace_build_extra(struct trace_builder *b, uint32_t task);

/* Index of the data now registered at this address; created as an orphan when there is none. */
uint32_t trace_build_handle(struct trace_builder *b, int rank, uint64_t address);

/* A registration: a new epoch of this address. */
uint32_t trace_build_register(struct trace_builder *b, int rank, uint64_t address);
void trace_build_unregister(struct trace_builder *b, int rank, uint64_t address, int64_t ns);

/* Index of worker `id`; created without architecture when it has not been seen. */
uint32_t trace_build_worker(struct trace_builder *b, int rank, uint32_t id);

/* Of data of so many bytes. The first size of data is that of the data itself where its registration gave none. */
void trace_build_access(struct trace_builder *b, uint32_t task, uint32_t handle, uint32_t mode, uint64_t size);
void trace_build_dep(struct trace_builder *b, uint32_t pred, uint32_t succ, enum trace_dep_kind kind);

/* The finished trace, checked; NULL with the sentence when it does not hold together. Frees the builder in any case. */
struct trace *trace_build_finish(struct trace_builder *b, const char *path, struct ht_err *err);
void trace_build_abort(struct trace_builder *b);

#endif
