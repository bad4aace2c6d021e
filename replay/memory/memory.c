/* replay/memory/memory.c - what the tasks of a simulated execution need of its memory nodes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layers of replay/memory, from low to high; each includes only lower ones:
 *
 *   capacity.h     what a device holds, and what to evict      max_min.h   how copies share the bus
 *   residency.h    where data is valid and has memory          network.h   how long transfers take
 *   allocations.h  main memory that threads allocate           requests.h  in which order a driver begins copies
 *                                                              pending.h   requested copies, and what waits for them
 *   transfers.h    copies from request to end, evictions (transfers_parts.h: its files)
 *   memory.h       what tasks need
 */
#include "replay/memory/memory.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/memory/transfers.h"

/* The task whose data a worker fetches; deferred: the data of other tasks comes first (capacity_admits()). */
struct fetch {
	uint64_t bytes;
	uint32_t task;
	int32_t priority;
	enum { FETCH_NONE, FETCH_ADMITTED, FETCH_DEFERRED } state;
};

struct memory {
	const struct dag *d;
	const struct machine *m;
	struct residency *residency;
	struct transfers *transfers; /* NULL: copies take no time */
	struct fetch *fetches;       /* per worker */
	uint64_t *prefetched;        /* a bit a task */
	uint32_t *next_invalidated;  /* per datum: into dag.invalidated; NULL: none is */
	uint32_t *accesses_left;     /* per datum: until then, 0: it is never invalidated again */
	int64_t bytes_moved;         /* without transfers */
};

static uint64_t bit(int node)
{
	return UINT64_C(1) << node;
}

static struct capacity *capacity_of(const struct memory *mem, int node)
{
	return residency_capacity(mem->residency, node);
}

/* Local to the worker until the reduction, which is a task of its own. */
static int is_local(const struct data_access *x)
{
	return (x->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX)) != 0;
}

/* worker >= 0: it has taken the task, whose data is pinned; -1: a prefetch, which only reserves what is read. */
static void claim(struct memory *mem, const struct data_access *x, int node, int worker)
{
	struct capacity *c = capacity_of(mem, node);

	if (c && worker >= 0)
		capacity_use(c, x->handle, CAPACITY_PIN);
	else if (c)
		capacity_use(c, x->handle, x->mode & ACCESS_R ? CAPACITY_RESERVE : CAPACITY_USE);
}

/* Without transfers. */
static void copy_at_once(struct memory *mem, const struct data_access *x, int node)
{
	struct residency_where w = memory_where(mem, x->handle);

	if (is_local(x) || !(x->mode & ACCESS_R) || !w.valid) {
		if (!(w.allocated & bit(node)))
			residency_allocate(mem->residency, x->handle, node);
	} else if (!(w.valid & bit(node))) {
		mem->bytes_moved += (int64_t)mem->d->handle_bytes[x->handle];
		residency_set(mem->residency, x->handle, w.valid | bit(node), w.pending);
	}
}

/* The pending copy of what the access lacks at `node`; TRANSFERS_NONE: nothing. */
static uint32_t request_access(struct memory *mem, const struct data_access *x, int node,
                               const struct transfers_demand *demand)
{
	uint64_t valid = mem->residency->data[x->handle].valid;

	if (!mem->transfers) {
		copy_at_once(mem, x, node);
		return TRANSFERS_NONE;
	}
	if (is_local(x) || !(x->mode & ACCESS_R) || !valid)
		return transfers_request_memory(mem->transfers, x->handle, node, demand);
	if (!(valid & bit(node)))
		return transfers_request(mem->transfers, x->handle, node, demand);
	/* With the data the node has its memory, but not where the data came over no link. */
	if (mem->residency->capacity)
		return transfers_request_memory(mem->transfers, x->handle, node, demand);
	return TRANSFERS_NONE;
}

/* The only valid copy of the datum is that of the node. */
static void own(struct memory *mem, uint32_t datum, int node, uint64_t pending)
{
	residency_set(mem->residency, datum, bit(node), pending);
	if (capacity_of(mem, node))
		capacity_set_dirty(capacity_of(mem, node), datum);
}

/* Requests what the task lacks at `node`; `worker` as in claim(), which waits for it where it is not -1. */
static void request_inputs(struct memory *mem, uint32_t task, int node, int worker, int32_t priority)
{
	const struct dag_task *t = &mem->d->tasks[task];
	struct transfers_demand demand = {.urgency = worker < 0 ? REQUEST_PREFETCH : REQUEST_FETCH,
	                                  .priority = priority};

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct data_access *x = &mem->d->accesses[i];
		const struct residency_where *w = &mem->residency->data[x->handle];
		uint32_t copy;

		if (is_local(x) && worker < 0)
			continue;
		claim(mem, x, node, worker);
		/* Read before any write: the node's own memory counts as valid, as in StarPU. */
		if (worker >= 0 && !is_local(x) && x->mode & ACCESS_R && !w->valid)
			residency_set(mem->residency, x->handle, bit(node), w->pending);
		demand.alone = worker < 0 && x->mode & ACCESS_W;
		copy = request_access(mem, x, node, &demand);
		if (demand.alone && copy == TRANSFERS_NONE)
			own(mem, x->handle, node, w->pending);
		if (copy != TRANSFERS_NONE && worker >= 0)
			transfers_wait(mem->transfers, copy, worker);
		if (mem->transfers && worker >= 0 && !is_local(x) && x->mode & ACCESS_W)
			transfers_wait_others(mem->transfers, x->handle, copy, worker);
	}
}

/* `worker` fetches the data of its task, whose bytes count until it has all of it. */
static void fetch(struct memory *mem, int worker)
{
	struct fetch *f = &mem->fetches[worker];
	int node = mem->m->workers[worker].node;

	request_inputs(mem, f->task, node, worker, f->priority);
	f->state = FETCH_NONE;
	if (!capacity_of(mem, node) || !memory_missing(mem, worker))
		return;
	f->state = FETCH_ADMITTED;
	capacity_fetch_begin(capacity_of(mem, node), f->bytes);
}

/* A worker of `node` whose deferred fetch fits beside the others by now; -1: none. */
static int next_deferred(const struct memory *mem, int node)
{
	for (int w = 0; w < mem->m->nworkers; w++) {
		if (mem->m->workers[w].node == node && mem->fetches[w].state == FETCH_DEFERRED &&
		    capacity_admits(capacity_of(mem, node), mem->fetches[w].bytes))
			return w;
	}
	return -1;
}

/* `worker` has all its data: deferred fetches of its node go on, until one has to wait for copies. */
static void on_served(void *ctx, int worker)
{
	struct memory *mem = ctx;
	int node = mem->m->workers[worker].node;

	if (mem->fetches[worker].state != FETCH_ADMITTED)
		return;
	mem->fetches[worker].state = FETCH_NONE;
	capacity_fetch_end(capacity_of(mem, node), mem->fetches[worker].bytes);
	while ((worker = next_deferred(mem, node)) >= 0) {
		fetch(mem, worker);
		transfers_notify(mem->transfers, node);
		if (memory_missing(mem, worker))
			return;
	}
}

/* From now on so many accesses of the datum are left until it is invalidated again, if it is. */
static void expect_invalidation(struct memory *mem, uint32_t datum, uint32_t next)
{
	const struct dag *d = mem->d;
	int is_its = next < d->ninvalidated && d->invalidated[next].handle == datum;

	mem->next_invalidated[datum] = next;
	mem->accesses_left[datum] = is_its ? d->invalidated[next].accesses : 0;
}

static void expect_invalidations(struct memory *mem)
{
	const struct dag *d = mem->d;

	mem->next_invalidated = ht_alloc(d->nhandles, sizeof(*mem->next_invalidated));
	mem->accesses_left = ht_alloc(d->nhandles, sizeof(*mem->accesses_left));
	for (uint32_t i = 0; i < d->ninvalidated; i++)
		if (!i || d->invalidated[i].handle != d->invalidated[i - 1].handle)
			expect_invalidation(mem, d->invalidated[i].handle, i);
}

/* An access of the datum is over. */
static void end_access(struct memory *mem, uint32_t datum)
{
	if (!mem->accesses_left[datum] || --mem->accesses_left[datum])
		return;
	transfers_make_stale(mem->transfers, datum);
	residency_drop(mem->residency, datum);
	expect_invalidation(mem, datum, mem->next_invalidated[datum] + 1);
}

struct memory *memory_create(const struct dag *d, const struct machine *m, struct network *network,
                             const struct overheads_all *o)
{
	struct memory *mem = ht_alloc(1, sizeof(*mem));

	mem->d = d;
	mem->m = m;
	mem->residency = residency_create(d, m, network ? o : NULL);
	mem->transfers = network ? transfers_create(mem->residency, network, on_served, mem) : NULL;
	mem->fetches = ht_alloc((size_t)m->nworkers, sizeof(*mem->fetches));
	if (mem->residency->capacity)
		mem->prefetched = ht_alloc(d->ntasks / 64 + 1, sizeof(*mem->prefetched));
	if (mem->transfers && d->ninvalidated)
		expect_invalidations(mem);
	return mem;
}

void memory_free(struct memory *mem)
{
	if (!mem)
		return;
	transfers_free(mem->transfers);
	residency_free(mem->residency);
	free(mem->fetches);
	free(mem->prefetched);
	free(mem->next_invalidated);
	free(mem->accesses_left);
	free(mem);
}

struct transfers *memory_transfers(struct memory *mem)
{
	return mem->transfers;
}

int memory_fetch(struct memory *mem, uint32_t task, int worker, int32_t priority)
{
	struct capacity *c = capacity_of(mem, mem->m->workers[worker].node);
	struct fetch *f = &mem->fetches[worker];

	*f = (struct fetch){.task = task, .priority = priority};
	if (c) {
		f->bytes = residency_task_bytes(mem->residency, task, capacity_sizes(c));
		if (!capacity_admits(c, f->bytes)) {
			f->state = FETCH_DEFERRED;
			return 1;
		}
	}
	fetch(mem, worker);
	return memory_missing(mem, worker);
}

int memory_missing(const struct memory *mem, int worker)
{
	if (!mem->transfers)
		return 0;
	return mem->fetches[worker].state == FETCH_DEFERRED ? 1 : transfers_missing(mem->transfers, worker);
}

void memory_prefetch(struct memory *mem, uint32_t task, int worker, int32_t priority)
{
	if (!mem->transfers)
		return;
	if (mem->prefetched)
		mem->prefetched[task / 64] |= UINT64_C(1) << task % 64;
	request_inputs(mem, task, mem->m->workers[worker].node, -1, priority);
}

void memory_prefetch_data(struct memory *mem, uint32_t datum, int worker, int32_t priority)
{
	const struct transfers_demand demand = {.urgency = REQUEST_PREFETCH, .priority = priority};
	int node = mem->m->workers[worker].node;
	uint64_t valid = memory_where(mem, datum).valid;

	if (!mem->transfers || !valid || valid & bit(node))
		return;
	if (capacity_of(mem, node))
		capacity_use(capacity_of(mem, node), datum, CAPACITY_USE);
	transfers_request(mem->transfers, datum, node, &demand);
}

int memory_acquire(struct memory *mem, uint32_t datum)
{
	const struct transfers_demand demand = {.urgency = REQUEST_FETCH};
	int home = mem->d->handle_home[datum] < 0 ? 0 : mem->d->handle_home[datum];
	uint64_t valid = memory_where(mem, datum).valid;

	if (!mem->transfers || home >= mem->m->nnodes || !valid || valid & bit(home))
		return 1;
	return transfers_request(mem->transfers, datum, home, &demand) == TRANSFERS_NONE;
}

/* The task has started: what was reserved for it by its prefetch is pinned by it now. */
static void unreserve(struct memory *mem, uint32_t task, int node)
{
	const struct dag_task *t = &mem->d->tasks[task];
	struct capacity *c = capacity_of(mem, node);

	if (!c || !(mem->prefetched[task / 64] >> task % 64 & 1))
		return;
	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		if (!is_local(&mem->d->accesses[i]) && mem->d->accesses[i].mode & ACCESS_R)
			capacity_unreserve(c, mem->d->accesses[i].handle);
	}
}

void memory_write(struct memory *mem, uint32_t task, int worker)
{
	const struct dag_task *t = &mem->d->tasks[task];
	int node = mem->m->workers[worker].node;

	unreserve(mem, task, node);
	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct data_access *x = &mem->d->accesses[i];

		if (is_local(x) || !(x->mode & ACCESS_W))
			continue;
		if (mem->transfers)
			transfers_make_stale(mem->transfers, x->handle);
		own(mem, x->handle, node, 0);
	}
}

void memory_receive(struct memory *mem, uint32_t datum)
{
	if (mem->transfers)
		transfers_make_stale(mem->transfers, datum);
	if (!(memory_where(mem, datum).allocated & bit(0)))
		residency_allocate(mem->residency, datum, 0);
	residency_set(mem->residency, datum, bit(0), 0);
}

void memory_forget(struct memory *mem, uint32_t datum)
{
	if (memory_where(mem, datum).allocated & bit(0))
		residency_free_datum(mem->residency, datum, 0);
}

int memory_expect(struct memory *mem, uint32_t datum)
{
	const struct transfers_demand demand = {.urgency = REQUEST_FETCH};

	return !mem->transfers || transfers_request_memory(mem->transfers, datum, 0, &demand) == TRANSFERS_NONE;
}

uint32_t memory_allocations(const struct memory *mem)
{
	return mem->transfers ? transfers_allocations(mem->transfers) : 0;
}

int memory_bring_home(struct memory *mem, uint32_t datum, int32_t priority)
{
	const struct transfers_demand demand = {.urgency = REQUEST_FETCH, .priority = priority};
	uint64_t valid = memory_where(mem, datum).valid;

	if (!mem->transfers || !valid || valid & bit(0))
		return 1;
	return transfers_request(mem->transfers, datum, 0, &demand) == TRANSFERS_NONE;
}

void memory_finish(struct memory *mem, uint32_t task, int worker)
{
	const struct dag_task *t = &mem->d->tasks[task];
	int node = mem->m->workers[worker].node;

	for (uint32_t i = t->first_access; capacity_of(mem, node) && i < t->first_access + t->naccesses; i++)
		transfers_unpin(mem->transfers, mem->d->accesses[i].handle, node);
	for (uint32_t i = t->first_access; mem->accesses_left && i < t->first_access + t->naccesses; i++)
		end_access(mem, mem->d->accesses[i].handle);
}

uint32_t memory_next_wont_use(const struct memory *mem, uint32_t task, uint32_t *next)
{
	const struct dag_task *t = &mem->d->tasks[task];

	while (*next < t->naccesses) {
		const struct data_access *x = &mem->d->accesses[t->first_access + (*next)++];

		if (x->mode & ACCESS_WONT_USE)
			return x->handle;
	}
	return UINT32_MAX;
}

int64_t memory_bytes_moved(const struct memory *mem)
{
	return mem->transfers ? transfers_bytes_moved(mem->transfers) : mem->bytes_moved;
}

struct residency_where memory_where(const struct memory *mem, uint32_t datum)
{
	return mem->residency->data[datum];
}

void memory_watch(struct memory *mem, residency_moved *moved, void *ctx)
{
	residency_watch(mem->residency, moved, ctx);
}

const struct residency_use *memory_use(const struct memory *mem)
{
	return mem->residency->use;
}
