/* tests/fuzz/mutate.h - a good file made bad in one or two places, the same ones for the same seed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Contents of a file; `data` is free()d by whoever owns the struct. */
struct mutant {
	char *data;
	size_t size_bytes;
};

/* A generator's state of its own for mutant `number` of the sequence `seed`; take numbers with mutate_pick(). */
uint64_t mutate_seed(uint64_t seed, uint64_t number);

/* 0 to n - 1; 0 when n is 0. */
size_t mutate_pick(uint64_t *state, size_t n);

/*
 * A copy of `from` with something wrong in it: bytes are others, the end is missing, a line stands twice, is missing,
 * or has changed places with another, a number is at a border of its type, an attribute has another one's value, a part
 * comes from `other`, which may be `from`.
 * Lines of what is not text are words of 8 bytes. The caller frees `data` of the result.
 */
struct mutant mutate(const struct mutant *from, const struct mutant *other, uint64_t *state);

#endif
