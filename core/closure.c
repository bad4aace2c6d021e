/* core/closure.c - who comes before whom in a graph, as a matrix of bits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/closure.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/table.h"

int closure_init(struct closure *c, const struct dag *d, struct ht_err *err)
{
	uint32_t words = d->ntasks / 64 + (d->ntasks % 64 != 0);
	uint64_t bytes = (uint64_t)d->ntasks * words * sizeof(*c->bits);
	char text[16], limit[16];

	if (bytes > CLOSURE_MAX_BYTES)
		return ht_err_set(err, "the closure of %u tasks would take %s, a bit for each pair: more than %s",
		                  (unsigned)d->ntasks, bytes_text(text, (double)bytes),
		                  bytes_text(limit, (double)CLOSURE_MAX_BYTES));
	*c = (struct closure){ .n = d->ntasks, .words = words };
	c->bits = ht_alloc((size_t)d->ntasks * words, sizeof(*c->bits));
	c->place = ht_alloc(d->ntasks, sizeof(*c->place));
	for (uint32_t i = 0; i < d->ntasks; i++)
		c->place[d->order[i]] = i;
	for (uint32_t i = d->ntasks; i-- > 0;) {
		uint32_t t = d->order[i];
		uint64_t *row = c->bits + (uint64_t)i * words;

		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			uint32_t j = c->place[d->succ[e]];
			const uint64_t *behind = closure_row(c, j);

			if (row[j / 64] >> (j % 64) & 1)
				continue; /* another successor comes before it: all behind it is there */
			row[j / 64] |= UINT64_C(1) << (j % 64);
			for (uint32_t w = j / 64; w < words; w++)
				row[w] |= behind[w];
		}
	}
	return 0;
}

void closure_fini(struct closure *c)
{
	free(c->bits);
	free(c->place);
}
