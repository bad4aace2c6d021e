/* generate/execute.h - an execution of a made graph, so that it can be looked at like any other run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_EXECUTE_H
#define GENERATE_EXECUTE_H

#include <stdint.h>

struct graph;
struct ht_err;
struct machine;

struct executed {
	int64_t submit_ns, start_ns, end_ns;
	int32_t worker; /* -1: none, the application waits from submit_ns to end_ns */
};

/*
 * List scheduling: task after task in the order of submission, each to the worker that would finish it first, the one
 * with the smallest number where several would; nothing is put into a hole before. Copies take no time. Tasks that
 * write the same data with COMMUTE do not overlap, and none begins before the application has waited for what is
 * before it. An array of ntasks, free() it; NULL when a task can run on no worker of the machine, or when it
 * does not fit.
 */
struct executed *execute(const struct graph *g, const struct machine *m, int64_t *makespan_ns, struct ht_err *err);

/* -1 with the sentence: a task that ends then makes an execution longer than what a tasks.rec may hold. */
int execute_fits(int64_t end_ns, uint32_t task, struct ht_err *err);

#endif
