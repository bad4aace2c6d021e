/* replay/memory/transfers.c - copies between memory nodes: requested, begun by drivers, completed, observed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In the order of this file, a function calls only functions above it: requests of copies; evictions, which request
 * write-backs; the end of copies, after which evictions go on; polls of drivers. A struct pending_copy moves when a
 * copy is added: a pointer to one is not kept across a function that requests copies.
 */
#include "replay/memory/transfers.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "replay/memory/network.h"
#include "replay/memory/pending.h"
#include "replay/memory/residency.h"

/* The copies of one direction that have ended and were not observed; first PENDING_NONE: none. */
struct completed {
	uint32_t first, last;
};

/* The thread that drives a device. */
struct driver {
	struct completed completed[2];       /* per enum request_direction */
	enum request_direction direction;    /* the poll is at */
	int observed;                        /* in this poll */
	uint32_t allocating;                 /* the memory_only copy that it has begun; PENDING_NONE */
	uint32_t delayed[COPIES_DIRECTIONS]; /* copies so far that may have been delayed */
	int64_t delayed_ns;                  /* when the last of them, delay included, has ended if it is alone */
};

/* When the driver that has begun the last copy of a datum holds it. */
struct hold {
	int64_t from_ns, until_ns;
};

struct transfers {
	const struct dag *d;
	const struct machine *m;
	const struct overheads_all *overheads;
	struct residency *r;
	struct network *network;
	struct pending pending;
	uint32_t *lists;    /* per datum: its pending copies */
	struct hold *holds; /* per datum */
	struct requests *requests;
	struct driver *drivers;         /* per node */
	struct allocations main_memory; /* copies that only allocate there */
	uint32_t allocations;           /* of them that are over */
	int *missing;                   /* per worker: copies it waits for */
	transfers_served *served;
	void *served_ctx;
	struct transfers_notifications notifications;
	int64_t bytes_moved;
	int logs_copies;
	struct transfers_copy *copies;
	size_t ncopies, cap_copies;
};

static uint64_t bit(int node)
{
	return UINT64_C(1) << node;
}

static int is_device(const struct transfers *t, int node)
{
	return t->m->nodes[node].arch != ARCH_CPU;
}

static const struct overheads *overheads_of(const struct transfers *t, int node)
{
	return &t->overheads->of[t->m->nodes[node].arch];
}

struct transfers *transfers_create(struct residency *r, struct network *network, transfers_served *served, void *ctx)
{
	struct transfers *t = ht_alloc(1, sizeof(*t));

	t->d = r->d;
	t->m = r->m;
	t->overheads = r->overheads;
	t->r = r;
	t->network = network;
	t->served = served;
	t->served_ctx = ctx;
	pending_init(&t->pending);
	t->lists = ht_alloc(t->d->nhandles, sizeof(*t->lists));
	for (uint32_t i = 0; i < t->d->nhandles; i++)
		t->lists[i] = PENDING_NONE;
	t->holds = ht_alloc(t->d->nhandles, sizeof(*t->holds));
	t->requests = requests_create(t->m->nnodes);
	t->drivers = ht_alloc((size_t)t->m->nnodes, sizeof(*t->drivers));
	for (int i = 0; i < t->m->nnodes; i++) {
		t->drivers[i].allocating = PENDING_NONE;
		t->drivers[i].completed[REQUEST_IN].first = PENDING_NONE;
		t->drivers[i].completed[REQUEST_OUT].first = PENDING_NONE;
	}
	t->missing = ht_alloc((size_t)t->m->nworkers, sizeof(*t->missing));
	return t;
}

void transfers_free(struct transfers *t)
{
	if (!t)
		return;
	free(t->lists);
	free(t->holds);
	pending_fini(&t->pending);
	requests_free(t->requests);
	free(t->drivers);
	allocations_fini(&t->main_memory);
	free(t->missing);
	free(t->copies);
	free(t);
}

/* The nearest node with a valid copy and a direct link to `node`; -1: there is none. */
static int nearest(const struct transfers *t, uint32_t datum, int node)
{
	double best = INFINITY;
	int from = -1;

	for (uint64_t bits = t->r->data[datum].valid; bits; bits &= bits - 1) {
		int at = __builtin_ctzll(bits), link = network_link(t->network, at, node);
		double s = link >= 0 ? network_seconds(t->network, link, t->d->handle_bytes[datum]) : INFINITY;

		if (s < best) {
			best = s;
			from = at;
		}
	}
	return from;
}

/* The thread of a device begins the copies into the device, and those from it into main memory. */
static struct request request_of(const struct transfers *t, uint32_t copy)
{
	const struct pending_copy *c = pending_at(&t->pending, copy);
	int into = is_device(t, c->to);

	return (struct request){.copy = copy,
	                        .driver = into ? c->to : c->from,
	                        .peer = into ? c->from : c->to,
	                        .direction = into || c->from == c->to ? REQUEST_IN : REQUEST_OUT,
	                        .urgency = c->urgency,
	                        .priority = c->priority};
}

/* Hands a pending copy, which is not begun, to its driver. */
static void post(struct transfers *t, uint32_t copy, int from)
{
	struct request r;

	pending_at(&t->pending, copy)->from = from;
	r = request_of(t, copy);
	requests_put(t->requests, &r);
	t->notifications.drivers |= bit(r.driver);
}

/* PENDING_NONE: none. */
static uint32_t find_copy(const struct transfers *t, uint32_t datum, int node)
{
	if (!(t->r->data[datum].pending & bit(node)))
		return PENDING_NONE;
	return pending_find(&t->pending, t->lists[datum], node);
}

static uint32_t add_copy(struct transfers *t, uint32_t datum, int node, const struct transfers_demand *demand)
{
	uint32_t copy = pending_add(&t->pending, &t->lists[datum], datum, node);

	pending_at(&t->pending, copy)->urgency = demand->urgency;
	pending_at(&t->pending, copy)->priority = demand->priority;
	pending_at(&t->pending, copy)->alone = demand->alone != 0;
	residency_set(t->r, datum, t->r->data[datum].valid, t->r->data[datum].pending | bit(node));
	return copy;
}

/* Removes `copy`, which makes the datum valid at the nodes `valid` unless it is stale. */
static void remove_copy(struct transfers *t, uint32_t copy, uint64_t valid)
{
	struct pending_copy c = *pending_at(&t->pending, copy);
	const struct residency_where *w = &t->r->data[c.datum];

	pending_remove(&t->pending, &t->lists[c.datum], copy);
	if (c.stale)
		return;
	residency_set(t->r, c.datum, valid | (c.alone ? 0 : w->valid), w->pending & ~bit(c.to));
	if (c.alone && residency_capacity(t->r, c.to))
		capacity_set_dirty(residency_capacity(t->r, c.to), c.datum);
}

/* No link leads to the node of `copy`: it is made in no time. */
static void copy_at_once(struct transfers *t, uint32_t copy)
{
	const struct pending_copy *c = pending_at(&t->pending, copy);

	t->bytes_moved += (int64_t)t->d->handle_bytes[c->datum];
	remove_copy(t, copy, bit(c->to));
}

/* A copy that was requested ahead is needed more now. */
static void raise_demand(struct transfers *t, uint32_t copy, const struct transfers_demand *demand)
{
	struct pending_copy *c = pending_at(&t->pending, copy);

	c->alone |= demand->alone != 0;
	if (c->urgency < demand->urgency || (c->urgency == demand->urgency && c->priority >= demand->priority))
		return;
	c->urgency = demand->urgency;
	c->priority = demand->priority;
	if (!c->begun && !c->chained)
		post(t, copy, c->from);
}

/* A copy to main memory, to go on from there. PENDING_NONE: it is valid there by now, since no link leads there. */
static uint32_t request_to_main(struct transfers *t, uint32_t datum, const struct transfers_demand *demand)
{
	uint32_t copy = find_copy(t, datum, 0);
	int from;

	if (copy != PENDING_NONE) {
		raise_demand(t, copy, demand);
		return copy;
	}
	copy = add_copy(t, datum, 0, demand);
	from = nearest(t, datum, 0);
	if (from >= 0) {
		post(t, copy, from);
		return copy;
	}
	copy_at_once(t, copy);
	return PENDING_NONE;
}

/* Posts `copy` from the nearest valid copy, or chains it to one to main memory. 0: no link leads to its node. */
static int route(struct transfers *t, uint32_t copy, const struct transfers_demand *demand)
{
	uint32_t datum = pending_at(&t->pending, copy)->datum, via;
	int node = pending_at(&t->pending, copy)->to, from = nearest(t, datum, node);

	if (from < 0 && node != 0 && network_link(t->network, 0, node) >= 0) {
		via = t->r->data[datum].valid & bit(0) ? PENDING_NONE : request_to_main(t, datum, demand);
		if (via != PENDING_NONE) {
			pending_at(&t->pending, copy)->chained = 1;
			pending_wait(&t->pending, via, -1, copy);
			return 1;
		}
		from = 0;
	}
	if (from >= 0)
		post(t, copy, from);
	return from >= 0;
}

static void post_memory_only(struct transfers *t, uint32_t copy)
{
	pending_at(&t->pending, copy)->memory_only = 1;
	post(t, copy, pending_at(&t->pending, copy)->to);
}

static void wake_all(struct transfers *t)
{
	for (int i = 0; i < t->m->nnodes; i++) {
		if (is_device(t, i))
			t->notifications.drivers |= bit(i);
		else
			t->notifications.nodes |= bit(i);
	}
}

/* Every thread that polls may take it, and it is not requested again. */
static void post_main_memory(struct transfers *t, uint32_t copy)
{
	struct pending_copy *c = pending_at(&t->pending, copy);

	c->memory_only = c->begun = 1;
	c->from = c->to;
	allocations_put(&t->main_memory, copy);
	wake_all(t);
}

/* route(), or without a link to a device of limited memory, a request for that memory. 0: nothing was posted. */
static int post_somehow(struct transfers *t, uint32_t copy, const struct transfers_demand *demand)
{
	if (route(t, copy, demand))
		return 1;
	if (!t->r->capacity || !is_device(t, pending_at(&t->pending, copy)->to))
		return 0;
	pending_at(&t->pending, copy)->unlinked = 1;
	post_memory_only(t, copy);
	return 1;
}

uint32_t transfers_request(struct transfers *t, uint32_t datum, int node, const struct transfers_demand *demand)
{
	uint32_t copy = find_copy(t, datum, node);

	if (copy != PENDING_NONE) {
		raise_demand(t, copy, demand);
		if (pending_at(&t->pending, copy)->chained && find_copy(t, datum, 0) != PENDING_NONE)
			raise_demand(t, find_copy(t, datum, 0), demand);
		return copy;
	}
	copy = add_copy(t, datum, node, demand);
	if (post_somehow(t, copy, demand))
		return copy;
	copy_at_once(t, copy);
	return PENDING_NONE;
}

uint32_t transfers_request_memory(struct transfers *t, uint32_t datum, int node, const struct transfers_demand *demand)
{
	uint32_t copy = find_copy(t, datum, node);

	if (copy != PENDING_NONE)
		raise_demand(t, copy, demand);
	if (copy != PENDING_NONE || t->r->data[datum].allocated & bit(node))
		return copy;
	if (!is_device(t, node) && !overheads_of(t, node)->allocate_ns) {
		residency_allocate(t->r, datum, node);
		return PENDING_NONE;
	}
	copy = add_copy(t, datum, node, demand);
	if (is_device(t, node))
		post_memory_only(t, copy);
	else
		post_main_memory(t, copy);
	return copy;
}

void transfers_write_back(struct transfers *t, uint32_t handle)
{
	int home = t->d->handle_home[handle];
	struct transfers_demand demand = {.urgency = REQUEST_IDLE};

	if (home >= 0 && home < t->m->nnodes && !(t->r->data[handle].valid & bit(home)))
		transfers_request(t, handle, home, &demand);
}

/* Evicts what the capacity of `node` names, until that is enough or a datum has to be written back first. */
static void evict_victims(struct transfers *t, int node)
{
	struct capacity *c = t->r->capacity[node];
	struct transfers_demand demand = {.urgency = REQUEST_FETCH};
	enum capacity_step step;
	uint32_t victim;

	while ((step = capacity_next(c, &victim)) != CAPACITY_DONE) {
		if (step == CAPACITY_EVICT) {
			residency_evict(t->r, victim, node);
			continue;
		}
		t->r->use[node].written_back += t->d->handle_bytes[victim];
		if (transfers_request(t, victim, 0, &demand) == PENDING_NONE)
			capacity_written_back(c); /* in no time: there is no link */
	}
}

/* Whether `node` has memory for `datum` now; 0: not yet, and its driver may be blocked (transfers_blocked()). */
static int make_space(struct transfers *t, uint32_t datum, int node, enum request_urgency urgency)
{
	struct capacity *c = residency_capacity(t->r, node);

	if (!c || capacity_fits(c, datum))
		return 1;
	if (urgency == REQUEST_IDLE || capacity_is_blocked(c))
		return 0;
	if (capacity_reclaim(c, datum, urgency == REQUEST_FETCH ? CAPACITY_EVICT_RESERVED : CAPACITY_SPARE_RESERVED))
		residency_reuse(t->r, node);
	evict_victims(t, node);
	return !capacity_is_blocked(c) && capacity_fits(c, datum);
}

/* A copy of `datum` to main memory has ended, or is not needed any more: evictions that waited for it go on. */
static void continue_evictions(struct transfers *t, uint32_t datum)
{
	for (int i = 0; i < t->m->nnodes; i++) {
		if (!t->r->capacity[i] || capacity_writing(t->r->capacity[i]) != datum)
			continue;
		capacity_written_back(t->r->capacity[i]);
		t->notifications.drivers |= bit(i);
		evict_victims(t, i);
	}
}

/* Requests idle copies of dirty data where too little is clean. */
static void clean(struct transfers *t, int node)
{
	struct capacity *c = residency_capacity(t->r, node);
	struct transfers_demand demand = {.urgency = REQUEST_IDLE};
	uint32_t datum;

	if (!c || !capacity_needs_cleaning(c))
		return;
	while ((datum = capacity_next_dirty(c)) != CAPACITY_NO_DATUM) {
		int home = t->d->handle_home[datum];

		if (home < 0 || home >= t->m->nnodes || is_device(t, home))
			home = 0;
		if (t->r->data[datum].valid == bit(node))
			transfers_request(t, datum, home, &demand);
	}
}

int transfers_blocked(const struct transfers *t, int node)
{
	return residency_capacity(t->r, node) && capacity_is_blocked(residency_capacity(t->r, node));
}

void transfers_unpin(struct transfers *t, uint32_t datum, int node)
{
	struct capacity *c = residency_capacity(t->r, node);

	if (c && capacity_unpin(c, datum) && requests_refused(t->requests, node))
		t->notifications.drivers |= bit(node);
}

static void pin(struct transfers *t, uint32_t datum, int node)
{
	if (residency_capacity(t->r, node))
		capacity_pin(residency_capacity(t->r, node), datum);
}

/* Ends `copy`, and what waits for it goes on. */
static void end_copy(struct transfers *t, uint32_t copy)
{
	struct pending_copy c = *pending_at(&t->pending, copy);
	struct pending_waiter w;

	remove_copy(t, copy, !c.memory_only || c.unlinked ? bit(c.to) : 0);
	if (t->r->capacity && c.begun) {
		transfers_unpin(t, c.datum, c.to);
		transfers_unpin(t, c.datum, c.from);
	}
	if (t->r->capacity && c.to == 0)
		continue_evictions(t, c.datum);
	t->notifications.nodes |= bit(c.to);
	while (pending_take_waiter(&t->pending, &c.waiters, &w)) {
		if (w.worker < 0) {
			pending_at(&t->pending, w.copy)->chained = 0;
			post(t, w.copy, c.to);
		} else if (!--t->missing[w.worker]) {
			t->notifications.nodes |= bit(t->m->workers[w.worker].node);
			t->served(t->served_ctx, w.worker);
		}
	}
}

int transfers_allocates(const struct transfers *t)
{
	return allocations_wait(&t->main_memory);
}

uint32_t transfers_allocations(const struct transfers *t)
{
	return t->allocations;
}

static void end_first(struct transfers *t, struct allocations_taken *a)
{
	t->allocations++;
	end_copy(t, a->copies[0]);
	allocations_served(a);
}

/* The first of `a` that is still needed. */
static int allocate_first(struct transfers *t, struct allocations_taken *a, int64_t now, int64_t *busy_ns)
{
	while (a->n) {
		const struct pending_copy *c = pending_at(&t->pending, a->copies[0]);

		if (!c->stale && !(t->r->data[c->datum].allocated & bit(c->to))) {
			residency_allocate(t->r, c->datum, c->to);
			*busy_ns = residency_allocation_ns(t->r, c->to, now);
			return 1;
		}
		end_first(t, a);
	}
	return 0;
}

int transfers_allocate(struct transfers *t, struct allocations_taken *a, int64_t now, int64_t *busy_ns)
{
	a->since_ns = now;
	allocations_take(&t->main_memory, a);
	return allocate_first(t, a, now, busy_ns);
}

int transfers_allocated(struct transfers *t, struct allocations_taken *a, int64_t now, int64_t *busy_ns)
{
	int64_t list_ns = overheads_of(t, pending_at(&t->pending, a->copies[0])->to)->list_ns;

	end_first(t, a);
	if (a->n && now - a->since_ns >= list_ns) {
		allocations_give_back(&t->main_memory, a);
		wake_all(t);
	}
	return allocate_first(t, a, now, busy_ns);
}

/* Ends `copy`, which its driver has taken from its requests. */
static void end_request(struct transfers *t, uint32_t copy)
{
	struct request r = request_of(t, copy);

	requests_end(t->requests, &r);
	end_copy(t, copy);
}

/* The driver of `node` observes the copies of one direction that have ended. */
static void observe(struct transfers *t, int node, enum request_direction direction)
{
	struct driver *driver = &t->drivers[node];
	uint32_t copy = driver->completed[direction].first;

	driver->completed[direction].first = PENDING_NONE;
	for (uint32_t next; copy != PENDING_NONE; copy = next) {
		next = pending_at(&t->pending, copy)->next_completed;
		end_request(t, copy);
		driver->observed++;
	}
}

int transfers_poll(struct transfers *t, int node)
{
	struct driver *driver = &t->drivers[node];

	driver->observed = 0;
	driver->direction = REQUEST_IN;
	observe(t, node, REQUEST_IN);
	clean(t, node);
	if (!driver->observed && driver->completed[REQUEST_OUT].first == PENDING_NONE &&
	    requests_are_none(t->requests, node))
		return 0;
	requests_begin(t->requests, node, REQUEST_IN);
	return 1;
}

int transfers_observed(const struct transfers *t, int node)
{
	return t->drivers[node].observed;
}

/* The next request that the driver may begin; PENDING_NONE: the poll is over. */
static uint32_t next_request(struct transfers *t, int node, int64_t now)
{
	struct driver *driver = &t->drivers[node];
	int64_t list_ns = overheads_of(t, node)->list_ns;
	uint32_t copy = requests_next(t->requests, node, now, list_ns);

	if (copy != PENDING_NONE || driver->direction == REQUEST_OUT)
		return copy;
	driver->direction = REQUEST_OUT;
	observe(t, node, REQUEST_OUT);
	requests_begin(t->requests, node, REQUEST_OUT);
	return requests_next(t->requests, node, now, list_ns);
}

/*
 * Sends the bytes of a copy that the driver of `node` has begun: where delays were measured, after the copy before it,
 * and after a delay, one of the quantiles, low and high ones in turn (by the bits of the count, reversed), so that any
 * few in a row are a fair sample, and the highest is in the middle. Delays between devices were not measured.
 */
static void send(struct transfers *t, int node, uint32_t copy, int64_t now)
{
	const struct pending_copy *c = pending_at(&t->pending, copy);
	uint64_t bytes = t->d->handle_bytes[c->datum];
	int link = network_link(t->network, c->from, c->to);
	enum overheads_direction direction = c->to == node ? COPIES_IN : COPIES_OUT;
	const struct overheads_delays *d = &overheads_of(t, node)->delays[direction];
	struct driver *driver = &t->drivers[node];
	int64_t ready_ns = c->begun_ns;
	uint32_t slice = 0, count;
	double takes_ns;

	if (!d->samples || (is_device(t, c->from) && is_device(t, c->to))) {
		network_send(t->network, link, bytes, now, ready_ns, copy);
		return;
	}
	count = DELAY_SLICES / 2 + driver->delayed[direction]++;
	for (uint32_t half = DELAY_SLICES / 2; half; half /= 2) {
		slice += count & 1 ? half : 0;
		count >>= 1;
	}
	ready_ns = (ready_ns > driver->delayed_ns ? ready_ns : driver->delayed_ns) + d->ns[slice];
	takes_ns = (double)bytes / t->m->links[link].bytes_per_s * 1e9;
	driver->delayed_ns = ready_ns + (takes_ns < (double)INT32_MAX ? (int64_t)takes_ns : INT32_MAX);
	network_send_bytes(t->network, link, bytes, now, ready_ns, copy);
}

/*
 * Whether the copy that was requested may be begun. Not a stale one, which ends; nor one whose source was evicted since
 * the request, which is posted from elsewhere; nor one for which there is no memory yet, which is refused.
 */
static int may_begin(struct transfers *t, uint32_t copy)
{
	struct pending_copy c = *pending_at(&t->pending, copy);
	struct request r = request_of(t, copy);
	struct transfers_demand demand = {.urgency = c.urgency, .priority = c.priority};

	if (c.stale) {
		end_request(t, copy);
		return 0;
	}
	if (!t->r->capacity)
		return 1;
	if (!c.memory_only && !(t->r->data[c.datum].valid & bit(c.from))) {
		requests_end(t->requests, &r);
		if (!post_somehow(t, copy, &demand))
			end_copy(t, copy);
		return 0;
	}
	if (t->r->data[c.datum].allocated & bit(c.to) || make_space(t, c.datum, c.to, c.urgency))
		return 1;
	requests_refuse(t->requests, &r);
	return 0;
}

int64_t transfers_locked_ns(const struct transfers *t, uint32_t datum, int64_t now)
{
	const struct hold *h = &t->holds[datum];

	return h->from_ns <= now && now < h->until_ns ? h->until_ns - now : 0;
}

/* Begins `copy`. Returns for how long the driver is busy with it. */
static int64_t begin_copy(struct transfers *t, int node, uint32_t copy, int64_t now)
{
	struct pending_copy *c = pending_at(&t->pending, copy);
	int64_t busy_ns = transfers_locked_ns(t, c->datum, now);

	if (!(t->r->data[c->datum].allocated & bit(c->to))) {
		residency_allocate(t->r, c->datum, c->to);
		busy_ns += residency_allocation_ns(t->r, c->to, now + busy_ns);
	}
	c->begun = 1;
	pin(t, c->datum, c->to);
	pin(t, c->datum, c->from);
	if (c->memory_only) {
		t->drivers[node].allocating = copy;
		return busy_ns;
	}
	t->holds[c->datum].from_ns = now + busy_ns;
	busy_ns += overheads_of(t, node)->copy_ns;
	t->holds[c->datum].until_ns = now + busy_ns;
	t->bytes_moved += (int64_t)t->d->handle_bytes[c->datum];
	c->begun_ns = now + busy_ns;
	send(t, node, copy, now);
	return busy_ns;
}

int transfers_begin(struct transfers *t, int node, int64_t now, int64_t *busy_ns)
{
	uint32_t copy = t->drivers[node].allocating;

	t->drivers[node].allocating = PENDING_NONE;
	if (copy != PENDING_NONE)
		end_request(t, copy);
	while ((copy = next_request(t, node, now)) != PENDING_NONE) {
		if (!may_begin(t, copy))
			continue;
		*busy_ns = begin_copy(t, node, copy, now);
		return 1;
	}
	return 0;
}

void transfers_cancel_delay(struct transfers *t, int node, int64_t now)
{
	network_cancel_delay(t->network, node, now);
	t->drivers[node].delayed_ns = now;
}

static void log_copy(struct transfers *t, uint32_t copy, int64_t now)
{
	static const uint8_t causes[] = {
		[REQUEST_FETCH] = COPY_FETCH,
		[REQUEST_PREFETCH] = COPY_TASK_PREFETCH,
		[REQUEST_IDLE] = COPY_IDLE_FETCH,
	};
	const struct pending_copy *c = pending_at(&t->pending, copy);

	*VEC_PUSH(t->copies, t->ncopies, t->cap_copies) = (struct transfers_copy){
		.start_ns = c->begun_ns,
		.end_ns = now,
		.handle = c->datum,
		.from = (int16_t)c->from,
		.to = (int16_t)c->to,
		.cause = causes[c->urgency],
	};
}

void transfers_log_copies(struct transfers *t)
{
	t->logs_copies = 1;
}

struct transfers_copy *transfers_take_copies(struct transfers *t, size_t *ncopies)
{
	struct transfers_copy *copies = t->copies;

	*ncopies = t->ncopies;
	t->copies = NULL;
	t->ncopies = t->cap_copies = 0;
	return copies;
}

/* The transfer of `copy` has ended, which its driver has to observe. */
static void complete(struct transfers *t, uint32_t copy)
{
	struct request r = request_of(t, copy);
	struct completed *completed = &t->drivers[r.driver].completed[r.direction];

	if (completed->first == PENDING_NONE)
		completed->first = copy;
	else
		pending_at(&t->pending, completed->last)->next_completed = copy;
	completed->last = copy;
	t->notifications.drivers |= bit(r.driver);
}

void transfers_advance(struct transfers *t, int64_t now)
{
	uint32_t copy;

	network_advance(t->network, now);
	while (network_completed(t->network, &copy)) {
		if (t->logs_copies)
			log_copy(t, copy, now);
		complete(t, copy);
	}
}

int64_t transfers_next_ns(const struct transfers *t)
{
	return network_next_ns(t->network);
}

struct transfers_notifications transfers_take_notifications(struct transfers *t)
{
	struct transfers_notifications notifications = t->notifications;

	t->notifications = (struct transfers_notifications){0};
	return notifications;
}

const struct transfers_notifications *transfers_notifications(const struct transfers *t)
{
	return &t->notifications;
}

int64_t transfers_bytes_moved(const struct transfers *t)
{
	return t->bytes_moved;
}

void transfers_make_stale(struct transfers *t, uint32_t datum)
{
	for (uint32_t c = t->lists[datum]; c != PENDING_NONE; c = pending_at(&t->pending, c)->next)
		pending_at(&t->pending, c)->stale = 1;
}

void transfers_wait(struct transfers *t, uint32_t copy, int worker)
{
	pending_wait(&t->pending, copy, worker, PENDING_NONE);
	t->missing[worker]++;
}

void transfers_wait_others(struct transfers *t, uint32_t datum, uint32_t copy, int worker)
{
	for (uint32_t c = t->lists[datum]; c != PENDING_NONE; c = pending_at(&t->pending, c)->next) {
		struct transfers_demand demand = {.urgency = REQUEST_FETCH,
		                                  .priority = pending_at(&t->pending, c)->priority};

		if (c == copy)
			continue;
		raise_demand(t, c, &demand);
		transfers_wait(t, c, worker);
	}
}

int transfers_missing(const struct transfers *t, int worker)
{
	return t->missing[worker];
}

void transfers_notify(struct transfers *t, int node)
{
	t->notifications.nodes |= bit(node);
}
