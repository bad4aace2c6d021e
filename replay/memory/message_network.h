/* replay/memory/message_network.h - messages between ranks, which share the ranks' links. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_MEMORY_MESSAGE_NETWORK_H
#define REPLAY_MEMORY_MESSAGE_NETWORK_H

#include <stdint.h>

struct machine_network;

/*
 * Each rank has a link out and one in. A message takes the network's latency, and then its bytes at a rate that is
 * max-min fair: at most that of a message alone, and no link carries more than it holds. Without bandwidths messages
 * take only the latency.
 */
struct message_network;

/* Never NULL; free with message_network_free(). */
struct message_network *message_network_create(const struct machine_network *n, int nranks);
void message_network_free(struct message_network *n);

/* A message leaves at `now`, which never decreases; message_network_arrived() gives `cookie` back. */
void message_network_send(struct message_network *n, int from, int to, uint64_t bytes, int64_t now, uint32_t cookie);

/* When message_network_advance() has to be called next; INT64_MAX: nothing is under way. */
int64_t message_network_next_ns(const struct message_network *n);

/* Until `now`, at most message_network_next_ns(). */
void message_network_advance(struct message_network *n, int64_t now);

/* One by one what has arrived, in the order of the sends; 0: no more. */
int message_network_arrived(struct message_network *n, uint32_t *cookie);

#endif
