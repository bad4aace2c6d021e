/* sched/placement/sent_ahead.h - data that goes to its owners before tasks ask for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_SENT_AHEAD_H
#define SCHED_PLACEMENT_SENT_AHEAD_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct placement;

/* What was sent to a place (from 1; 0: none) and is not yet used there. */
struct sent {
	int place;
	uint64_t bytes;
};

/* All zeros: nothing has been sent. */
struct sent_ahead {
	unsigned char *used; /* per handle: a task that uses it was submitted; NULL: a plan sends no data ahead */
	int64_t *spare;      /* per place: bytes that may still be sent there ahead; NULL: nothing has been */
	struct sent *to;     /* where the graph grows, per handle */
	size_t cap_to;
};

void sent_ahead_fini(struct sent_ahead *a);

/* A share of the data of the graph `d`, which is what is live, as owners_cut() has it: the most urgent first. */
void sent_ahead_distribute(struct placement *s, const struct dag *d, const uint32_t *task, double share);

/* By a plan the datum of a task goes ahead when the first task that uses it is submitted. */
void sent_ahead_added(struct placement *s, uint32_t task);

/* Where the graph grows: the datum that the task is placed by has got its owner by a plan. */
void sent_ahead_planned(struct placement *s, uint32_t task);

/* The task is done: what it wrote was used. */
void sent_ahead_done(struct placement *s, uint32_t task);

#endif
