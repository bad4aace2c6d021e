/* tune/settings/problem_hash.c - a number that distinguishes problems: 64-bit FNV-1a (Fowler, Noll, Vo). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Members are hashed one by one, as structs have padding. tests/unit/test_problem_hash.c changes each of them, and does
 * not compile where a struct has a member that it does not name.
 */
#include "tune/settings/problem_hash.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "replay/scenario.h"
#include "tune/settings/build_id.h"

/* Hashes a scalar, or an array of scalars, into `h`. */
#define PUT(x) (h = hash64(h, &(x), sizeof(x)))

uint64_t problem_hash(uint64_t h, const void *data, size_t bytes)
{
	return hash64(h, data, bytes);
}

uint64_t problem_hash_begin(void)
{
	static const char simulator[] = BUILD_ID " " __VERSION__;

	return hash64(HASH64_START, simulator, sizeof(simulator));
}

/* With its end, so that "ab", "c" is not "a", "bc". */
static uint64_t hash_text(uint64_t h, const char *s)
{
	return s ? hash64(h, s, strlen(s) + 1) : hash64(h, "", 1);
}

static uint64_t hash_machine(uint64_t h, const struct machine *m)
{
	const int counts[] = {m->nworkers, m->nnodes, m->nlinks, m->nsegments, m->ncrossings};

	PUT(counts);
	h = hash_text(h, m->name);
	for (int i = 0; i < m->nworkers; i++) {
		const struct machine_worker *w = &m->workers[i];
		const int numbers[] = {(int)w->arch, w->devid, w->node, w->binding};

		PUT(numbers);
		h = hash_text(h, w->name);
	}
	for (int i = 0; i < m->nnodes; i++) {
		const int64_t numbers[] = {m->nodes[i].arch, m->nodes[i].devid, m->nodes[i].capacity_bytes,
		                           m->nodes[i].rank};

		PUT(numbers);
	}
	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i];
		const int64_t numbers[] = {l->from, l->to, l->latency_ns, l->first_crossing, l->ncrossings};

		PUT(numbers);
		PUT(l->bytes_per_s);
	}
	for (int i = 0; i < m->nsegments; i++) {
		h = hash_text(h, m->segments[i].name);
		PUT(m->segments[i].bytes_per_s);
		PUT(m->segments[i].latency_ns);
	}
	PUT(m->network.bytes_per_s);
	PUT(m->network.link_bytes_per_s);
	PUT(m->network.latency_ns);
	return hash64(h, m->crossings, (size_t)m->ncrossings * sizeof(*m->crossings));
}

static uint64_t hash_types(uint64_t h, const struct dag *d)
{
	for (uint32_t i = 0; i < d->ntypes; i++) {
		const struct dag_type *q = &d->types[i];
		const uint32_t numbers[] = {q->where,       q->declared,     q->has_no_model,
		                            q->synchronous, q->asynchronous, q->count};

		h = hash_text(h, q->name);
		h = hash_text(h, q->codelet);
		h = hash_text(h, q->model);
		PUT(numbers);
	}
	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_class *c = &d->classes[i];
		const uint32_t numbers[] = {c->codelet, c->footprint, c->count};

		PUT(numbers);
		PUT(c->cost_ns);
		PUT(c->model_ns);
		PUT(c->warm_up_ns);
		PUT(c->company_ns);
		PUT(c->company_least);
		PUT(c->company_most);
		PUT(c->deviation_ns);
		PUT(c->source);
	}
	for (uint32_t i = 0; i < d->ndevices; i++) {
		const int device[] = {(int)d->devices[i].arch, d->devices[i].devid};

		PUT(device);
	}
	return hash64(h, d->device_cost_ns, (size_t)d->nclasses * d->ndevices * sizeof(*d->device_cost_ns));
}

/* Absent multiplicities of edges are those of 1 each, but need not equal them: they are another graph. */
static uint64_t hash_edges(uint64_t h, const struct dag *d)
{
	const size_t firsts = ((size_t)d->ntasks + 1) * sizeof(*d->succ_first), ends = d->nedges * sizeof(*d->succ);
	const uint8_t *times[] = {d->succ_times, d->pred_times};

	h = hash64(h, d->succ_first, firsts);
	h = hash64(h, d->succ, ends);
	h = hash64(h, d->pred_first, firsts);
	h = hash64(h, d->pred, ends);
	for (int i = 0; i < 2; i++) {
		h = hash64(h, times[i] ? "1" : "0", 1);
		h = times[i] ? hash64(h, times[i], d->nedges) : h;
	}
	return h;
}

static uint64_t hash_messages(uint64_t h, const struct dag *d)
{
	const struct dag_messages *m = d->messages;
	const uint32_t counts[] = {(uint32_t)d->nranks, m ? m->npoints : 0, m ? m->nmessages : 0,
	                           m ? m->before.nedges : 0};

	PUT(counts);
	for (uint32_t i = 0; m && i < m->npoints; i++) {
		PUT(m->points[i].submit_ns);
		PUT(m->points[i].rank);
	}
	for (uint32_t i = 0; m && i < m->nmessages; i++) {
		const struct dag_message *x = &m->messages[i];
		const uint32_t numbers[] = {x->send,      x->arrival, x->from_handle,
		                            x->to_handle, x->early,   x->trace_message};

		PUT(numbers);
		PUT(x->size_bytes);
	}
	if (!m)
		return h;
	h = hash64(h, m->before.succ_first, ((size_t)m->before.n + 1) * sizeof(*m->before.succ_first));
	return hash64(h, m->before.succ, m->before.nedges * sizeof(*m->before.succ));
}

uint64_t problem_hash_graph(uint64_t h, const struct dag *d, const struct machine *m)
{
	const uint32_t counts[] = {d->ntasks, d->nedges,    d->nclasses, d->ndevices,
	                           d->ntypes, d->naccesses, d->nhandles, d->ninvalidated};

	h = hash_machine(h, m);
	PUT(counts);
	h = hash_types(h, d);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_task *t = &d->tasks[i];
		const int64_t numbers[] = {t->class_id,     t->trace_task, t->priority, dag_submit_ns(d, i),
		                           t->first_access, t->naccesses,  t->rank};

		PUT(numbers);
	}
	h = hash_edges(h, d);
	h = hash_messages(h, d);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const uint32_t task = dag_in_order(d, i);

		PUT(task);
	}
	for (uint32_t i = 0; i < d->naccesses; i++) {
		const uint32_t access[] = {d->accesses[i].handle, d->accesses[i].mode};

		PUT(access);
	}
	h = hash64(h, d->invalidated, d->ninvalidated * sizeof(*d->invalidated));
	h = hash64(h, d->handle_bytes, d->nhandles * sizeof(*d->handle_bytes));
	return hash64(h, d->handle_home, d->nhandles * sizeof(*d->handle_home));
}

static uint64_t hash_overheads(uint64_t h, const struct overheads *o)
{
	const int64_t numbers[] = {o->end_ns, o->push_ns,  o->callback_ns, o->look_ns,     o->nodes,         o->list_ns,
	                           o->ask_ns, o->queue_ns, o->copy_ns,     o->allocate_ns, o->allocates_each};

	PUT(numbers);
	for (int i = 0; i < COPIES_DIRECTIONS; i++) {
		PUT(o->delays[i].samples);
		PUT(o->delays[i].ns);
	}
	return h;
}

static uint64_t hash_conditions(uint64_t h, const struct conditions *c)
{
	const int numbers[] = {c->simulated, c->synchronous};

	PUT(numbers);
	PUT(c->pipeline);
	for (int a = 0; a < ARCH_COUNT; a++)
		h = hash_overheads(h, &c->overheads.of[a]);
	PUT(c->overheads.samples);
	PUT(c->overheads.pop_ns);
	return PUT(c->overheads.submit_ns);
}

uint64_t problem_hash_scenario(uint64_t h, const struct scenario *s)
{
	if (!s)
		return hash64(h, "0", 1);
	const uint32_t numbers[] = {s->transfers, (uint32_t)s->ignore_submission, s->window.most, s->window.least};

	PUT(numbers);
	h = hash_conditions(h, s->conditions);
	for (uint32_t i = 0; i < s->dag->nwaits; i++) {
		const struct dag_wait *w = &s->dag->waits[i];

		PUT(*w);
		h = hash64(h, s->dag->wait_tasks + w->first, w->count * sizeof(*s->dag->wait_tasks));
	}
	PUT(s->window.after_ns);
	return s->window.gap_ns ? hash64(h, s->window.gap_ns, s->dag->ntasks * sizeof(*s->window.gap_ns)) : h;
}
