/* replay/memory/requests.h - the copies that wait for the thread that drives a device, and whose turn it is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_REQUESTS_H
#define REPLAY_MEMORY_REQUESTS_H

#include <stdint.h>

/*
 * As StarPU 1.4.10 keeps them (datawizard.c, data_request.c): per driver, per node at the other end and per direction,
 * there is a list of what a task waits for, one of what was asked for ahead, and one of what has time, each by
 * priority and then by age. A copy is begun while fewer than REQUESTS_FETCH, REQUESTS_PREFETCH or REQUESTS_IDLE, by its
 * list, are under way in its direction.
 */
enum { REQUESTS_FETCH = 5, REQUESTS_PREFETCH = 2, REQUESTS_IDLE = 1 };
enum request_direction { REQUEST_IN, REQUEST_OUT }; /* seen from the driver */
enum request_urgency { REQUEST_FETCH, REQUEST_PREFETCH, REQUEST_IDLE };

struct request {
	uint32_t copy;    /* the caller's number of it */
	int driver, peer; /* nodes */
	enum request_direction direction;
	enum request_urgency urgency;
	int32_t priority; /* larger is first */
};

struct requests;

/* Never NULL; free with requests_free(). */
struct requests *requests_create(int nnodes);
void requests_free(struct requests *r);

/* A request for a copy that is already in a list moves to the end of the one it belongs to now. */
void requests_put(struct requests *r, const struct request *what);

/*
 * A driver looks at its lists in one order: what comes in, by urgency and then peer by peer; then peer by peer what
 * goes out, by urgency. Of each it takes as many as may be begun when it comes to it, and what comes later has to wait
 * for the next time; so has what is left of one after list_ns. requests_begin(): it starts to look at one direction,
 * incoming first; requests_next(): the next it may begin there, UINT32_MAX: it has been through.
 */
void requests_begin(struct requests *r, int driver, enum request_direction direction);
uint32_t requests_next(struct requests *r, int driver, int64_t now, int64_t list_ns);

/*
 * There is no room yet for what requests_next() gave: this time nothing comes in that is less urgent than a fetch; next
 * time it is where it was (__starpu_handle_node_data_requests, ____starpu_datawizard_progress).
 */
void requests_refuse(struct requests *r, const struct request *what);

/* Whether the driver refused something the last time. */
int requests_refused(const struct requests *r, int driver);

/* What requests_next() gave has ended, or is not begun. */
void requests_end(struct requests *r, const struct request *what);

#endif
