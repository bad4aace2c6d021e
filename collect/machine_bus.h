/* collect/machine_bus.h - links and memories of a machine, from StarPU's measurements of its bus. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_MACHINE_BUS_H
#define COLLECT_MACHINE_BUS_H

#include "collect/bus.h"

struct machine;

/*
 * Replaces the links of `m` by what `b` has measured between its memory nodes, matched by architecture and device, and
 * fills in capacities. Pairs that were not measured get no link. The hosts of all ranks are taken to be alike: there
 * are links between the nodes of each rank.
 */
void machine_add_bus(struct machine *m, const struct bus *b);

#endif
