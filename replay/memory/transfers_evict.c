/* replay/memory/transfers_evict.c - evictions from a memory that is full, and write-backs ahead of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/capacity.h"
#include "replay/memory/residency.h"
#include "replay/memory/transfers_parts.h"

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

int transfers_make_space(struct transfers *t, uint32_t datum, int node, enum request_urgency urgency)
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

void transfers_continue_evictions(struct transfers *t, uint32_t datum)
{
	for (int i = 0; i < t->m->nnodes; i++) {
		if (!t->r->capacity[i] || capacity_writing(t->r->capacity[i]) != datum)
			continue;
		capacity_written_back(t->r->capacity[i]);
		t->notifications.drivers |= transfers_bit(i);
		evict_victims(t, i);
	}
}

void transfers_clean(struct transfers *t, int node)
{
	struct capacity *c = residency_capacity(t->r, node);
	struct transfers_demand demand = {.urgency = REQUEST_IDLE};
	uint32_t datum;

	if (!c || !capacity_needs_cleaning(c))
		return;
	while ((datum = capacity_next_dirty(c)) != CAPACITY_NO_DATUM) {
		int home = t->d->handle_home[datum];

		if (home < 0 || home >= t->m->nnodes || transfers_is_device(t, home))
			home = 0;
		if (t->r->data[datum].valid == transfers_bit(node))
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
		t->notifications.drivers |= transfers_bit(node);
}

void transfers_pin(struct transfers *t, uint32_t datum, int node)
{
	if (residency_capacity(t->r, node))
		capacity_pin(residency_capacity(t->r, node), datum);
}
