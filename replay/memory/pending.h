/* replay/memory/pending.h - the copies that were requested and not observed to end, and what waits for each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_PENDING_H
#define REPLAY_MEMORY_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "replay/memory/requests.h"

#define PENDING_NONE UINT32_MAX

/*
 * A copy is requested, then begun by the driver of its device (in flight), completed by the network, and observed by
 * its driver, which ends it. The pending copies of a datum are a list, at most one to a node that is not stale.
 */
struct pending_copy {
	uint32_t datum;
	int32_t from, to; /* memory nodes */
	uint32_t next;    /* of the datum */
	uint32_t next_completed;
	uint32_t waiters;
	int32_t priority;
	enum request_urgency urgency;
	uint8_t begun;
	uint8_t memory_only; /* allocates memory on `to`, and nothing is transferred */
	uint8_t unlinked;    /* memory_only since no link leads to `to`: with its memory the datum is valid there */
	uint8_t chained;     /* waits for the copy to main memory, and then comes from there */
	uint8_t stale;       /* the datum was written after the request: the copy makes nothing valid */
	uint8_t alone;       /* of the datum then no other copy is valid */
	int64_t begun_ns;
};

/* What goes on when a copy has ended: a worker, or (worker -1) another copy, which is chained to it. */
struct pending_waiter {
	uint32_t next;
	int32_t worker;
	uint32_t copy;
};

/* All pending copies; zeroed: none, but for the two free lists, which pending_init() sets. */
struct pending {
	struct pending_copy *copies;
	size_t ncopies, cap_copies;
	uint32_t free_copy;
	struct pending_waiter *waiters;
	size_t nwaiters, cap_waiters;
	uint32_t free_waiter;
};

void pending_init(struct pending *p);
void pending_fini(struct pending *p);

/* Valid until the next pending_add(), which may move all copies. */
static inline struct pending_copy *pending_at(const struct pending *p, uint32_t copy)
{
	return &p->copies[copy];
}

/* Adds a copy of `datum` to node `to`, the rest 0, at the head of `list`, the datum's. Returns its number. */
uint32_t pending_add(struct pending *p, uint32_t *list, uint32_t datum, int to);

/* The copy to node `to` in a list that has one which is not stale. */
uint32_t pending_find(const struct pending *p, uint32_t list, int to);

/* Takes `copy` out of its datum's `list`; its number may be used again. Its waiters stay: pending_take_waiter(). */
void pending_remove(struct pending *p, uint32_t *list, uint32_t copy);

/* `worker`, or where it is -1 the copy `chained`, waits for `copy`. */
void pending_wait(struct pending *p, uint32_t copy, int worker, uint32_t chained);

/* The first of `waiters`, the last to wait, is removed and put into *w; 0: there is none. */
int pending_take_waiter(struct pending *p, uint32_t *waiters, struct pending_waiter *w);

#endif
