/* replay/memory/transfers.h - copies between memory nodes: requested, begun by drivers, completed, observed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_TRANSFERS_H
#define REPLAY_MEMORY_TRANSFERS_H

#include <stddef.h>
#include <stdint.h>

#include "replay/memory/allocations.h"
#include "replay/memory/requests.h"

struct network;
struct residency;

/*
 * A copy is made from the valid one that is nearest by latency and bandwidth, through main memory where the two nodes
 * have no direct link. Nodes without any link, such as those of a machine whose bus was never measured, copy in no
 * time. Where a device's memory is full (capacity.h), the driver that begins a copy evicts data first.
 */
struct transfers;

#define TRANSFERS_NONE UINT32_MAX

/* No copy is left that `worker` waits for. The function may request copies. */
typedef void transfers_served(void *ctx, int worker);

/* The arguments are borrowed until transfers_free(). Never NULL. */
struct transfers *transfers_create(struct residency *r, struct network *network, transfers_served *served, void *ctx);
void transfers_free(struct transfers *t);

/* What the layer above requests, memory.h: */

struct transfers_demand {
	enum request_urgency urgency;
	int32_t priority;
	int alone; /* no other copy is valid once this one is */
};

/*
 * Requests a copy of `datum` to `node`, where it is not valid, or where one is pending makes that more urgent. Returns
 * the pending copy; TRANSFERS_NONE: the datum is valid there by now, since no link leads there.
 */
uint32_t transfers_request(struct transfers *t, uint32_t datum, int node, const struct transfers_demand *demand);

/*
 * Requests memory for `datum` at `node`, which is written there before it is read. Returns the pending copy that brings
 * it; TRANSFERS_NONE: it has memory.
 */
uint32_t transfers_request_memory(struct transfers *t, uint32_t datum, int node, const struct transfers_demand *demand);

/* `worker` waits for `copy`; transfers_missing(): for how many it waits. */
void transfers_wait(struct transfers *t, uint32_t copy, int worker);
int transfers_missing(const struct transfers *t, int worker);

/*
 * `worker`, which is going to write the datum, waits for its pending copies but `copy`, wherever they go: what they
 * bring would be stale. They become as urgent as a fetch (_starpu_create_request_to_fetch_data).
 */
void transfers_wait_others(struct transfers *t, uint32_t datum, uint32_t copy, int worker);

/*
 * Memory that was requested in main memory, and takes time to allocate, waits for threads, of any worker, that poll. A
 * thread takes as many requests as may begin (REQUESTS_FETCH), serves them one by one, and gives back in list_ns what
 * is left (data_request.c, __starpu_handle_node_data_requests).
 *
 * transfers_allocate() and then transfers_allocated() return 1 where the first of `a` keeps the thread busy for
 * *busy_ns, after which transfers_allocated() is to be called; 0: nothing is left to do in this poll.
 */
int transfers_allocate(struct transfers *t, struct allocations_taken *a, int64_t now, int64_t *busy_ns);
int transfers_allocated(struct transfers *t, struct allocations_taken *a, int64_t now, int64_t *busy_ns);
int transfers_allocates(const struct transfers *t);        /* whether a request waits for a thread */
uint32_t transfers_allocations(const struct transfers *t); /* how many are over */

/* `datum` is overwritten: its pending copies make nothing valid. */
void transfers_make_stale(struct transfers *t, uint32_t datum);

/* A task does not use `datum` at `node` any more: with the last pin (capacity_unpin()) refused requests may fit. */
void transfers_unpin(struct transfers *t, uint32_t datum, int node);

/* As if a copy had ended at `node`: transfers_take_notifications(). */
void transfers_notify(struct transfers *t, int node);

/* What the simulated threads do: */

/* Requests a copy of `datum` to its home node, for when links are idle. */
void transfers_write_back(struct transfers *t, uint32_t datum);

/*
 * The network transfers by itself, but the thread that drives a device begins copies and observes their end.
 * transfers_advance() simulates the network until `now`, and transfers_next_ns() is when it has to be called next
 * (INT64_MAX: nothing is transferred).
 *
 * transfers_poll() starts a poll of the driver of `node` and observes the copies into it that have ended. Where it
 * returns 0 there was none, nothing is requested of the driver, and the poll is over. Else transfers_begin() is called
 * until it returns 0: it begins one of the driver's requests (requests.h), which keeps the driver busy for *busy_ns,
 * and returns 1, or observes the copies out of the device that have ended and goes on with the requests of that
 * direction; 0: the poll is over. transfers_observed() counts the ends observed in this poll.
 */
void transfers_advance(struct transfers *t, int64_t now);
int64_t transfers_next_ns(const struct transfers *t);
int transfers_poll(struct transfers *t, int node);
int transfers_begin(struct transfers *t, int node, int64_t now, int64_t *busy_ns);
int transfers_observed(const struct transfers *t, int node);

/*
 * For how long the driver that has begun the last copy of `datum` holds it: until then nobody else requests it or
 * begins another copy, nor is a task that uses it made ready (header_lock; data_request.c, starpu_handle_data_request).
 * While it allocates memory for the copy it does not (memalloc.c, _starpu_allocate_interface).
 */
int64_t transfers_locked_ns(const struct transfers *t, uint32_t datum, int64_t now);

/* Cancels the modelled start-up delay of the copies that the driver of `node` has begun. */
void transfers_cancel_delay(struct transfers *t, int node, int64_t now);

/* Whether the driver of `node` waits until a datum is written back and evicted; until then it only handles copies. */
int transfers_blocked(const struct transfers *t, int node);

/*
 * Since the last call, a bit a node: nodes whose driver has a copy to begin or to observe, and nodes where a copy has
 * ended, whose workers may be able to go on.
 */
struct transfers_notifications {
	uint64_t drivers, nodes;
};

struct transfers_notifications transfers_take_notifications(struct transfers *t);

/* What the next call will return, valid until transfers_free(). */
const struct transfers_notifications *transfers_notifications(const struct transfers *t);

/* Bytes of all copies begun. */
int64_t transfers_bytes_moved(const struct transfers *t);

/* A completed copy that took time: from when its driver had begun it until the data was there. */
struct transfers_copy {
	int64_t start_ns, end_ns;
	uint32_t handle;
	int16_t from, to;
	uint8_t cause; /* enum copy_cause (core/trace/trace.h) */
};

/* transfers_log_copies(), called before the first copy, logs all; transfers_take_copies(): by end_ns, free() them. */
void transfers_log_copies(struct transfers *t);
struct transfers_copy *transfers_take_copies(struct transfers *t, size_t *ncopies);

#endif
