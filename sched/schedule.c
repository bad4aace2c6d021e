/* sched/schedule.c - a static schedule: who executes what, in which order, and when it was planned to. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/schedule.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/machine.h"
#include "sched/policy.h"

struct schedule *schedule_create(uint32_t ntasks, int nworkers)
{
	struct schedule *s = ht_alloc(1, sizeof(*s));

	s->ntasks = ntasks;
	s->nworkers = nworkers;
	s->worker = ht_alloc(ntasks, sizeof(*s->worker));
	s->start_ns = ht_alloc(ntasks, sizeof(*s->start_ns));
	s->end_ns = ht_alloc(ntasks, sizeof(*s->end_ns));
	s->first = ht_alloc((size_t)nworkers + 1, sizeof(*s->first));
	s->tasks = ht_alloc(ntasks, sizeof(*s->tasks));
	return s;
}

void schedule_free(struct schedule *s)
{
	if (!s)
		return;
	free(s->worker);
	free(s->start_ns);
	free(s->end_ns);
	free(s->first);
	free(s->tasks);
	free(s);
}

struct sorting {
	const struct schedule *s;
	const uint32_t *position;
};

static int by_start(const void *a, const void *b, void *arg)
{
	const struct sorting *by = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (by->s->start_ns[x] != by->s->start_ns[y])
		return by->s->start_ns[x] < by->s->start_ns[y] ? -1 : 1;
	return by->position[x] < by->position[y] ? -1 : by->position[x] > by->position[y];
}

void schedule_finish(struct schedule *s, const uint32_t *position)
{
	struct sorting by = { s, position };

	for (uint32_t t = 0; t < s->ntasks; t++) {
		s->first[s->worker[t] + 1]++;
		s->makespan_ns = s->end_ns[t] > s->makespan_ns ? s->end_ns[t] : s->makespan_ns;
	}
	for (int w = 0; w < s->nworkers; w++)
		s->first[w + 1] += s->first[w];
	for (uint32_t t = 0; t < s->ntasks; t++)
		s->tasks[s->first[s->worker[t]]++] = t;
	for (int w = s->nworkers; w > 0; w--)
		s->first[w] = s->first[w - 1];
	s->first[0] = 0;
	for (int w = 0; w < s->nworkers; w++)
		qsort_r(s->tasks + s->first[w], s->first[w + 1] - s->first[w], sizeof(*s->tasks), by_start, &by);
}

const char *schedule_check(const struct schedule *s, const struct dag *d, const struct machine *m)
{
	for (uint32_t t = 0; t < s->ntasks; t++) {
		if (s->worker[t] < 0 || s->worker[t] >= m->nworkers ||
		    dag_cost(d, t, m->workers[s->worker[t]].arch) < 0)
			return "a task is on a worker that cannot run it";
		if (!(s->start_ns[t] >= 0) || s->end_ns[t] < s->start_ns[t])
			return "a task starts before 0, or ends before it starts";
		for (uint32_t e = d->pred_first[t]; e < d->pred_first[t + 1]; e++) {
			if (s->end_ns[d->pred[e]] > s->start_ns[t])
				return "a task starts before its predecessor has ended";
		}
	}
	for (int w = 0; w < s->nworkers; w++) {
		for (uint32_t i = s->first[w] + 1; i < s->first[w + 1]; i++) {
			if (s->end_ns[s->tasks[i - 1]] > s->start_ns[s->tasks[i]])
				return "a worker executes two tasks at a time";
		}
	}
	return NULL;
}

struct follow {
	struct policy_world world;
	struct schedule *s;
	uint32_t *next;       /* per worker: into s->tasks */
	unsigned char *ready; /* per task */
	uint32_t *place;      /* per task: in its worker's order */
};

void *follow_create(const struct policy_world *w, struct schedule *s)
{
	struct follow *f = ht_alloc(1, sizeof(*f));

	f->world = *w;
	f->s = s;
	f->next = ht_alloc((size_t)s->nworkers, sizeof(*f->next));
	f->ready = ht_alloc(s->ntasks, sizeof(*f->ready));
	f->place = ht_alloc(s->ntasks, sizeof(*f->place));
	for (int i = 0; i < s->nworkers; i++) {
		f->next[i] = s->first[i];
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
			f->place[s->tasks[k]] = k - s->first[i];
	}
	return f;
}

void follow_free(void *state)
{
	struct follow *f = state;

	if (!f)
		return;
	schedule_free(f->s);
	free(f->next);
	free(f->ready);
	free(f->place);
	free(f);
}

void follow_push(void *state, uint32_t task, int releaser)
{
	struct follow *f = state;
	int worker = f->s->worker[task];

	(void)releaser; /* everything was decided before */
	f->ready[task] = 1;
	if (f->world.prefetch)
		f->world.prefetch(f->world.ctx, task, worker);
	if (f->s->tasks[f->next[worker]] == task)
		f->world.wake(f->world.ctx, worker);
}

uint32_t follow_pop(void *state, int worker)
{
	struct follow *f = state;
	uint32_t i = f->next[worker];

	if (i == f->s->first[worker + 1] || !f->ready[f->s->tasks[i]])
		return POLICY_NO_TASK;
	f->next[worker]++;
	return f->s->tasks[i];
}

int32_t follow_priority(void *state, uint32_t task)
{
	return INT32_MAX - (int32_t)((const struct follow *)state)->place[task];
}

const struct schedule *follow_schedule(const void *state)
{
	return ((const struct follow *)state)->s;
}
