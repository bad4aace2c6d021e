/* replay/sim/window.h - an application that waits when too many of its tasks are submitted and not completed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_WINDOW_H
#define REPLAY_SIM_WINDOW_H

#include <stdint.h>

struct dag;
struct ht_err;
struct trace;

/*
 * When tasks were submitted then says how fast the recorded execution was, not how fast they can be submitted. With
 * `most` uncompleted tasks the application waits until there are only `least`: STARPU_LIMIT_MAX_SUBMITTED_TASKS + 1 and
 * STARPU_LIMIT_MIN_SUBMITTED_TASKS, starpu_task_wait_for_n_submitted(least), or 0 for a barrier.
 */
struct window {
	uint32_t most, least; /* most 0: it never waits */
	int64_t *gap_ns;      /* per task, in the order of submission: since the one before, when there is no waiting */
};

/*
 * Finds it in a run: it waits when between two submissions is thrice the usual time, and tasks complete in it. Such
 * waits have to be at least 3 and to take a quarter of the time of submission; 90 % of their time has to begin with at
 * least 70 % of the tasks that are ever uncompleted at once, and 80 % to end with nearly equally few. `most` and
 * `least` are medians, weighed by time: StarPU counts tasks of its own too. `most` is 0 where that is not so, or times
 * of submission are not recorded. Free with window_fini() in any case.
 */
void window_find(struct window *w, const struct trace *t, const struct dag *d);
void window_fini(struct window *w);

#endif
