/* sched/placement/task_copies.h - what it takes to have the data of a task where it is to be executed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_TASK_COPIES_H
#define SCHED_PLACEMENT_TASK_COPIES_H

#include <stdint.h>

#include "core/machine/transfer_cost.h"

struct placement_base;
struct policy_world;

struct task_copies {
	const struct policy_world *world;
	const struct placement_base *base;
	struct transfer_costs costs;
};

/* Both are borrowed; task_copies_fini() it. */
void task_copies_init(struct task_copies *c, const struct policy_world *w, const struct placement_base *b);
void task_copies_fini(struct task_copies *c);

/* Of all that the task reads, from main memory to the place, ns. */
double task_copies_all_ns(const struct task_copies *c, uint32_t task, int place);

/*
 * Whether copies take time, and those of all that the task reads more than a sixteenth of what CPUs take to execute it,
 * or where none can, a device. For such a task it matters where its data is. Tiles of a factorisation take CPUs a
 * hundred times as long as their copies: those are for the cut of the graph to avoid, and for prefetches to hide.
 */
int task_copies_are_long(const struct task_copies *c, uint32_t task);

/* Of what the task lacks at the place, by what StarPU would predict now, ns; 0 unless copies are long. */
double task_copies_ns(const struct task_copies *c, uint32_t task, int place);

/* The same, counted twice, as in dmda: copies delay those of other tasks, too. */
double task_copies_delay_ns(const struct task_copies *c, uint32_t task, int place);

/* Bytes that the task reads and that are not there, nor, with `or_coming`, on their way; 0 where that is not known. */
uint64_t task_copies_lacking(const struct task_copies *c, uint32_t task, int place, int or_coming);

#endif
