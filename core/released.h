/* core/released.h - what the end of each task gives to the workers: MulTreePrio's values that do not change. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RELEASED_H
#define CORE_RELEASED_H

#include <stdint.h>

#include "core/arch.h"

struct dag;

/*
 * Tayeb, Bramas, Guermouche, Faverge, "MulTreePrio: Scheduling task-based applications for heterogeneous computing
 * systems", COMPAS 2022, appendix A. The durations on a memory node are those of its workers' architecture, so values
 * per node are kept per architecture. Where an architecture is not of the machine its arrays are NULL.
 *
 *   Q(t)    = sum over successors s of min over a of d(s,a)                             equation 10, second line
 *   Q(t,a)  = sum over successors s that can run on a of d(s,a)                         equation 10, first line
 *   NOD(t)  = sum over successors s of 1 / |pred(s)|                                    equation 9
 *   sp(t,a) = d(t, slowest of the machine's architectures that can run t) / d(t,a)      equation 11, at least 1
 *
 * A task that can run nowhere adds nothing. A duration of 0 counts as 1 ns, the clock's resolution.
 */
struct released {
	double *nod;                          /* per task: NOD */
	double *work_ns;                      /* per task: Q */
	double *work_on_ns[ARCH_COUNT];       /* per task: Q(t,a) */
	uint32_t *successors_on[ARCH_COUNT];  /* per task: |succ(t,a)| */
	double (*speedup)[ARCH_COUNT];        /* per class, since a class has one duration: sp; NAN: cannot run there */
	double *best_speedup;                 /* per class: the largest; NAN: can run nowhere */
};

/* Linear in tasks and edges. Nothing of `d` is kept. */
void released_init(struct released *r, const struct dag *d, arch_mask archs);
void released_fini(struct released *r);

#endif
