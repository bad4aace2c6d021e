/* replay/memory/memory_copy.c - copies between memory nodes: asked for, begun by a driver, landed, noticed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A copy that was asked for is an `arrival`, until it has landed and its driver has noticed; those of one handle are a
 * list, at most one a node. Who waits for it is a list too: workers, and arrivals that go on from there. Both live in
 * arrays with a free list, so that nothing is allocated per task.
 */
#include "replay/memory/memory_parts.h"

#include <math.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "replay/memory/network.h"

static uint32_t find_arrival(const struct memory *mem, uint32_t handle, int node)
{
	uint32_t a = mem->handles[handle].arrivals;

	if (!(mem->handles[handle].coming >> node & 1))
		return MEMORY_NONE;
	while (mem->arrivals[a].node != node || mem->arrivals[a].stale)
		a = mem->arrivals[a].next;
	return a;
}

static uint32_t new_arrival(struct memory *mem, uint32_t handle, int node, const struct memory_asked *how)
{
	struct handle *h = &mem->handles[handle];
	uint32_t a = mem->free_arrival;

	if (a == MEMORY_NONE) {
		a = (uint32_t)mem->narrivals;
		VEC_PUSH(mem->arrivals, mem->narrivals, mem->cap_arrivals);
	} else {
		mem->free_arrival = mem->arrivals[a].next;
	}
	mem->arrivals[a] = (struct arrival){.handle = handle,
	                                    .node = node,
	                                    .next = h->arrivals,
	                                    .landed = MEMORY_NONE,
	                                    .waiters = MEMORY_NONE,
	                                    .urgency = how->urgency,
	                                    .priority = how->priority};
	h->arrivals = a;
	h->coming |= UINT64_C(1) << node;
	memory_tell_moved(mem, handle, UINT64_C(1) << node);
	return a;
}

static void wait_for(struct memory *mem, uint32_t arrival, int worker, uint32_t onward)
{
	uint32_t w = mem->free_waiter;

	if (w == MEMORY_NONE) {
		w = (uint32_t)mem->nwaiters;
		VEC_PUSH(mem->waiters, mem->nwaiters, mem->cap_waiters);
	} else {
		mem->free_waiter = mem->waiters[w].next;
	}
	mem->waiters[w] = (struct waiter){.next = mem->arrivals[arrival].waiters, .worker = worker, .arrival = onward};
	mem->arrivals[arrival].waiters = w;
}

void memory_wait(struct memory *mem, uint32_t arrival, int worker)
{
	wait_for(mem, arrival, worker, MEMORY_NONE);
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

/* What goes into a device its own thread copies, and what comes out into main memory too. */
static int driver_of(const struct memory *mem, const struct arrival *a)
{
	return memory_is_device(mem, a->node) ? a->node : a->from;
}

static struct request as_request(const struct memory *mem, uint32_t arrival)
{
	const struct arrival *a = &mem->arrivals[arrival];
	int driver = driver_of(mem, a);

	return (struct request){.copy = arrival,
	                        .driver = driver,
	                        .peer = driver == a->node ? a->from : a->node,
	                        .direction = driver == a->node ? REQUEST_IN : REQUEST_OUT,
	                        .urgency = a->urgency,
	                        .priority = a->priority};
}

static void post(struct memory *mem, uint32_t arrival, int from)
{
	struct request r;

	mem->arrivals[arrival].from = from;
	r = as_request(mem, arrival);
	requests_put(mem->requests, &r);
	mem->news.drivers |= UINT64_C(1) << r.driver;
}

/* It was asked for ahead, and now somebody waits. */
static void hasten(struct memory *mem, uint32_t arrival, const struct memory_asked *how)
{
	struct arrival *a = &mem->arrivals[arrival];

	if (a->urgency <= how->urgency)
		return;
	a->urgency = how->urgency;
	a->priority = how->priority;
	if (!a->begun && !a->chained)
		post(mem, arrival, a->from);
}

static void drop_arrival(struct memory *mem, uint32_t arrival)
{
	struct arrival *a = &mem->arrivals[arrival];
	struct handle *h = &mem->handles[a->handle];
	uint32_t *p = &h->arrivals;

	while (*p != arrival)
		p = &mem->arrivals[*p].next;
	*p = a->next;
	if (!a->stale) {
		h->coming &= ~(UINT64_C(1) << a->node);
		memory_tell_moved(mem, a->handle, UINT64_C(1) << a->node);
	}
	a->next = mem->free_arrival;
	mem->free_arrival = arrival;
}

/* Where it comes from: posted, or behind a copy to main memory; 0: no link leads there. */
static int find_way(struct memory *mem, uint32_t arrival, const struct memory_asked *how)
{
	uint32_t handle = mem->arrivals[arrival].handle, via;
	int node = mem->arrivals[arrival].node, from = nearest(mem, handle, node);

	if (from < 0 && node != 0 && network_link(mem->network, 0, node) >= 0) {
		via = mem->handles[handle].valid & 1 ? MEMORY_NONE : memory_request(mem, handle, 0, how);
		if (via != MEMORY_NONE) {
			mem->arrivals[arrival].chained = 1;
			wait_for(mem, via, -1, arrival);
			return 1;
		}
		from = 0;
	}
	if (from >= 0)
		post(mem, arrival, from);
	return from >= 0;
}

/* No link leads there: the copy takes no time, but a device whose memory is limited needs room for it. */
static int needs_memory_only(struct memory *mem, uint32_t arrival)
{
	struct arrival *a = &mem->arrivals[arrival];

	if (!mem->rooms || !memory_is_device(mem, a->node))
		return 0;
	a->empty = a->unlinked = 1;
	post(mem, arrival, a->node);
	return 1;
}

uint32_t memory_request(struct memory *mem, uint32_t handle, int node, const struct memory_asked *how)
{
	uint32_t a = find_arrival(mem, handle, node);

	if (a != MEMORY_NONE) {
		hasten(mem, a, how);
		if (mem->arrivals[a].chained && find_arrival(mem, handle, 0) != MEMORY_NONE)
			hasten(mem, find_arrival(mem, handle, 0), how);
		return a;
	}
	a = new_arrival(mem, handle, node, how);
	if (find_way(mem, a, how) || needs_memory_only(mem, a))
		return a;
	mem->bytes_moved += (int64_t)mem->d->handle_bytes[handle];
	mem->handles[handle].valid |= UINT64_C(1) << node;
	drop_arrival(mem, a); /* which tells that it has moved */
	return MEMORY_NONE;
}

uint32_t memory_request_space(struct memory *mem, uint32_t handle, int node, const struct memory_asked *how)
{
	uint32_t a = find_arrival(mem, handle, node);

	if (a != MEMORY_NONE)
		hasten(mem, a, how);
	if (a != MEMORY_NONE || mem->handles[handle].allocated >> node & 1)
		return a;
	if (!mem->network || !memory_is_device(mem, node)) {
		memory_allocate(mem, handle, node);
		return MEMORY_NONE;
	}
	a = new_arrival(mem, handle, node, how);
	mem->arrivals[a].empty = 1;
	post(mem, a, node);
	return a;
}

/* What a copy means for the memories of its two ends, and for one that waits for its room. */
static void settle(struct memory *mem, const struct arrival *a)
{
	if (a->begun) {
		room_release(mem, a->handle, a->node);
		room_release(mem, a->handle, a->from);
	}
	room_changed(mem, a->handle);
	if (a->node == 0)
		room_written_back(mem, a->handle);
}

/* Its driver has noticed: whoever waits goes on. */
static void arrive(struct memory *mem, uint32_t arrival)
{
	struct arrival a = mem->arrivals[arrival];

	drop_arrival(mem, arrival);
	if (!a.stale && (!a.empty || a.unlinked))
		mem->handles[a.handle].valid |= UINT64_C(1) << a.node;
	if (mem->rooms)
		settle(mem, &a);
	mem->news.nodes |= UINT64_C(1) << a.node;
	for (uint32_t w = a.waiters, next; w != MEMORY_NONE; w = next) {
		struct waiter waiter = mem->waiters[w];

		next = waiter.next;
		mem->waiters[w].next = mem->free_waiter;
		mem->free_waiter = w;
		if (waiter.worker < 0) {
			mem->arrivals[waiter.arrival].chained = 0;
			post(mem, waiter.arrival, a.node);
		} else if (!--mem->missing[waiter.worker] && mem->rooms) {
			memory_fetched(mem, waiter.worker);
		}
	}
}

/* The driver of `node` notices what has landed in one direction. */
static void notice(struct memory *mem, int node, enum request_direction direction)
{
	struct driver *driver = &mem->drivers[node];
	uint32_t a = driver->landed[direction].first;

	driver->landed[direction].first = MEMORY_NONE;
	for (uint32_t next; a != MEMORY_NONE; a = next) {
		struct request r = as_request(mem, a);

		next = mem->arrivals[a].landed;
		requests_arrived(mem->requests, r.driver, r.peer, r.direction);
		arrive(mem, a);
		driver->noticed++;
	}
}

static void land(struct memory *mem, uint32_t arrival)
{
	struct request r = as_request(mem, arrival);
	struct landed *landed = &mem->drivers[r.driver].landed[r.direction];

	if (landed->first == MEMORY_NONE)
		landed->first = arrival;
	else
		mem->arrivals[landed->last].landed = arrival;
	landed->last = arrival;
	mem->news.drivers |= UINT64_C(1) << r.driver;
}

void memory_poll(struct memory *mem, int node)
{
	struct driver *driver = &mem->drivers[node];

	driver->noticed = 0;
	driver->direction = REQUEST_IN;
	notice(mem, node, REQUEST_IN);
	if (mem->rooms)
		room_tidy(mem, node);
	requests_begin(mem->requests, node, REQUEST_IN);
}

int memory_observed(const struct memory *mem, int node)
{
	return mem->drivers[node].noticed;
}

/* The next request that it may begin; MEMORY_NONE: it has been through. */
static uint32_t next_request(struct memory *mem, int node, int64_t now)
{
	struct driver *driver = &mem->drivers[node];
	uint32_t arrival = requests_next(mem->requests, node, now, memory_overheads(mem, node)->list_ns);

	if (arrival != MEMORY_NONE || driver->direction == REQUEST_OUT)
		return arrival;
	driver->direction = REQUEST_OUT;
	notice(mem, node, REQUEST_OUT);
	requests_begin(mem->requests, node, REQUEST_OUT);
	return requests_next(mem->requests, node, now, memory_overheads(mem, node)->list_ns);
}

/* It has got its memory, and nothing is copied. */
static void finish_empty(struct memory *mem, struct driver *driver)
{
	uint32_t arrival = driver->empty;
	struct request r;

	driver->empty = MEMORY_NONE;
	if (arrival == MEMORY_NONE)
		return;
	r = as_request(mem, arrival);
	requests_arrived(mem->requests, r.driver, r.peer, r.direction);
	arrive(mem, arrival);
}

/*
 * From when a copy that its driver has begun by `begun_ns` is on its way: delayed behind the one before it, by one
 * after the other of all slices of what was measured, low and high ones in turn, so that any few in a row are a fair
 * sample. Copies between devices were not measured.
 */
static int64_t delayed_ns(struct memory *mem, int node, const struct arrival *a, int link, int64_t begun_ns)
{
	enum overheads_direction direction = a->node == node ? COPIES_IN : COPIES_OUT;
	const struct overheads_delays *d = &memory_overheads(mem, node)->delays[direction];
	struct driver *driver = &mem->drivers[node];
	uint32_t slice = 0;
	double takes_ns;

	if (!d->samples || (memory_is_device(mem, a->from) && memory_is_device(mem, a->node)))
		return begun_ns;
	for (uint32_t count = driver->delayed[direction]++, half = DELAY_SLICES / 2; half; half /= 2) {
		slice += count & 1 ? half : 0;
		count >>= 1;
	}
	begun_ns = (begun_ns > driver->delayed_ns ? begun_ns : driver->delayed_ns) + d->ns[slice];
	takes_ns = network_seconds(mem->network, link, mem->d->handle_bytes[a->handle]) * 1e9;
	driver->delayed_ns = begun_ns + (takes_ns < (double)INT32_MAX ? (int64_t)takes_ns : INT32_MAX);
	return begun_ns;
}

/* Not when what was to be copied has left meanwhile, and then it comes from elsewhere; nor before there is room. */
static int may_begin(struct memory *mem, uint32_t arrival)
{
	struct request r = as_request(mem, arrival);
	const struct arrival *a = &mem->arrivals[arrival];
	struct memory_asked how = {.urgency = a->urgency, .priority = a->priority};

	if (!a->empty && !(mem->handles[a->handle].valid >> a->from & 1)) {
		requests_arrived(mem->requests, r.driver, r.peer, r.direction);
		if (!find_way(mem, arrival, &how) && !needs_memory_only(mem, arrival))
			arrive(mem, arrival);
		return 0;
	}
	if (mem->handles[a->handle].allocated >> a->node & 1 || room_make(mem, a->handle, a->node, a->urgency))
		return 1;
	requests_refuse(mem->requests, &r);
	return 0;
}

int memory_begin(struct memory *mem, int node, int64_t now, int64_t *busy_ns)
{
	struct driver *driver = &mem->drivers[node];
	uint32_t arrival;
	int link;

	finish_empty(mem, driver);
	while ((arrival = next_request(mem, node, now)) != MEMORY_NONE) {
		struct arrival *a = &mem->arrivals[arrival];

		if (a->stale) {
			struct request r = as_request(mem, arrival);

			requests_arrived(mem->requests, r.driver, r.peer, r.direction);
			arrive(mem, arrival);
			continue;
		}
		if (mem->rooms && !may_begin(mem, arrival))
			continue;
		a = &mem->arrivals[arrival];
		memory_allocate(mem, a->handle, a->node);
		a->begun = 1;
		if (mem->rooms) {
			room_hold(mem, a->handle, a->node);
			room_hold(mem, a->handle, a->from);
		}
		if (a->empty) {
			*busy_ns = memory_allocation_ns(mem, node, now);
			driver->empty = arrival;
			return 1;
		}
		*busy_ns = memory_allocation_ns(mem, node, now) + memory_overheads(mem, node)->copy_ns;
		mem->bytes_moved += (int64_t)mem->d->handle_bytes[a->handle];
		a->begun_ns = now + *busy_ns;
		link = network_link(mem->network, a->from, a->node);
		network_send(mem->network, link, mem->d->handle_bytes[a->handle], now,
		             delayed_ns(mem, node, a, link, now + *busy_ns), arrival);
		return 1;
	}
	return 0;
}

void memory_cancel_delay(struct memory *mem, int node, int64_t now)
{
	network_cancel_delay(mem->network, node, now);
	mem->drivers[node].delayed_ns = now;
}

void memory_advance(struct memory *mem, int64_t now)
{
	uint32_t arrival;

	if (!mem->network)
		return;
	network_advance(mem->network, now);
	while (network_completed(mem->network, &arrival)) {
		if (mem->keeps_copies)
			memory_keep(mem, arrival, now);
		land(mem, arrival);
	}
}

int64_t memory_next_ns(const struct memory *mem)
{
	return mem->network ? network_next_ns(mem->network) : INT64_MAX;
}
