/* replay/schedule_rec.h - a simulated schedule as StarPU's replay reads one: sched.rec. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SCHEDULE_REC_H
#define REPLAY_SCHEDULE_REC_H

#include <stdio.h>

struct dag;
struct ht_err;
struct execution_task;
struct trace;

/*
 * StarPU 1.4.10, tools/starpu_replay_sched.c: a block a task, of the number it was submitted with, its worker, and its
 * place among that worker's tasks, from 1 on without a gap (starpu_task.workerorder). Written in the order of
 * submission. Workers have StarPU's numbers when the machine is the recorded one. Fails when the recording does not say
 * in which order its tasks were submitted (names the first), or has several ranks; nothing is written then.
 */
int schedule_rec_write(FILE *f, const struct trace *t, const struct dag *d, int nworkers,
                       const struct execution_task *tasks, struct ht_err *err);

#endif
