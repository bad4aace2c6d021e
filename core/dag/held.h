/* core/dag/held.h - tasks whose end a device's thread has seen late. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_HELD_H
#define CORE_DAG_HELD_H

#include <stdint.h>

struct dag;
struct trace;

/*
 * The thread of a device whose memory is full evicts data itself, and sees the end of what the device executes
 * when it has done so (StarPU 1.4.10, memalloc.c and driver_cuda.c): such a task seems to last several times as long.
 * Returns, a byte a task of `d`, those in whose last tenth, or after that, an eviction from their device ended; free()
 * it. `t` is the trace of `d`, in which only FxT's has evictions.
 */
uint8_t *held_find(const struct dag *d, const struct trace *t);

#endif
