/* plugin/recording.h - what a recording has beside StarPU's trace, under any policy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_RECORDING_H
#define PLUGIN_RECORDING_H

struct starpu_sched_policy;
struct starpu_task;

/*
 * A context begins: with the first one, which all others are in, the trace of the session before is kept, and this one
 * is recorded (sessions.h).
 */
void recording_begin(unsigned ctx);

/*
 * A task has become ready: its codelet gets a name, and what it can run on and what its model says are noted (where.h,
 * lengths.h).
 */
void recording_note(struct starpu_task *task);

/* A context ends: what was noted is written. */
void recording_end(void);

/*
 * The policy, in a recording a copy of it that does all of this; there is one copy, and another policy afterwards, for
 * a context that the program makes, is as it is. NULL stays NULL.
 */
struct starpu_sched_policy *recording_policy(struct starpu_sched_policy *policy);

#endif
