/* analyze/data/memories.c - how much data each memory of a run held at most, and how often it was too small. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/memories.h"

#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "core/base/alloc.h"
#include "core/trace/trace.h"

/* Data that loses its memory while it lives is evicted. */
static int is_eviction(const struct trace *t, const struct data_change *c)
{
	int64_t end = t->handles[c->handle].unregister_ns;

	return c->kind == DATA_FREED && (end == TIME_NONE || c->ns < end);
}

void memories_init(struct memories *x, const struct trace *t, const struct data_state *s)
{
	uint64_t *now;

	*x = (struct memories){0};
	if (!t->nmemory)
		return;
	x->nnodes = (size_t)t->nnodes;
	x->count = (size_t)t->nranks * x->nnodes;
	x->at = ht_alloc(x->count, sizeof(*x->at));
	now = ht_alloc(x->count, sizeof(*now));
	for (size_t i = 0; i < s->nchanges; i++) {
		const struct data_change *c = &s->changes[i];
		size_t at = (size_t)t->handles[c->handle].rank * x->nnodes + (size_t)c->node;
		struct memories_node *m = &x->at[at];

		if (c->kind == DATA_ALLOCATED)
			now[at] += t->handles[c->handle].size_bytes;
		else if (c->kind == DATA_FREED)
			now[at] -= t->handles[c->handle].size_bytes;
		m->evictions += (uint64_t)is_eviction(t, c);
		if (now[at] > m->peak_bytes) {
			m->peak_bytes = now[at];
			m->peak_ns = c->ns;
		}
	}
	free(now);
}

void memories_fini(struct memories *x)
{
	free(x->at);
	*x = (struct memories){0};
}
