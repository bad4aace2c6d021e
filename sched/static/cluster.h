/* sched/static/cluster.h - convex clusters: tasks that are best executed by one worker, for the data between them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_STATIC_CLUSTER_H
#define SCHED_STATIC_CLUSTER_H

#include <stdint.h>

struct clusters;
struct dag;

struct cluster_options {
	uint32_t size;  /* a part with more tasks than that is divided */
	uint32_t tries; /* pivots that are tried for each division; 0: the root of the tasks, at most CLUSTER_TRIES */
	uint64_t seed;  /* of the pivots */
};

enum {
	CLUSTER_SIZE = 10,   /* the report's default */
	CLUSTER_TRIES = 32,  /* its experiments are stable after 18 */
	CLUSTER_LARGE = 512, /* its graphs have less tasks */
	CLUSTER_PIECE = 4096,
};

/*
 * The convex clustering of a report on communication times in XKaapi (Inria, 2013), algorithm 1, after Lepère and
 * Trystram. A part with too many tasks is divided around a random pivot into A = {pivot}, A< its ancestors, A> its
 * descendants and A~ the rest; then those of A< and A> that are not related to A~ move to A. Of all tries that one is
 * kept for which max(|A|, |A~|) is largest, and its four parts are divided in their turn.
 *
 * Which ones are "not related"? With the report's words, not before (or after) all of A~. But when a task that comes
 * before some of A~ moves, and one that comes after some of it too, a path may lead from A through A~ back to A, and
 * neither is convex. One side may move so, when of the other side only those move that are related to nobody in A~:
 * then no path leads back. Each pivot is tried with the one side and the other, and with neither. Where everything is
 * related to everything (a chain) there is no A~; it is cut in the middle of a topological order.
 *
 * The report's rule takes the least balanced division, and its cost is more than quadratic. So graphs are cut into
 * pieces of CLUSTER_PIECE tasks first (of `size`, where that is more), of a topological order that goes into the depth;
 * and of a part with more than CLUSTER_LARGE tasks a try that leaves more than 7/8 in one does not count. All of it is
 * linear in tasks and edges then, with 2 MiB for the transitive closure of a piece (transitive_closure.h).
 * clusters_fini() frees.
 */
void cluster_convex(struct clusters *c, const struct dag *d, const struct cluster_options *o);

#endif
