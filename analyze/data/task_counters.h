/* analyze/data/task_counters.h - PAPI counters of tasks, summed up by event, type and architecture. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_TASK_COUNTERS_H
#define ANALYZE_DATA_TASK_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct manifest;
struct trace;

enum { TASK_COUNTERS_MAX = 64 };

struct task_counter {
	uint64_t tasks; /* that have a value */
	double sum, sum_squares;
	int64_t duration_ns; /* of those tasks */
};

struct task_counters {
	int nevents;
	uint32_t codes[TASK_COUNTERS_MAX];
	char names[TASK_COUNTERS_MAX][64];       /* of the manifest; "0x40000000" where it has none */
	struct task_counter (*sums)[ARCH_COUNT]; /* [event * ntypes + type] */
	uint32_t ntypes;
};

/* The types are the codelets of the trace. task_counters_fini() frees. */
void task_counters_init(struct task_counters *x, const struct trace *t, const struct manifest *m);
void task_counters_fini(struct task_counters *x);

static inline const struct task_counter *task_counters_of(const struct task_counters *x, int event, uint32_t type,
                                                          enum arch a)
{
	return &x->sums[(size_t)event * x->ntypes + type][a];
}

double task_counter_mean(const struct task_counter *c);      /* NAN without a task */
double task_counter_deviation(const struct task_counter *c); /* population standard deviation */
double task_counter_per_s(const struct task_counter *c);     /* per second of task; NAN where they took no time */

#endif
