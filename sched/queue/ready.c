/* sched/queue/ready.c - ready tasks by priority; among equals the one whose data is nearest first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/ready.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"

#define NONE UINT32_MAX

struct entry {
	struct policy_missing lacks;
	int64_t place; /* among those of its priority that lack as much, smallest first */
	int32_t priority;
	uint32_t task;
};

/* A binary heap of the tasks whose entry is right, and those whose entry is still to be found. */
struct queue {
	int worker, node;
	uint32_t waiting;
	struct entry *heap;
	size_t count, cap;
	uint32_t *stale;
	size_t nstale, cap_stale;
	int64_t front, back; /* the places that were given at the ends */
};

struct queued {
	int64_t place;
	uint32_t at; /* in the heap; NONE: not there */
	uint32_t stale : 1, node : 6, queue : 25;
};

struct ready {
	const struct policy_world *world;
	const int32_t *priority;
	struct queue *queues;
	size_t nqueues, cap_queues;
	struct queued *tasks;
	/* The queued tasks that access a handle; NULL where nobody says what tasks lack. */
	uint32_t *first;              /* per handle: an access; NONE */
	uint32_t *next, *prev, *task; /* per access */
};

int ready_lacks_less(const struct policy_missing *a, const struct policy_missing *b)
{
	if (a->invalid_bytes != b->invalid_bytes)
		return a->invalid_bytes < b->invalid_bytes;
	if (a->unrequested_bytes != b->unrequested_bytes)
		return a->unrequested_bytes < b->unrequested_bytes;
	return a->unallocated_bytes < b->unallocated_bytes;
}

static void prepare_handles(struct ready *r)
{
	const struct dag *d = r->world->dag;

	r->first = ht_alloc(d->nhandles, sizeof(*r->first));
	r->next = ht_alloc(d->naccesses, sizeof(*r->next));
	r->prev = ht_alloc(d->naccesses, sizeof(*r->prev));
	r->task = ht_alloc(d->naccesses, sizeof(*r->task));
	for (uint32_t h = 0; h < d->nhandles; h++)
		r->first[h] = NONE;
	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (uint32_t i = 0; i < d->tasks[t].naccesses; i++)
			r->task[d->tasks[t].first_access + i] = t;
	}
}

struct ready *ready_create(const struct policy_world *world, const int32_t *priority)
{
	struct ready *r = ht_alloc(1, sizeof(*r));

	r->world = world;
	r->priority = priority;
	r->tasks = ht_alloc(world->dag->ntasks, sizeof(*r->tasks));
	if (world->missing)
		prepare_handles(r);
	return r;
}

void ready_free(struct ready *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nqueues; i++) {
		free(r->queues[i].heap);
		free(r->queues[i].stale);
	}
	free(r->queues);
	free(r->tasks);
	free(r->first);
	free(r->next);
	free(r->prev);
	free(r->task);
	free(r);
}

int ready_queue(struct ready *r, int worker)
{
	*VEC_PUSH(r->queues, r->nqueues,
	          r->cap_queues) = (struct queue){.worker = worker, .node = r->world->machine->workers[worker].node};
	return (int)r->nqueues - 1;
}

uint32_t ready_waiting(const struct ready *r, int queue)
{
	return r->queues[queue].waiting;
}

static int is_before(const struct entry *a, const struct entry *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (ready_lacks_less(&a->lacks, &b->lacks))
		return 1;
	return !ready_lacks_less(&b->lacks, &a->lacks) && a->place < b->place;
}

/* The place of a task's entry in its heap. */
static void entry_moved(void *ready, const struct entry *e, size_t at)
{
	((struct ready *)ready)->tasks[e->task].at = (uint32_t)at;
}

HEAP(entry, struct entry, is_before, entry_moved)

static void find_entry(struct ready *r, struct queue *q, uint32_t task)
{
	struct queued *t = &r->tasks[task];
	struct entry e = {.place = t->place,
	                  .task = task,
	                  .priority = r->priority ? r->priority[task] : r->world->dag->tasks[task].priority};

	t->stale = 0;
	if (r->world->missing)
		r->world->missing(r->world->ctx, task, q->worker, &e.lacks);
	if (t->at == NONE) {
		VEC_PUSH(q->heap, q->count, q->cap);
		entry_up(q->heap, q->count - 1, &e, r);
	} else {
		size_t at = t->at;

		if (entry_up(q->heap, at, &e, r) == at)
			entry_down(q->heap, q->count, at, &e, r);
	}
}

static void make_stale(struct ready *r, uint32_t task)
{
	struct queue *q = &r->queues[r->tasks[task].queue];

	r->tasks[task].stale = 1;
	*VEC_PUSH(q->stale, q->nstale, q->cap_stale) = task;
}

static void put(struct ready *r, int queue, uint32_t task, int64_t place)
{
	const struct dag_task *t = &r->world->dag->tasks[task];

	r->queues[queue].waiting++;
	r->tasks[task] = (struct queued){.place = place,
	                                 .at = NONE,
	                                 .queue = (uint32_t)queue,
	                                 .node = (uint32_t)r->queues[queue].node};
	make_stale(r, task);
	for (uint32_t i = t->first_access; r->first && i < t->first_access + t->naccesses; i++) {
		uint32_t *first = &r->first[r->world->dag->accesses[i].handle];

		r->prev[i] = NONE;
		r->next[i] = *first;
		if (*first != NONE)
			r->prev[*first] = i;
		*first = i;
	}
}

void ready_put(struct ready *r, int queue, uint32_t task)
{
	put(r, queue, task, ++r->queues[queue].back);
}

void ready_put_front(struct ready *r, int queue, uint32_t task)
{
	put(r, queue, task, --r->queues[queue].front);
}

static void forget(struct ready *r, uint32_t task)
{
	const struct dag_task *t = &r->world->dag->tasks[task];

	for (uint32_t i = t->first_access; r->first && i < t->first_access + t->naccesses; i++) {
		if (r->prev[i] == NONE)
			r->first[r->world->dag->accesses[i].handle] = r->next[i];
		else
			r->next[r->prev[i]] = r->next[i];
		if (r->next[i] != NONE)
			r->prev[r->next[i]] = r->prev[i];
	}
}

uint32_t ready_take(struct ready *r, int queue)
{
	struct queue *q = &r->queues[queue];
	uint32_t task;

	if (!q->waiting)
		return POLICY_NO_TASK;
	while (q->nstale)
		find_entry(r, q, q->stale[--q->nstale]);
	task = q->heap[0].task;
	q->waiting--;
	entry_drop(q->heap, --q->count, r);
	forget(r, task);
	return task;
}

void ready_moved(struct ready *r, uint32_t handle, uint64_t nodes)
{
	for (uint32_t i = r->first ? r->first[handle] : NONE; i != NONE; i = r->next[i]) {
		const struct queued *t = &r->tasks[r->task[i]];

		if (!t->stale && nodes >> t->node & 1)
			make_stale(r, r->task[i]);
	}
}
