/* replay/memory/memory.c - where the data of a simulated execution is, and how it gets to where a task needs it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/memory.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/memory/memory_parts.h"
#include "replay/memory/network.h"

struct memory *memory_create(const struct dag *d, const struct machine *m, struct network *network,
                             const struct overheads_all *o)
{
	struct memory *mem = ht_alloc(1, sizeof(*mem));

	mem->d = d;
	mem->m = m;
	mem->network = network;
	mem->overheads = o;
	mem->free_arrival = mem->free_waiter = MEMORY_NONE;
	mem->handles = ht_alloc(d->nhandles, sizeof(*mem->handles));
	mem->requests = network ? requests_create(m->nnodes) : NULL;
	mem->drivers = ht_alloc((size_t)m->nnodes, sizeof(*mem->drivers));
	for (int i = 0; i < m->nnodes; i++)
		mem->drivers[i].landed[REQUEST_IN].first = mem->drivers[i].landed[REQUEST_OUT].first =
			mem->drivers[i].empty = MEMORY_NONE;
	mem->missing = ht_alloc((size_t)m->nworkers, sizeof(*mem->missing));
	mem->use = ht_alloc((size_t)m->nnodes, sizeof(*mem->use));
	rooms_create(mem);
	for (uint32_t i = 0; i < d->nhandles; i++) {
		int home = d->handle_home[i];

		mem->handles[i].arrivals = MEMORY_NONE;
		if (home < 0)
			continue;
		/* The nodes of another machine than the recorded one: what it lacks is in its main memory. */
		if (home >= m->nnodes || !room_make(mem, i, home, REQUEST_IDLE))
			home = 0;
		mem->handles[i].valid = mem->handles[i].allocated = UINT64_C(1) << home;
		room_take(mem, i, home);
	}
	return mem;
}

void memory_free(struct memory *mem)
{
	if (!mem)
		return;
	rooms_free(mem);
	free(mem->use);
	free(mem->handles);
	requests_free(mem->requests);
	free(mem->drivers);
	free(mem->missing);
	free(mem->arrivals);
	free(mem->copies);
	free(mem->waiters);
	free(mem);
}

const struct memory_use *memory_use(const struct memory *mem)
{
	return mem->use;
}

void memory_watch(struct memory *mem, memory_moved *moved, void *ctx)
{
	mem->moved = moved;
	mem->moved_ctx = ctx;
}

int64_t memory_bytes_moved(const struct memory *mem)
{
	return mem->bytes_moved;
}

struct memory_where memory_where(const struct memory *mem, uint32_t handle)
{
	const struct handle *h = &mem->handles[handle];

	return (struct memory_where){.valid = h->valid, .allocated = h->allocated, .pending = h->coming};
}

/* Local to the worker until the reduction, which is a task of its own. */
static int is_local(const struct dag_access *x)
{
	return (x->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX)) != 0;
}

/* For the task that `worker` has taken, -1: that it will have to. */
static void want_place(struct memory *mem, const struct dag_access *x, int node, int worker)
{
	room_asked_for(mem, x->handle, node, worker >= 0 ? ROOM_HOLD : x->mode & ACCESS_R ? ROOM_RESERVE : ROOM_NONE);
}

static void set_valid(struct memory *mem, uint32_t handle, uint64_t nodes)
{
	struct handle *h = &mem->handles[handle];
	uint64_t changed = h->valid ^ nodes;

	h->valid = nodes;
	memory_tell_moved(mem, handle, changed);
}

/* What the task reads and its node lacks: how many copies `worker` has to wait for; -1: nobody waits. */
static int ask_for_inputs(struct memory *mem, uint32_t task, int node, int worker, int32_t priority)
{
	const struct dag_task *t = &mem->d->tasks[task];
	struct memory_asked how = {.urgency = worker < 0 ? REQUEST_PREFETCH : REQUEST_FETCH, .priority = priority};
	int missing = 0;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct dag_access *x = &mem->d->accesses[i];
		struct handle *h = &mem->handles[x->handle];
		uint32_t a;

		if (is_local(x) && worker < 0)
			continue;
		if (mem->rooms)
			want_place(mem, x, node, worker);
		/* Nobody has written what it reads: it makes do with what it finds. */
		if (x->mode & ACCESS_R && !is_local(x) && !h->valid && worker >= 0)
			set_valid(mem, x->handle, UINT64_C(1) << node);
		if (is_local(x) || !(x->mode & ACCESS_R) || !h->valid) {
			a = memory_request_space(mem, x->handle, node, &how);
		} else if (h->valid >> node & 1) {
			if (!mem->rooms)
				continue;
			a = memory_request_space(mem, x->handle, node, &how);
		} else if (!mem->network) {
			mem->bytes_moved += (int64_t)mem->d->handle_bytes[x->handle];
			set_valid(mem, x->handle, h->valid | UINT64_C(1) << node);
			continue;
		} else {
			a = memory_request(mem, x->handle, node, &how);
		}
		if (a == MEMORY_NONE || worker < 0)
			continue;
		memory_wait(mem, a, worker);
		missing++;
	}
	return missing;
}

int memory_fetch(struct memory *mem, uint32_t task, int worker, int32_t priority)
{
	mem->missing[worker] = 1;
	if (mem->rooms && !room_admit(mem, task, worker, priority))
		return 1;
	mem->missing[worker] = ask_for_inputs(mem, task, mem->m->workers[worker].node, worker, priority);
	if (mem->rooms && mem->missing[worker])
		room_fetches(mem, worker);
	return mem->missing[worker];
}

void memory_fetched(struct memory *mem, int worker)
{
	while ((worker = room_fetched(mem, worker)) >= 0) {
		int node = mem->m->workers[worker].node;

		mem->missing[worker] = ask_for_inputs(mem, mem->asked[worker].task, node, worker,
		                                      mem->asked[worker].priority);
		mem->news.nodes |= UINT64_C(1) << node;
		room_fetches(mem, worker);
		if (mem->missing[worker])
			return;
	}
}

int memory_missing(const struct memory *mem, int worker)
{
	return mem->missing[worker];
}

void memory_prefetch(struct memory *mem, uint32_t task, int worker, int32_t priority)
{
	if (!mem->network)
		return;
	if (mem->rooms)
		mem->prefetched[task / 64] |= UINT64_C(1) << task % 64;
	ask_for_inputs(mem, task, mem->m->workers[worker].node, -1, priority);
}

/* It is taken by its task, which was what it was prefetched for. */
static void unreserve(struct memory *mem, uint32_t task, int node)
{
	const struct dag_task *t = &mem->d->tasks[task];

	if (!mem->rooms || !(mem->prefetched[task / 64] >> task % 64 & 1))
		return;
	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		if (!is_local(&mem->d->accesses[i]) && mem->d->accesses[i].mode & ACCESS_R)
			room_unreserve(mem, mem->d->accesses[i].handle, node);
	}
}

void memory_write(struct memory *mem, uint32_t task, int worker)
{
	const struct dag_task *t = &mem->d->tasks[task];
	int node = mem->m->workers[worker].node;

	unreserve(mem, task, node);
	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct dag_access *x = &mem->d->accesses[i];
		struct handle *h = &mem->handles[x->handle];
		uint64_t coming;

		if (is_local(x) || !(x->mode & ACCESS_W))
			continue;
		coming = h->coming;
		h->coming = 0;
		for (uint32_t a = h->arrivals; a != MEMORY_NONE; a = mem->arrivals[a].next)
			mem->arrivals[a].stale = 1;
		set_valid(mem, x->handle, UINT64_C(1) << node);
		memory_tell_moved(mem, x->handle, coming);
		if (mem->rooms) {
			room_write(mem, x->handle, node);
			room_changed(mem, x->handle);
		}
	}
}

void memory_finish(struct memory *mem, uint32_t task, int worker)
{
	const struct dag_task *t = &mem->d->tasks[task];

	for (uint32_t i = t->first_access; mem->rooms && i < t->first_access + t->naccesses; i++)
		room_release(mem, mem->d->accesses[i].handle, mem->m->workers[worker].node);
}

uint32_t memory_next_wont_use(const struct memory *mem, uint32_t task, uint32_t *next)
{
	const struct dag_task *t = &mem->d->tasks[task];

	while (*next < t->naccesses) {
		const struct dag_access *x = &mem->d->accesses[t->first_access + (*next)++];

		if (x->mode & ACCESS_WONT_USE)
			return x->handle;
	}
	return MEMORY_NONE;
}

void memory_write_back(struct memory *mem, uint32_t handle)
{
	int home = mem->d->handle_home[handle];
	struct memory_asked how = {.urgency = REQUEST_IDLE};

	if (mem->network && home >= 0 && home < mem->m->nnodes && !(mem->handles[handle].valid >> home & 1))
		memory_request(mem, handle, home, &how);
}

struct memory_notifications memory_take_notifications(struct memory *mem)
{
	struct memory_notifications news = mem->news;

	mem->news = (struct memory_notifications){0};
	return news;
}
