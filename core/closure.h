/* core/closure.h - who comes before whom in a graph, as a matrix of bits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CLOSURE_H
#define CORE_CLOSURE_H

#include <stdint.h>

struct dag;
struct ht_err;

/*
 * Rows and columns are places in the graph's topological order, so that a row has bits behind its own place only. Row i
 * has bit j when the task at place i comes before the one at place j. n tasks take n * n / 8 bytes, and edges * n / 64
 * steps to make.
 */
struct closure {
	uint32_t n, words; /* of a row */
	uint64_t *bits;
	uint32_t *place;   /* per task */
};

/* 2 GiB: up to 131 072 tasks. */
#define CLOSURE_MAX_BYTES ((uint64_t)2 << 30)

/* Fails above CLOSURE_MAX_BYTES, with what it would take; nothing is to be freed then. closure_fini() frees. */
int closure_init(struct closure *c, const struct dag *d, struct ht_err *err);
void closure_fini(struct closure *c);

static inline const uint64_t *closure_row(const struct closure *c, uint32_t place)
{
	return c->bits + (uint64_t)place * c->words;
}

static inline int closure_before(const struct closure *c, uint32_t a, uint32_t b)
{
	return closure_row(c, a)[b / 64] >> (b % 64) & 1;
}

#endif
