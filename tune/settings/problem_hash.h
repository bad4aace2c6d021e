/* tune/settings/problem_hash.h - a number that tells problems apart: 64-bit FNV-1a (Fowler, Noll, Vo). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_PROBLEM_HASH_H
#define TUNE_SETTINGS_PROBLEM_HASH_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct machine;

/* Also of the version of heterotune, whose replays may differ from another's. */
uint64_t problem_hash_begin(void);
uint64_t problem_hash(uint64_t h, const void *data, size_t bytes);

/* All that a replay of the graph on the machine depends on. */
uint64_t problem_hash_graph(uint64_t h, const struct dag *d, const struct machine *m);

#endif
