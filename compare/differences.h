/* compare/differences.h - where two recordings differ: by cause, type of task, state of the workers, and link. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COMPARE_DIFFERENCES_H
#define COMPARE_DIFFERENCES_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct report;

enum difference_part {
	DIFFERENCE_CAUSE,  /* ns of makespan, which they add up to: the area bound and causes (time_breakdown.h) */
	DIFFERENCE_TYPE,   /* ns that workers of `arch` executed tasks of a type; their number is the count */
	DIFFERENCE_WORKER, /* ns that workers of `arch` were in a state (worker_time.h); count: the workers */
	DIFFERENCE_LINK,   /* bytes over a link during the run; count: the copies */
	DIFFERENCE_PARTS
};

/* [0] is the first recording, [1] the second one. */
struct difference {
	char *name;
	enum arch arch; /* ARCH_NONE: of no architecture */
	uint64_t count[2];
	double value[2];
};

/* By falling difference of the values, then by architecture and name. */
struct differences {
	struct difference *at[DIFFERENCE_PARTS];
	size_t count[DIFFERENCE_PARTS], cap[DIFFERENCE_PARTS];
};

/*
 * What only one of them has is 0 in the other. Types are the same by name, workers by architecture, links by
 * the names of their memories. Causes, and states of workers, are there where both recordings have them.
 * differences_fini() frees.
 */
void differences_init(struct differences *x, const struct report *first, const struct report *second);
void differences_fini(struct differences *x);

#endif
