/* replay/memory/memory.h - where the data of a simulated execution is, and how it gets to where a task needs it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MEMORY_H
#define REPLAY_MEMORY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct machine;
struct network;
struct overheads_all;

/*
 * The caches of the memory nodes (MSI), as StarPU keeps them: a task finds at its node a valid copy
 * of what it reads, one that writes leaves the only one. A copy comes from the valid one that is
 * nearest by latency and bandwidth, through main memory where there is no direct link; nodes
 * without any link between them, such as those of a machine whose bus was never measured, copy in
 * no time. A device of known capacity never holds more than that (memory_room.h), as long as copies take time.
 */
struct memory;

/*
 * `d`, `m` and `o` have to stay. `network` NULL: copies are counted and take no time, and `o` may be NULL. free with
 * memory_free().
 */
struct memory *memory_create(const struct dag *d, const struct machine *m, struct network *network,
                             const struct overheads_all *o);
void memory_free(struct memory *mem);

/*
 * `worker` is to execute `task`: what it lacks is asked for, by priority. How many copies it has to wait for; 0: it may
 * start.
 */
int memory_fetch(struct memory *mem, uint32_t task, int worker, int32_t priority);

/* Of those, how many it still waits for. */
int memory_missing(const struct memory *mem, int worker);

/* As memory_fetch() for a task that the worker will execute later, when it is going to fetch it again. */
void memory_prefetch(struct memory *mem, uint32_t task, int worker, int32_t priority);

/*
 * Copies travel by themselves, but the thread that drives a device begins them and notices their end.
 * memory_advance(): the network until `now`; memory_next_ns(): when something lands, INT64_MAX: nothing is on its way.
 * memory_poll(), then memory_begin() until it gives 0: the driver of `node` goes through its requests
 * (requests.h) and begins one, which takes it *busy_ns; in each direction it first notices what has landed.
 * memory_observed(): how many of these since it began to look.
 */
void memory_advance(struct memory *mem, int64_t now);
int64_t memory_next_ns(const struct memory *mem);
void memory_poll(struct memory *mem, int node);
int memory_begin(struct memory *mem, int node, int64_t now, int64_t *busy_ns);
int memory_observed(const struct memory *mem, int node);

/* The driver of `node` has something to wait for: its copies are not delayed any more. */
void memory_cancel_delay(struct memory *mem, int node, int64_t now);

/* The driver of `node` writes a datum back to make room, and does nothing else but copies meanwhile. */
int memory_blocked(const struct memory *mem, int node);

/* Since it was last asked: nodes whose driver has something to notice or to begin, and nodes where data has arrived. */
struct memory_notifications {
	uint64_t drivers, nodes;
};

struct memory_notifications memory_take_notifications(struct memory *mem);

/* The task has ended, and its data may leave its node. */
void memory_finish(struct memory *mem, uint32_t task, int worker);

/*
 * What the task has written and the application will not need soon (ACCESS_WONT_USE), one by one: *next is 0 for the
 * first; UINT32_MAX: no more. memory_write_back(): it is copied home when there is time.
 */
uint32_t memory_next_wont_use(const struct memory *mem, uint32_t task, uint32_t *next);
void memory_write_back(struct memory *mem, uint32_t handle);

/* The task has all it needs: its copies of what it writes become the only valid ones. */
void memory_write(struct memory *mem, uint32_t task, int worker);

/* Sets of nodes, a bit a node: where the data is valid, has memory, and whither a copy is on its way. */
struct memory_where {
	uint64_t valid, allocated, pending;
};

/*
 * `moved` (or NULL) is called whenever something of that may have changed, with the nodes of which it may have; it
 * may not ask for copies.
 */
typedef void memory_moved(void *ctx, uint32_t handle, uint64_t nodes);
void memory_watch(struct memory *mem, memory_moved *moved, void *ctx);

struct memory_where memory_where(const struct memory *mem, uint32_t handle);

int64_t memory_bytes_moved(const struct memory *mem);

/* A copy that took time: from when its driver had begun it until its data was there. */
struct memory_copy {
	int64_t start_ns, end_ns;
	uint32_t handle;
	int16_t from, to;
	uint8_t cause; /* enum copy_cause (core/trace/trace.h) */
};

/* memory_log_copies() before the first; memory_take_copies() gives those that have landed, by that: free() it. */
void memory_log_copies(struct memory *mem);
struct memory_copy *memory_take_copies(struct memory *mem, size_t *ncopies);

/* What a node holds; evictions: data that left it for want of room, so many bytes of it written back for that. */
struct memory_use {
	uint64_t bytes, peak_bytes;
	uint64_t evictions, written_back;
};

/* One entry a node; counted only where copies take time. Valid as long as the memory. */
const struct memory_use *memory_use(const struct memory *mem);

#endif
