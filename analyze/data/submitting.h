/* analyze/data/submitting.h - when a program was submitting tasks, and waited for none. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_SUBMITTING_H
#define ANALYZE_DATA_SUBMITTING_H

#include <stddef.h>
#include <stdint.h>

struct trace;

/*
 * Spans of the trace's time, of MPI rank r those from first[r] to before first[r + 1]: from the first submission to the
 * last one, without the times between two of them in which the program waited, for tasks or for data. What the end of
 * another task brought about, as its callback does, is no submission of the program.
 */
struct submitting {
	int64_t *begins, *ends; /* sorted in each rank */
	size_t *first;
	int64_t spent_ns; /* their sum over all ranks; */
	size_t count;     /* submissions that end in them */
};

/* submitting_fini() frees. */
void submitting_init(struct submitting *s, const struct trace *t, size_t nranks);
void submitting_fini(struct submitting *s);

#endif
