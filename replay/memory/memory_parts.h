/* replay/memory/memory_parts.h - the inside of a simulated machine's memory, for its own files only. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MEMORY_PARTS_H
#define REPLAY_MEMORY_MEMORY_PARTS_H

#include <stddef.h>

#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "replay/memory/memory.h"
#include "replay/memory/memory_room.h"
#include "replay/memory/requests.h"

#define MEMORY_NONE UINT32_MAX

/*
 * StarPU takes device memory in chunks, of which small data is cut in grains; taking one costs the driver time (1.4.10,
 * src/datawizard/malloc.h).
 */
#define CHUNK_BYTES (UINT64_C(32) << 20)
#define CHUNK_GRAIN (UINT64_C(16) << 10)

struct arrival {
	uint32_t handle;
	int32_t node, from;
	uint32_t next;   /* of the handle, or free */
	uint32_t landed; /* the next that its driver has not noticed */
	uint32_t waiters;
	int32_t priority;
	enum request_urgency urgency;
	int begun;    /* its driver has sent it */
	int empty;    /* memory only: nothing is copied */
	int unlinked; /* no link leads there: with its memory it is there */
	int chained;  /* waits for another one: from main memory, when it is there */
	int64_t begun_ns;
	int stale; /* somebody has written the data meanwhile */
};

/* Copies that have landed and were not noticed. */
struct landed {
	uint32_t first, last;
};

/* The thread that drives a device. */
struct driver {
	int chunks;                          /* to allocate before it goes on: 0 or 1 */
	uint64_t chunk_bytes;                /* left of the memory it allocated last */
	int reused;                          /* the next to be allocated takes the place of one of its size */
	struct landed landed[2];             /* per enum request_direction */
	enum request_direction direction;    /* it is at */
	int noticed;                         /* since it began to look */
	uint32_t empty;                      /* it allocates memory for this one */
	uint32_t delayed[COPIES_DIRECTIONS]; /* copies so far */
	int64_t delayed_ns;                  /* until when the last of them is */
};

struct waiter {
	uint32_t next;  /* of the arrival, or free */
	int32_t worker; /* -1: an arrival */
	uint32_t arrival;
};

struct handle {
	uint64_t valid;     /* nodes with a valid copy */
	uint64_t allocated; /* nodes where it has memory */
	uint64_t coming;    /* nodes with an arrival that is not stale */
	uint32_t arrivals;
};

struct memory {
	const struct dag *d;
	const struct machine *m;
	struct network *network;
	const struct overheads_all *overheads;
	struct handle *handles;
	struct requests *requests; /* NULL without network */
	struct driver *drivers;    /* per node */
	int64_t allocator_ns;      /* when somebody may allocate on a device */
	int *missing;              /* per worker: copies it waits for */
	struct memory_use *use;    /* per node */
	struct room *rooms;        /* per node; NULL: everything fits everywhere */
	uint64_t *in_chunks;       /* with rooms: bytes per handle, as StarPU takes them */
	struct room_asked *asked;  /* with rooms: per worker */
	uint64_t *prefetched;      /* with rooms: a bit a task */
	uint64_t asks;
	struct memory_notifications news;
	struct arrival *arrivals;
	size_t narrivals, cap_arrivals;
	uint32_t free_arrival;
	struct waiter *waiters;
	size_t nwaiters, cap_waiters;
	uint32_t free_waiter;
	int64_t bytes_moved;
	memory_moved *moved; /* or NULL */
	void *moved_ctx;
	int keeps_copies;
	struct memory_copy *copies;
	size_t ncopies, cap_copies;
};

static inline int memory_is_device(const struct memory *mem, int node)
{
	return mem->m->nodes[node].arch != ARCH_CPU;
}

static inline const struct overheads *memory_overheads(const struct memory *mem, int node)
{
	return &mem->overheads->of[mem->m->nodes[node].arch];
}

/* What the nodes have of the handle, or expect, has changed. */
static inline void memory_tell_moved(const struct memory *mem, uint32_t handle, uint64_t nodes)
{
	if (mem->moved)
		mem->moved(mem->moved_ctx, handle, nodes);
}

/* How a copy is asked for. */
struct memory_asked {
	enum request_urgency urgency;
	int32_t priority;
};

/* memory_copy.c: the arrival of a copy that `node` lacks; MEMORY_NONE: it is there by now, for no link leads there. */
uint32_t memory_request(struct memory *mem, uint32_t handle, int node, const struct memory_asked *how);

/* Memory for what is written without being read, as the arrival of nothing from the node itself; or it is there. */
uint32_t memory_request_space(struct memory *mem, uint32_t handle, int node, const struct memory_asked *how);

/* memory_chunks.c: it has memory there; what is small takes some of a chunk, the rest of the device's own. */
void memory_allocate(struct memory *mem, uint32_t handle, int node);

/* It has left the device: what is small leaves a gap in a chunk. */
void memory_give_back(struct memory *mem, uint32_t handle, int node);

/*
 * What the allocation since the last call takes the driver of `node`: one at a time on all devices, since StarPU takes
 * a lock (1.4.10, src/drivers/cuda/driver_cuda.c:1182). 0: there was none.
 */
int64_t memory_allocation_ns(struct memory *mem, int node, int64_t now);

/* memory.c: the worker has all it waited for. */
void memory_fetched(struct memory *mem, int worker);

/* memory_kept.c: it has landed, and its copy is kept. */
void memory_keep(struct memory *mem, uint32_t arrival, int64_t now);

/* `worker` waits for it. */
void memory_wait(struct memory *mem, uint32_t arrival, int worker);

#endif
