/* replay/memory.h - where the data of a simulated execution is, and how it gets to where a task needs it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_H
#define REPLAY_MEMORY_H

#include <stdint.h>

struct dag;
struct machine;
struct network;

/*
 * What StarPU 1.4.10's SimGrid flavour takes for the work of the thread that drives a device, and
 * has measured on real ones: starting a kernel or a transfer (src/core/simgrid.c:888, :1271),
 * allocating memory (src/drivers/cuda/driver_cuda.c:1185). Whoever drives a device does one of them
 * at a time. What goes into a device is started by its own thread, what comes out into main memory
 * by that of the device too.
 */
enum { MEMORY_QUEUE_NS = 10000, MEMORY_ALLOCATE_NS = 175000 };

/*
 * The caches of the memory nodes (MSI), as StarPU keeps them: a task finds at its node a valid copy
 * of what it reads, one that writes leaves the only one. A copy comes from the valid one that is
 * nearest by latency and bandwidth, through main memory where there is no direct link; nodes
 * without any link between them, such as those of a machine whose bus was never measured, copy in
 * no time. Memory is taken as unlimited.
 */
struct memory;

/* `d` and `m` have to stay. `network` NULL: copies are counted and take no time. free with memory_free(). */
struct memory *memory_create(const struct dag *d, const struct machine *m, struct network *network);
void memory_free(struct memory *mem);

/*
 * `worker` is to execute `task`: what it lacks is asked for. How many copies it has to wait for; 0:
 * it may start. A worker waits for one task at a time.
 */
int memory_fetch(struct memory *mem, uint32_t task, int worker, int64_t now);

/* As memory_fetch() for a task that the worker will execute later, when it is going to fetch it again. */
void memory_prefetch(struct memory *mem, uint32_t task, int worker, int64_t now);

/* What has arrived until `now` is valid. Workers that have all they waited for: memory_next_served(). */
void memory_advance(struct memory *mem, int64_t now);
int64_t memory_next_ns(const struct memory *mem); /* INT64_MAX: nothing on its way */
int memory_next_served(struct memory *mem);       /* -1: no more */

/* The task has all it needs: its copies of what it writes become the only valid ones. */
void memory_write(struct memory *mem, uint32_t task, int worker);

/* The thread of a worker's device starts a kernel as soon as it can: when that is done. A CPU needs no time. */
int64_t memory_launch(struct memory *mem, int worker, int64_t now);

/* Sets of nodes, a bit a node: where the data is valid, has memory, and whither a copy is on its way. */
struct memory_where {
	uint64_t valid, allocated, coming;
};

struct memory_where memory_where(const struct memory *mem, uint32_t handle);

int64_t memory_bytes_moved(const struct memory *mem);

#endif
