/* sched/static/schedule.c - a static schedule: worker, place in its order and planned times of every task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/static/schedule.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
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
	struct sorting by = {s, position};

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

/* A heap: the smallest first. */
struct places {
	uint32_t *items;
	size_t count, cap;
};

struct follow {
	struct schedule *s;
	struct policy_world world;
	uint32_t *next;         /* per worker: into s->tasks */
	unsigned char *ready;   /* per task: enum follow_state */
	uint32_t *place;        /* per task: in its worker's order */
	struct places *waiting; /* per worker: of tasks that became ready before it was their turn */
	uint32_t *first, *last; /* per worker: tasks that keep others from their data, as they became ready */
	uint32_t *next_ready;   /* per task: the next of those */
};

enum follow_state { NOT_SUBMITTED, NOT_READY, READY, TAKEN };

static int is_smaller(const uint32_t *a, const uint32_t *b)
{
	return *a < *b;
}

HEAP(place, uint32_t, is_smaller, HEAP_NO_PLACES)

/* It has data that others wait for, and which it will only give away when it has been executed. */
static int commutes(const struct dag *d, uint32_t task)
{
	const struct dag_task *t = &d->tasks[task];

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		if (d->accesses[i].mode & ACCESS_COMMUTE)
			return 1;
	}
	return 0;
}

void *follow_create(const struct policy_world *w, struct schedule *s)
{
	struct follow *f = ht_alloc(1, sizeof(*f));

	f->world = *w;
	f->s = s;
	f->next = ht_alloc((size_t)s->nworkers, sizeof(*f->next));
	f->ready = ht_alloc(s->ntasks, sizeof(*f->ready));
	f->place = ht_alloc(s->ntasks, sizeof(*f->place));
	f->first = ht_alloc((size_t)s->nworkers, sizeof(*f->first));
	f->last = ht_alloc((size_t)s->nworkers, sizeof(*f->last));
	f->next_ready = ht_alloc(s->ntasks, sizeof(*f->next_ready));
	f->waiting = ht_alloc((size_t)s->nworkers, sizeof(*f->waiting));
	for (int i = 0; i < s->nworkers; i++) {
		f->first[i] = POLICY_NO_TASK;
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
	for (int i = 0; i < f->s->nworkers; i++)
		free(f->waiting[i].items);
	free(f->waiting);
	schedule_free(f->s);
	free(f->next);
	free(f->ready);
	free(f->place);
	free(f->first);
	free(f->last);
	free(f->next_ready);
	free(f);
}

/* The worker's next task, behind those that are taken; POLICY_NO_TASK: there is none. */
static uint32_t turn_of(struct follow *f, int worker)
{
	uint32_t *i = &f->next[worker];

	while (*i < f->s->first[worker + 1] && f->ready[f->s->tasks[*i]] == TAKEN)
		++*i;
	return *i < f->s->first[worker + 1] ? f->s->tasks[*i] : POLICY_NO_TASK;
}

void follow_added(void *state, uint32_t task)
{
	((struct follow *)state)->ready[task] = NOT_READY;
}

void follow_push(void *state, uint32_t task, int releaser)
{
	struct follow *f = state;
	int worker = f->s->worker[task];
	uint32_t turn = turn_of(f, worker);

	(void)releaser; /* everything was decided before */
	f->ready[task] = READY;
	if (f->world.prefetch)
		f->world.prefetch(f->world.ctx, task, worker);
	if (turn != task) {
		struct places *p = &f->waiting[worker];

		VEC_PUSH(p->items, p->count, p->cap);
		place_up(p->items, p->count - 1, &f->place[task], NULL);
	}
	if (commutes(f->world.dag, task)) {
		f->next_ready[task] = POLICY_NO_TASK;
		*(f->first[worker] == POLICY_NO_TASK ? &f->first[worker] : &f->next_ready[f->last[worker]]) = task;
		f->last[worker] = task;
	} else if (turn != task && f->ready[turn] != NOT_SUBMITTED) {
		return;
	}
	f->world.wake(f->world.ctx, worker);
}

static uint32_t take(struct follow *f, uint32_t task)
{
	f->ready[task] = TAKEN;
	return task;
}

/* The first that is ready, of the worker's order. */
static uint32_t first_ready(struct follow *f, int worker)
{
	struct places *p = &f->waiting[worker];

	while (p->count) {
		uint32_t task = f->s->tasks[f->s->first[worker] + p->items[0]];

		if (f->ready[task] == READY)
			return task;
		place_drop(p->items, --p->count, NULL);
	}
	return POLICY_NO_TASK;
}

uint32_t follow_pop(void *state, int worker)
{
	struct follow *f = state;
	uint32_t turn = turn_of(f, worker), *held = &f->first[worker], task = POLICY_NO_TASK;

	if (turn == POLICY_NO_TASK)
		return POLICY_NO_TASK;
	if (f->ready[turn] == READY)
		return take(f, turn);
	while (*held != POLICY_NO_TASK && f->ready[*held] == TAKEN)
		*held = f->next_ready[*held];
	task = *held;
	if (task == POLICY_NO_TASK && f->ready[turn] == NOT_SUBMITTED)
		task = first_ready(f, worker);
	return task == POLICY_NO_TASK ? POLICY_NO_TASK : take(f, task);
}

int32_t follow_priority(void *state, uint32_t task)
{
	return INT32_MAX - (int32_t)((const struct follow *)state)->place[task];
}
