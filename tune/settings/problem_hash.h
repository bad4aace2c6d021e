/* tune/settings/problem_hash.h - a number that distinguishes problems: 64-bit FNV-1a (Fowler, Noll, Vo). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_PROBLEM_HASH_H
#define TUNE_SETTINGS_PROBLEM_HASH_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct machine;
struct scenario;

/* Also of the sources and of the compiler that the simulator was built with: another simulator may replay otherwise. */
uint64_t problem_hash_begin(void);
uint64_t problem_hash(uint64_t h, const void *data, size_t bytes);

/* Every member of the graph and of the machine, but for pointers, whose targets are hashed, and arenas. */
uint64_t problem_hash_graph(uint64_t h, const struct dag *d, const struct machine *m);

/* All else that a scenario says to simulate(): submission, copies, conditions. `s` may be NULL. */
uint64_t problem_hash_scenario(uint64_t h, const struct scenario *s);

#endif
