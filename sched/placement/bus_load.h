/* sched/placement/bus_load.h - whether copies or tasks are what takes long. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_PLACEMENT_BUS_LOAD_H
#define SCHED_PLACEMENT_BUS_LOAD_H

#include <stdint.h>

struct placement_base;

/*
 * Of a graph that is cut, part[vertex] of base.data, and in which tasks read data that none writes: whether copies from
 * and to main memory, at the speed of its fastest link to a device, take at least as long as all work takes the
 * devices. Each part receives what it reads, once, and what tasks are placed by comes and goes. Else, and where copies
 * take no time, 0.
 */
int bus_load_is_full(const struct placement_base *b, const uint32_t *part);

#endif
