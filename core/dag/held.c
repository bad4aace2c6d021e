/* core/dag/held.c - tasks whose end a device's thread has seen late. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/held.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

enum { LAST_PART = 10 }; /* a tenth */

struct eviction {
	int64_t start_ns, end_ns;
	int node;
};

static int by_node_and_end(const void *a, const void *b)
{
	const struct eviction *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* By node and end; start_ns of each is then the first start of it and those after it on its node. free() them. */
static struct eviction *collect(const struct trace *t, size_t *n)
{
	struct eviction *all = NULL;
	struct idmap of = {0};
	size_t cap = 0, ended = 0;

	*n = 0;
	for (size_t i = 0; i < t->nmemory; i++) {
		const struct trace_memory *m = &t->memory[i];
		uint64_t key = (uint64_t)m->handle << 16 | (uint16_t)m->node;
		uint32_t at;

		if (m->kind == MEMORY_EVICTING) {
			idmap_put(&of, key, (uint32_t)*n);
			*VEC_PUSH(all, *n, cap) = (struct eviction){m->ns, TIME_NONE, m->node};
		} else if (m->kind == MEMORY_EVICTED && (at = idmap_get(&of, key)) != IDMAP_NONE) {
			all[at].end_ns = m->ns;
		}
	}
	for (size_t i = 0; i < *n; i++)
		if (all[i].end_ns != TIME_NONE)
			all[ended++] = all[i];
	*n = ended;
	if (ended)
		qsort(all, ended, sizeof(*all), by_node_and_end);
	for (size_t i = ended; i-- > 1;)
		if (all[i - 1].node == all[i].node && all[i].start_ns < all[i - 1].start_ns)
			all[i - 1].start_ns = all[i].start_ns;
	idmap_fini(&of);
	return all;
}

/* The first on the node that ends at `ns` or later, or what comes after these. */
static size_t first_from(const struct eviction *all, size_t n, int node, int64_t ns)
{
	const struct eviction wanted = {.node = node, .end_ns = ns};
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_node_and_end(&all[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint8_t *held_find(const struct dag *d, const struct trace *t)
{
	uint8_t *held = ht_alloc(d->ntasks, sizeof(*held));
	size_t n;
	struct eviction *all = collect(t, &n);

	for (uint32_t i = 0; n && i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];
		const struct trace_worker *w = &t->workers[x->worker];
		size_t at = first_from(all, n, w->node, x->end_ns - (x->end_ns - x->start_ns) / LAST_PART);

		held[i] = w->arch != ARCH_CPU && at < n && all[at].node == w->node && all[at].start_ns <= x->end_ns;
	}
	free(all);
	return held;
}
