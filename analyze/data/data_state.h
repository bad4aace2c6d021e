/* analyze/data/data_state.h - where each piece of data was valid, and had memory, through time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_DATA_STATE_H
#define ANALYZE_DATA_DATA_STATE_H

#include <stddef.h>
#include <stdint.h>

struct data_events;
struct trace;

/*
 * StarPU's caches of the memory nodes follow MSI (src/datawizard/coherency.c of 1.4.10): a datum is, on each node, the
 * only valid copy (owner), one of several (shared) or invalid. Two sources:
 *
 * DATA_RECORDED: StarPU's own events of these states, which FxT records unless the category DSM_VERBOSE is off.
 *
 * DATA_REBUILT: from the other events of the trace. Registered data is valid at its home. A copy that ends makes source
 * and destination shared. A task that starts has, on its node, the only valid copy of what it writes, and a valid one
 * of what it reads, though no copy may have been recorded. A copy of data that a ready task will write invalidates the
 * others already: StarPU fetches it for writing. An eviction that ends leaves the data to the other nodes. The time at
 * which a task acquires data that needs no copy is not recorded; it lies between push and start, and the start counts.
 *
 * Memory: allocated by a copy to the node, by a task on it that uses the data or by StarPU's own event; given back by
 * StarPU's event, by an eviction, or by unregistering.
 */
enum data_source { DATA_RECORDED, DATA_REBUILT };

enum data_change_kind { DATA_INVALID = 0, DATA_OWNER, DATA_SHARED, DATA_ALLOCATED, DATA_FREED };

/* The first three are those of enum trace_state_kind. */
struct data_change {
	int64_t ns;
	uint32_t handle;
	int16_t node;
	uint8_t kind;
};

enum {                     /* of a copy */
       COPY_WRITEBACK = 1, /* made to evict the source */
       COPY_AGAIN = 2,     /* the node had this version before: evicted, or invalidated by a write elsewhere */
};

/* Changes by time, none without effect; a handle's nodes change one by one. `copies`: bits for each of trace.copies. */
struct data_state {
	struct data_change *changes;
	size_t nchanges;
	uint8_t *copies;
	size_t nunexplained; /* DATA_REBUILT: reads of data on a node without a copy to it before */
	enum data_source source;
};

/* Linear. Never NULL; free with data_state_free(). The trace's own states where it has some is data_state_best(). */
struct data_state *data_state_create(const struct trace *t, const struct data_events *e, enum data_source source);
struct data_state *data_state_best(const struct trace *t);
void data_state_free(struct data_state *s);

/* Where a datum is: a bit a node. owner is a subset of valid; no more than one bit. */
struct data_place {
	uint64_t valid, owner, allocated;
};

/* All data at one time, which only advances. place[] has an element per handle. */
struct data_cursor {
	const struct data_state *state;
	struct data_place *place;
	size_t next; /* change */
};

void data_cursor_init(struct data_cursor *c, const struct data_state *s, const struct trace *t);
void data_cursor_fini(struct data_cursor *c);

/* To just before `ns`. */
void data_cursor_before(struct data_cursor *c, int64_t ns);

#endif
