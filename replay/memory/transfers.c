/* replay/memory/transfers.c - copies between memory nodes: requested, begun by drivers, completed, observed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/transfers.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/pending.h"
#include "replay/memory/residency.h"
#include "replay/memory/transfers_parts.h"

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

void transfers_end(struct transfers *t, uint32_t copy)
{
	struct pending_copy c = *pending_at(&t->pending, copy);
	struct pending_waiter w;

	transfers_remove(t, copy, !c.memory_only || c.unlinked ? transfers_bit(c.to) : 0);
	if (t->r->capacity && c.begun) {
		transfers_unpin(t, c.datum, c.to);
		transfers_unpin(t, c.datum, c.from);
	}
	if (t->r->capacity && c.to == 0)
		transfers_continue_evictions(t, c.datum);
	t->notifications.nodes |= transfers_bit(c.to);
	while (pending_take_waiter(&t->pending, &c.waiters, &w)) {
		if (w.worker < 0) {
			pending_at(&t->pending, w.copy)->chained = 0;
			transfers_post(t, w.copy, c.to);
		} else if (!--t->missing[w.worker]) {
			t->notifications.nodes |= transfers_bit(t->m->workers[w.worker].node);
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
	transfers_end(t, a->copies[0]);
	allocations_served(a);
}

/* The first of `a` that is still needed. */
static int allocate_first(struct transfers *t, struct allocations_taken *a, int64_t now, int64_t *busy_ns)
{
	while (a->n) {
		const struct pending_copy *c = pending_at(&t->pending, a->copies[0]);

		if (!c->stale && !(t->r->data[c->datum].allocated & transfers_bit(c->to))) {
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
	int64_t list_ns = transfers_overheads(t, pending_at(&t->pending, a->copies[0])->to)->list_ns;

	end_first(t, a);
	if (a->n && now - a->since_ns >= list_ns) {
		allocations_give_back(&t->main_memory, a);
		transfers_wake_all(t);
	}
	return allocate_first(t, a, now, busy_ns);
}

int transfers_missing(const struct transfers *t, int worker)
{
	return t->missing[worker];
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

void transfers_notify(struct transfers *t, int node)
{
	t->notifications.nodes |= transfers_bit(node);
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

int64_t transfers_bytes_moved(const struct transfers *t)
{
	return t->bytes_moved;
}
