/* generate/submission.h - what the application of a run does: it submits tasks, and waits between them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_SUBMISSION_H
#define GENERATE_SUBMISSION_H

#include <stddef.h>
#include <stdint.h>

#include "core/dag/dag.h"
#include "generate/graph.h"

/* A task is submitted, or the application waits before it submits the task. */
struct submission_step {
	enum graph_wait wait;
	uint32_t task;
	struct data_access datum; /* of a wait for data */
};

struct submission {
	struct submission_step *steps;
	size_t count, cap;
};

/*
 * Of a graph with one MPI rank. Waits for data and for all tasks are steps; those for single tasks, and for data that
 * is not known, are left out. submission_fini() it.
 */
void submission_init(struct submission *s, const struct dag *d);
void submission_fini(struct submission *s);

/* What the step accesses; *n: how much. */
const struct data_access *submission_accesses(const struct dag *d, const struct submission_step *step, uint32_t *n);

#endif
