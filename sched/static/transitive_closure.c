/* sched/static/transitive_closure.c - the transitive closure of a range of nodes of a graph, as a matrix of bits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/static/transitive_closure.h"

#include <stdlib.h>

#include "core/base/alloc.h"

void transitive_closure_init(struct transitive_closure *c, const uint32_t *succ_first, const uint32_t *succ,
                             uint32_t first, uint32_t end)
{
	uint32_t n = end - first, words = n / 64 + (n % 64 != 0);

	*c = (struct transitive_closure){.first = first, .words = words};
	c->bits = ht_alloc((size_t)n * words, sizeof(*c->bits));
	for (uint32_t i = n; i-- > 0;) {
		uint64_t *row = c->bits + (uint64_t)i * words;

		for (uint32_t e = succ_first[first + i]; e < succ_first[first + i + 1]; e++) {
			uint32_t j = succ[e] - first;
			const uint64_t *of_j = c->bits + (uint64_t)j * words;

			if (succ[e] >= end || row[j / 64] >> (j % 64) & 1)
				continue; /* a path over another successor: row j is part of row i already */
			row[j / 64] |= UINT64_C(1) << (j % 64);
			for (uint32_t w = j / 64; w < words; w++)
				row[w] |= of_j[w];
		}
	}
}

void transitive_closure_fini(struct transitive_closure *c)
{
	free(c->bits);
	*c = (struct transitive_closure){0};
}
