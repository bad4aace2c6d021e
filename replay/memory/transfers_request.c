/* replay/memory/transfers_request.c - requests of copies: from which node, and by which driver, each is made. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/network.h"
#include "replay/memory/pending.h"
#include "replay/memory/residency.h"
#include "replay/memory/transfers_parts.h"

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

struct request transfers_request_of(const struct transfers *t, uint32_t copy)
{
	const struct pending_copy *c = pending_at(&t->pending, copy);
	int into = transfers_is_device(t, c->to);

	return (struct request){.copy = copy,
	                        .driver = into ? c->to : c->from,
	                        .peer = into ? c->from : c->to,
	                        .direction = into || c->from == c->to ? REQUEST_IN : REQUEST_OUT,
	                        .urgency = c->urgency,
	                        .priority = c->priority};
}

void transfers_post(struct transfers *t, uint32_t copy, int from)
{
	struct request r;

	pending_at(&t->pending, copy)->from = from;
	r = transfers_request_of(t, copy);
	requests_put(t->requests, &r);
	t->notifications.drivers |= transfers_bit(r.driver);
}

/* PENDING_NONE: none. */
static uint32_t find_copy(const struct transfers *t, uint32_t datum, int node)
{
	if (!(t->r->data[datum].pending & transfers_bit(node)))
		return PENDING_NONE;
	return pending_find(&t->pending, t->lists[datum], node);
}

static uint32_t add_copy(struct transfers *t, uint32_t datum, int node, const struct transfers_demand *demand)
{
	uint32_t copy = pending_add(&t->pending, &t->lists[datum], datum, node);

	pending_at(&t->pending, copy)->urgency = demand->urgency;
	pending_at(&t->pending, copy)->priority = demand->priority;
	pending_at(&t->pending, copy)->alone = demand->alone != 0;
	residency_set(t->r, datum, t->r->data[datum].valid, t->r->data[datum].pending | transfers_bit(node));
	return copy;
}

void transfers_remove(struct transfers *t, uint32_t copy, uint64_t valid)
{
	struct pending_copy c = *pending_at(&t->pending, copy);
	const struct residency_where *w = &t->r->data[c.datum];

	pending_remove(&t->pending, &t->lists[c.datum], copy);
	if (c.stale)
		return;
	residency_set(t->r, c.datum, valid | (c.alone ? 0 : w->valid), w->pending & ~transfers_bit(c.to));
	if (c.alone && residency_capacity(t->r, c.to))
		capacity_set_dirty(residency_capacity(t->r, c.to), c.datum);
}

/* No link leads to the node of `copy`: it is made in no time. */
static void copy_at_once(struct transfers *t, uint32_t copy)
{
	const struct pending_copy *c = pending_at(&t->pending, copy);

	t->bytes_moved += (int64_t)t->d->handle_bytes[c->datum];
	transfers_remove(t, copy, transfers_bit(c->to));
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
		transfers_post(t, copy, c->from);
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
		transfers_post(t, copy, from);
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
		via = t->r->data[datum].valid & transfers_bit(0) ? PENDING_NONE : request_to_main(t, datum, demand);
		if (via != PENDING_NONE) {
			pending_at(&t->pending, copy)->chained = 1;
			pending_wait(&t->pending, via, -1, copy);
			return 1;
		}
		from = 0;
	}
	if (from >= 0)
		transfers_post(t, copy, from);
	return from >= 0;
}

static void post_memory_only(struct transfers *t, uint32_t copy)
{
	pending_at(&t->pending, copy)->memory_only = 1;
	transfers_post(t, copy, pending_at(&t->pending, copy)->to);
}

void transfers_wake_all(struct transfers *t)
{
	for (int i = 0; i < t->m->nnodes; i++) {
		if (transfers_is_device(t, i))
			t->notifications.drivers |= transfers_bit(i);
		else
			t->notifications.nodes |= transfers_bit(i);
	}
}

/* Every thread that polls may take it, and it is not requested again. */
static void post_main_memory(struct transfers *t, uint32_t copy)
{
	struct pending_copy *c = pending_at(&t->pending, copy);

	c->memory_only = c->begun = 1;
	c->from = c->to;
	allocations_put(&t->main_memory, copy);
	transfers_wake_all(t);
}

/* route(), or without a link to a device of limited memory, a request for that memory. 0: nothing was posted. */
int transfers_post_somehow(struct transfers *t, uint32_t copy, const struct transfers_demand *demand)
{
	if (route(t, copy, demand))
		return 1;
	if (!t->r->capacity || !transfers_is_device(t, pending_at(&t->pending, copy)->to))
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
	if (transfers_post_somehow(t, copy, demand))
		return copy;
	copy_at_once(t, copy);
	return PENDING_NONE;
}

uint32_t transfers_request_memory(struct transfers *t, uint32_t datum, int node, const struct transfers_demand *demand)
{
	uint32_t copy = find_copy(t, datum, node);

	if (copy != PENDING_NONE)
		raise_demand(t, copy, demand);
	if (copy != PENDING_NONE || t->r->data[datum].allocated & transfers_bit(node))
		return copy;
	if (!transfers_is_device(t, node) && !transfers_overheads(t, node)->allocate_ns) {
		residency_allocate(t->r, datum, node);
		return PENDING_NONE;
	}
	copy = add_copy(t, datum, node, demand);
	if (transfers_is_device(t, node))
		post_memory_only(t, copy);
	else
		post_main_memory(t, copy);
	return copy;
}

void transfers_write_back(struct transfers *t, uint32_t handle)
{
	int home = t->d->handle_home[handle];
	struct transfers_demand demand = {.urgency = REQUEST_IDLE};

	if (home >= 0 && home < t->m->nnodes && !(t->r->data[handle].valid & transfers_bit(home)))
		transfers_request(t, handle, home, &demand);
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

void transfers_make_stale(struct transfers *t, uint32_t datum)
{
	for (uint32_t c = t->lists[datum]; c != PENDING_NONE; c = pending_at(&t->pending, c)->next)
		pending_at(&t->pending, c)->stale = 1;
}
