/* core/execution/palette.h - one colour for each type of task, the same in every plot. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_EXECUTION_PALETTE_H
#define CORE_EXECUTION_PALETTE_H

#include <stdint.h>

#include "core/machine/arch.h"

/*
 * Types share a group when there are more of them than colours that can be distinguished: the last group is then "N
 * others", the types with the least work. Groups are in the order of their names, so that two runs of one application
 * agree.
 */
enum { PALETTE_MAX = 18 };

struct palette_group {
	char name[64];     /* to be shown */
	const char *label; /* all of it, borrowed from the types; NULL: of several */
	uint32_t rgb;      /* 0xRRGGBB */
};

struct palette {
	struct palette_group groups[PALETTE_MAX + 1];
	int ngroups;
	uint8_t *group_of; /* by type */
};

/* One type: its name, and the time in its tasks; -1: it has none, and needs no colour: it shares the last group. */
struct palette_type {
	const char *name;
	int64_t busy_ns;
};

/* free with palette_fini(). */
void palette_init(struct palette *p, const struct palette_type *types, uint32_t ntypes);
void palette_fini(struct palette *p);

/* The group of that label; one that it has not shares the last group. */
int palette_find(const struct palette *p, const char *label);

/* The colour of an architecture: a grey, which is none of a type. */
uint32_t palette_arch(enum arch a);

#endif
