/* generate/random_types.h - kinds of tasks with random costs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_RANDOM_TYPES_H
#define GENERATE_RANDOM_TYPES_H

#include <stdint.h>

struct graph;
struct machine;
struct rng;

enum { RANDOM_TYPES_MAX = 64 };

/*
 * Types t0, t1, ...: a CPU takes 1 to 100 ms, log-uniform; a GPU is 0.5 to 32 times as fast, log-uniform. CUDA and
 * every architecture of the machine but the CPU count as GPU, and each draws its own. Returns the first, the others
 * follow.
 */
uint32_t random_types(struct graph *g, uint32_t n, const struct machine *m, struct rng *r);

#endif
