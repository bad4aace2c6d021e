/* plugin/buckets.h - which bucket of a config a task of the program is in. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_BUCKETS_H
#define PLUGIN_BUCKETS_H

#include <stdint.h>

struct config;
struct starpu_task;

/*
 * One config at a time. A task's names are those that StarPU puts into its traces: the task's name, else its model's
 * symbol, else its codelet's. Its place is that among the tasks of its kind in the iteration that it is part of
 * (live_iteration()), so each time that a program submits a graph its tasks are in the buckets of the recorded ones.
 */

/* Needs memory (guard.h). `c`, which may be NULL, has to stay until buckets_close(). */
void buckets_open(const struct config *c);
void buckets_close(void);

/* How many kinds of tasks there are. */
int buckets_nkinds(void);

/* MEMBER_*: what any bucket asks for beside names. */
unsigned buckets_limits(void);

/* The config has buckets for tasks of that name. */
int buckets_know(struct starpu_task *task);

/* Locked (lock.h), at the submission of a task: its place, for buckets_of(). `index` is that of live.h. */
uint32_t buckets_place(struct starpu_task *task, uint32_t index);

/* The bucket; -1: none. The footprint is that of the data, also of a model that has one of its own. */
int buckets_of(struct starpu_task *task, uint32_t place);

#endif
