/* sched/queue/scoretree.h - tasks with a score in classes with a length, and the best of the shorter classes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_QUEUE_SCORETREE_H
#define SCHED_QUEUE_SCORETREE_H

#include <stddef.h>
#include <stdint.h>

#include "sched/queue/scoreheap.h"

/*
 * Each class is a heap of its tasks, in one of a few groups. A group is a treap (Seidel, Aragon 1996) of its classes by
 * length, whose nodes know the best class of their subtree. So the best task of a group's classes below a length is
 * found, a task put or taken, and a class added or moved, in logarithmic time.
 */
struct scoretree {
	struct scoreheap *heaps; /* per class */
	struct scoretree_node {
		double length;
		uint32_t left, right; /* classes of the same group */
		uint32_t best;        /* of the subtree: class; SCORETREE_NONE: it has no task */
		int group;            /* + 1; 0: the class has not been placed */
	} * nodes;                    /* per class */
	size_t cap_heaps, cap_nodes;
	uint32_t *roots; /* per group: class */
};

#define SCORETREE_NONE UINT32_MAX

/* Without classes. */
void scoretree_init(struct scoretree *t, int ngroups);
void scoretree_fini(struct scoretree *t);

/* The class, which may be new or have tasks, is of this group and as long from now on. */
void scoretree_place(struct scoretree *t, uint32_t class_id, int group, double length);

/*
 * Into a class that has been placed. Among equal scores the one with the smaller number, which grows with every put,
 * comes first. The score is no NAN.
 */
void scoretree_put(struct scoretree *t, uint32_t class_id, double score, int64_t number, uint32_t task);

/* The class of the group, and shorter than `below`, whose first task is best; SCORETREE_NONE: there is no task. */
uint32_t scoretree_best(const struct scoretree *t, int group, double below);

/* The first of two classes, either of which may be SCORETREE_NONE, by their first tasks. */
uint32_t scoretree_better(const struct scoretree *t, uint32_t a, uint32_t b);

/* scoreheap_filter() of a class. */
void scoretree_filter(struct scoretree *t, uint32_t class_id,
                      int (*keep)(const void *arg, const struct scoreheap_item *x), const void *arg);

/* Removes the first task of a class that has one. */
uint32_t scoretree_take(struct scoretree *t, uint32_t class_id);

#endif
