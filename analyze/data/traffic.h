/* analyze/data/traffic.h - what a run copied between memories, how busy links were, and the least time for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_TRAFFIC_H
#define ANALYZE_DATA_TRAFFIC_H

#include <stdint.h>

struct machine;
struct trace;

/* Copies from one memory node to another of one MPI rank, between the first start and the last end of the run. */
struct traffic_link {
	int32_t rank;
	int16_t from, to;
	uint64_t copies;
	uint64_t bytes;   /* of a copy that was under way at the start or end, the part in proportion to its time */
	int64_t busy_ns;  /* at least one copy was under way */
	int64_t least_ns; /* the bytes at the bandwidth that the machine has measured for this link; -1: not known */
};

/*
 * No execution moves these bytes over these links in less than `least_ns`: that of the slowest link, or of the host
 * link, which all copies to and from devices cross (machine_host_bytes_per_s()). It is no bound for other executions,
 * which may copy less, and is not among `struct bounds`. -1: no bandwidth is known, as for several MPI ranks.
 */
struct traffic {
	struct traffic_link *links; /* by rank, from, to; those with a copy */
	int nlinks;
	int recorded; /* copies were */
	uint64_t bytes, host_bytes;
	int64_t host_least_ns; /* -1: not known */
	int64_t least_ns;
};

/* `m` is the machine of the trace, its node i that of the trace. traffic_fini() frees. */
void traffic_init(struct traffic *x, const struct trace *t, const struct machine *m);
void traffic_fini(struct traffic *x);

#endif
