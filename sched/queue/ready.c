/* sched/queue/ready.c - ready tasks by priority; among equals the one whose data is nearest first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/ready.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"

#define NONE     UINT32_MAX
#define UNLINKED (UINT32_MAX - 1)

/* What was found of a task; it holds until something else is found, or the task is taken: then `version` is another. */
struct entry {
	struct policy_missing lacks;
	int64_t place; /* among those of its priority that lack as much, smallest first */
	int32_t priority;
	uint32_t task, version;
};

/* A binary heap with an entry for each task that is not stale, and with entries that do not hold any more. */
struct queue {
	int worker, node;
	uint32_t waiting;
	struct entry *heap;
	size_t count, cap;
	uint32_t *stale; /* the tasks whose entry is still to be found */
	size_t nstale, cap_stale;
	int64_t front, back; /* the places that were given at the ends */
};

struct queued {
	int64_t place;
	uint32_t version; /* of the task's entry that holds */
	uint32_t waits : 1, stale : 1, node : 6, queue : 24;
};

/* An access, in the list of those to its handle by tasks that wait, or did when the list was last gone through. */
struct link {
	uint32_t next; /* NONE: it is the last; UNLINKED: it is in no list */
	uint32_t task;
};

struct ready {
	const struct policy_world *world;
	const int32_t *priority;
	struct queue *queues;
	size_t nqueues, cap_queues;
	struct queued *tasks;
	uint32_t *first;    /* per handle: an access; NONE. NULL where nobody says what tasks lack */
	struct link *links; /* per access */
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
	r->links = ht_alloc(d->naccesses, sizeof(*r->links));
	for (uint32_t h = 0; h < d->nhandles; h++)
		r->first[h] = NONE;
	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (uint32_t i = 0; i < d->tasks[t].naccesses; i++)
			r->links[d->tasks[t].first_access + i] = (struct link){.next = UNLINKED, .task = t};
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
	free(r->links);
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

HEAP(entry, struct entry, is_before, HEAP_NO_PLACES)

static int holds(const struct ready *r, const struct entry *e)
{
	return r->tasks[e->task].version == e->version;
}

/* Without the entries that do not hold. */
static void clean(const struct ready *r, struct queue *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->count; i++) {
		if (holds(r, &q->heap[i]))
			q->heap[n++] = q->heap[i];
	}
	q->count = n;
	entry_make(q->heap, n, NULL);
}

static void find_entry(struct ready *r, struct queue *q, uint32_t task)
{
	struct queued *t = &r->tasks[task];
	struct entry e = {.place = t->place,
	                  .task = task,
	                  .version = ++t->version,
	                  .priority = r->priority ? r->priority[task] : r->world->dag->tasks[task].priority};

	t->stale = 0;
	if (r->world->missing)
		r->world->missing(r->world->ctx, task, q->worker, &e.lacks);
	if (q->count / 2 > q->waiting)
		clean(r, q);
	VEC_PUSH(q->heap, q->count, q->cap);
	entry_up(q->heap, q->count - 1, &e, NULL);
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
	struct queued *x = &r->tasks[task];

	r->queues[queue].waiting++;
	x->place = place;
	x->waits = 1;
	x->queue = (uint32_t)queue;
	x->node = (uint32_t)r->queues[queue].node;
	make_stale(r, task);
	for (uint32_t i = t->first_access; r->first && i < t->first_access + t->naccesses; i++) {
		uint32_t *first = &r->first[r->world->dag->accesses[i].handle];

		if (r->links[i].next == UNLINKED) {
			r->links[i].next = *first;
			*first = i;
		}
	}
}

void ready_expect(const struct ready *r, uint32_t task)
{
	uint32_t access = r->world->dag->tasks[task].first_access;

	__builtin_prefetch(&r->tasks[task], 1);
	__builtin_prefetch(&r->world->dag->accesses[access]);
	if (r->links)
		__builtin_prefetch(&r->links[access], 1);
}

void ready_put(struct ready *r, int queue, uint32_t task)
{
	put(r, queue, task, ++r->queues[queue].back);
}

void ready_put_front(struct ready *r, int queue, uint32_t task)
{
	put(r, queue, task, --r->queues[queue].front);
}

/* What the next one will need, unless another comes first: of a large graph it is in no cache. */
static void look_ahead(const struct ready *r, const struct queue *q)
{
	uint32_t next = q->count ? q->heap[0].task : 0;

	__builtin_prefetch(&r->tasks[next], 1);
	__builtin_prefetch(&r->world->dag->tasks[next]);
}

/* The data of that one, which whoever takes it will look at. */
static void look_at_data(const struct ready *r, const struct queue *q)
{
	const struct dag *d = r->world->dag;

	if (q->count)
		__builtin_prefetch(&d->accesses[d->tasks[q->heap[0].task].first_access]);
}

uint32_t ready_take(struct ready *r, int queue)
{
	struct queue *q = &r->queues[queue];
	struct entry first;

	if (!q->waiting)
		return POLICY_NO_TASK;
	look_at_data(r, q);
	while (q->nstale)
		find_entry(r, q, q->stale[--q->nstale]);
	do {
		first = q->heap[0];
		entry_drop(q->heap, --q->count, NULL);
	} while (!holds(r, &first));
	q->waiting--;
	look_ahead(r, q);
	r->tasks[first.task].waits = 0;
	r->tasks[first.task].version++;
	return first.task;
}

/* Accesses of tasks that do not wait any more leave the list here, where they are met, and not one by one before. */
void ready_moved(struct ready *r, uint32_t handle, uint64_t nodes)
{
	uint32_t *at = r->first ? &r->first[handle] : NULL;

	while (at && *at != NONE) {
		struct link *link = &r->links[*at];
		const struct queued *t = &r->tasks[link->task];

		if (!t->waits) {
			*at = link->next;
			link->next = UNLINKED;
			continue;
		}
		if (!t->stale && nodes >> t->node & 1)
			make_stale(r, link->task);
		at = &link->next;
	}
}
