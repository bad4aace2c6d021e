/* replay/memory/residency.h - at which memory nodes each datum is valid and has memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_RESIDENCY_H
#define REPLAY_MEMORY_RESIDENCY_H

#include <stddef.h>
#include <stdint.h>

#include "replay/memory/capacity.h"

struct chunks;
struct dag;
struct machine;
struct overheads_all;

/* Sets of nodes, a bit a node: where a datum is valid, where it has memory, and where a copy of it is pending. */
struct residency_where {
	uint64_t valid, allocated, pending;
};

/* What a node holds; evictions: data evicted from it; written_back: bytes that were written back for that. */
struct residency_use {
	uint64_t bytes, peak_bytes;
	uint64_t evictions, written_back;
};

/* residency_where() of `datum` has changed for the set `nodes`; the function may not change anything of it. */
typedef void residency_moved(void *ctx, uint32_t datum, uint64_t nodes);

/* Members are for the functions below; `data` may be read, but is changed by residency_set(). */
struct residency {
	const struct dag *d;
	const struct machine *m;
	const struct overheads_all *overheads; /* NULL: nothing takes time */
	struct residency_where *data;          /* per datum of the dag */
	struct residency_use *use;             /* per node */
	struct chunks *chunks;                 /* per node */
	int64_t allocator_ns;                  /* until when the lock of the devices' allocators is held */
	int64_t main_ns;                       /* until when a chunk of main memory is allocated */
	struct capacity **capacity;            /* per node, NULL: everything fits; NULL: everything fits everywhere */
	uint64_t *chunk_bytes;                 /* with capacity, per datum: bytes as StarPU takes them */
	residency_moved *moved;                /* or NULL */
	void *moved_ctx;
};

/*
 * All data is at its home node, or where the machine lacks that or it is full, in main memory. `o` NULL: memory is
 * unlimited and takes no time. All arguments are borrowed until residency_free(). Never NULL.
 */
struct residency *residency_create(const struct dag *d, const struct machine *m, const struct overheads_all *o);
void residency_free(struct residency *r);

/* `moved` is called after each change; NULL: nothing is. */
void residency_watch(struct residency *r, residency_moved *moved, void *ctx);

/* NULL: everything fits into the memory of `node`. */
static inline struct capacity *residency_capacity(const struct residency *r, int node)
{
	return r->capacity ? r->capacity[node] : NULL;
}

/* The sum of bytes[datum] over the accesses of a task; a datum that it accesses twice counts twice. */
uint64_t residency_task_bytes(const struct residency *r, uint32_t task, const uint64_t *bytes);

/* Sets where `datum` is valid and pending; `allocated` stays as it is. */
void residency_set(struct residency *r, uint32_t datum, uint64_t valid, uint64_t pending);

/* Gives `datum` memory at `node`, where it has none. */
void residency_allocate(struct residency *r, uint32_t datum, int node);

/*
 * For how long the last residency_allocate() at `node` keeps the thread busy that does it at `now`. It is called after
 * each that takes time.
 */
int64_t residency_allocation_ns(struct residency *r, int node, int64_t now);

/* Takes `datum` and its memory from `node`, whose memory is not limited. */
void residency_free_datum(struct residency *r, uint32_t datum, int node);

/* Takes `datum` and its memory from `node`, whose memory is limited. */
void residency_evict(struct residency *r, uint32_t datum, int node);

/* Drops `datum` everywhere: it is valid nowhere, and has memory only at its home and where it is being copied. */
void residency_drop(struct residency *r, uint32_t datum);

/* The datum evicted last has the size of the next that is allocated at `node`, which reuses its block. */
void residency_reuse(struct residency *r, int node);

#endif
