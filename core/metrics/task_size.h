/* core/metrics/task_size.h - whether tasks are worth what StarPU does for each: their mean duration and its work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_TASK_SIZE_H
#define CORE_METRICS_TASK_SIZE_H

#include <stdint.h>

struct dag;
struct overheads_all;
struct trace;

/*
 * What is typical of a task, by medians, so that a busy machine changes little: of its class on its architecture, the
 * mean over all tasks. Only what the run itself shows of StarPU's work, 0 where it shows nothing.
 */
struct task_size {
	int64_t task_ns;   /* duration */
	int64_t worker_ns; /* of its worker's thread beside that: to take it, ask for its data, push what it frees */
	int64_t submit_ns; /* of the application's thread, from a submission to the next */
	int longer;        /* tasks so many times longer would leave StarPU a tenth of all time; 1: they are fine */
};

/* Tasks are too small where StarPU's work for one takes longer than the task: `longer` is above 1 there alone. */
struct task_size task_size_make(int64_t task_ns, int64_t worker_ns, int64_t submit_ns);

/* Of so few tasks no median says what is typical, and blocks would not help: they are taken to be fine. */
enum { TASK_SIZE_LEAST = 32 };

void task_size_of(struct task_size *g, const struct trace *t, const struct dag *d, const struct overheads_all *o);

/*
 * "a task typically takes 28.0 us, and 97.0 us pass around it (35.0 us to submit it, 62.0 us
 * before its worker starts it)", without a stop. Returns `text`.
 */
enum { TASK_SIZE_TEXT = 192 };
const char *task_size_text(const struct task_size *g, char text[TASK_SIZE_TEXT]);

#endif
