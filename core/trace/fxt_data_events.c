/* core/trace/fxt_data_events.c - events of tags, data handles, their copies and states into a trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/alloc.h"
#include "core/trace/fxt_reader.h"

/* A tag stands for the task it is given to; both may be named by a dependency before they exist. */
enum { TAG_JOB_BIT = 47 }; /* job numbers that StarPU does not reach stand for tags */

int fxt_is_tag_node(const struct trace_task *task)
{
	return task->job >> TAG_JOB_BIT == 1;
}

static uint32_t node_of_tag(struct fxt_reader *r, uint64_t tag)
{
	uint32_t t = idmap_get(&r->tag_nodes, tag);

	if (t == IDMAP_NONE) {
		t = fxt_task(r, (1ull << TAG_JOB_BIT) + r->tag_nodes.count);
		r->b.t->tasks[t].kind = TASK_INTERNAL;
		trace_build_extra(&r->b, t)->tag = tag;
		idmap_put(&r->tag_nodes, tag, t);
	}
	return t;
}

/* What depends on a tag depends on its node, which comes after the tag's task. */
int fxt_on_tag(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	(void)ns, (void)err;
	if (e->code == EV_TAG) {
		uint32_t task = fxt_task(r, fxt_param(e, 1)), node = node_of_tag(r, fxt_param(e, 0));

		trace_build_dep(&r->b, task, node, DEP_TAG);
		idmap_put(&r->tag_owners, fxt_param(e, 0), task);
	} else {
		uint32_t child = node_of_tag(r, fxt_param(e, 0)), father = node_of_tag(r, fxt_param(e, 1));

		trace_build_dep(&r->b, father, child, DEP_TAG);
	}
	return 0;
}

/* A dependency between two tags ended at the child's node, behind its task: it is the task that has to wait. */
void fxt_bind_tags(struct fxt_reader *r, size_t first_dep)
{
	struct trace *t = r->b.t;

	for (size_t i = first_dep; i < t->ndeps; i++) {
		struct trace_dep *d = &t->deps[i];
		uint32_t task;

		if (d->kind != DEP_TAG || !fxt_is_tag_node(&t->tasks[d->pred]))
			continue;
		task = idmap_get(&r->tag_owners, trace_build_extra(&r->b, d->succ)->tag);
		if (task != IDMAP_NONE)
			d->succ = task;
	}
}

int fxt_on_access(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint32_t task = fxt_task(r, fxt_param(e, 0));
	uint32_t handle = trace_build_handle(&r->b, r->rank, fxt_param(e, 1));

	(void)ns, (void)err;
	trace_build_access(&r->b, task, handle, (uint32_t)fxt_param(e, 3), fxt_param(e, 2));
	return 0;
}

/* 1.5 names sub-data after their parent before it registers them (src/datawizard/filters.c). */
static uint32_t named_handle(struct fxt_reader *r, uint64_t address)
{
	uint32_t id = trace_build_handle(&r->b, r->rank, address);

	/* What lay at the address is gone: the name is of what comes. */
	return r->b.t->handles[id].unregister_ns == TIME_NONE ? id : trace_build_register(&r->b, r->rank, address);
}

/* The handle that is registered now: the one that has been named, where it has been. */
static uint32_t coming_handle(struct fxt_reader *r, uint64_t address)
{
	uint32_t id = named_handle(r, address);

	return r->b.t->handles[id].register_ns == TIME_NONE ? id : trace_build_register(&r->b, r->rank, address);
}

int fxt_on_data(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace *t = r->b.t;
	uint64_t address = fxt_param(e, 0);
	struct trace_handle *h;
	uint32_t id; /* looked up before the array is: it may move */
	const char *s;
	size_t len;

	(void)err;
	if (e->code == EV_DATA_UNREGISTER) {
		trace_build_unregister(&r->b, r->rank, address, ns);
		return 0;
	}
	if (e->code == EV_DATA_REGISTER) {
		uint32_t max_size = r->minor >= 4; /* 1.4 has it between size and home node */
		uint32_t parent = r->minor >= 5;   /* 1.5 has it behind the home node */

		id = r->minor >= 5 ? coming_handle(r, address) : trace_build_register(&r->b, r->rank, address);
		h = &t->handles[id];
		h->size_bytes = fxt_param(e, 1);
		h->home_node = (int32_t)fxt_param(e, 2 + max_size);
		h->register_ns = ns;
		s = fxt_string(e, 3 + max_size + parent, &len);
		h->description = intern_id(t->strings, s, len);
		return 0;
	}
	id = r->minor >= 5 ? named_handle(r, address) : trace_build_handle(&r->b, r->rank, address);
	h = &t->handles[id];
	if (e->code == EV_DATA_NAME) {
		s = fxt_string(e, 1, &len);
		h->name = intern_id(t->strings, s, len);
		return 0;
	}
	h->ncoordinates = fxt_param(e, 1) < 5 ? (int32_t)fxt_param(e, 1) : 5;
	for (int i = 0; i < h->ncoordinates; i++)
		h->coordinates[i] = (int32_t)fxt_param(e, 2 + (uint32_t)i);
	return 0;
}

/* END_DRIVER_COPY_ASYNC: the driver has begun the copy, or another part of it. A driver begins one after the other. */
static int on_begun(struct fxt_reader *r, int from, int to, int64_t ns)
{
	uint32_t id = idmap_get(&r->last_copy, (uint64_t)from << 6 | (uint64_t)to);
	struct trace_copy *c;

	if (id == IDMAP_NONE)
		return 0;
	c = &r->b.t->copies[id];
	if (c->end_ns == TIME_NONE && ns > c->start_ns && ns - c->start_ns < UINT32_MAX)
		c->begin_ns = (uint32_t)(ns - c->start_ns);
	return 0;
}

int fxt_on_copy(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace *t = r->b.t;
	struct trace_copy *c;
	int from, to;
	uint64_t key;

	if (fxt_node(r, e, 0, &from, err) != 0 || fxt_node(r, e, 1, &to, err) != 0)
		return -1;
	if (e->code == EV_BEGUN_COPY)
		return on_begun(r, from, to, ns);
	key = fxt_param(e, 3) << 12 | (uint64_t)from << 6 | (uint64_t)to;
	if (e->code == EV_END_COPY) {
		uint32_t id = idmap_get(&r->copies, key);

		if (id == IDMAP_NONE)
			t->defects.unmatched++;
		else if (t->copies[id].end_ns == TIME_NONE)
			t->copies[id].end_ns = ns;
		return 0;
	}
	idmap_put(&r->copies, key, (uint32_t)t->ncopies);
	idmap_put(&r->last_copy, (uint64_t)from << 6 | (uint64_t)to, (uint32_t)t->ncopies);
	c = VEC_PUSH(t->copies, t->ncopies, r->b.cap_copies);
	c->start_ns = ns;
	c->end_ns = TIME_NONE;
	c->size_bytes = fxt_param(e, 2);
	c->from = (int16_t)from;
	c->to = (int16_t)to;
	c->cause = (uint8_t)(fxt_param(e, 4) % COPY_CAUSES);
	c->rank = r->rank;
	c->handle = e->nparams > 5 ? trace_build_handle(&r->b, r->rank, fxt_param(e, 5)) : TRACE_NONE;
	return 0;
}

int fxt_on_state(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace_state *s;
	uint32_t handle;
	int node;

	if (fxt_node(r, e, 1, &node, err) != 0)
		return -1;
	handle = trace_build_handle(&r->b, r->rank, fxt_param(e, 0));
	s = VEC_PUSH(r->b.t->states, r->b.t->nstates, r->b.cap_states);
	s->ns = ns;
	s->handle = handle;
	s->node = (int16_t)node;
	s->state = (uint8_t)(e->code - EV_STATE_INVALID);
	return 0;
}

/* Since when the thread allocates, a variable of the reader's; *ns is TIME_NONE where it does not. */
static int64_t *since_when(struct fxt_reader *r, uint64_t thread)
{
	uint32_t id = idmap_get(&r->allocations, thread);

	if (id == IDMAP_NONE) {
		id = (uint32_t)r->nallocates;
		idmap_put(&r->allocations, thread, id);
		*VEC_PUSH(r->allocates_ns, r->nallocates, r->cap_allocates) = TIME_NONE;
	}
	return &r->allocates_ns[id];
}

/*
 * END_ALLOC gives what was allocated, negative where it failed, END_ALLOC_REUSE whether it could; only those that did
 * count. A chunk that is freed from StarPU's cache belongs to no data any more, and one whose eviction is over is freed
 * or given to other data.
 */
int fxt_on_memory(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint32_t handle_param = e->code == EV_START_FREE ? 3 : 2, handle;
	enum trace_memory_kind kind = MEMORY_ALLOCATED;
	struct trace_memory *m;
	int64_t since_ns = TIME_NONE;
	uint64_t address;
	int node;

	if (fxt_node(r, e, 0, &node, err) != 0)
		return -1;
	if (e->code == EV_START_ALLOC) {
		*since_when(r, fxt_param(e, 1)) = ns;
		return 0;
	}
	if (e->code == EV_END_ALLOC) {
		int64_t *since = since_when(r, fxt_param(e, 1));

		since_ns = *since;
		*since = TIME_NONE;
	}
	address = fxt_param(e, handle_param);
	if (!address || ((e->code == EV_END_ALLOC || e->code == EV_END_ALLOC_REUSE) && (int64_t)fxt_param(e, 3) <= 0))
		return 0;
	if (e->code == EV_START_FREE)
		kind = MEMORY_FREED;
	else if (e->code == EV_START_WRITEBACK)
		kind = MEMORY_EVICTING;
	else if (e->code == EV_END_WRITEBACK)
		kind = MEMORY_EVICTED;
	handle = trace_build_handle(&r->b, r->rank, address);
	m = VEC_PUSH(r->b.t->memory, r->b.t->nmemory, r->b.cap_memory);
	m->ns = ns;
	m->handle = handle;
	m->node = (int16_t)node;
	m->kind = (uint8_t)kind;
	m->again = e->code == EV_END_ALLOC_REUSE;
	if (since_ns != TIME_NONE && ns - since_ns < UINT32_MAX)
		m->took_ns = (uint32_t)(ns - since_ns);
	return 0;
}

int fxt_on_wont_use(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint32_t handle = trace_build_handle(&r->b, r->rank, fxt_param(e, 0));

	(void)err;
	*VEC_PUSH(r->b.t->wont_use, r->b.t->nwont_use, r->b.cap_wont_use) = (struct trace_wont_use){.ns = ns,
	                                                                                            .handle = handle};
	return 0;
}
