/* replay/memory/network.h - the links of a machine and the transfers over them, which share bandwidth. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_NETWORK_H
#define REPLAY_MEMORY_NETWORK_H

#include <stdint.h>

struct machine;

/*
 * Each directed link does one transfer at a time, in the order in which they are ready: its latency,
 * then its bytes. All links to or from a device also cross one host link, whatever their direction,
 * as wide as the widest of those between main memory and a device: "Host" in StarPU's description
 * of a bus (platform.xml). They share it max-min fairly: nobody gets less than an equal share
 * unless he cannot use it. Two devices behind one switch of their own would not cross it; a machine
 * does not tell. Links between devices follow StarPU's rules (1.4.10, src/core/simgrid.c,
 * transfers_are_sequential): one excludes its opposite direction, and every transfer into either of
 * its ends; who was ready first goes first, since StarPU submits a transfer when it has room for the
 * data and has queued it.
 */
struct network;

struct link_use {
	int from, to; /* nodes */
	uint64_t transfers;
	uint64_t bytes;
	int64_t busy_ns; /* latencies included */
};

/* `m` has to stay. Never NULL; free with network_free(). */
struct network *network_create(const struct machine *m);
void network_free(struct network *n);

/* The link's index; -1 where there is none. */
int network_link(const struct network *n, int from, int to);

/* What `bytes` take there when nobody else is on the way. */
double network_seconds(const struct network *n, int link, uint64_t bytes);

/* Asked for now, on its way from `ready_ns` (not before now) at the earliest; `cookie` comes back on arrival. */
void network_send(struct network *n, int link, uint64_t bytes, int64_t now, int64_t ready_ns, uint32_t cookie);

/* What is asked for by now, to and from `node`, may be on its way at once. */
void network_cancel_delay(struct network *n, int node, int64_t now);

/* When something happens next; INT64_MAX: nothing is on its way. */
int64_t network_next_ns(const struct network *n);

/* Until `now`. Times of successive calls, network_send's too, never decrease, and none is behind network_next_ns(). */
void network_advance(struct network *n, int64_t now);

/* One of those that have arrived, in the order of arrival (of links at one instant); 0: no more. */
int network_completed(struct network *n, uint32_t *cookie);

/* One entry a link of the machine, in its order. Valid as long as the network. */
const struct link_use *network_use(const struct network *n, int *nlinks);

#endif
