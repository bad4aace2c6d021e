/* analyze/data/ready_times.h - when tasks that workers of one architecture can run became ready, and were popped. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_READY_TIMES_H
#define ANALYZE_DATA_READY_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct dag;
struct timeline;
struct trace;

/*
 * A time and whether the task suits the architecture in one number: time * 2 + suits. Sorted for every MPI rank: those
 * of rank r are [first[r]] to before [first[r + 1]] in both arrays.
 */
struct ready_times {
	int64_t *ready, *popped;
	size_t *first;
};

/*
 * Of all tasks that were not popped at the time when they became ready and that can run on `a`. suits[class]: the
 * architectures that tasks of the class suit; NULL: none. ready_times_fini() frees.
 */
void ready_times_init(struct ready_times *x, const struct timeline *tl, const struct trace *t, const struct dag *d,
                      enum arch a, const arch_mask *suits);
void ready_times_fini(struct ready_times *x);

/* suits[class]: the architectures on which its tasks take at most 1.2 times what the fastest takes. free() it. */
arch_mask *ready_times_suits(const struct dag *d, arch_mask archs);

/* How many MPI ranks the workers of the trace have; 1 at least. */
size_t ready_times_ranks(const struct trace *t);

#endif
