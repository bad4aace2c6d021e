/* analyze/data/copies.h - what a run copied from memory node to memory node, and why. */
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

struct copies_link {
	int from, to; /* memory nodes */
	uint64_t copies, bytes;
	uint64_t group_bytes[COPY_GROUPS]; /* sum up to bytes */
	uint64_t again_bytes;              /* copies of a version that the destination had had before */
	int64_t busy_ns;                   /* at least one copy was under way */
	double bytes_per_s;                /* of the machine's link; 0: not known */
};

/* The pairs of nodes that had a copy, by (from, to). A copy without a recorded end counts, but keeps nothing busy. */
struct copies {
	struct copies_link *at;
	size_t count;
	struct copies_link all; /* from and to -1; bytes_per_s 0 */
};

/* Linear. `s` is of this trace. copies_fini() also of a zeroed struct. */
void copies_init(struct copies *x, const struct trace *t, const struct machine *m, const struct data_state *s);
void copies_fini(struct copies *x);

/* Indices into at[] by falling bytes; free() it. */
uint32_t *copies_by_bytes(const struct copies *x);

/* "main memory", "main memory 1", "cuda 0"; "node 5" that the machine does not have. Returns buf. */
const char *memory_name(const struct machine *m, int node, char buf[32]);

/* "main memory > cuda 1"; returns buf. */
const char *link_name(const struct machine *m, int from, int to, char buf[72]);

/* "11.2 GB/s", "-" for a rate of 0 or less. Returns buf. */
const char *rate_text(char buf[16], double bytes_per_s);

#endif
