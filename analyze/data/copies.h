/* analyze/data/copies.h - what a run copied from memory node to memory node, why, and the least time for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_COPIES_H
#define ANALYZE_DATA_COPIES_H

#include <stddef.h>
#include <stdint.h>

struct data_state;
struct machine;
struct trace;
struct trace_copy;

/*
 * The causes of copies (enum copy_cause, core/trace/trace.h) as tables and plots group them: a task waited for the
 * copy; the copy was made ahead, for a task (COPY_TASK_PREFETCH) or not (COPY_PREFETCH); it was made while the link was
 * idle (COPY_IDLE_FETCH), which is also how data that is not used any more is written back; or, whatever the recorded
 * cause, it was made to evict the data from a memory that was full.
 */
enum copy_group { COPY_GROUP_FETCH = 0, COPY_GROUP_PREFETCH, COPY_GROUP_IDLE, COPY_GROUP_EVICTION, COPY_GROUPS };

extern const char *const copy_group_names[COPY_GROUPS]; /* "fetch" */

/* `flags`: the copy's in struct data_state. */
enum copy_group copy_group_of(const struct trace_copy *c, uint8_t flags);

/* What went over a link between the first start and the last end of the run; a copy within one node is not counted. */
struct copies_run {
	uint64_t copies;
	uint64_t bytes; /* of a copy that was in flight at the start or end, the part in proportion to its time */
	uint64_t group_bytes[COPY_GROUPS];
	int64_t busy_ns;  /* at least one copy was in flight */
	int64_t least_ns; /* the bytes at the bandwidth that the machine has measured for the link; -1: not known */
};

/* Copies from one memory node to another of one MPI rank: all that were recorded, and those of the run. */
struct copies_link {
	int rank, from, to;
	uint64_t copies, bytes;
	uint64_t group_bytes[COPY_GROUPS]; /* sum up to bytes */
	uint64_t again_bytes;              /* copies of a version that the destination had had before */
	int64_t busy_ns;                   /* at least one copy was in flight */
	double bytes_per_s;                /* of the machine's link; 0: not known */
	struct copies_run run;
};

/*
 * The links that had a copy, by (rank, from, to). A copy without a recorded end counts, but keeps nothing busy.
 *
 * No execution moves the run's bytes over these links in less than `least_ns`: that of the slowest link, or of a host
 * link, which all copies to and from the devices of a rank cross (machine_host_bytes_per_s()). It is no bound for other
 * executions, which may copy less, and is not among `struct bounds`. -1: no bandwidth is known.
 */
struct copies {
	struct copies_link *at;
	size_t count;
	struct copies_link all; /* sums of copies and bytes; the rest is 0 or -1 */
	uint64_t host_bytes;    /* of the run, over links that the host link of the rank with most is part of */
	int64_t host_least_ns, least_ns;
};

/*
 * Linear. `m` is the machine of the trace, its node i of a rank that of the trace. `s` is of this trace; NULL: no copy is known
 * to be an eviction, or to be made again. copies_fini() also of a zeroed struct.
 */
void copies_init(struct copies *x, const struct trace *t, const struct machine *m, const struct data_state *s);
void copies_fini(struct copies *x);

/* Indices into at[] by falling bytes; free() it. */
uint32_t *copies_by_bytes(const struct copies *x);

/* "main memory > cuda 1", "2: main memory > cuda 1" of which of several ranks; of these the part before " >". */
const char *link_name(const struct machine *m, const struct copies_link *l, char buf[96]);
const char *link_from_name(const struct machine *m, const struct copies_link *l, char buf[48]);

#endif
