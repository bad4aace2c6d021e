/* generate/mix.h - types of tasks with their shares, costs and predecessors, from a file. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_MIX_H
#define GENERATE_MIX_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "generate/graph.h"
#include "generate/random_types.h"

struct ht_err;

enum { MIX_MOST_PREDECESSORS = 16 }; /* of one type by another, mean */

struct mix {
	uint32_t ntypes;
	struct mix_type {
		char name[GRAPH_NAME];
		double share;                          /* above 0; they need not add up to 1 */
		double cost_us[ARCH_COUNT];            /* -1: cannot run there */
		double predecessors[RANDOM_TYPES_MAX]; /* mean number of each type */
	} types[RANDOM_TYPES_MAX];
};

/*
 * A line a type: name, share, costs (cpu:US,cuda:US), and as many numbers as there are types, the type's row of the
 * predecessor matrix, with blanks between them. Empty lines and those that begin with '#' are skipped. NULL: err names
 * file, line and what was expected. Free with free().
 */
struct mix *mix_load(const char *path, struct ht_err *err);

#endif
