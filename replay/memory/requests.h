/* replay/memory/requests.h - the copies that wait for the thread that drives a device, and their order. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_REQUESTS_H
#define REPLAY_MEMORY_REQUESTS_H

#include <stdint.h>

/*
 * As StarPU 1.4.10 keeps them (datawizard.c, data_request.c): per driver, peer (the node at the other end) and
 * direction there is a list of the copies that tasks wait for, one of prefetches, and one of idle copies, each by
 * priority and then by age. A copy may begin while fewer than REQUESTS_FETCH, REQUESTS_PREFETCH or REQUESTS_IDLE, by
 * its list, are in flight in its direction.
 */
enum { REQUESTS_FETCH = 5, REQUESTS_PREFETCH = 2, REQUESTS_IDLE = 1 };
enum request_direction { REQUEST_IN, REQUEST_OUT }; /* seen from the driver */
enum request_urgency { REQUEST_FETCH, REQUEST_PREFETCH, REQUEST_IDLE };

struct request {
	uint32_t copy;    /* the caller's number of the copy */
	int driver, peer; /* nodes */
	enum request_direction direction;
	enum request_urgency urgency;
	int32_t priority; /* larger is first */
};

struct requests;

/* Never NULL; free with requests_free(). */
struct requests *requests_create(int nnodes);
void requests_free(struct requests *r);

/* Adds a request. A copy that has one already gets this one instead, as the newest of its list. */
void requests_put(struct requests *r, const struct request *what);

/* Whether a poll of the driver that is to begin now would find no request. */
int requests_are_none(const struct requests *r, int driver);

/*
 * A poll of a driver visits its lists in one order: the incoming copies, by urgency and then peer by peer; then peer by
 * peer the outgoing copies, by urgency. From each list it takes as many requests as may begin when it comes to it.
 * Requests that are put later wait for the next poll, and so does what is left of a list after list_ns.
 *
 * requests_begin() starts the pass over one direction, REQUEST_IN first in a poll. requests_next() gives the next copy
 * that may begin in this direction, which counts as in flight until requests_end(); UINT32_MAX: the pass is over.
 */
void requests_begin(struct requests *r, int driver, enum request_direction direction);
uint32_t requests_next(struct requests *r, int driver, int64_t now, int64_t list_ns);

/*
 * There is no memory yet for the copy `what` that requests_next() gave: until the poll is over no incoming copy begins
 * that is less urgent than a fetch, and in the next poll the request is where it was
 * (__starpu_handle_node_data_requests, ____starpu_datawizard_progress).
 */
void requests_refuse(struct requests *r, const struct request *what);

/* Whether the driver has refused a request in its last poll. */
int requests_refused(const struct requests *r, int driver);

/* The copy `what`, which requests_next() gave, has ended or was not begun: it is not in flight. */
void requests_end(struct requests *r, const struct request *what);

#endif
