/* replay/memory/capacity.h - the data in a memory of limited size, and what has to be evicted for other data. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_CAPACITY_H
#define REPLAY_MEMORY_CAPACITY_H

#include <stdint.h>

/*
 * The data of one memory node in the order of its last use, as StarPU 1.4.10 keeps it (src/datawizard/memalloc.c).
 * New data takes the place of the least recently used datum of its size that is valid elsewhere. Where there is none,
 * data is evicted in that order until twice the bytes needed are free, and what is valid nowhere else is written back
 * to main memory first, one datum at a time. Pinned data (that tasks or copies use) stays; data that was prefetched
 * for a task stays unless a task waits for the memory. A datum is dirty when it was written on this node and not copied
 * to main memory since.
 *
 * A pure data structure: it answers what has to be evicted or written back, and its caller does so and reports it.
 * Every function costs at most the logarithm of the number of data, amortised.
 */
struct capacity;

#define CAPACITY_NO_DATUM UINT32_MAX

/*
 * Of `limit_bytes`, for data 0..ndata-1, of which nothing is resident. bytes[datum], what a datum takes, is borrowed
 * until capacity_free(). Never NULL.
 */
struct capacity *capacity_create(uint64_t limit_bytes, const uint64_t *bytes, uint32_t ndata);
void capacity_free(struct capacity *c);

/* The array of capacity_create(). */
const uint64_t *capacity_sizes(const struct capacity *c);

/* `datum`, which is not resident, was allocated: resident, clean and most recently used. Its pins count as before. */
void capacity_add(struct capacity *c, uint32_t datum);

/* `datum`, which is resident, was evicted. */
void capacity_remove(struct capacity *c, uint32_t datum);

/* Whether this node has the only valid copy of `datum`, resident or not; until capacity_set_sole() it has not. */
void capacity_set_sole(struct capacity *c, uint32_t datum, int sole);

/*
 * `datum` is the most recently used, and CAPACITY_PIN: a task uses it until capacity_unpin(); CAPACITY_RESERVE: it is
 * prefetched for a task, until capacity_unreserve(). Both are counted, also of data that is not resident yet.
 */
enum capacity_claim { CAPACITY_USE, CAPACITY_PIN, CAPACITY_RESERVE };

void capacity_use(struct capacity *c, uint32_t datum, enum capacity_claim claim);

/* As CAPACITY_PIN, but the order of use stays: a copy reads or writes the datum. */
void capacity_pin(struct capacity *c, uint32_t datum);

/* Ends one pin. Returns whether that was the last one. */
int capacity_unpin(struct capacity *c, uint32_t datum);

/* Ends one reservation; nothing where there is none. */
void capacity_unreserve(struct capacity *c, uint32_t datum);

void capacity_set_dirty(struct capacity *c, uint32_t datum);

/* Whether `datum` fits beside what is resident. */
int capacity_fits(const struct capacity *c, uint32_t datum);

/*
 * Starts an eviction that makes space for `datum`, which does not fit; not while capacity_is_blocked(). With
 * CAPACITY_EVICT_RESERVED prefetched data may be evicted, too. Returns 1 when one datum of the same size, which is
 * valid elsewhere, is all that is evicted: its block can be reused. capacity_next() gives what to evict.
 */
enum capacity_spare { CAPACITY_SPARE_RESERVED, CAPACITY_EVICT_RESERVED };

int capacity_reclaim(struct capacity *c, uint32_t datum, enum capacity_spare spare);

/*
 * The next step of that eviction, to be called until CAPACITY_DONE: CAPACITY_EVICT: *datum has to be evicted, with
 * capacity_remove(); CAPACITY_WRITE_BACK: *datum has to be copied to main memory, and nothing is evicted before
 * capacity_written_back(). CAPACITY_DONE: enough was evicted, nothing else can be, or the memory is blocked.
 */
enum capacity_step { CAPACITY_DONE, CAPACITY_EVICT, CAPACITY_WRITE_BACK };

enum capacity_step capacity_next(struct capacity *c, uint32_t *datum);

/* The datum that is being written back before it is evicted; CAPACITY_NO_DATUM: none, the memory is not blocked. */
uint32_t capacity_writing(const struct capacity *c);
int capacity_is_blocked(const struct capacity *c);

/* That datum is in main memory, or was overwritten elsewhere: capacity_next() goes on. */
void capacity_written_back(struct capacity *c);

/*
 * StarPU keeps part of the data clean: when less than CAPACITY_CLEAN_MINIMUM percent are, dirty data is copied to main
 * memory while links are idle, until CAPACITY_CLEAN_TARGET percent are (STARPU_MINIMUM_CLEAN_BUFFERS and
 * STARPU_TARGET_CLEAN_BUFFERS). capacity_next_dirty() gives the least recently used evictable dirty datum and marks it
 * clean; CAPACITY_NO_DATUM: there is none, or the target is reached.
 */
enum { CAPACITY_CLEAN_MINIMUM = 5, CAPACITY_CLEAN_TARGET = 10 };

int capacity_needs_cleaning(const struct capacity *c);
uint32_t capacity_next_dirty(struct capacity *c);

/*
 * Tasks whose data does not fit at the same time are fetched one after the other. capacity_admits(): whether the data
 * of a task, `bytes`, may be fetched beside what is being fetched; that of one task always may.
 */
int capacity_admits(const struct capacity *c, uint64_t bytes);
void capacity_fetch_begin(struct capacity *c, uint64_t bytes);
void capacity_fetch_end(struct capacity *c, uint64_t bytes);

/* a + b, UINT64_MAX where that is more. */
static inline uint64_t capacity_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

#endif
