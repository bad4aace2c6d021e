/* analyze/data/timeline.h - what happened when in a run: tasks ready, submitted, pushed and popped over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_TIMELINE_H
#define ANALYZE_DATA_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct csv;
struct dag;
struct dag_class;
struct ht_err;
struct trace;

/* An executed task. Times are from the timeline's origin; submit_ns is TIME_NONE where it was not recorded. */
struct timeline_task {
	int64_t submit_ns, push_ns, pop_ns, start_ns, end_ns;
	uint32_t type;  /* codelet index of the trace */
	int32_t worker; /* worker index of the trace */
};

/*
 * The executed tasks of a run, in the order of the trace. Time 0 is the first submission, or what comes first where
 * submissions are not recorded. Always push <= pop <= start <= end: a pop that was not recorded is the start.
 */
struct timeline {
	size_t ntasks;
	uint32_t *index; /* in the trace, of each task; NULL: its tasks are these */
	uint32_t *released; /* per task of the trace: its predecessor that ended last; NULL: all ready times are recorded */
	size_t nderived;   /* tasks whose ready time was not recorded */
	size_t nsubmitted; /* tasks whose submission was recorded */
	int64_t origin_ns; /* in times of the trace */
	int64_t first_ns;  /* first start */
	int64_t span_ns;   /* last end */
	uint32_t ntypes;   /* codelets of the trace */
	const struct trace *trace;
};

/*
 * A task without a ready time gets the one that `dag` gives it: when it had been submitted and its predecessors had
 * ended. dag NULL: an error when there is such a task. The trace is borrowed. free with timeline_free().
 */
struct timeline *timeline_create(const struct trace *t, const struct dag *dag, struct ht_err *err);
void timeline_free(struct timeline *tl);

/*
 * The same from the first start on, which is 0: a copy of the struct that borrows all else from `tl`. Pushes, pops and
 * submissions may be negative in it.
 */
struct timeline timeline_from_first_start(const struct timeline *tl);

/* One of them, i < ntasks, and its index in the trace. */
struct timeline_task timeline_task(const struct timeline *tl, size_t i);
size_t timeline_index(const struct timeline *tl, size_t i);

/* The one with that index in the trace. */
struct timeline_task timeline_task_of(const struct timeline *tl, size_t index);

/* A step function of time: `value` holds from `ns` to the next step; times increase. Before the first step it is 0. */
struct timeline_step {
	int64_t ns, value;
};

struct timeline_series {
	struct timeline_step *steps;
	size_t count;
};

/* Nready: tasks pushed and not yet popped (INSPIRIT's). It ends at 0. */
struct timeline_series timeline_nready(const struct timeline *tl);

/* The counts of ready tasks that the trace has itself (core/trace/trace.h); empty where it has none. */
struct timeline_series timeline_counted(const struct timeline *tl);

/* How many tasks have been submitted, have ended. */
struct timeline_series timeline_submitted(const struct timeline *tl);
struct timeline_series timeline_ended(const struct timeline *tl);
void timeline_series_fini(struct timeline_series *s);

/*
 * The same picture in at most 4 steps for each of `columns` equal slices of [0, span_ns]: the first, lowest, highest
 * and last step of each (Jugel et al., "M4", VLDB 2014). A series that is short already stays as it is.
 */
void timeline_series_thin(struct timeline_series *s, int64_t span_ns, size_t columns);

/*
 * What a series does in each of `columns` equal slices of [0, span_ns], for one so dense that its steps are narrower
 * than a pixel: out[c] of slice c, the value that it enters the slice with included.
 */
struct timeline_slice {
	int64_t low, high;
	double mean;
};
void timeline_series_slices(const struct timeline_series *s, int64_t span_ns, size_t columns,
                            struct timeline_slice *out);

struct timeline_summary {
	int64_t peak, peak_ns;
	double mean;       /* over [0, span_ns] */
	double zero_ratio; /* share of [0, span_ns] at value 0 */
};
struct timeline_summary timeline_series_summary(const struct timeline_series *s, int64_t span_ns);

/*
 * Events per interval and type, pushes[bin * ntypes + type], and per interval and architecture, that of the worker that
 * executed the task: arch_pushes[bin][arch]. The last interval may reach beyond the end of the run.
 */
struct timeline_bins {
	int64_t interval_ns;
	size_t nbins;
	uint32_t ntypes;
	uint32_t *pushes, *pops;
	uint32_t (*arch_pushes)[ARCH_COUNT], (*arch_pops)[ARCH_COUNT];
};
enum { TIMELINE_MAX_BINS = 10000 };

/* Fails when interval_ns is not positive or makes more than TIMELINE_MAX_BINS. free with timeline_bins_fini(). */
int timeline_bins_init(struct timeline_bins *b, const struct timeline *tl, int64_t interval_ns, struct ht_err *err);
void timeline_bins_fini(struct timeline_bins *b);

/*
 * A header line, and a line for each interval: from and to when; the fewest, mean and most tasks ready and not popped
 * in it; tasks submitted and ended up to its end; tasks pushed and popped in it, all of them and by architecture and
 * type. Submitted tasks are empty fields where submissions were not recorded.
 */
void timeline_csv(const struct timeline *tl, const struct timeline_bins *b, struct csv *c);

/*
 * Time spent in tasks, cut into `columns` equal slices of the run: calls fn for each task and each slice that it
 * overlaps, with the ns of the overlap. Slice c is [c * span / columns, (c + 1) * span / columns).
 */
typedef void timeline_overlap_fn(void *ctx, const struct timeline_task *task, size_t column, int64_t ns);
void timeline_overlaps(const struct timeline *tl, size_t columns, timeline_overlap_fn *fn, void *ctx);

/* Where slice c begins; c = columns gives the end of the run. */
int64_t timeline_slice_ns(const struct timeline *tl, size_t c, size_t columns);

/* The cost class of every task; free() the array. `dag` is that of the trace. */
#define TIMELINE_NO_CLASS UINT32_MAX /* the graph does not have the task */
uint32_t *timeline_classes(const struct timeline *tl, const struct dag *dag);

#endif
