/* plugin/priorities.h - one of StarPU's own policies that lets the application give its tasks any priority. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_PRIORITIES_H
#define PLUGIN_PRIORITIES_H

struct starpu_sched_policy;

/*
 * StarPU's policy of that name, where the environment has HETEROTUNE_WHERE or HETEROTUNE_PRIORITIES, which heterotune
 * collect sets. It notes its name in the file HETEROTUNE_SCHEDULER and, for the second, has the range of priorities
 * open where it does not set one itself. NULL: StarPU has none, and the file says which one it takes for a wrong
 * STARPU_SCHED, or it is not asked for.
 */
struct starpu_sched_policy *priorities_policy(const char *name);

#endif
