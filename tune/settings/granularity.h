/* tune/settings/granularity.h - the smallest sets of tasks that buckets are made of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_GRANULARITY_H
#define TUNE_SETTINGS_GRANULARITY_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/machine/arch.h"
#include "tune/settings/task_kinds.h"

struct arena;
struct dag;
struct machine;

/* What distinguishes tasks of one kind, coarsest first. StarPU sees all of it when a task is pushed. */
enum granularity_kind {
	GRANULARITY_CODELET,   /* nothing: a kind is one group */
	GRANULARITY_FOOTPRINT, /* the size of its data */
	GRANULARITY_PRIORITY,  /* the application's priority */
	GRANULARITY_ORDER,     /* the part of the run in which it is submitted */
	GRANULARITY_RANK,      /* its place in the order of submission, and from that its upward rank */
	GRANULARITY_COUNT
};

enum { GRANULARITY_MAX_LEVELS = 16 };

/* Tasks of one kind that are always in the same bucket. */
struct task_group {
	uint32_t kind;
	uint32_t level, nlevels;    /* among the groups of the kind; 0 is the most urgent one */
	uint32_t count;             /* tasks */
	arch_mask where;            /* every task can run on all of these, and the machine has them */
	double mean_ns[ARCH_COUNT]; /* mean cost; -1 where one of its tasks cannot run */
	double rank_ns;             /* mean upward rank */
	const struct config_member *members;
	int nmembers;
};

struct granularity {
	enum granularity_kind kind;
	struct task_kinds kinds;
	struct task_group groups[CONFIG_MAX_BUCKETS]; /* by kind, then by level */
	int ngroups;
	uint8_t *group_of; /* per task */
	struct arena *arena;
};

/* "codelet", "footprint", ... */
const char *granularity_name(enum granularity_kind kind);

/*
 * upward_ns: per task, ranks.upward_ns of rank.h. NULL: the graph has nothing that distinguishes tasks, or too much for
 * 100 buckets; GRANULARITY_CODELET is NULL only where there are tasks that no architecture can run. Levels hold about
 * the same number of tasks of their kind each; what is not a type (task_kinds.h) has one. The groups of a kind take
 * every task of it, also in a run with more of them. The graph has to stay. Free with granularity_free().
 */
struct granularity *granularity_make(enum granularity_kind kind, const struct dag *d, const struct machine *m,
                                     const double *upward_ns);
void granularity_free(struct granularity *g);

#endif
