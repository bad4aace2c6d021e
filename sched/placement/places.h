/* sched/placement/places.h - where tasks can be placed: the CPUs together, and each device. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_PLACES_H
#define SCHED_PLACEMENT_PLACES_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct machine;

#define PLACES_NONE (-1)

/* Workers that share a queue: all CPUs, or those of one device and memory node. */
struct place {
	int worker; /* its first one */
	int node;   /* that worker's memory */
	int nworkers;
};

/* In the order of their first workers. */
struct places {
	struct place *place;
	int n;
	int cpus;         /* the place of the CPUs; PLACES_NONE */
	int *of;          /* per worker */
	int64_t *cost_ns; /* [class * n + place]: on the place's first worker; -1: it cannot run there */
	size_t cap_costs;
};

void places_init(struct places *p, const struct dag *d, const struct machine *m);

/* The costs of a class that may be new, or take more or less than it did. 1: they are others than before. */
int places_find_costs(struct places *p, const struct dag *d, const struct machine *m, uint32_t class_id);

void places_fini(struct places *p);

static inline int64_t places_cost(const struct places *p, uint32_t class_id, int place)
{
	return p->cost_ns[(uint64_t)class_id * (uint64_t)p->n + (uint64_t)place];
}

/* The device that is fastest at the class, among equals the first; PLACES_NONE: none can run it. */
int places_fastest_device(const struct places *p, uint32_t class_id);

#endif
