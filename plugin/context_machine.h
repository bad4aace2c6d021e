/* plugin/context_machine.h - the workers of a context of StarPU, their memories and links as a machine. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_CONTEXT_MACHINE_H
#define PLUGIN_CONTEXT_MACHINE_H

#include <stdint.h>

struct machine;

/*
 * In place of what is in them, which is zero at first: the arrays of `m`; worker_of[i], StarPU's number of worker i;
 * and index_of[], the worker by StarPU's number, -1 where it is another context's, or its bit in blocked[] is set. If
 * all workers of the context are blocked, none is left out. The caller frees all. Bandwidths are those of StarPU's
 * models, in bytes per s, latencies in ns. Needs memory (guard.h).
 */
void context_machine(unsigned ctx, const uint64_t *blocked, struct machine *m, int **worker_of, int **index_of);

#endif
