/* replay/memory/memory_room.h - what fits into the memory of a device, and what leaves it for something else. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MEMORY_ROOM_H
#define REPLAY_MEMORY_MEMORY_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "replay/memory/requests.h"

struct memory;

/*
 * StarPU 1.4.10 (src/datawizard/memalloc.c) keeps the data of a device in the order in which they were last asked for.
 * What does not fit takes the place of the first of its size that has a copy elsewhere; where there is none, twice as
 * much as is needed leaves in that order, and what has no other copy is written to main memory first, one by one, while
 * the driver waits. What tasks have taken, and what is being copied, stays; a prefetch also leaves alone what was
 * prefetched for a task, and an idle request asks for nothing to leave. When less than 5 % of the data were never
 * written on the device, or written back, idle copies to main memory bring that to 10 %.
 *
 * Main memory takes everything, as it does in StarPU without a disk. Nothing is kept for a device into which all data
 * of the graph fits.
 */
struct place {
	uint64_t asked;    /* grows from one to the next; when it was last asked for */
	uint32_t stamp;    /* an entry of a queue with another one is old */
	uint32_t users;    /* tasks that have asked for it and have not ended, and copies under way */
	uint32_t reserved; /* tasks it was prefetched for */
	uint8_t written;   /* since it was here, or was written back */
	uint8_t filed;     /* the queues in which its entry is not old; 0: none */
};

struct place_queue {
	struct place_entry *items;
	size_t count, cap;
};

enum { OTHERS_HAVE_IT, ONLY_COPY };

/* Of a memory node. */
struct room {
	uint64_t limit, taken;
	struct place *places;             /* per handle; NULL: everything fits */
	struct place_queue leaving[2][2]; /* [reserved][OTHERS_HAVE_IT or ONLY_COPY] */
	struct place_queue written;
	int exact;                /* bytes are taken as they are, not by StarPU's chunks */
	uint32_t count, nwritten; /* places taken; of those written */
	uint64_t reclaim;         /* bytes that still have to leave */
	int reclaim_reserved;
	uint32_t writing;  /* the datum that is being written back before it leaves; MEMORY_NONE */
	int fetchers;      /* workers that wait for data of a task */
	uint64_t fetching; /* what those tasks take */
};

/* What a worker has asked for. */
struct room_asked {
	uint64_t bytes;
	uint32_t task;
	int32_t priority;
	enum { ROOM_IDLE, ROOM_FETCHES, ROOM_DEFERRED } state;
};

void rooms_create(struct memory *mem);
void rooms_free(struct memory *mem);

/*
 * The following do nothing where everything fits. room_asked_for(): it is the newest, and a task that has it holds it,
 * or it is reserved for one that will.
 */
enum room_claim { ROOM_NONE, ROOM_HOLD, ROOM_RESERVE };

void room_asked_for(struct memory *mem, uint32_t handle, int node, enum room_claim claim);
void room_hold(struct memory *mem, uint32_t handle, int node);
void room_release(struct memory *mem, uint32_t handle, int node);
void room_unreserve(struct memory *mem, uint32_t handle, int node);
void room_write(struct memory *mem, uint32_t handle, int node);

/* Which nodes have a valid copy has changed. */
void room_changed(struct memory *mem, uint32_t handle);

/*
 * Whether there is room for the datum by now. 0: not yet; when a datum has to be written back first the driver is
 * blocked (memory_blocked()). room_take(): it is allocated.
 */
int room_make(struct memory *mem, uint32_t handle, int node, enum request_urgency urgency);
void room_take(struct memory *mem, uint32_t handle, int node);

/* A copy that was on its way to main memory is there, or is not needed any more. */
void room_written_back(struct memory *mem, uint32_t handle);

/* Idle copies of what was written, when too much is. */
void room_tidy(struct memory *mem, int node);

/*
 * Tasks whose data would not fit at a time are fetched one after the other: whether `worker` may ask for its task's
 * now. room_fetches(): it waits for some.
 * room_fetched(): it has all; the worker that may ask next, -1: none.
 */
int room_admit(struct memory *mem, uint32_t task, int worker, int32_t priority);
void room_fetches(struct memory *mem, int worker);
int room_fetched(struct memory *mem, int worker);

#endif
