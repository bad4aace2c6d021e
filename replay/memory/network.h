/* replay/memory/network.h - the links of a machine and the transfers over them, which share bandwidth. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_NETWORK_H
#define REPLAY_MEMORY_NETWORK_H

#include <stdint.h>

struct machine;

/*
 * Each directed link does one transfer at a time, in the order in which transfers are ready: the link's latency, then
 * the bytes. Transfers over different links share what these links cross (core/machine/bottleneck.h: the segments of
 * the machine where it has some, one host link where it has none) max-min fairly (max_min.h).
 *
 * Links between devices follow StarPU's rules (1.4.10, src/core/simgrid.c, transfers_are_sequential): one excludes its
 * opposite direction and every transfer into either of its ends. Of transfers that exclude each other the one that was
 * ready first goes first, since StarPU submits a transfer when the destination has memory for it and it was queued.
 */
struct network;

struct link_use {
	int from, to; /* nodes */
	uint64_t transfers;
	uint64_t bytes;
	int64_t busy_ns; /* latencies included */
};

/* `m` is borrowed until network_free(). Never NULL. */
struct network *network_create(const struct machine *m);
void network_free(struct network *n);

/* The index of the link in machine.links; -1: there is none. */
int network_link(const struct network *n, int from, int to);

/* The seconds that `bytes` take over `link` (latency included) when nothing else is transferred. */
double network_seconds(const struct network *n, int link, uint64_t bytes);

/*
 * Queues a transfer at `now`; it starts at `ready_ns` (>= now) at the earliest. network_completed() gives `cookie` back
 * when it has ended.
 */
void network_send(struct network *n, int link, uint64_t bytes, int64_t now, int64_t ready_ns, uint32_t cookie);

/* The same where ready_ns, at which the latency begins above, is its end. */
void network_send_bytes(struct network *n, int link, uint64_t bytes, int64_t now, int64_t ready_ns, uint32_t cookie);

/* Cancels what is left of the delays: queued transfers to and from `node` may start at `now`. */
void network_cancel_delay(struct network *n, int node, int64_t now);

/* When network_advance() has to be called next; INT64_MAX: nothing is queued. */
int64_t network_next_ns(const struct network *n);

/* Simulates until `now`, which never decreases from call to call (network_send()'s included) nor exceeds next_ns. */
void network_advance(struct network *n, int64_t now);

/* One by one the transfers that have ended, in the order of their ends (at one time, of links); 0: no more. */
int network_completed(struct network *n, uint32_t *cookie);

/* One entry a link, in the order of machine.links; borrowed until network_free(). */
const struct link_use *network_use(const struct network *n, int *nlinks);

#endif
