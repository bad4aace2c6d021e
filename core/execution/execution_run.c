/* core/execution/execution_run.c - what a run did, from its trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"
#include "core/dag/dag_ready.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

static int64_t earlier(int64_t a, int64_t b)
{
	return b == TIME_NONE || (a != TIME_NONE && a < b) ? a : b;
}

/* Nodes of a trace count from 0 in each rank, those of the machine go on. -1: the rank has no worker that says it. */
static int node_of(const struct run *r, int rank, int node)
{
	const struct trace *t = r->trace;
	int at = node;

	for (size_t w = 0; t->nranks > 1 && w < t->nworkers; w++)
		if (t->workers[w].rank == rank) {
			at = r->machine->workers[w].node + node - (t->workers[w].node < 0 ? 0 : t->workers[w].node);
			break;
		}
	return at >= 0 && at < r->machine->nnodes ? at : -1;
}

static void add_copies(struct execution *e, const struct run *r)
{
	for (size_t i = 0; i < r->trace->ncopies; i++) {
		const struct trace_copy *c = &r->trace->copies[i];
		int from = node_of(r, c->rank, c->from), to = node_of(r, c->rank, c->to);

		if (from < 0 || to < 0 || c->start_ns == TIME_NONE || c->end_ns == TIME_NONE)
			continue;
		execution_add_copy(e, &(struct execution_copy){
					      .start_ns = c->start_ns - e->origin_ns,
					      .end_ns = c->end_ns - e->origin_ns,
					      .bytes = c->size_bytes,
					      .from = (uint16_t)from,
					      .to = (uint16_t)to,
					      .handle = c->handle == TRACE_NONE ? EXECUTION_NONE : c->handle,
					      .cause = c->cause,
				      });
	}
}

static void add_spans(struct execution *e, const struct trace *t)
{
	e->spans = ht_alloc(t->nspans, sizeof(*e->spans));
	for (size_t i = 0; i < t->nspans; i++) {
		const struct trace_span *x = &t->spans[i];

		if (x->start_ns == TIME_NONE || x->end_ns == TIME_NONE)
			continue;
		e->spans[e->nspans++] = (struct execution_span){
			.start_ns = x->start_ns - e->origin_ns,
			.end_ns = x->end_ns - e->origin_ns,
			.worker = (uint16_t)x->worker,
			.kind = x->kind,
		};
	}
}

/* At one time what is given back comes first. */
enum change { UNREGISTER, FREED, REGISTER, ALLOCATED, COPY };

struct walk {
	const struct trace *t;
	struct radix_item *at;
	size_t count;
	uint64_t *nodes; /* by handle: those that have memory of it */
	uint64_t *bytes; /* by node */
};

static void add_change(struct walk *w, int64_t ns, enum change kind, size_t index)
{
	if (ns != TIME_NONE)
		w->at[w->count++] = (struct radix_item){.key = (uint64_t)(ns + TIME_LIMIT) << 3 | kind, .value = index};
}

static void gather_changes(struct walk *w)
{
	const struct trace *t = w->t;

	for (size_t i = 0; i < t->nhandles; i++) {
		add_change(w, t->handles[i].register_ns, REGISTER, i);
		add_change(w, t->handles[i].unregister_ns, UNREGISTER, i);
	}
	for (size_t i = 0; i < t->nmemory; i++)
		if (t->memory[i].kind == MEMORY_ALLOCATED || t->memory[i].kind == MEMORY_FREED)
			add_change(w, t->memory[i].ns, t->memory[i].kind == MEMORY_FREED ? FREED : ALLOCATED, i);
	for (size_t i = 0; i < t->ncopies; i++)
		if (t->copies[i].handle != TRACE_NONE)
			add_change(w, t->copies[i].start_ns, COPY, i);
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

/*
 * Data has memory where it is registered, where StarPU has allocated some, and where it is copied to, until that is
 * freed or the data is unregistered. Nothing where the trace has no events of memory.
 */
static void add_memory(struct execution *e, const struct run *r)
{
	struct walk w = {.t = r->trace};

	/* Nodes of several ranks have the same numbers. */
	if (!w.t->nmemory || w.t->nranks > 1 || !w.t->nhandles)
		return;
	w.at = ht_alloc(2 * w.t->nhandles + w.t->nmemory + w.t->ncopies, sizeof(*w.at));
	w.nodes = ht_alloc(w.t->nhandles, sizeof(*w.nodes));
	w.bytes = ht_alloc((size_t)w.t->nnodes, sizeof(*w.bytes));
	gather_changes(&w);
	for (size_t i = 0; i < w.count; i++)
		apply(&w, e, &w.at[i]);
	free(w.at);
	free(w.nodes);
	free(w.bytes);
}

static int64_t find_origin(const struct run *r)
{
	int64_t origin = TIME_NONE;

	for (uint32_t i = 0; i < r->dag->ntasks; i++) {
		const struct trace_task *t = &r->trace->tasks[r->dag->tasks[i].trace_task];
		const struct trace_extra *x = trace_extra(r->trace, t);

		origin = earlier(earlier(earlier(earlier(origin, t->submit_ns), x->ready_ns), x->pop_ns), t->start_ns);
	}
	for (size_t i = 0; i < r->trace->ncopies; i++)
		origin = earlier(origin, r->trace->copies[i].start_ns);
	return origin == TIME_NONE ? 0 : origin;
}

struct execution *execution_of_run(const struct run *r)
{
	struct execution *e = execution_create(r, r->machine);
	size_t recorded = 0;

	e->origin_ns = find_origin(r);
	for (uint32_t i = 0; i < r->dag->ntasks; i++) {
		const struct trace_task *t = &r->trace->tasks[r->dag->tasks[i].trace_task];
		const struct trace_extra *x = trace_extra(r->trace, t);
		int64_t ready_ns = dag_ready_ns(r->dag, r->trace, i);
		int held = x->pop_ns != TIME_NONE && x->pop_ns < t->start_ns;

		recorded += x->ready_ns != TIME_NONE;
		execution_add(e,
		              &(struct execution_task){
				      .submit_ns = t->submit_ns == TIME_NONE ? TIME_NONE : t->submit_ns - e->origin_ns,
				      .ready_ns = (ready_ns == TIME_NONE ? t->start_ns : ready_ns) - e->origin_ns,
				      .start_ns = t->start_ns - e->origin_ns,
				      .end_ns = t->end_ns - e->origin_ns,
				      .held_ns = held ? t->start_ns - x->pop_ns : 0,
				      .job = t->job,
				      .type = dag_type_of(r->dag, i),
				      .item = i,
				      .worker = t->worker,
			      });
	}
	add_copies(e, r);
	add_spans(e, r->trace);
	add_memory(e, r);
	if (!recorded && r->trace->nready) {
		/* Counts of the trace itself, where no task has a ready time of its own. */
		e->steps = ht_alloc(r->trace->nready, sizeof(*e->steps));
		for (size_t i = 0; i < r->trace->nready; i++) {
			int64_t ns = r->trace->ready[i].ns - e->origin_ns;

			ns = ns < 0 ? 0 : ns;
			if (e->nsteps && ns <= e->steps[e->nsteps - 1].ns)
				e->steps[e->nsteps - 1].ready = r->trace->ready[i].value;
			else
				e->steps[e->nsteps++] = (struct execution_step){ns, r->trace->ready[i].value};
		}
	}
	execution_finish(e);
	return e;
}
