/* collect/machine_bus.h - links and memories of a machine, from StarPU's measurements of its bus. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_MACHINE_BUS_H
#define COLLECT_MACHINE_BUS_H

#include "collect/bus.h"

struct ht_err;
struct machine;

/*
 * Replaces the links of `m` by what `b` has measured between its memory nodes, matched by architecture and device, and
 * fills in capacities. Pairs that were not measured get no link. Machines of several ranks keep what they have: the
 * measurements are of one host.
 */
void machine_add_bus(struct machine *m, const struct bus *b);

/*
 * The machine that the bus files of `host` describe, for where a trace does not name its workers: one worker per core,
 * on the first memory node, and one per device; nodes are main memory, then CUDA, OpenCL and HIP devices. StarPU itself
 * gives cores away to drive devices, and a GPU with drivers of two kinds stands there twice: neither is taken off. NULL
 * with the sentence when files are missing or wrong; machine_free() it.
 */
struct machine *machine_from_sampling(const char *sampling_dir, const char *host, struct ht_err *err);

#endif
