/* plugin/starpu/codelet_key.h - a number for a codelet, by which it is known again. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_CODELET_KEY_H
#define PLUGIN_CODELET_KEY_H

#include <stdint.h>

struct starpu_task;

/*
 * Of the codelet of a task that has one: by its functions, its condition, its model and its name. Its address says
 * nothing: a program may make a codelet for each task, and its memory become that of another one. No other thread may
 * look at the task's name.
 */
uint64_t codelet_key(struct starpu_task *task);

#endif
