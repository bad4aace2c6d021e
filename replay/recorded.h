/* replay/recorded.h - the schedule of a run, replayed: as it was, and by the rules of a simulation. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_RECORDED_H
#define REPLAY_RECORDED_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "core/metrics/task_size.h"

struct dag;
struct ht_err;
struct machine;
struct scenario;
struct execution_task;
struct trace;

/*
 * As it was: every worker executes what it executed, in that order and with the recorded durations; what went on beside
 * execution is named. A task starts when the worker is free, its predecessors have ended, and its own waits beyond that
 * are over. A wait is cut into parts, each from the latest of the times before it:
 *
 *   submission    until the main thread had submitted the task
 *   other         until StarPU called it ready: callbacks, termination of the predecessors, push
 *   scheduling    until the worker took it from the scheduler
 *   transfer      until it started: fetching data, launching
 *   unrecorded    in place of the last three where the times are not recorded
 */
enum recorded_gap { GAP_SUBMISSION, GAP_OTHER, GAP_SCHEDULING, GAP_TRANSFER, GAP_UNRECORDED, GAP_COUNT };

extern const char *const recorded_gap_names[GAP_COUNT];

/*
 * Time 0 is the first start of the run. A task that starts before its worker's last one ended (pipelined on a device),
 * or before a predecessor's recorded end, keeps that lead; `overlap_ns` is the sum of such leads on workers.
 *
 * The critical chain goes back from the last end, at each task to the end that it waited for longest. The makespan is
 * the sum of executions and gaps on the chain minus the leads: makespan = critical_execution + sum of critical_gap.
 */
struct recorded {
	int64_t makespan_ns;
	int64_t run_makespan_ns;               /* trace_makespan_ns(): what it must be */
	int64_t bare_ns;                       /* without any gap: dependencies and the workers' order alone */
	int64_t gap_ns[GAP_COUNT][ARCH_COUNT]; /* sums over all tasks, by the worker's architecture */
	int64_t critical_gap_ns[GAP_COUNT][ARCH_COUNT];
	int64_t without_ns[GAP_COUNT]; /* the makespan when all gaps of one cause are gone */
	int64_t critical_execution_ns, overlap_ns;
	int64_t critical_wait_ns; /* median of a task's wait for StarPU: other and scheduling */
	uint32_t critical_tasks;
	struct execution_task *tasks; /* worker: index into the trace's workers */
};

/*
 * d is dag_from_trace() of t. Fails when order and dependencies contradict each other. free with recorded_free().
 */
struct recorded *recorded_replay(const struct trace *t, const struct dag *d, struct ht_err *err);
void recorded_free(struct recorded *r);

/*
 * What tasks take against what StarPU takes for each: `typical` (task_size_of()), or, where that makes tasks smaller,
 * what the median task of a critical chain of at least TASK_SIZE_LEAST waited for StarPU, beside its submission and its
 * data: a worker that sleeps has to be woken. One that waits for a core of a busy machine is not the median, and where
 * that is more than a millisecond it is not StarPU's work: workers of a parallel task wait for each other, for one.
 */
struct task_size recorded_task_size(const struct recorded *r, const struct task_size *typical);

/*
 * The makespan of the recorded assignment and order by the rules of simulate(): mean costs, dependencies, and what the
 * scenario says of submission and transfers (scenario_set()); a window that the order contradicts is left out. `d` is
 * dag_from_trace() of `t`, `m` the machine of the run. -1 with the sentence: the order contradicts the dependencies, or
 * a task ran where it has no cost or where `m` has no worker.
 */
int64_t recorded_simulate(const struct trace *t, const struct dag *d, const struct machine *m,
                          const struct scenario *scenario, struct ht_err *err);

#endif
