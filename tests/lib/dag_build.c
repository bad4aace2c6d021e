/* tests/lib/dag_build.c - a task graph made by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/dag_build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/csr.h"

struct dag_builder {
	struct dag_type *types;
	struct dag_class *classes; /* one a type, footprint 0 */
	struct dag_task *tasks;
	struct data_access *accesses;
	uint64_t *handle_bytes;
	uint32_t *from, *to;
	size_t ntypes, captypes, nclasses, capclasses, ntasks, captasks, naccesses, capaccesses, nhandles, caphandles;
	size_t nfrom, capfrom, nto, capto;
	struct arena *arena; /* goes to the graph */
};

struct dag_builder *dag_builder_create(void)
{
	struct dag_builder *b = ht_alloc(1, sizeof(*b));

	b->arena = arena_create();
	return b;
}

uint32_t dag_builder_type(struct dag_builder *b, const char *name, const int64_t cost_ns[ARCH_COUNT])
{
	struct dag_class *c = VEC_PUSH(b->classes, b->nclasses, b->capclasses);
	struct dag_type *t = VEC_PUSH(b->types, b->ntypes, b->captypes);

	t->name = arena_strndup(b->arena, name, strlen(name));
	t->codelet = t->name;
	t->model = "";
	c->codelet = (uint32_t)(b->ntypes - 1);
	for (int a = 0; a < ARCH_COUNT; a++) {
		c->cost_ns[a] = cost_ns[a] < 0 ? -1 : cost_ns[a];
		c->deviation_ns[a] = -1;
		c->source[a] = cost_ns[a] < 0 ? COST_NONE : COST_GIVEN;
		if (cost_ns[a] >= 0)
			t->where |= (arch_mask)(1u << a);
	}
	return c->codelet;
}

uint32_t dag_builder_task(struct dag_builder *b, uint32_t type)
{
	struct dag_task *t;

	assert(type < b->ntypes && b->ntasks < UINT32_MAX - 1);
	t = VEC_PUSH(b->tasks, b->ntasks, b->captasks);
	t->class_id = type;
	t->trace_task = (uint32_t)(b->ntasks - 1);
	t->first_access = (uint32_t)b->naccesses;
	b->types[type].count++;
	b->classes[type].count++;
	return t->trace_task;
}

void dag_builder_edge(struct dag_builder *b, uint32_t pred, uint32_t succ)
{
	assert(pred < b->ntasks && succ < b->ntasks);
	*VEC_PUSH(b->from, b->nfrom, b->capfrom) = pred;
	*VEC_PUSH(b->to, b->nto, b->capto) = succ;
}

void dag_builder_access(struct dag_builder *b, uint32_t task, uint32_t handle, uint32_t mode)
{
	struct data_access *x;

	assert(b->ntasks && task == b->ntasks - 1 && handle < b->nhandles);
	x = VEC_PUSH(b->accesses, b->naccesses, b->capaccesses);
	x->handle = handle;
	x->mode = mode;
	b->tasks[task].naccesses++;
}

uint32_t dag_builder_handle(struct dag_builder *b, uint64_t bytes)
{
	*VEC_PUSH(b->handle_bytes, b->nhandles, b->caphandles) = bytes;
	return (uint32_t)(b->nhandles - 1);
}

static void *keep(struct arena *a, const void *items, size_t n, size_t size)
{
	void *p = arena_alloc(a, n, size);

	if (n)
		memcpy(p, items, n * size);
	return p;
}

struct dag *dag_builder_finish(struct dag_builder *b, struct ht_err *err)
{
	struct arena *a = b->arena;
	struct dag *d = arena_alloc(a, 1, sizeof(*d)), *made = NULL;
	struct csr g;
	uint32_t cycle[2];

	d->arena = a;
	d->tasks = keep(a, b->tasks, b->ntasks, sizeof(*b->tasks));
	d->submit_ns = arena_alloc(a, b->ntasks, sizeof(*d->submit_ns));
	d->ntasks = (uint32_t)b->ntasks;
	d->types = keep(a, b->types, b->ntypes, sizeof(*b->types));
	d->ntypes = (uint32_t)b->ntypes;
	d->classes = keep(a, b->classes, b->nclasses, sizeof(*b->classes));
	d->nclasses = (uint32_t)b->nclasses;
	d->accesses = keep(a, b->accesses, b->naccesses, sizeof(*b->accesses));
	d->naccesses = (uint32_t)b->naccesses;
	d->handle_bytes = keep(a, b->handle_bytes, b->nhandles, sizeof(*b->handle_bytes));
	d->handle_home = arena_alloc(a, b->nhandles, sizeof(*d->handle_home)); /* main memory, node 0 */
	d->nhandles = (uint32_t)b->nhandles;
	if (!d->ntasks) {
		ht_err_set(err, "a task graph without a task");
		goto out;
	}
	csr_build(&g, a, d->ntasks, b->from, b->to, b->nfrom);
	d->succ_first = g.succ_first;
	d->succ = g.succ;
	d->pred_first = g.pred_first;
	d->pred = g.pred;
	d->succ_times = g.succ_times;
	d->pred_times = g.pred_times;
	d->nedges = g.nedges;
	d->order = arena_alloc(a, d->ntasks, sizeof(*d->order));
	if (csr_order(&g, d->order, cycle) < 0) {
		ht_err_set(err, "task %u (%s) depends on itself through task %u (%s)", (unsigned)cycle[0],
		           d->types[dag_type_of(d, cycle[0])].name, (unsigned)cycle[1],
		           d->types[dag_type_of(d, cycle[1])].name);
		goto out;
	}
	made = d;
out:
	if (!made)
		arena_free(a);
	free(b->types);
	free(b->classes);
	free(b->tasks);
	free(b->accesses);
	free(b->handle_bytes);
	free(b->from);
	free(b->to);
	free(b);
	return made;
}
