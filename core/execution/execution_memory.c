/* core/execution/execution_memory.c - how much data has memory on each node of a run, through time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/execution/execution_parts.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* At one time what is given back comes first. */
enum change { UNREGISTER, FREED, REGISTER, ALLOCATED, COPY };

struct walk {
	const struct trace *t;
	struct radix_item *at;
	size_t count;
	uint64_t *nodes; /* by handle: those that have memory of it */
	uint64_t *bytes; /* by node */
};

static void add(struct walk *w, int64_t ns, enum change kind, size_t index)
{
	if (ns != TIME_NONE)
		w->at[w->count++] = (struct radix_item){.key = (uint64_t)(ns + TIME_LIMIT) << 3 | kind, .value = index};
}

static void gather(struct walk *w)
{
	const struct trace *t = w->t;

	for (size_t i = 0; i < t->nhandles; i++) {
		add(w, t->handles[i].register_ns, REGISTER, i);
		add(w, t->handles[i].unregister_ns, UNREGISTER, i);
	}
	for (size_t i = 0; i < t->nmemory; i++)
		if (t->memory[i].kind == MEMORY_ALLOCATED || t->memory[i].kind == MEMORY_FREED)
			add(w, t->memory[i].ns, t->memory[i].kind == MEMORY_FREED ? FREED : ALLOCATED, i);
	for (size_t i = 0; i < t->ncopies; i++)
		if (t->copies[i].handle != TRACE_NONE)
			add(w, t->copies[i].start_ns, COPY, i);
	radix_sort(w->at, w->count);
}

static void change(struct walk *w, struct execution *e, int64_t ns, uint32_t handle, int node, int has)
{
	uint64_t bit, size;

	if (node < 0 || node >= w->t->nnodes || node >= 64)
		return;
	bit = UINT64_C(1) << node;
	if (!(w->nodes[handle] & bit) == !has)
		return;
	size = w->t->handles[handle].size_bytes;
	w->nodes[handle] ^= bit;
	w->bytes[node] += has ? size : -size;
	*VEC_PUSH(e->memory, e->nmemory, e->cap_memory) = (struct execution_memory){ns - e->origin_ns, w->bytes[node],
	                                                                            (uint16_t)node};
}

static void apply(struct walk *w, struct execution *e, const struct radix_item *x)
{
	const struct trace *t = w->t;
	int64_t ns = (int64_t)(x->key >> 3) - TIME_LIMIT;
	enum change kind = x->key & 7;
	uint32_t i = (uint32_t)x->value;

	switch (kind) {
	case REGISTER: change(w, e, ns, i, t->handles[i].home_node, 1); break;
	case UNREGISTER:
		for (int node = 0; node < t->nnodes; node++)
			change(w, e, ns, i, node, 0);
		break;
	case COPY: change(w, e, ns, t->copies[i].handle, t->copies[i].to, 1); break;
	default: change(w, e, ns, t->memory[i].handle, t->memory[i].node, kind == ALLOCATED);
	}
}

void execution_add_memory(struct execution *e, const struct run *r)
{
	struct walk w = {.t = r->trace};

	/* Nodes of several ranks have the same numbers. */
	if (!w.t->nmemory || w.t->nranks > 1 || !w.t->nhandles)
		return;
	w.at = ht_alloc(2 * w.t->nhandles + w.t->nmemory + w.t->ncopies, sizeof(*w.at));
	w.nodes = ht_alloc(w.t->nhandles, sizeof(*w.nodes));
	w.bytes = ht_alloc((size_t)w.t->nnodes, sizeof(*w.bytes));
	gather(&w);
	for (size_t i = 0; i < w.count; i++)
		apply(&w, e, &w.at[i]);
	free(w.at);
	free(w.nodes);
	free(w.bytes);
}
