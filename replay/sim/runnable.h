/* replay/sim/runnable.h - whether every task of a graph has a worker that can run it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_RUNNABLE_H
#define REPLAY_SIM_RUNNABLE_H

#include <stdint.h>

struct dag;
struct ht_err;
struct machine;

/*
 * -1 with a sentence that names the first task that no worker can run: it has no cost there, or its data, all of which
 * has to be there at a time, is larger than the worker's memory.
 */
int runnable_check(const struct dag *d, const struct machine *m, struct ht_err *err);

/* The bytes of a task's data, each datum once; UINT64_MAX - 1 where the sum overflows. */
uint64_t runnable_bytes(const struct dag *d, uint32_t task);

#endif
