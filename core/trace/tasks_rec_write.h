/* core/trace/tasks_rec_write.h - writes records of a tasks.rec in the form of starpu_fxt_tool. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_TASKS_REC_WRITE_H
#define CORE_TRACE_TASKS_REC_WRITE_H

#include <stdint.h>
#include <stdio.h>

struct data_access;

#define TASKS_REC_BARRIER "WaitForAll"

/* A task of MPI rank 0 that ran. Times are from the first event of the run; texts may be "" (no such field). */
struct rec_task {
	const char *name, *model;
	uint64_t job;
	uint32_t submit_order; /* from 1 */
	int32_t priority;
	int worker, node;
	int64_t submit_ns, start_ns, end_ns;
	uint32_t footprint;
	const uint64_t *depends_on; /* jobs */
	uint32_t ndepends;
	const struct data_access *accesses; /* the address that stands for a handle is its index plus one */
	uint32_t naccesses;
	const uint64_t *handle_bytes; /* of each handle */
};

/*
 * Its record, and one for each datum that it has written and the application will not use soon (ACCESS_WONT_USE).
 * Control characters in a name, which would break a line, are written as "?".
 */
void tasks_rec_write(FILE *f, const struct rec_task *t);

/* The empty task by which starpu_data_acquire() waits for jobs. */
void tasks_rec_write_acquire(FILE *f, uint64_t job, int64_t submit_ns, const uint64_t *depends_on, uint32_t ndepends);

/* starpu_task_wait_for_all(), of which StarPU's own files say nothing. */
void tasks_rec_write_barrier(FILE *f, uint64_t job, int64_t start_ns, int64_t end_ns);

#endif
