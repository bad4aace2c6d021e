/* replay/memory/memory.h - what the tasks of a simulated execution need of its memory nodes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MEMORY_H
#define REPLAY_MEMORY_MEMORY_H

#include <stdint.h>

#include "replay/memory/residency.h"

struct network;
struct transfers;

/*
 * The caches of the memory nodes as StarPU keeps them (MSI): a task finds at its node a valid copy of what it reads,
 * and a task that writes leaves the only valid copy. Copies between nodes are transfers.h, limits of memories
 * capacity.h.
 *
 * Workers, tasks, data and nodes are indices into the arrays of the dag and of the machine.
 */
struct memory;

/*
 * `network` NULL: copies are counted and take no time, memories are unlimited, and `o` may be NULL. All arguments are
 * borrowed until memory_free(). Never NULL.
 */
struct memory *memory_create(const struct dag *d, const struct machine *m, struct network *network,
                             const struct overheads_all *o);
void memory_free(struct memory *mem);

/* The copies between its nodes; NULL without network. Borrowed until memory_free(). */
struct transfers *memory_transfers(struct memory *mem);

/*
 * `worker` is to execute `task`: requests what its node lacks, by `priority`, and pins the data of the task there until
 * memory_finish(). Returns memory_missing(): 0: the task may start.
 */
int memory_fetch(struct memory *mem, uint32_t task, int worker, int32_t priority);

/* The copies that `worker` still waits for since its last memory_fetch(); 1 while that is deferred for other tasks. */
int memory_missing(const struct memory *mem, int worker);

/*
 * Requests what the node of `worker` lacks for a task that the worker will memory_fetch() later. What the task writes
 * is valid there alone when it has come, at once where it is there already: a worker elsewhere has to copy it back
 * (StarPU 1.4.10, coherency.c, _starpu_update_data_state).
 */
void memory_prefetch(struct memory *mem, uint32_t task, int worker, int32_t priority);

/*
 * The application acquires `datum`: requests it at its home, as a task would. Returns 1 if it is valid there, so it is
 * to be asked again until then.
 */
int memory_acquire(struct memory *mem, uint32_t datum);

/* memory_prefetch() of one datum, where it is valid anywhere; no room is reserved for it. */
void memory_prefetch_data(struct memory *mem, uint32_t datum, int worker, int32_t priority);

/* The fetched `task` starts: its node gets the only valid copies of what it writes. */
void memory_write(struct memory *mem, uint32_t task, int worker);

/* `datum` was written in main memory, by no task: it is valid there only. */
void memory_receive(struct memory *mem, uint32_t datum);

/* `datum`, which no task accesses, gives its main memory back. */
void memory_forget(struct memory *mem, uint32_t datum);

/* `datum` is to be received: requests its memory in main memory; returns 1 where it has that by now. */
int memory_expect(struct memory *mem, uint32_t datum);
/* How many such requests are over: while that stays, so does what memory_expect() says. */
uint32_t memory_allocations(const struct memory *mem);

/* Requests a copy of `datum` in main memory; returns 1 where it is valid there, or nowhere, by now. */
int memory_bring_home(struct memory *mem, uint32_t datum, int32_t priority);

/* The task has ended: its data may be evicted, and is dropped where this was its last use (dag.invalidated). */
void memory_finish(struct memory *mem, uint32_t task, int worker);

/*
 * One by one the data that `task` has written and the application will not use soon (ACCESS_WONT_USE), which
 * transfers_write_back() is for; *next is 0 for the first call. UINT32_MAX: no more.
 */
uint32_t memory_next_wont_use(const struct memory *mem, uint32_t task, uint32_t *next);

/* Bytes of all copies begun. */
int64_t memory_bytes_moved(const struct memory *mem);

struct residency_where memory_where(const struct memory *mem, uint32_t datum);

/* `moved` (NULL: nothing) is called after each change of memory_where(); it may not request copies. */
void memory_watch(struct memory *mem, residency_moved *moved, void *ctx);

/* One entry a node, counted only where copies take time; borrowed until memory_free(). */
const struct residency_use *memory_use(const struct memory *mem);

#endif
