/* sched/queue/scoretree.h - tasks with a score in classes, and the best of some neighbouring classes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_SCORETREE_H
#define SCHED_QUEUE_SCORETREE_H

#include <stdint.h>

#include "sched/queue/scoreheap.h"

/*
 * A balanced tree whose leaves are classes, each a heap of its tasks; an inner node knows the better one of its two
 * halves. The best task of the classes from one to another is found, and a task put or taken, in logarithmic time.
 */
struct scoretree {
	uint32_t nclasses, nleaves; /* leaves: a power of 2 */
	struct scoreheap *heaps;    /* per class */
	uint32_t *best;             /* [2 nleaves]: class; node i has children 2i and 2i + 1, leaves come last */
};

#define SCORETREE_NONE UINT32_MAX

void scoretree_init(struct scoretree *t, uint32_t nclasses);
void scoretree_fini(struct scoretree *t);

/* Among equal scores the one with the smaller number, which grows with every put, comes first. The score is no NAN. */
void scoretree_put(struct scoretree *t, uint32_t class_id, double score, int64_t number, uint32_t task);

/* The class of first <= class < end whose first task is best; SCORETREE_NONE: there is no task. */
uint32_t scoretree_best(const struct scoretree *t, uint32_t first, uint32_t end);

/* The first of two classes, either of which may be SCORETREE_NONE, by their first tasks. */
uint32_t scoretree_better(const struct scoretree *t, uint32_t a, uint32_t b);

/* scoreheap_filter() of a class. */
void scoretree_filter(struct scoretree *t, uint32_t class_id,
                      int (*keep)(const void *arg, const struct scoreheap_item *x), const void *arg);

/* Removes the first task of a class that has one. */
uint32_t scoretree_take(struct scoretree *t, uint32_t class_id);

#endif
