/* analyze/data/data_state.c - where each piece of data was valid, and had memory, through time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/data_state.h"

#include <stdlib.h>

#include "analyze/data/data_event.h"
#include "core/base/alloc.h"
#include "core/trace/trace.h"

struct datum {
	struct data_place place;
	uint64_t evicting; /* nodes that are evicting it */
	uint64_t had;      /* nodes that have had the present version */
	uint32_t writer;   /* the last task that was ready to write it; TRACE_NONE */
};

struct walk {
	const struct trace *t;
	struct data_state *s;
	size_t cap_changes;
	struct datum *data; /* per handle */
	uint8_t *sending;   /* [handle * nnodes + node]: copies from there that are under way */
	uint64_t devices;   /* nodes whose workers are not CPUs */
	int64_t ns;
};

static uint64_t bit(int node)
{
	return UINT64_C(1) << node;
}

static void place_apply(struct data_place *p, int node, enum data_change_kind kind)
{
	switch (kind) {
	case DATA_INVALID:
		p->valid &= ~bit(node);
		p->owner &= ~bit(node);
		break;
	case DATA_OWNER:
		p->valid |= bit(node);
		p->owner |= bit(node);
		break;
	case DATA_SHARED:
		p->valid |= bit(node);
		p->owner &= ~bit(node);
		break;
	case DATA_ALLOCATED: p->allocated |= bit(node); break;
	case DATA_FREED: p->allocated &= ~bit(node); break;
	}
}

static void change(struct walk *w, uint32_t handle, int node, enum data_change_kind kind)
{
	struct data_place *p = &w->data[handle].place, old = *p;

	place_apply(p, node, kind);
	if (p->valid == old.valid && p->owner == old.owner && p->allocated == old.allocated)
		return;
	*VEC_PUSH(w->s->changes, w->s->nchanges, w->cap_changes) =
		(struct data_change){.ns = w->ns, .handle = handle, .node = (int16_t)node, .kind = (uint8_t)kind};
}

static void change_all(struct walk *w, uint32_t handle, uint64_t nodes, enum data_change_kind kind)
{
	for (; nodes; nodes &= nodes - 1)
		change(w, handle, __builtin_ctzll(nodes), kind);
}

/* The node has the only valid copy. */
static void take(struct walk *w, uint32_t handle, int node)
{
	change_all(w, handle, w->data[handle].place.valid & ~bit(node), DATA_INVALID);
	change(w, handle, node, DATA_OWNER);
}

/* The node has a valid copy; the only one keeps what it is. */
static void share(struct walk *w, uint32_t handle, int node)
{
	const struct data_place *p = &w->data[handle].place;

	if (p->owner == bit(node))
		return;
	if (!p->valid) {
		change(w, handle, node, DATA_OWNER);
		return;
	}
	change_all(w, handle, p->owner, DATA_SHARED);
	change(w, handle, node, DATA_SHARED);
}

static int rebuilds(const struct walk *w)
{
	return w->s->source == DATA_REBUILT;
}

static void on_register(struct walk *w, uint32_t handle)
{
	int home = w->t->handles[handle].home_node;

	if (home < 0 || home >= 64)
		return;
	change(w, handle, home, DATA_ALLOCATED);
	change(w, handle, home, DATA_OWNER);
	w->data[handle].had = bit(home);
}

static void on_unregister(struct walk *w, uint32_t handle)
{
	change_all(w, handle, w->data[handle].place.valid, DATA_INVALID);
	change_all(w, handle, w->data[handle].place.allocated, DATA_FREED);
}

/* A task has the data to write it, or is about to. */
static int is_being_written(const struct walk *w, const struct datum *d)
{
	const struct trace_task *task = d->writer == TRACE_NONE ? NULL : &w->t->tasks[d->writer];

	return task && (task->end_ns == TIME_NONE || task->end_ns >= w->ns);
}

/*
 * A copy that is lost without an eviction and without a task that writes: the application has written the data in main
 * memory. A copy to the node later brings another version.
 */
static void on_state(struct walk *w, const struct trace_state *x)
{
	struct datum *d = &w->data[x->handle];

	if (x->state == STATE_INVALID && !(d->evicting & bit(x->node)) && !is_being_written(w, d))
		d->had &= ~bit(x->node);
	if (!rebuilds(w))
		change(w, x->handle, x->node, (enum data_change_kind)x->state);
}

static uint8_t *sending(struct walk *w, const struct trace_copy *c)
{
	return &w->sending[(size_t)c->handle * (size_t)w->t->nnodes + (size_t)c->from];
}

/* StarPU cancels an eviction if another copy from the node begins before the data is written back. */
static void on_evicted(struct walk *w, const struct trace_memory *m)
{
	struct datum *d = &w->data[m->handle];
	uint64_t others = d->place.valid & ~bit(m->node);
	int busy = w->sending[(size_t)m->handle * (size_t)w->t->nnodes + (size_t)m->node];

	d->evicting &= ~bit(m->node);
	if (rebuilds(w) && !busy && others && d->place.valid & bit(m->node)) {
		change(w, m->handle, m->node, DATA_INVALID);
		if (!(others & (others - 1)))
			change(w, m->handle, __builtin_ctzll(others), DATA_OWNER);
	}
	if (!(d->place.valid & bit(m->node)))
		change(w, m->handle, m->node, DATA_FREED);
}

/*
 * StarPU fetches what it evicts to where the data is at home, else to main memory or a disk (choose_target() in
 * memalloc.c of 1.4.10). Other copies from there are for tasks.
 */
static int is_writeback(const struct walk *w, const struct trace_copy *c)
{
	return w->data[c->handle].evicting & bit(c->from) && c->cause == COPY_FETCH &&
	       (!(w->devices & bit(c->to)) || c->to == w->t->handles[c->handle].home_node);
}

static void on_copying(struct walk *w, uint32_t copy)
{
	const struct trace_copy *c = &w->t->copies[copy];

	if (is_writeback(w, c))
		w->s->copies[copy] |= COPY_WRITEBACK;
	if (rebuilds(w) && !(w->data[c->handle].place.valid & bit(c->from)))
		share(w, c->handle, c->from);
	change(w, c->handle, c->to, DATA_ALLOCATED);
	if (c->end_ns != TIME_NONE)
		++*sending(w, c);
}

/* The copy was asked for by the task that is going to write the data. */
static int copy_is_for_writer(const struct walk *w, const struct trace_copy *c, uint8_t flags)
{
	uint32_t writer = w->data[c->handle].writer;
	const struct trace_task *task;

	if (writer == TRACE_NONE || flags & COPY_WRITEBACK)
		return 0;
	task = &w->t->tasks[writer];
	return w->ns <= task->start_ns && c->start_ns >= trace_extra(w->t, task)->ready_ns &&
	       (c->cause != COPY_IDLE_FETCH || c->to == task->node);
}

static void on_copied(struct walk *w, uint32_t copy)
{
	const struct trace_copy *c = &w->t->copies[copy];
	struct datum *d = &w->data[c->handle];

	--*sending(w, c);
	if (d->had & bit(c->to))
		w->s->copies[copy] |= COPY_AGAIN;
	d->had |= bit(c->from) | bit(c->to);
	if (!rebuilds(w))
		return;
	if (copy_is_for_writer(w, c, w->s->copies[copy]))
		take(w, c->handle, c->to);
	else
		share(w, c->handle, c->to);
}

/* Scratch data and contributions to a reduction are the worker's own. */
static int is_own(uint32_t mode)
{
	return (mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX)) != 0;
}

static const struct data_access *accesses_of(const struct trace *t, const struct trace_task *task)
{
	return t->accesses + task->first_access;
}

static void on_ready(struct walk *w, uint32_t index)
{
	const struct trace_task *task = &w->t->tasks[index];
	const struct data_access *a = accesses_of(w->t, task);

	for (uint32_t i = 0; i < task->naccesses; i++) {
		if (a[i].handle != TRACE_NONE && a[i].mode & ACCESS_W && !is_own(a[i].mode))
			w->data[a[i].handle].writer = index;
	}
}

static void read_data(struct walk *w, uint32_t handle, int node)
{
	if (!rebuilds(w) || w->data[handle].place.valid & bit(node))
		return;
	w->s->nunexplained++;
	share(w, handle, node);
}

static void on_start(struct walk *w, uint32_t index)
{
	const struct trace_task *task = &w->t->tasks[index];
	const struct data_access *a = accesses_of(w->t, task);

	on_ready(w, index);
	for (uint32_t i = 0; i < task->naccesses; i++) {
		uint32_t handle = a[i].handle;

		if (handle == TRACE_NONE || is_own(a[i].mode))
			continue;
		change(w, handle, task->node, DATA_ALLOCATED);
		if (a[i].mode & ACCESS_R)
			read_data(w, handle, task->node);
		if (!(a[i].mode & ACCESS_W))
			continue;
		w->data[handle].had = bit(task->node);
		if (rebuilds(w))
			take(w, handle, task->node);
	}
}

static void on_memory(struct walk *w, enum data_event_kind kind, const struct trace_memory *m)
{
	if (kind == EVENT_EVICTING)
		w->data[m->handle].evicting |= bit(m->node);
	else if (kind == EVENT_EVICTED)
		on_evicted(w, m);
	else
		change(w, m->handle, m->node, kind == EVENT_FREED ? DATA_FREED : DATA_ALLOCATED);
}

static void apply(struct walk *w, enum data_event_kind kind, uint32_t i)
{
	switch (kind) {
	case EVENT_REGISTER: on_register(w, i); break;
	case EVENT_EVICTING:
	case EVENT_EVICTED:
	case EVENT_FREED:
	case EVENT_ALLOCATED: on_memory(w, kind, &w->t->memory[i]); break;
	case EVENT_COPIED: on_copied(w, i); break;
	case EVENT_STATE: on_state(w, &w->t->states[i]); break;
	case EVENT_READY: on_ready(w, i); break;
	case EVENT_START: on_start(w, i); break;
	case EVENT_COPYING: on_copying(w, i); break;
	case EVENT_UNREGISTER: on_unregister(w, i); break;
	}
}

static uint64_t device_nodes(const struct trace *t)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < t->nworkers; i++)
		if (t->workers[i].arch != ARCH_CPU && t->workers[i].node >= 0 && t->workers[i].node < TRACE_NODES)
			nodes |= bit(t->workers[i].node);
	return nodes;
}

struct data_state *data_state_create(const struct trace *t, const struct data_events *e, enum data_source source)
{
	struct data_state *s = ht_alloc(1, sizeof(*s));
	struct walk w = {.t = t, .s = s};

	s->source = source;
	s->copies = ht_alloc(t->ncopies, 1);
	w.data = ht_alloc(t->nhandles, sizeof(*w.data));
	w.sending = ht_alloc(t->nhandles * (size_t)t->nnodes, sizeof(*w.sending));
	for (size_t i = 0; i < t->nhandles; i++)
		w.data[i].writer = TRACE_NONE;
	w.devices = device_nodes(t);
	for (size_t i = 0; i < e->count; i++) {
		w.ns = data_event_ns(e, i);
		apply(&w, data_event_kind(e, i), data_event_index(e, i));
	}
	free(w.data);
	free(w.sending);
	return s;
}

struct data_state *data_state_best(const struct trace *t)
{
	struct data_events e;
	struct data_state *s;

	data_events_init(&e, t);
	s = data_state_create(t, &e, t->nstates ? DATA_RECORDED : DATA_REBUILT);
	data_events_fini(&e);
	return s;
}

void data_state_free(struct data_state *s)
{
	if (!s)
		return;
	free(s->changes);
	free(s->copies);
	free(s);
}

void data_cursor_init(struct data_cursor *c, const struct data_state *s, const struct trace *t)
{
	*c = (struct data_cursor){.state = s, .place = ht_alloc(t->nhandles, sizeof(*c->place))};
}

void data_cursor_fini(struct data_cursor *c)
{
	free(c->place);
	*c = (struct data_cursor){0};
}

void data_cursor_before(struct data_cursor *c, int64_t ns)
{
	const struct data_state *s = c->state;

	for (; c->next < s->nchanges && s->changes[c->next].ns < ns; c->next++) {
		const struct data_change *x = &s->changes[c->next];

		place_apply(&c->place[x->handle], x->node, (enum data_change_kind)x->kind);
	}
}
