/* core/trace/tasks_rec_record.h - a record of a tasks.rec, once its lines are read, into the trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_TASKS_REC_RECORD_H
#define CORE_TRACE_TASKS_REC_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "core/trace/trace_build.h"

/* In the order of the records of starpu_fxt_tool. */
enum field {
	F_NAME,
	F_MODEL,
	F_JOB,
	F_ORDER,
	F_PRIORITY,
	F_DEPENDS,
	F_LABELS,
	F_TAG,
	F_WORKER,
	F_NODE,
	F_SUBMIT,
	F_START,
	F_END,
	F_FOOTPRINT,
	F_GFLOP,
	F_ITERATION,
	F_HANDLES,
	F_MODES,
	F_SIZES,
	F_RANK,
	F_ENDDEPS,
	F_CONTROL,
	F_COUNT,
};

/* Of each field, as in the file, without the colon. */
struct rec_field_name {
	const char *text;
	size_t len;
};

extern const struct rec_field_name rec_field_names[F_COUNT];

/* The record being read: fields come in any order, JobId somewhere among them. */
struct record {
	int line, has_job;
	char *fields[F_COUNT]; /* in the reader's text */
	char *first;           /* of them, the one that was read first */
};

/* A file is read piece by piece: of its text there is what begins with the record being read. */
struct rec_reader {
	struct trace_builder b;
	struct record rec;
	const char *path;
	int fd, line, has_homes; /* of data, from another file */
	char *text;              /* size + 1 bytes */
	size_t at, end, size;    /* the next line, the end of what was read */
	int field;               /* of the line before */
	uint32_t name, model;    /* of the task before */
};

/*
 * Adds what the record that was read says to the trace that is built: a task, a wait of the application, or data that
 * it will not use; nothing where it has no JobId. There is no record after that, also on failure. -1 with the sentence:
 * a field has a value that it cannot have, or the task has a record already.
 */
int rec_record_finish(struct rec_reader *r, struct ht_err *err);

#endif
