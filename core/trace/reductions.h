/* core/trace/reductions.h - what the tasks by which StarPU reduces wait for, and what waits for them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_REDUCTIONS_H
#define CORE_TRACE_REDUCTIONS_H

struct trace_builder;

/*
 * Workers contribute to data in ACCESS_REDUX, each to a replicate of its own. When a task of another mode, the reader,
 * has all that it waits for, StarPU itself submits tasks that reduce the replicates, and lets it go on after them
 * (1.4.10, src/datawizard/reduction.c, _starpu_data_end_reduction_mode()). A recording has neither what these wait for
 * nor the reader's wait.
 *
 * Once tasks have their accesses: they get the reader's dependencies, the reader theirs, and as time of submission,
 * at which the program has asked for them, that of the reader. Where that is no task, they wait for the contributions
 * and are submitted with the last.
 */
void reductions_complete(struct trace_builder *b);

#endif
