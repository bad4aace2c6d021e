/* export/starvz.h - the tables that StarVZ reads, a file each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef EXPORT_STARVZ_H
#define EXPORT_STARVZ_H

#include <stdint.h>
#include <stdio.h>

struct csv;
struct execution;
struct execution_task;
struct run;
struct trace;
struct trace_task;

/* Times of StarVZ are milliseconds of the trace. */
struct starvz {
	const struct run *run;
	const struct execution *e;
};

/* What was recorded of a task. */
const struct trace_task *starvz_task(const struct starvz *s, const struct execution_task *t);

/* One field: milliseconds of `ns`, which is a time of the trace or a length. */
void starvz_ms(struct csv *c, int64_t ns);

/* One field: a job, with its rank in front where there are several: "1347", "0_1347". */
void starvz_job(struct csv *c, int rank, uint64_t job);

/* The rank of a worker; -1 where there is one rank. */
int starvz_rank(const struct starvz *s, int worker);

/*
 * One field: descriptions of the data a task uses, as StarPU joins them ("M960x960x8_M960x960x8" of states, with blanks
 * in tasks.rec).
 */
void starvz_parameters(struct csv *c, const struct trace *t, const struct trace_task *task, char separator);

void starvz_states(const struct starvz *s, FILE *f);    /* paje.worker_state */
void starvz_variables(const struct starvz *s, FILE *f); /* paje.variable */
void starvz_tasks(const struct starvz *s, FILE *f);     /* rec.tasks */

#endif
