/* sched/placement/class_groups.h - classes whose tasks take about the same time, on each place. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_CLASS_GROUPS_H
#define SCHED_PLACEMENT_CLASS_GROUPS_H

#include <stddef.h>
#include <stdint.h>

struct places;

/* All zeros: there is none yet. Costs are by eighths of a power of 2; doubling all costs changes no group. */
struct class_groups {
	uint32_t *of;   /* per class: its group + 1; 0: not found yet */
	int64_t *costs; /* [group * places + place] */
	uint32_t n;
	size_t cap_of, cap_costs;
};

void class_groups_fini(struct class_groups *g);

/* A class that is new, or has other costs than before. Its group may be a new one, the last. */
void class_groups_find(struct class_groups *g, const struct places *p, uint32_t class_id);

static inline int class_groups_has(const struct class_groups *g, uint32_t class_id)
{
	return class_id < g->cap_of && g->of[class_id];
}

/* Of a class that has been found. */
static inline uint32_t class_groups_of(const struct class_groups *g, uint32_t class_id)
{
	return g->of[class_id] - 1;
}

#endif
