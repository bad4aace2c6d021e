/* tune/search/blocking_chain.c - why a schedule is as long as it is: the chain of tasks that ends with its last one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/blocking_chain.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"
#include "replay/sim/simulate.h"

/* before[t]: what the worker of t executed last before it; BLOCKING_CHAIN_NONE: nothing. */
static uint32_t *find_before(const struct dag *d, int nworkers, const struct simulation *s)
{
	struct radix_item *by_start = ht_alloc((size_t)d->ntasks + 1, sizeof(*by_start));
	uint32_t *before = ht_alloc((size_t)d->ntasks + 1, sizeof(*before));
	uint32_t *last = ht_alloc((size_t)nworkers + 1, sizeof(*last));

	for (int w = 0; w < nworkers; w++)
		last[w] = BLOCKING_CHAIN_NONE;
	for (uint32_t t = 0; t < d->ntasks; t++)
		by_start[t] = (struct radix_item){(uint64_t)s->tasks[t].start_ns, t};
	radix_sort(by_start, d->ntasks);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = (uint32_t)by_start[i].value, *of_worker = &last[s->tasks[t].worker];

		before[t] = *of_worker;
		*of_worker = t;
	}
	free(by_start);
	free(last);
	return before;
}

static uint32_t last_predecessor(const struct dag *d, const struct simulation *s, uint32_t t)
{
	uint32_t last = BLOCKING_CHAIN_NONE;

	for (uint32_t e = d->pred_first[t]; e < d->pred_first[t + 1]; e++)
		if (last == BLOCKING_CHAIN_NONE || s->tasks[d->pred[e]].end_ns > s->tasks[last].end_ns)
			last = d->pred[e];
	return last;
}

size_t blocking_chain(const struct dag *d, int nworkers, const struct simulation *s, struct blocking_link *links)
{
	uint32_t *before = find_before(d, nworkers, s);
	uint32_t t = 0;
	size_t n = 0;

	for (uint32_t i = 1; i < d->ntasks; i++)
		t = s->tasks[i].end_ns > s->tasks[t].end_ns ? i : t;
	while (d->ntasks && t != BLOCKING_CHAIN_NONE) {
		uint32_t pred = last_predecessor(d, s, t), blocker = before[t];

		if (blocker != BLOCKING_CHAIN_NONE && s->tasks[blocker].end_ns <= s->tasks[t].ready_ns)
			blocker = BLOCKING_CHAIN_NONE;
		links[n++] = (struct blocking_link){t, blocker};
		t = blocker != BLOCKING_CHAIN_NONE ? blocker : pred;
	}
	free(before);
	return n;
}
