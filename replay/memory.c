/* replay/memory.c - where the data of a simulated execution is, and how it gets to where a task needs it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A copy under way is an `arrival`; those of one handle are a list, at most one a node. Who waits
 * for it is a list too: workers, and arrivals that go on from there. Both live in arrays with a
 * free list, so that nothing is allocated per task.
 */
#include "replay/memory.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/machine.h"
#include "core/trace.h"
#include "replay/transfer.h"

#define NONE UINT32_MAX

struct arrival {
	uint32_t handle;
	int32_t node;
	uint32_t next;    /* of the handle, or free */
	uint32_t waiters;
	int stale;        /* somebody has written the data meanwhile */
};

struct waiter {
	uint32_t next;    /* of the arrival, or free */
	int32_t worker;   /* -1: an arrival */
	uint32_t arrival;
};

struct handle {
	uint64_t valid;     /* nodes with a valid copy */
	uint64_t allocated; /* nodes where it has memory */
	uint32_t arrivals;
};

struct memory {
	const struct dag *d;
	const struct machine *m;
	struct network *network;
	struct handle *handles;
	int64_t *driver_ns;    /* per node: when the thread that drives it is free */
	int *missing;          /* per worker: copies it waits for */
	int *served, nserved;  /* workers whose last copy has arrived, not yet told; a ring would never be longer */
	int told;
	struct arrival *arrivals;
	size_t narrivals, cap_arrivals;
	uint32_t free_arrival;
	struct waiter *waiters;
	size_t nwaiters, cap_waiters;
	uint32_t free_waiter;
	int64_t bytes_moved;
};

struct memory *memory_create(const struct dag *d, const struct machine *m, struct network *network)
{
	struct memory *mem = ht_alloc(1, sizeof(*mem));

	mem->d = d;
	mem->m = m;
	mem->network = network;
	mem->free_arrival = mem->free_waiter = NONE;
	mem->handles = ht_alloc(d->nhandles, sizeof(*mem->handles));
	mem->driver_ns = ht_alloc((size_t)m->nnodes, sizeof(*mem->driver_ns));
	mem->missing = ht_alloc((size_t)m->nworkers, sizeof(*mem->missing));
	mem->served = ht_alloc((size_t)m->nworkers, sizeof(*mem->served));
	for (uint32_t i = 0; i < d->nhandles; i++) {
		int home = d->handle_home[i];

		/* The nodes of another machine than the recorded one: what it lacks is in its main memory. */
		if (home >= 0)
			mem->handles[i].valid = UINT64_C(1) << (home < m->nnodes ? home : 0);
		mem->handles[i].allocated = mem->handles[i].valid;
		mem->handles[i].arrivals = NONE;
	}
	return mem;
}

void memory_free(struct memory *mem)
{
	if (!mem)
		return;
	free(mem->handles);
	free(mem->driver_ns);
	free(mem->missing);
	free(mem->served);
	free(mem->arrivals);
	free(mem->waiters);
	free(mem);
}

int64_t memory_bytes_moved(const struct memory *mem)
{
	return mem->bytes_moved;
}

struct memory_where memory_where(const struct memory *mem, uint32_t handle)
{
	const struct handle *h = &mem->handles[handle];
	struct memory_where w = { .valid = h->valid, .allocated = h->allocated };

	for (uint32_t a = h->arrivals; a != NONE; a = mem->arrivals[a].next) {
		if (!mem->arrivals[a].stale)
			w.coming |= UINT64_C(1) << mem->arrivals[a].node;
	}
	return w;
}

/* Local to the worker until the reduction, which is a task of its own. */
static int is_local(const struct dag_access *x)
{
	return (x->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX)) != 0;
}

static int is_device(const struct memory *mem, int node)
{
	return mem->m->nodes[node].arch != ARCH_CPU;
}

/* The thread that drives the device has `ns` more to do: when that is done. */
static int64_t drive(struct memory *mem, int node, int64_t now, int64_t ns)
{
	int64_t *at = &mem->driver_ns[node];

	if (*at < now)
		*at = now;
	*at = ns > INT64_MAX - *at ? INT64_MAX : *at + ns;
	return *at;
}

int64_t memory_launch(struct memory *mem, int worker, int64_t now)
{
	int node = mem->m->workers[worker].node;

	return is_device(mem, node) ? drive(mem, node, now, MEMORY_QUEUE_NS) : now;
}

static void allocate(struct memory *mem, uint32_t handle, int node, int64_t now)
{
	uint64_t bit = UINT64_C(1) << node;

	if (mem->handles[handle].allocated & bit)
		return;
	mem->handles[handle].allocated |= bit;
	if (mem->network && is_device(mem, node))
		drive(mem, node, now, MEMORY_ALLOCATE_NS);
}

static uint32_t find_arrival(const struct memory *mem, uint32_t handle, int node)
{
	uint32_t a = mem->handles[handle].arrivals;

	while (a != NONE && (mem->arrivals[a].node != node || mem->arrivals[a].stale))
		a = mem->arrivals[a].next;
	return a;
}

static uint32_t new_arrival(struct memory *mem, uint32_t handle, int node)
{
	struct handle *h = &mem->handles[handle];
	uint32_t a = mem->free_arrival;

	if (a == NONE) {
		a = (uint32_t)mem->narrivals;
		VEC_PUSH(mem->arrivals, mem->narrivals, mem->cap_arrivals);
	} else {
		mem->free_arrival = mem->arrivals[a].next;
	}
	mem->arrivals[a] = (struct arrival){ .handle = handle, .node = node, .next = h->arrivals, .waiters = NONE };
	h->arrivals = a;
	return a;
}

static void wait_for(struct memory *mem, uint32_t arrival, int worker, uint32_t onward)
{
	uint32_t w = mem->free_waiter;

	if (w == NONE) {
		w = (uint32_t)mem->nwaiters;
		VEC_PUSH(mem->waiters, mem->nwaiters, mem->cap_waiters);
	} else {
		mem->free_waiter = mem->waiters[w].next;
	}
	mem->waiters[w] = (struct waiter){ .next = mem->arrivals[arrival].waiters, .worker = worker,
	                                   .arrival = onward };
	mem->arrivals[arrival].waiters = w;
}

/* The nearest node with a valid copy and a direct link; -1: there is none. */
static int nearest(const struct memory *mem, uint32_t handle, int node)
{
	double best = INFINITY;
	int from = -1;

	for (uint64_t bits = mem->handles[handle].valid; bits; bits &= bits - 1) {
		int at = __builtin_ctzll(bits), link = network_link(mem->network, at, node);
		double s = link >= 0 ? network_seconds(mem->network, link, mem->d->handle_bytes[handle]) : INFINITY;

		if (s < best) {
			best = s;
			from = at;
		}
	}
	return from;
}

static void send(struct memory *mem, uint32_t arrival, int from, int64_t now)
{
	uint32_t handle = mem->arrivals[arrival].handle;
	int to = mem->arrivals[arrival].node, driver = is_device(mem, to) ? to : from;
	int64_t ready = is_device(mem, driver) ? drive(mem, driver, now, MEMORY_QUEUE_NS) : now;

	mem->bytes_moved += (int64_t)mem->d->handle_bytes[handle];
	network_send(mem->network, network_link(mem->network, from, to), mem->d->handle_bytes[handle], now, ready,
	             arrival);
}

/* The arrival of a copy that `node` lacks; NONE: it is there by now, for no link leads there. */
static uint32_t request(struct memory *mem, uint32_t handle, int node, int64_t now)
{
	uint32_t a = find_arrival(mem, handle, node);
	int from;

	if (a != NONE)
		return a;
	allocate(mem, handle, node, now);
	from = nearest(mem, handle, node);
	if (from < 0 && node != 0 && network_link(mem->network, 0, node) >= 0 && !(mem->handles[handle].valid & 1)) {
		uint32_t via = request(mem, handle, 0, now);

		if (via != NONE) {
			a = new_arrival(mem, handle, node);
			wait_for(mem, via, -1, a);
			return a;
		}
		from = 0;
	}
	if (from < 0) {
		mem->bytes_moved += (int64_t)mem->d->handle_bytes[handle];
		mem->handles[handle].valid |= UINT64_C(1) << node;
		return NONE;
	}
	a = new_arrival(mem, handle, node);
	send(mem, a, from, now);
	return a;
}

/* What the task reads and its node lacks: how many copies `worker` has to wait for; -1: nobody waits. */
static int ask_for_inputs(struct memory *mem, uint32_t task, int node, int worker, int64_t now)
{
	const struct dag_task *t = &mem->d->tasks[task];
	int missing = 0;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct dag_access *x = &mem->d->accesses[i];
		struct handle *h = &mem->handles[x->handle];
		uint32_t a;

		if (is_local(x))
			continue;
		if (!(x->mode & ACCESS_R) || !h->valid) {
			/* Nobody has written what it reads: it makes do with what it finds. */
			allocate(mem, x->handle, node, now);
			if (x->mode & ACCESS_R && worker >= 0)
				h->valid = UINT64_C(1) << node;
			continue;
		}
		if (h->valid >> node & 1)
			continue;
		if (!mem->network) {
			mem->bytes_moved += (int64_t)mem->d->handle_bytes[x->handle];
			h->valid |= UINT64_C(1) << node;
			continue;
		}
		a = request(mem, x->handle, node, now);
		if (a == NONE || worker < 0)
			continue;
		wait_for(mem, a, worker, NONE);
		missing++;
	}
	return missing;
}

int memory_fetch(struct memory *mem, uint32_t task, int worker, int64_t now)
{
	mem->missing[worker] = ask_for_inputs(mem, task, mem->m->workers[worker].node, worker, now);
	return mem->missing[worker];
}

void memory_prefetch(struct memory *mem, uint32_t task, int worker, int64_t now)
{
	if (mem->network)
		ask_for_inputs(mem, task, mem->m->workers[worker].node, -1, now);
}

void memory_write(struct memory *mem, uint32_t task, int worker)
{
	const struct dag_task *t = &mem->d->tasks[task];
	uint64_t bit = UINT64_C(1) << mem->m->workers[worker].node;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct dag_access *x = &mem->d->accesses[i];
		struct handle *h = &mem->handles[x->handle];

		if (is_local(x) || !(x->mode & ACCESS_W))
			continue;
		h->valid = bit;
		for (uint32_t a = h->arrivals; a != NONE; a = mem->arrivals[a].next)
			mem->arrivals[a].stale = 1;
	}
}

static void unlink_arrival(struct memory *mem, uint32_t arrival)
{
	uint32_t *p = &mem->handles[mem->arrivals[arrival].handle].arrivals;

	while (*p != arrival)
		p = &mem->arrivals[*p].next;
	*p = mem->arrivals[arrival].next;
}

static void arrive(struct memory *mem, uint32_t arrival, int64_t now)
{
	struct arrival a = mem->arrivals[arrival];

	unlink_arrival(mem, arrival);
	if (!a.stale)
		mem->handles[a.handle].valid |= UINT64_C(1) << a.node;
	for (uint32_t w = a.waiters, next; w != NONE; w = next) {
		struct waiter waiter = mem->waiters[w];

		next = waiter.next;
		mem->waiters[w].next = mem->free_waiter;
		mem->free_waiter = w;
		if (waiter.worker < 0)
			send(mem, waiter.arrival, a.node, now);
		else if (--mem->missing[waiter.worker] == 0)
			mem->served[mem->nserved++] = waiter.worker;
	}
	mem->arrivals[arrival].next = mem->free_arrival;
	mem->free_arrival = arrival;
}

void memory_advance(struct memory *mem, int64_t now)
{
	uint32_t arrival;

	mem->nserved = mem->told = 0;
	if (!mem->network)
		return;
	network_advance(mem->network, now);
	while (network_arrived(mem->network, &arrival))
		arrive(mem, arrival, now);
}

int64_t memory_next_ns(const struct memory *mem)
{
	return mem->network ? network_next_ns(mem->network) : INT64_MAX;
}

int memory_next_served(struct memory *mem)
{
	return mem->told < mem->nserved ? mem->served[mem->told++] : -1;
}
