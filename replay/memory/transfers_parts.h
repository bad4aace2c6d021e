/* replay/memory/transfers_parts.h - what the files of transfers.h share, for them only. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_TRANSFERS_PARTS_H
#define REPLAY_MEMORY_TRANSFERS_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "replay/memory/allocations.h"
#include "replay/memory/pending.h"
#include "replay/memory/requests.h"
#include "replay/memory/residency.h"
#include "replay/memory/transfers.h"

/*
 * In this order, a file calls only functions of the files above it:
 *
 *   transfers_request.c   requests of copies, and from which node and by which driver each is made
 *   transfers_evict.c     evictions, which request write-backs
 *   transfers.c           the end of copies, after which evictions go on; what waits for them
 *   transfers_drive.c     polls of drivers, which begin copies and observe their end
 *
 * A struct pending_copy moves when a copy is added: a pointer to one is not kept across a function that requests
 * copies. `copy` is the number of a pending copy.
 */

/* The copies of one direction that have ended and were not observed; first PENDING_NONE: none. */
struct completed {
	uint32_t first, last;
};

/* The thread that drives a device. */
struct driver {
	struct completed completed[2];       /* per enum request_direction */
	enum request_direction direction;    /* the poll is at */
	int observed;                        /* in this poll */
	uint32_t allocating;                 /* the memory_only copy that it has begun; PENDING_NONE */
	uint32_t delayed[COPIES_DIRECTIONS]; /* copies so far that may have been delayed */
	int64_t delayed_ns;                  /* when the last of them, delay included, has ended if it is alone */
};

/* When the driver that has begun the last copy of a datum holds it. */
struct hold {
	int64_t from_ns, until_ns;
};

struct transfers {
	const struct dag *d;
	const struct machine *m;
	const struct overheads_all *overheads;
	struct residency *r;
	struct network *network;
	struct pending pending;
	uint32_t *lists;    /* per datum: its pending copies */
	struct hold *holds; /* per datum */
	struct requests *requests;
	struct driver *drivers;         /* per node */
	struct allocations main_memory; /* copies that only allocate there */
	uint32_t allocations;           /* of them that are over */
	int *missing;                   /* per worker: copies it waits for */
	transfers_served *served;
	void *served_ctx;
	struct transfers_notifications notifications;
	int64_t bytes_moved;
	int logs_copies;
	struct transfers_copy *copies;
	size_t ncopies, cap_copies;
};

/* The set of that node alone. */
static inline uint64_t transfers_bit(int node)
{
	return UINT64_C(1) << node;
}

static inline int transfers_is_device(const struct transfers *t, int node)
{
	return t->m->nodes[node].arch != ARCH_CPU;
}

static inline const struct overheads *transfers_overheads(const struct transfers *t, int node)
{
	return &t->overheads->of[t->m->nodes[node].arch];
}

/* transfers_request.c: */

/*
 * What `copy` is to the driver that begins it: the thread of a device begins the copies into the device, and those from
 * it into main memory.
 */
struct request transfers_request_of(const struct transfers *t, uint32_t copy);

/* Hands a pending copy, which is not begun, to its driver. */
void transfers_post(struct transfers *t, uint32_t copy, int from);

/*
 * Posts `copy` from the nearest valid copy, or chains it to one to main memory; without a link to a device of limited
 * memory, posts a request for that memory. 0: nothing was posted, since no link leads to its node.
 */
int transfers_post_somehow(struct transfers *t, uint32_t copy, const struct transfers_demand *demand);

/* Removes `copy`, which makes the datum valid at the nodes `valid` unless it is stale. */
void transfers_remove(struct transfers *t, uint32_t copy, uint64_t valid);

/* Notifies all drivers, and all nodes without one. */
void transfers_wake_all(struct transfers *t);

/* transfers_evict.c: */

/* Whether `node` has memory for `datum` now; 0: not yet, and its driver may be blocked (transfers_blocked()). */
int transfers_make_space(struct transfers *t, uint32_t datum, int node, enum request_urgency urgency);

/* A copy of `datum` to main memory has ended, or is not needed any more: evictions that waited for it go on. */
void transfers_continue_evictions(struct transfers *t, uint32_t datum);

/* Requests idle copies of dirty data where too little is clean. */
void transfers_clean(struct transfers *t, int node);

/* Keeps `datum` at `node` until transfers_unpin(); nothing where memory is unlimited. */
void transfers_pin(struct transfers *t, uint32_t datum, int node);

/* transfers.c: */

/* Ends `copy`, and what waits for it goes on. */
void transfers_end(struct transfers *t, uint32_t copy);

#endif
