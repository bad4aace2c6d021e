/* generate/submission.c - what the application of a run does: it submits tasks, and waits between them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/submission.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/trace/access.h"

static int writes(const struct dag *d, uint32_t task, uint32_t handle)
{
	const struct dag_task *t = &d->tasks[task];

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++)
		if (d->accesses[i].handle == handle && d->accesses[i].mode & (ACCESS_W | ACCESS_REDUX))
			return 1;
	return 0;
}

/* An application that waits for tasks that read a datum is going to write it. */
static uint32_t mode_of(const struct dag *d, const struct dag_wait *w)
{
	for (uint32_t i = w->first; i < w->first + w->count; i++)
		if (!writes(d, d->wait_tasks[i], w->handle))
			return ACCESS_R | ACCESS_W;
	return ACCESS_R;
}

/* `waited`: for how many tasks the application has waited, this time included. */
static void add_wait(struct submission *s, const struct dag *d, const struct dag_wait *w, uint32_t waited)
{
	struct submission_step step = {.wait = GRAPH_WAIT_FOR_ALL, .task = w->before};

	if (w->handle != DAG_NO_HANDLE) {
		step.wait = GRAPH_WAIT_FOR_DATA;
		step.datum = (struct data_access){w->handle, mode_of(d, w)};
	} else if (waited != w->before) {
		return;
	}
	*VEC_PUSH(s->steps, s->count, s->cap) = step;
}

void submission_init(struct submission *s, const struct dag *d)
{
	uint32_t wait = 0, waited = 0;

	*s = (struct submission){0};
	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (; wait < d->nwaits && d->waits[wait].before == t; wait++) {
			waited += d->waits[wait].count;
			add_wait(s, d, &d->waits[wait], waited);
		}
		*VEC_PUSH(s->steps, s->count, s->cap) = (struct submission_step){.task = t};
	}
}

void submission_fini(struct submission *s)
{
	free(s->steps);
}

const struct data_access *submission_accesses(const struct dag *d, const struct submission_step *step, uint32_t *n)
{
	const struct dag_task *t = &d->tasks[step->task];

	*n = step->wait == GRAPH_WAIT_FOR_DATA ? 1 : step->wait == GRAPH_NO_WAIT ? t->naccesses : 0;
	return step->wait == GRAPH_WAIT_FOR_DATA ? &step->datum : d->accesses + t->first_access;
}
