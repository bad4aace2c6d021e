/* sched/static/schedule.h - a static schedule: worker, place in its order and planned times of every task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_SCHEDULE_H
#define SCHED_STATIC_SCHEDULE_H

#include <stdint.h>

struct policy_world;

struct schedule {
	uint32_t ntasks;
	int nworkers;
	int32_t *worker;           /* per task */
	double *start_ns, *end_ns; /* per task, as planned */
	uint32_t *first, *tasks;   /* of worker w, in its order: tasks[first[w]] .. tasks[first[w + 1] - 1] */
	double makespan_ns;        /* as planned */
};

/* worker, start and end are to be filled in, then schedule_finish(). */
struct schedule *schedule_create(uint32_t ntasks, int nworkers);
void schedule_free(struct schedule *s);

/* The workers' orders: by start, among equal ones by position[] (per task; a topological order). */
void schedule_finish(struct schedule *s, const uint32_t *position);

/*
 * A policy that follows it: every worker executes its tasks in its order, each as soon as it can. One that has data
 * which others wait for (ACCESS_COMMUTE) goes before those that are not ready, since they would wait for each other.
 * While the next one is not submitted, the first that is ready goes before it: the program may wait for that.
 * The functions are those of struct policy; copies are requested in that order too (StarPU 1.4.10, task_prio of
 * coherency.c). What is planned is taken over, and freed with the follower, which begins with its address.
 */
void *follow_create(const struct policy_world *w, struct schedule *s);
void follow_free(void *state);
void follow_added(void *state, uint32_t task);
void follow_push(void *state, uint32_t task, int releaser);
uint32_t follow_pop(void *state, int worker);
int32_t follow_priority(void *state, uint32_t task);

#endif
