/* core/run/rec_write.h - writes records of a tasks.rec in the form of starpu_fxt_tool. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_REC_WRITE_H
#define CORE_RUN_REC_WRITE_H

#include <stdint.h>
#include <stdio.h>

struct dag_access;

/* A task of MPI rank 0 that ran. Times are from the first event of the run; texts may be "" (no such field). */
struct rec_task {
	const char *name, *model;
	uint64_t job;
	uint32_t submit_order; /* from 1 */
	int32_t priority;
	int worker, node;
	int64_t submit_ns, start_ns, end_ns;
	uint32_t footprint;
};

/*
 * One record. It depends on the tasks pred[0..npred), numbers of `jobs`; jobs NULL: task i has job i + 1. A handle's
 * address is its index plus one, its size handle_bytes[index]. What breaks a line in a name is written as "?".
 */
void rec_write(FILE *f, const struct rec_task *t, const uint64_t *jobs, const uint32_t *pred, uint32_t npred,
               const struct dag_access *accesses, uint32_t naccesses, const uint64_t *handle_bytes);

#endif
