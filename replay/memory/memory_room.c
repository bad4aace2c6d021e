/* replay/memory/memory_room.c - what fits into the memory of a device, and what leaves it for something else. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places that may leave stand in four heaps, oldest first. A place that changes leaves its old entry behind, which is
 * known by its stamp, so each change costs the logarithm of what is in the memory.
 */
#include "replay/memory/memory_room.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/memory/memory_parts.h"

/* Percent of the places: STARPU_MINIMUM_CLEAN_BUFFERS and STARPU_TARGET_CLEAN_BUFFERS. */
enum { CLEAN_MINIMUM = 5, CLEAN_TARGET = 10 };

struct place_entry {
	uint64_t asked;
	uint32_t handle, stamp;
};

/* NULL: everything fits. */
static struct room *room_of(const struct memory *mem, int node)
{
	return mem->rooms && mem->rooms[node].places ? &mem->rooms[node] : NULL;
}

/* Small data is cut out of chunks of 32 MiB in grains of 16 KiB: each takes its part of a chunk. */
static uint64_t in_chunks(uint64_t bytes)
{
	uint64_t granularities = (bytes + CHUNK_GRAIN - 1) / CHUNK_GRAIN;

	if (bytes > CHUNK_BYTES / 8 || !bytes)
		return bytes;
	return CHUNK_BYTES / (CHUNK_BYTES / CHUNK_GRAIN / granularities);
}

static uint64_t takes(const struct memory *mem, const struct room *r, uint32_t handle)
{
	return r->exact ? mem->d->handle_bytes[handle] : mem->in_chunks[handle];
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Data of a task that stands there twice counts twice: where that matters bytes are exact, or tasks one by one. */
static uint64_t task_takes(const struct memory *mem, const struct room *r, uint32_t task)
{
	const struct dag_task *t = &mem->d->tasks[task];
	uint64_t bytes = 0;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++)
		bytes = add(bytes, takes(mem, r, mem->d->accesses[i].handle));
	return bytes;
}

/* In chunks, what tasks access: a whole that they access by parts is in nobody's way. */
static uint64_t find_all(const struct memory *mem, int *large)
{
	const struct dag *d = mem->d;
	unsigned char *seen = ht_alloc(d->nhandles, sizeof(*seen));
	uint64_t all = 0;

	for (uint32_t i = 0; i < d->naccesses; i++)
		seen[d->accesses[i].handle] = 1;
	for (uint32_t i = 0; i < d->nhandles; i++) {
		if (!seen[i])
			continue;
		all = add(all, mem->in_chunks[i]);
		*large |= d->handle_bytes[i] > CHUNK_BYTES / 8;
	}
	free(seen);
	return all;
}

/* Whole chunks, as far as the largest task fits into them. */
static void open_room(const struct memory *mem, struct room *r, uint64_t capacity, int large)
{
	r->limit = large ? capacity : capacity / CHUNK_BYTES * CHUNK_BYTES;
	for (uint32_t t = 0; t < mem->d->ntasks && !r->exact; t++)
		r->exact = task_takes(mem, r, t) > r->limit;
	if (r->exact)
		r->limit = capacity;
	r->places = ht_alloc(mem->d->nhandles, sizeof(*r->places));
}

void rooms_create(struct memory *mem)
{
	const struct machine *m = mem->m;
	int limited = 0, large = 0;
	uint64_t all;

	if (!mem->network)
		return;
	mem->in_chunks = ht_alloc(mem->d->nhandles, sizeof(*mem->in_chunks));
	for (uint32_t i = 0; i < mem->d->nhandles; i++)
		mem->in_chunks[i] = in_chunks(mem->d->handle_bytes[i]);
	all = find_all(mem, &large);
	mem->rooms = ht_alloc((size_t)m->nnodes, sizeof(*mem->rooms));
	for (int i = 0; i < m->nnodes; i++) {
		mem->rooms[i].writing = MEMORY_NONE;
		if (m->nodes[i].arch != ARCH_CPU && m->nodes[i].capacity_bytes > 0 &&
		    (uint64_t)m->nodes[i].capacity_bytes < all)
			open_room(mem, &mem->rooms[i], (uint64_t)m->nodes[i].capacity_bytes, large);
		limited |= mem->rooms[i].places != NULL;
	}
	if (!limited) {
		rooms_free(mem);
		mem->rooms = NULL;
		mem->in_chunks = NULL;
		return;
	}
	mem->asked = ht_alloc((size_t)m->nworkers, sizeof(*mem->asked));
	mem->prefetched = ht_alloc(mem->d->ntasks / 64 + 1, sizeof(*mem->prefetched));
}

void rooms_free(struct memory *mem)
{
	for (int i = 0; mem->rooms && i < mem->m->nnodes; i++) {
		struct room *r = &mem->rooms[i];

		for (int k = 0; k < 4; k++)
			free(r->leaving[k / 2][k % 2].items);
		free(r->written.items);
		free(r->places);
	}
	free(mem->rooms);
	free(mem->in_chunks);
	free(mem->asked);
	free(mem->prefetched);
}

static int counts(const struct room *r, const struct place_entry *e)
{
	return r->places[e->handle].stamp == e->stamp;
}

static int before(const struct place_entry *a, const struct place_entry *b)
{
	return a->asked < b->asked;
}

static void sink(struct place_queue *q, size_t i, struct place_entry e)
{
	for (size_t child; (child = 2 * i + 1) < q->count; i = child) {
		if (child + 1 < q->count && before(&q->items[child + 1], &q->items[child]))
			child++;
		if (!before(&q->items[child], &e))
			break;
		q->items[i] = q->items[child];
	}
	q->items[i] = e;
}

static void drop_first(struct place_queue *q)
{
	struct place_entry last = q->items[--q->count];

	if (q->count)
		sink(q, 0, last);
}

/* Old entries are dropped when they are most of the queue. */
static void compact(const struct room *r, struct place_queue *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->count; i++) {
		if (counts(r, &q->items[i]))
			q->items[kept++] = q->items[i];
	}
	q->count = kept;
	for (size_t i = kept / 2; i-- > 0;)
		sink(q, i, q->items[i]);
}

static void put(const struct room *r, struct place_queue *q, struct place_entry e)
{
	size_t i;

	if (q->count > 2 * (size_t)r->count + 64)
		compact(r, q);
	i = q->count;
	VEC_PUSH(q->items, q->count, q->cap);
	for (; i && before(&e, &q->items[(i - 1) / 2]); i = (i - 1) / 2)
		q->items[i] = q->items[(i - 1) / 2];
	q->items[i] = e;
}

/* The oldest; NULL: the queue is empty. */
static const struct place_entry *first(const struct room *r, struct place_queue *q)
{
	while (q->count && !counts(r, &q->items[0]))
		drop_first(q);
	return q->count ? &q->items[0] : NULL;
}

enum { FILED = 1, FILED_RESERVED = 2, FILED_ONLY_COPY = 4, FILED_WRITTEN = 8 };

/* Its entries are old from now on. */
static void unfile(struct place *p)
{
	p->stamp++;
	p->filed = 0;
}

/* Where it belongs now: it may leave, or not. */
static void file(struct memory *mem, struct room *r, uint32_t handle, int node)
{
	struct place *p = &r->places[handle];
	const struct handle *h = &mem->handles[handle];
	int only = h->valid == UINT64_C(1) << node, filed;
	struct place_entry e;

	if (p->users || !(h->allocated >> node & 1)) {
		unfile(p);
		return;
	}
	filed = FILED | (p->reserved ? FILED_RESERVED : 0) | (only ? FILED_ONLY_COPY : 0) |
	        (p->written ? FILED_WRITTEN : 0);
	if (p->filed == filed)
		return;
	e = (struct place_entry){.asked = p->asked, .handle = handle, .stamp = ++p->stamp};
	p->filed = (uint8_t)filed;
	put(r, &r->leaving[p->reserved > 0][only], e);
	if (p->written)
		put(r, &r->written, e);
}

void room_changed(struct memory *mem, uint32_t handle)
{
	for (int i = 0; mem->rooms && i < mem->m->nnodes; i++) {
		struct room *r = room_of(mem, i);

		if (r && mem->handles[handle].allocated >> i & 1 && !r->places[handle].users)
			file(mem, r, handle, i);
	}
}

void room_asked_for(struct memory *mem, uint32_t handle, int node, enum room_claim claim)
{
	struct room *r = room_of(mem, node);
	struct place *p;

	if (!r)
		return;
	p = &r->places[handle];
	p->asked = ++mem->asks;
	p->users += claim == ROOM_HOLD;
	p->reserved += claim == ROOM_RESERVE;
	p->filed = 0;
	file(mem, r, handle, node);
}

void room_hold(struct memory *mem, uint32_t handle, int node)
{
	struct room *r = room_of(mem, node);

	if (!r)
		return;
	r->places[handle].users++;
	unfile(&r->places[handle]);
}

void room_release(struct memory *mem, uint32_t handle, int node)
{
	struct room *r = room_of(mem, node);

	if (!r || --r->places[handle].users)
		return;
	file(mem, r, handle, node);
	if (requests_refused(mem->requests, node))
		mem->news.drivers |= UINT64_C(1) << node;
}

void room_unreserve(struct memory *mem, uint32_t handle, int node)
{
	struct room *r = room_of(mem, node);

	if (r && r->places[handle].reserved && !--r->places[handle].reserved)
		file(mem, r, handle, node);
}

static void set_written(struct room *r, uint32_t handle, int written)
{
	struct place *p = &r->places[handle];

	r->nwritten += (uint32_t)written - (uint32_t)p->written;
	p->written = (uint8_t)written;
}

void room_write(struct memory *mem, uint32_t handle, int node)
{
	struct room *r = room_of(mem, node);

	if (r)
		set_written(r, handle, 1);
}

void room_take(struct memory *mem, uint32_t handle, int node)
{
	struct room *r = room_of(mem, node);
	struct memory_use *use = &mem->use[node];

	use->bytes += mem->d->handle_bytes[handle];
	use->peak_bytes = use->bytes > use->peak_bytes ? use->bytes : use->peak_bytes;
	if (!r)
		return;
	r->taken += takes(mem, r, handle);
	r->count++;
	r->places[handle].written = 0;
	room_asked_for(mem, handle, node, ROOM_NONE);
}

static void evict(struct memory *mem, struct room *r, uint32_t handle, int node)
{
	struct handle *h = &mem->handles[handle];
	uint64_t bytes = mem->d->handle_bytes[handle];

	set_written(r, handle, 0);
	h->valid &= ~(UINT64_C(1) << node);
	h->allocated &= ~(UINT64_C(1) << node);
	memory_tell_moved(mem, handle, UINT64_C(1) << node);
	unfile(&r->places[handle]);
	r->taken -= takes(mem, r, handle);
	r->count--;
	mem->use[node].bytes -= bytes;
	mem->use[node].evictions++;
	memory_give_back(mem, handle, node);
	room_changed(mem, handle);
}

/* The oldest that may leave; ONLY_COPY: even if it has to be written back. NULL: there is none. */
static const struct place_entry *oldest(struct room *r, int reserved, int owned)
{
	const struct place_entry *best = NULL;

	for (int i = 0; i <= reserved; i++) {
		for (int k = 0; k <= owned; k++) {
			const struct place_entry *e = first(r, &r->leaving[i][k]);

			if (e && (!best || before(e, best)))
				best = e;
		}
	}
	return best;
}

/* Until enough has left, or one has to be written back first. */
static void reclaim(struct memory *mem, struct room *r, int node)
{
	while (r->reclaim) {
		const struct place_entry *e = oldest(r, r->reclaim_reserved, ONLY_COPY);
		struct memory_asked how = {.urgency = REQUEST_FETCH};
		uint32_t handle = e ? e->handle : MEMORY_NONE;
		uint64_t bytes;

		if (!e) {
			r->reclaim = 0;
			return;
		}
		if (mem->handles[handle].valid == UINT64_C(1) << node) {
			r->writing = handle;
			mem->use[node].written_back += mem->d->handle_bytes[handle];
			if (memory_request(mem, handle, 0, &how) != MEMORY_NONE)
				return;
			r->writing = MEMORY_NONE; /* no link leads there */
		}
		bytes = takes(mem, r, handle);
		evict(mem, r, handle, node);
		r->reclaim -= bytes < r->reclaim ? bytes : r->reclaim;
	}
}

void room_written_back(struct memory *mem, uint32_t handle)
{
	for (int i = 0; mem->rooms && i < mem->m->nnodes; i++) {
		struct room *r = room_of(mem, i);

		if (!r || r->writing != handle)
			continue;
		r->writing = MEMORY_NONE;
		mem->news.drivers |= UINT64_C(1) << i;
		if (!r->places[handle].users && mem->handles[handle].allocated >> i & 1 &&
		    mem->handles[handle].valid != UINT64_C(1) << i) {
			uint64_t bytes = takes(mem, r, handle);

			evict(mem, r, handle, i);
			r->reclaim -= bytes < r->reclaim ? bytes : r->reclaim;
		}
		reclaim(mem, r, i);
	}
}

int memory_blocked(const struct memory *mem, int node)
{
	return mem->rooms && mem->rooms[node].writing != MEMORY_NONE;
}

int room_make(struct memory *mem, uint32_t handle, int node, enum request_urgency urgency)
{
	struct room *r = room_of(mem, node);
	int reserved = urgency == REQUEST_FETCH;
	const struct place_entry *e;
	uint64_t bytes;

	if (!r)
		return 1;
	bytes = takes(mem, r, handle);
	if (r->taken <= r->limit && bytes <= r->limit - r->taken)
		return 1;
	if (r->writing != MEMORY_NONE || urgency == REQUEST_IDLE)
		return 0;
	e = oldest(r, reserved, OTHERS_HAVE_IT);
	if (e && takes(mem, r, e->handle) == bytes) {
		evict(mem, r, e->handle, node);
		mem->drivers[node].reused = 1;
	} else {
		r->reclaim = add(bytes, bytes);
		r->reclaim_reserved = reserved;
		reclaim(mem, r, node);
	}
	return r->writing == MEMORY_NONE && r->taken <= r->limit && bytes <= r->limit - r->taken;
}

void room_tidy(struct memory *mem, int node)
{
	struct room *r = room_of(mem, node);
	const struct place_entry *e;

	if (!r || r->count - r->nwritten >= (uint64_t)r->count * CLEAN_MINIMUM / 100)
		return;
	while (r->count - r->nwritten < (uint64_t)r->count * CLEAN_TARGET / 100 && (e = first(r, &r->written))) {
		struct memory_asked how = {.urgency = REQUEST_IDLE};
		uint32_t handle = e->handle;
		int home = mem->d->handle_home[handle];

		if (home < 0 || home >= mem->m->nnodes || mem->m->nodes[home].arch != ARCH_CPU)
			home = 0;
		drop_first(&r->written);
		set_written(r, handle, 0);
		r->places[handle].filed &= (uint8_t)~FILED_WRITTEN;
		if (mem->handles[handle].valid == UINT64_C(1) << node)
			memory_request(mem, handle, home, &how);
	}
}

int room_admit(struct memory *mem, uint32_t task, int worker, int32_t priority)
{
	struct room *r = room_of(mem, mem->m->workers[worker].node);
	struct room_asked *a;

	if (!r)
		return 1;
	a = &mem->asked[worker];
	*a = (struct room_asked){.bytes = task_takes(mem, r, task), .task = task, .priority = priority};
	if (!r->fetchers || add(r->fetching, a->bytes) <= r->limit)
		return 1;
	a->state = ROOM_DEFERRED;
	return 0;
}

void room_fetches(struct memory *mem, int worker)
{
	struct room *r = room_of(mem, mem->m->workers[worker].node);

	if (!r)
		return;
	mem->asked[worker].state = ROOM_FETCHES;
	r->fetchers++;
	r->fetching = add(r->fetching, mem->asked[worker].bytes);
}

int room_fetched(struct memory *mem, int worker)
{
	int node = mem->m->workers[worker].node;
	struct room *r = room_of(mem, node);

	if (!r || mem->asked[worker].state != ROOM_FETCHES)
		return -1;
	mem->asked[worker].state = ROOM_IDLE;
	r->fetchers--;
	r->fetching = r->fetchers ? r->fetching - mem->asked[worker].bytes : 0;
	for (int w = 0; w < mem->m->nworkers; w++) {
		if (mem->m->workers[w].node == node && mem->asked[w].state == ROOM_DEFERRED &&
		    (!r->fetchers || add(r->fetching, mem->asked[w].bytes) <= r->limit))
			return w;
	}
	return -1;
}
