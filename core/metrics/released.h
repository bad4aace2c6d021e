/* core/metrics/released.h - what the end of each task gives to the workers: MulTreePrio's values that do not change. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_RELEASED_H
#define CORE_METRICS_RELEASED_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct worker_kinds;

/*
 * Tayeb, Bramas, Guermouche, Faverge, "MulTreePrio: Scheduling task-based applications for heterogeneous computing
 * systems", COMPAS 2022, appendix A. The durations on a memory node are those of its workers, so values per node are
 * kept per kind of worker k (core/dag/worker_kind.h).
 *
 *   Q(t)    = sum over successors s of min over k of d(s,k)                             equation 10, second line
 *   Q(t,k)  = sum over successors s that can run on k of d(s,k)                         equation 10, first line
 *   NOD(t)  = sum over successors s of 1 / |pred(s)|                                    equation 9
 *   sp(t,k) = d(t, slowest of the kinds that can run t) / d(t,k)                        equation 11, at least 1
 *
 * A task that can run nowhere adds nothing. A duration of 0 counts as 1 ns, the clock's resolution.
 */
struct released {
	int nkinds;
	double *length_ns;        /* per class and kind, [class * nkinds + kind]; NAN: cannot run there */
	double *nod;              /* per task: NOD */
	double *work_ns;          /* per task: Q */
	double **work_on_ns;      /* per kind, per task: Q(t,k); NULL for a kind that can run nothing */
	uint32_t **successors_on; /* per kind, per task: |succ(t,k)|; NULL as above */
	double *speedup;          /* released_speedup() */
	double *best_speedup;     /* per class: the largest; NAN: can run nowhere */
	size_t cap_length_ns, cap_speedup, cap_best;
};

/* Linear in tasks and edges. Nothing of `d` or `k` is kept. */
void released_init(struct released *r, const struct dag *d, const struct worker_kinds *k);
void released_fini(struct released *r);

/* Without what is per task, which are NULL: for a graph whose edges are not known yet. */
void released_init_classes(struct released *r, const struct dag *d, const struct worker_kinds *k);

/*
 * The values of a class that may be new, or may take more or less than it did, on the kinds of init. 1: they are others
 * than before, or the first.
 */
int released_class(struct released *r, const struct dag *d, const struct worker_kinds *k, uint32_t class_id);

/* The same of one task, by its successors: in this order clear, add each, and read. */
struct released_sum {
	double nod, work_ns;
	uint32_t nsuccessors;
	double *work_on_ns;      /* per kind */
	uint32_t *successors_on; /* per kind */
};

/* A sum is empty at first. released_sum_fini() frees what it holds. */
void released_sum_init(struct released_sum *s, const struct released *r);
void released_sum_fini(struct released_sum *s);
void released_sum_clear(struct released_sum *s, const struct released *r);

/* A successor of this class that has `npreds` predecessors, or so many of them. */
void released_sum_add(struct released_sum *s, const struct released *r, uint32_t class_id, uint32_t npreds,
                      uint32_t times);

/* sp of a class, since a class has one duration on a kind; NAN: it cannot run there. */
static inline double released_speedup(const struct released *r, uint32_t class_id, int kind)
{
	return r->speedup[class_id * (size_t)r->nkinds + (size_t)kind];
}

#endif
