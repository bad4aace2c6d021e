/* plugin/program_check.h - whether the program is the one that the config was made for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_PROGRAM_CHECK_H
#define PLUGIN_PROGRAM_CHECK_H

struct starpu_task;

enum { PROGRAM_CHECK_TASKS = 64 };

/* Another config, or none, counts from now on: buckets.h. */
void program_check_begin(void);

/* The sentence of a config that knows none of the first `seen` tasks, of which this is one: in why[0..n). */
void program_check_text(char *why, unsigned n, unsigned seen, struct starpu_task *task);

/*
 * Locked (lock.h). A task is submitted to a policy that goes on with any program: where HETEROTUNE_STRICT is 1 and the
 * config (buckets.h) knows none of the first PROGRAM_CHECK_TASKS, the program ends. StarPU's own tasks do not count.
 */
void program_check(struct starpu_task *task);

#endif
