/* plugin/starpu/codelet_name.h - names for tasks of codelets that have neither a name nor a model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_CODELET_NAME_H
#define PLUGIN_CODELET_NAME_H

struct starpu_task;

/*
 * A task that StarPU has no name for, or an empty one, gets that of its codelet's function, so that traces and configs
 * distinguish it from others: the symbol of the first function that has one, on CPUs before CUDA, HIP and OpenCL, else
 * what cpu_funcs_name says, else the function's place in its file, else all that of the codelet itself. The same in
 * every run of one build. A task keeps the name that the program gave it, but not the one that starpu_task_build()
 * gives to all; one that cannot be named stays without. Any number of threads.
 */
void codelet_name_task(struct starpu_task *task);

#endif
