/* core/metrics/bound.h - times that no schedule of a graph on a machine can be below. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_BOUND_H
#define CORE_METRICS_BOUND_H

#include <stdint.h>

#include "core/machine/arch.h"

struct dag;
struct ht_err;
struct machine;

/*
 * All in ns, for mean durations; scheduling takes no time. Every makespan is printed with its ratio to the largest.
 * Where devices of an architecture differ, what a task takes there is what it takes on the fastest of them.
 */
struct bounds {
	int64_t critical_path_ns;
	int64_t area_ns;
	int64_t mixed_ns;     /* not below either of the others, but for rounding */
	int64_t exclusion_ns; /* not below the critical path; -1: no tasks commute */
	int64_t bus_ns;       /* not below any other; -1: copies take no time, or the graph is too large or of ranks */
	int64_t largest_ns;
	int chains; /* that the mixed bound has looked at */
	/*
	 * What a ns of one worker is worth in ns of makespan, from the area bound: its program's dual. 1 in all
	 * over the workers, where anything takes time; 0 for an architecture that is not needed.
	 */
	double price[ARCH_COUNT];
};

/* What a task of each class takes at least, 0 where it runs on none of the architectures. To be freed. */
int64_t *bound_least_costs(const struct dag *d, arch_mask archs);

/* The longest path with each task on its fastest architecture of `archs`. A task that runs on none of them counts 0. */
int64_t bound_critical_path_ns(const struct dag *d, arch_mask archs);

/*
 * The same where tasks that write one piece of data with ACCESS_COMMUTE, which have no order, do not overlap, either.
 * Those that are submitted without another access to the data between them are a group. Its tasks have ended at the
 * earliest when they are executed one after the other, from when each can start. A task that accesses the data after
 * them waits for those of the group that are before it in the graph. -1: there is no group.
 */
int64_t bound_exclusion_ns(const struct dag *d, arch_mask archs);

/*
 * bound_mixed_ns() computes two bounds. The area bound: minimise T such that the tasks of every class p are shared out,
 * sum_a n(p,a) = n(p), n >= 0, and no architecture has more work than its workers do in T, sum_p n(p,a) w(p,a) <= N_a
 * T. A linear program, solved without integrality, so it is a bound.
 *
 * The mixed bound (Agullo et al., "Bridging the gap between performance and bounds of Cholesky factorization on
 * heterogeneous platforms", HCW 2015; they name the chain by hand): the area bound's program, with the demand that a
 * chain of tasks takes at most T in turn. Of class p, k(p) tasks are on the chain, and y(p,a) of them done on a: sum_a
 * y(p,a) = k(p), y(p,a) <= n(p,a), sum_p,a y(p,a) w(p,a) <= T. What is true of one chain is so of several; they are
 * found one after the other: the longest chain where a task takes the mean of what its class takes in the solution so
 * far, until it fits into T or T grows no more; none where there are thousands of classes. Writes the area bound, its
 * prices and the number of chains, too. -1: a class runs on no worker of the machine (named), or the solver gave up.
 *
 * StarPU's own starpu_bound_compute() (1.4, src/profiling/bound.c) is the area bound, without any chain.
 */
int64_t bound_mixed_ns(const struct dag *d, const struct machine *m, int64_t *area_ns, double price[ARCH_COUNT],
                       int *chains, struct ht_err *err);

/*
 * The bus bound: the mixed bound's program for single tasks, with the demand that data is where it is used. A task is
 * in main memory or on the devices, and what one side makes or has from the start and the other side reads is copied
 * once (two_sides.h). The copies take at most T on what the links share, tasks of a chain wait for those between
 * them, and the tasks of an architecture, or the copies, that cannot begin before a time and have so much after their
 * end take at most what is left of T. All devices are one place: copies between them, and the same data on several of
 * them, are not in it. known_ns is another bound, which this one is not below; where the solver gives up it is what was
 * found until then. -1: nothing has to be copied, or that takes no time.
 */
int64_t bound_bus_ns(const struct dag *d, const struct machine *m, int64_t known_ns);

/* The bus bound takes 700 bytes and 4 us a task, more than all else that `analyze` does: larger graphs have none. */
enum { BOUND_BUS_TASKS = 200000 };

/* Whether copies take time: without, only execution has bounds. */
enum bounds_copies { BOUNDS_WITHOUT_COPIES, BOUNDS_WITH_COPIES };

/*
 * All of them. bounds_largest_name(): "critical path", "area bound", "mixed bound", "exclusion bound" or "bus bound"; of
 * equals the simplest.
 */
int bounds_of(struct bounds *b, const struct dag *d, const struct machine *m, enum bounds_copies copies,
              struct ht_err *err);
const char *bounds_largest_name(const struct bounds *b);

/* Those that a chart names: each that says more than the simpler ones do. Returns how many. */
enum { BOUNDS_NAMED = 5 };
struct named_bound {
	const char *name;
	int64_t ns;
};
int bounds_named(const struct bounds *b, struct named_bound named[BOUNDS_NAMED]);

#endif
