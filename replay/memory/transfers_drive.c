/* replay/memory/transfers_drive.c - what drivers do: they begin the copies requested of them and observe their end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "replay/memory/network.h"
#include "replay/memory/pending.h"
#include "replay/memory/residency.h"
#include "replay/memory/transfers_parts.h"

/* Ends `copy`, which its driver has taken from its requests. */
static void end_request(struct transfers *t, uint32_t copy)
{
	struct request r = transfers_request_of(t, copy);

	requests_end(t->requests, &r);
	transfers_end(t, copy);
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
	transfers_clean(t, node);
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
	int64_t list_ns = transfers_overheads(t, node)->list_ns;
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
	const struct overheads_delays *d = &transfers_overheads(t, node)->delays[direction];
	struct driver *driver = &t->drivers[node];
	int64_t ready_ns = c->begun_ns;
	uint32_t slice = 0, count;
	double takes_ns;

	if (!d->samples || (transfers_is_device(t, c->from) && transfers_is_device(t, c->to))) {
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
	struct request r = transfers_request_of(t, copy);
	struct transfers_demand demand = {.urgency = c.urgency, .priority = c.priority};

	if (c.stale) {
		end_request(t, copy);
		return 0;
	}
	if (!t->r->capacity)
		return 1;
	if (!c.memory_only && !(t->r->data[c.datum].valid & transfers_bit(c.from))) {
		requests_end(t->requests, &r);
		if (!transfers_post_somehow(t, copy, &demand))
			transfers_end(t, copy);
		return 0;
	}
	if (t->r->data[c.datum].allocated & transfers_bit(c.to) || transfers_make_space(t, c.datum, c.to, c.urgency))
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

	if (!(t->r->data[c->datum].allocated & transfers_bit(c->to))) {
		residency_allocate(t->r, c->datum, c->to);
		busy_ns += residency_allocation_ns(t->r, c->to, now + busy_ns);
	}
	c->begun = 1;
	transfers_pin(t, c->datum, c->to);
	transfers_pin(t, c->datum, c->from);
	if (c->memory_only) {
		t->drivers[node].allocating = copy;
		return busy_ns;
	}
	t->holds[c->datum].from_ns = now + busy_ns;
	busy_ns += transfers_overheads(t, node)->copy_ns;
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

/* The transfer of `copy` has ended, which its driver has to observe. */
static void complete(struct transfers *t, uint32_t copy)
{
	struct request r = transfers_request_of(t, copy);
	struct completed *completed = &t->drivers[r.driver].completed[r.direction];

	if (completed->first == PENDING_NONE)
		completed->first = copy;
	else
		pending_at(&t->pending, completed->last)->next_completed = copy;
	completed->last = copy;
	t->notifications.drivers |= transfers_bit(r.driver);
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
