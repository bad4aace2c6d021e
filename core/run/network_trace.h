/* core/run/network_trace.h - the network between MPI ranks, as far as the messages of a trace show it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_NETWORK_TRACE_H
#define CORE_RUN_NETWORK_TRACE_H

struct machine_network;
struct trace;

/*
 * A message takes from its send, or its receive where that was posted later, to its arrival. Latency and bandwidth are
 * the line through the median durations of each size, weighed by their counts, of the messages that shared no link with
 * another, where there are some; without two sizes, all of it is bandwidth. What a rank's link holds is the most that
 * messages had together while there always was one on the link, and at least the bandwidth of one. All zero where the
 * trace has no message.
 */
void network_measure(struct machine_network *n, const struct trace *t);

#endif
