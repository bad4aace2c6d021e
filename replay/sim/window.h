/* replay/sim/window.h - an application that limits its uncompleted tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_WINDOW_H
#define REPLAY_SIM_WINDOW_H

#include <stdint.h>

struct dag;
struct trace;

/*
 * The submission times of such an application depend on how fast the recorded execution was. With `most` uncompleted
 * tasks the application waits until there are only `least`: STARPU_LIMIT_MAX_SUBMITTED_TASKS + 1 and
 * STARPU_LIMIT_MIN_SUBMITTED_TASKS, starpu_task_wait_for_n_submitted(least), or 0 for a barrier.
 */
struct window {
	uint32_t most, least; /* most 0: it never waits */
	int64_t after_ns;     /* from when there are only `least` until the next submission */
	int64_t *gap_ns;      /* per task, in the order of submission: since the one before, without waits; NULL: 0 */
};

/*
 * Finds the window of a run. The application waits where the time between two submissions is more than three times the
 * usual one, and tasks complete in it; what dag.waits explains is no wait here. There have to be at least 3 waits, of a
 * quarter of the submission time together; 90 % of the waiting time has to begin with at least 70 % of the largest
 * number of uncompleted tasks, and 80 % to end with nearly the same small number. `most` and `least` are medians,
 * weighed by time: StarPU counts tasks of its own too. `most` is 0 where these conditions do not hold, or submission
 * times are not recorded. `after_ns` is the median. Free with window_fini() in any case.
 */
void window_find(struct window *w, const struct trace *t, const struct dag *d);
void window_fini(struct window *w);

#endif
