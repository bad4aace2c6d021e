/* replay/memory/capacity.c - the data in a memory of limited size, and what has to be evicted for other data. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Evictable data is in four heaps, by whether it is reserved and whether this copy is the only valid one, and dirty
 * evictable data in a fifth, least recently used first. A datum that changes heaps leaves its old entry where it is:
 * an entry counts while its stamp is that of the datum, and others are dropped when they come to the top or are most
 * of a heap.
 */
#include "replay/memory/capacity.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"

enum { QUEUED = 1, QUEUED_RESERVED = 2, QUEUED_SOLE = 4, QUEUED_DIRTY = 8 };

struct datum {
	uint64_t used;  /* number of its last use: larger is later */
	uint32_t stamp; /* entries with another one do not count */
	uint32_t pins;  /* tasks that were started to fetch it and have not ended, and copies that read or write it */
	uint32_t reserved; /* tasks it was prefetched for */
	uint8_t resident, sole, dirty;
	uint8_t queued; /* QUEUED bits: the heaps in which its entry counts; 0: none */
};

struct entry {
	uint64_t used;
	uint32_t datum, stamp;
};

struct heap {
	struct entry *items;
	size_t count, cap;
};

struct capacity {
	uint64_t limit, taken; /* bytes */
	const uint64_t *bytes;
	struct datum *data;
	uint32_t count, ndirty; /* resident data; of those dirty */
	uint64_t uses;
	struct heap evictable[2][2]; /* [reserved][sole] */
	struct heap dirty;
	/* The current eviction. */
	uint64_t reclaim; /* bytes that still have to leave; 0: none */
	int with_reserved, with_sole;
	uint32_t writing; /* is being written back, then evicted */
	uint32_t written; /* was written back, and is evicted next */
	/* What is being fetched for tasks. */
	int fetches;
	uint64_t fetching; /* bytes */
};

struct capacity *capacity_create(uint64_t limit_bytes, const uint64_t *bytes, uint32_t ndata)
{
	struct capacity *c = ht_alloc(1, sizeof(*c));

	c->limit = limit_bytes;
	c->bytes = bytes;
	c->data = ht_alloc(ndata, sizeof(*c->data));
	c->writing = c->written = CAPACITY_NO_DATUM;
	return c;
}

void capacity_free(struct capacity *c)
{
	if (!c)
		return;
	for (int i = 0; i < 4; i++)
		free(c->evictable[i / 2][i % 2].items);
	free(c->dirty.items);
	free(c->data);
	free(c);
}

const uint64_t *capacity_sizes(const struct capacity *c)
{
	return c->bytes;
}

static int entry_counts(const struct capacity *c, const struct entry *e)
{
	return c->data[e->datum].stamp == e->stamp;
}

static int is_before(const struct entry *a, const struct entry *b)
{
	return a->used < b->used;
}

HEAP(entries, struct entry, is_before, HEAP_NO_PLACES)

static void heap_drop_first(struct heap *h)
{
	entries_drop(h->items, --h->count, NULL);
}

static void heap_compact(const struct capacity *c, struct heap *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (entry_counts(c, &h->items[i]))
			h->items[n++] = h->items[i];
	}
	h->count = n;
	entries_make(h->items, n, NULL);
}

static void heap_put(const struct capacity *c, struct heap *h, struct entry e)
{
	if (h->count > 2 * (size_t)c->count + 64)
		heap_compact(c, h);
	VEC_PUSH(h->items, h->count, h->cap);
	entries_up(h->items, h->count - 1, &e, NULL);
}

/* The least recently used; NULL: the heap is empty. */
static const struct entry *heap_first(const struct capacity *c, struct heap *h)
{
	while (h->count && !entry_counts(c, &h->items[0]))
		heap_drop_first(h);
	return h->count ? &h->items[0] : NULL;
}

static void unqueue(struct datum *d)
{
	d->stamp++;
	d->queued = 0;
}

/* Puts `datum` into the heaps in which it belongs now. */
static void requeue(struct capacity *c, uint32_t datum)
{
	struct datum *d = &c->data[datum];
	int queued = QUEUED | (d->reserved ? QUEUED_RESERVED : 0) | (d->sole ? QUEUED_SOLE : 0) |
	             (d->dirty ? QUEUED_DIRTY : 0);
	struct entry e;

	if (d->pins || !d->resident) {
		unqueue(d);
		return;
	}
	if (d->queued == queued)
		return;
	e = (struct entry){.used = d->used, .datum = datum, .stamp = ++d->stamp};
	d->queued = (uint8_t)queued;
	heap_put(c, &c->evictable[d->reserved > 0][d->sole], e);
	if (d->dirty)
		heap_put(c, &c->dirty, e);
}

static void mark_dirty(struct capacity *c, uint32_t datum, int dirty)
{
	c->ndirty += (uint32_t)dirty - (uint32_t)c->data[datum].dirty;
	c->data[datum].dirty = (uint8_t)dirty;
}

void capacity_add(struct capacity *c, uint32_t datum)
{
	assert(!c->data[datum].resident);
	c->data[datum].resident = 1;
	c->taken += c->bytes[datum];
	c->count++;
	capacity_use(c, datum, CAPACITY_USE);
}

void capacity_remove(struct capacity *c, uint32_t datum)
{
	uint64_t bytes = c->bytes[datum];

	assert(c->data[datum].resident);
	mark_dirty(c, datum, 0);
	c->data[datum].resident = 0;
	unqueue(&c->data[datum]);
	c->taken -= bytes;
	c->count--;
	c->reclaim -= bytes < c->reclaim ? bytes : c->reclaim;
}

void capacity_set_sole(struct capacity *c, uint32_t datum, int sole)
{
	c->data[datum].sole = (uint8_t)sole;
	if (c->data[datum].queued)
		requeue(c, datum);
}

void capacity_use(struct capacity *c, uint32_t datum, enum capacity_claim claim)
{
	struct datum *d = &c->data[datum];

	d->used = ++c->uses;
	d->pins += claim == CAPACITY_PIN;
	d->reserved += claim == CAPACITY_RESERVE;
	d->queued = 0;
	requeue(c, datum);
}

void capacity_pin(struct capacity *c, uint32_t datum)
{
	c->data[datum].pins++;
	unqueue(&c->data[datum]);
}

int capacity_unpin(struct capacity *c, uint32_t datum)
{
	assert(c->data[datum].pins);
	if (--c->data[datum].pins)
		return 0;
	requeue(c, datum);
	return 1;
}

void capacity_unreserve(struct capacity *c, uint32_t datum)
{
	if (c->data[datum].reserved && !--c->data[datum].reserved)
		requeue(c, datum);
}

void capacity_set_dirty(struct capacity *c, uint32_t datum)
{
	mark_dirty(c, datum, 1);
	requeue(c, datum);
}

int capacity_fits(const struct capacity *c, uint32_t datum)
{
	return c->taken <= c->limit && c->bytes[datum] <= c->limit - c->taken;
}

/* The least recently used datum that may be evicted; NULL: there is none. */
static const struct entry *find_victim(struct capacity *c, int with_reserved, int with_sole)
{
	const struct entry *best = NULL;

	for (int i = 0; i <= with_reserved; i++) {
		for (int k = 0; k <= with_sole; k++) {
			const struct entry *e = heap_first(c, &c->evictable[i][k]);

			if (e && (!best || is_before(e, best)))
				best = e;
		}
	}
	return best;
}

int capacity_reclaim(struct capacity *c, uint32_t datum, enum capacity_spare spare)
{
	uint64_t bytes = c->bytes[datum];
	const struct entry *e;
	int same;

	assert(!capacity_is_blocked(c));
	c->with_reserved = spare == CAPACITY_EVICT_RESERVED;
	e = find_victim(c, c->with_reserved, 0);
	same = e && c->bytes[e->datum] == bytes;
	c->with_sole = !same;
	c->reclaim = same ? bytes : capacity_sum(bytes, bytes);
	return same;
}

enum capacity_step capacity_next(struct capacity *c, uint32_t *datum)
{
	const struct entry *e;

	if (capacity_is_blocked(c))
		return CAPACITY_DONE;
	*datum = c->written;
	c->written = CAPACITY_NO_DATUM;
	if (*datum != CAPACITY_NO_DATUM) {
		const struct datum *d = &c->data[*datum];

		if (d->resident && !d->pins && !d->sole)
			return CAPACITY_EVICT;
	}
	e = c->reclaim ? find_victim(c, c->with_reserved, c->with_sole) : NULL;
	if (!e) {
		c->reclaim = 0;
		return CAPACITY_DONE;
	}
	*datum = e->datum;
	if (!c->data[e->datum].sole)
		return CAPACITY_EVICT;
	c->writing = e->datum;
	return CAPACITY_WRITE_BACK;
}

uint32_t capacity_writing(const struct capacity *c)
{
	return c->writing;
}

int capacity_is_blocked(const struct capacity *c)
{
	return c->writing != CAPACITY_NO_DATUM;
}

void capacity_written_back(struct capacity *c)
{
	c->written = c->writing;
	c->writing = CAPACITY_NO_DATUM;
}

int capacity_needs_cleaning(const struct capacity *c)
{
	return c->count - c->ndirty < (uint64_t)c->count * CAPACITY_CLEAN_MINIMUM / 100;
}

uint32_t capacity_next_dirty(struct capacity *c)
{
	const struct entry *e = NULL;
	uint32_t datum;

	if (c->count - c->ndirty < (uint64_t)c->count * CAPACITY_CLEAN_TARGET / 100)
		e = heap_first(c, &c->dirty);
	if (!e)
		return CAPACITY_NO_DATUM;
	datum = e->datum;
	heap_drop_first(&c->dirty);
	mark_dirty(c, datum, 0);
	c->data[datum].queued &= (uint8_t)~QUEUED_DIRTY;
	return datum;
}

int capacity_admits(const struct capacity *c, uint64_t bytes)
{
	return !c->fetches || capacity_sum(c->fetching, bytes) <= c->limit;
}

void capacity_fetch_begin(struct capacity *c, uint64_t bytes)
{
	c->fetches++;
	c->fetching = capacity_sum(c->fetching, bytes);
}

void capacity_fetch_end(struct capacity *c, uint64_t bytes)
{
	assert(c->fetches > 0);
	c->fetching = --c->fetches ? c->fetching - bytes : 0;
}
