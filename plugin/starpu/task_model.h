/* plugin/starpu/task_model.h - of what kind the performance model of a task is, and what it looks at. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_TASK_MODEL_H
#define PLUGIN_TASK_MODEL_H

#include <stdint.h>

struct starpu_task;

/*
 * A function is one of the program: STARPU_COMMON, STARPU_PER_ARCH, STARPU_PER_WORKER. StarPU ends a program that it
 * has to ask for one that is not there: such a model counts as none.
 */
enum task_model {
	TASK_NO_MODEL,
	TASK_HISTORY, /* means of what was measured, by footprint */
	TASK_FUNCTION,
	TASK_FUNCTIONS,  /* one for each architecture and implementation, of which some may not be there */
	TASK_REGRESSION, /* fitted to what was measured */
};

/* Of a task with a codelet. */
enum task_model task_model(const struct starpu_task *task);

/*
 * A number that depends on the size or the footprint that the model computes in a way of its own, which may look at the
 * task's arguments; 0: it goes by the data. Of a task with a codelet.
 */
uint32_t task_model_size(struct starpu_task *task);

/*
 * What StarPU expects the task to take on a worker, us, with the fastest of the implementations in `can` (a bit each),
 * which is *implementation (may be NULL). NAN: it expects nothing. Of a task with a codelet.
 */
double task_length_us(struct starpu_task *task, int worker, unsigned can, unsigned *implementation);

/* A number that lengths share which differ by at most a twelfth. NAN has one of its own. */
uint64_t task_length_step(double us);

#endif
