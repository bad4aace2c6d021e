/* tune/evaluate/sensitivity.h - what each part of a setting brings: the makespan without it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_SENSITIVITY_H
#define TUNE_EVALUATE_SENSITIVITY_H

#include <stddef.h>

struct ht_err;
struct evaluator;
struct finalist;

enum { SENSITIVITY_MAX = 64, SENSITIVITY_TEXT = 160 };

struct sensitivity {
	struct sensitivity_item {
		char what[SENSITIVITY_TEXT]; /* "cuda: trsm before gemm" */
		double effect;               /* relative change of the median makespan when it is undone; INFINITY: */
		/* some tasks are never executed then */
		double worst; /* the same of the replication that it matters least for */
	} items[SENSITIVITY_MAX];
	size_t count;
};

/*
 * Of a finalist that is a setting: takes away how StarPU is started and locality, exchanges neighbours of each list,
 * from the front, takes each bucket that several architectures look at out of each list, and takes away and doubles
 * each slow factor; at most `most` of these, each with the replications 0 to `replications` - 1 of jitter on the graph.
 * Sorted by effect. -1: a replay failed.
 */
int sensitivity_of(struct sensitivity *s, struct evaluator *e, int graph, const struct finalist *x, int replications,
                   int most, struct ht_err *err);

#endif
