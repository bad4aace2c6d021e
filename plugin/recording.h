/* plugin/recording.h - what a recording has beside StarPU's trace, under any policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_RECORDING_H
#define PLUGIN_RECORDING_H

struct starpu_sched_policy;

/*
 * The policy, in a recording a copy of it under which the trace of each session is kept (sessions.h), and what tasks
 * that become ready can run on and what their models say is noted, and written at the end of each context (where.h,
 * lengths.h). There is one copy, and another policy afterwards, for a context that the program makes, is as it is. NULL
 * stays NULL.
 */
struct starpu_sched_policy *recording_policy(struct starpu_sched_policy *policy);

#endif
