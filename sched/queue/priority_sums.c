/* sched/queue/priority_sums.c - how much there is of each priority and of higher ones, in queues. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/queue/priority_sums.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"

void priority_sums_init(struct priority_sums *s, const struct dag *d, int nqueues)
{
	uint64_t *keys = ht_alloc(d->ntasks, sizeof(*keys));

	for (uint32_t t = 0; t < d->ntasks; t++)
		keys[t] = (uint64_t)((int64_t)INT32_MAX - d->tasks[t].priority);
	radix_sort_keys(keys, d->ntasks);
	*s = (struct priority_sums){.priorities = ht_alloc(d->ntasks, sizeof(*s->priorities))};
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (t == 0 || keys[t] != keys[t - 1])
			s->priorities[s->n++] = (int32_t)(INT32_MAX - (int64_t)keys[t]);
	s->sums = ht_alloc((size_t)nqueues * (s->n + 1), sizeof(*s->sums));
	free(keys);
}

void priority_sums_fini(struct priority_sums *s)
{
	free(s->priorities);
	free(s->sums);
}

/* From 1. */
static uint32_t place_of(const struct priority_sums *s, int32_t priority)
{
	uint32_t low = 0, high = s->n;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (s->priorities[mid] >= priority)
			low = mid;
		else
			high = mid;
	}
	return low + 1;
}

static struct priority_sum *tree_of(const struct priority_sums *s, int queue)
{
	return s->sums + (size_t)queue * (s->n + 1);
}

void priority_sums_add(struct priority_sums *s, int queue, int32_t priority, struct priority_sum x)
{
	struct priority_sum *tree = tree_of(s, queue);

	for (uint32_t i = place_of(s, priority); i <= s->n; i += i & -i) {
		tree[i].ns += x.ns;
		tree[i].tasks += x.tasks;
	}
}

struct priority_sum priority_sums_from(const struct priority_sums *s, int queue, int32_t priority)
{
	const struct priority_sum *tree = tree_of(s, queue);
	struct priority_sum sum = {0};

	for (uint32_t i = place_of(s, priority); i; i &= i - 1) {
		sum.ns += tree[i].ns;
		sum.tasks += tree[i].tasks;
	}
	return sum;
}
