/* tests/lib/data_check.c - the states of data that StarPU recorded, against those rebuilt from copies and accesses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/data_check.h"

#include <stdlib.h>

#include "analyze/data/data_event.h"
#include "core/base/alloc.h"
#include "core/trace/trace.h"

struct datum {
	uint64_t seen;     /* instant: to compare it once at each */
	uint64_t evicted;  /* instant at which an eviction of it last was under way or over */
	uint64_t evicting; /* nodes */
	uint32_t writer;   /* the last task that was ready to write it */
	int acquired;      /* the application took it, and nothing has made up for that since */
};

struct check {
	const struct trace *t;
	struct data_cursor recorded, rebuilt;
	struct datum *data;
	uint64_t instant;
	int64_t slack_ns;
	uint32_t *touched; /* handles, at this instant */
	size_t ntouched, cap_touched;
	struct data_check *found;
};

static void touch(struct check *c, uint32_t handle)
{
	if (c->data[handle].seen == c->instant)
		return;
	c->data[handle].seen = c->instant;
	*VEC_PUSH(c->touched, c->ntouched, c->cap_touched) = handle;
}

static void touch_changes(struct check *c, const struct data_cursor *at, int64_t ns)
{
	const struct data_state *s = at->state;

	for (size_t i = at->next; i < s->nchanges && s->changes[i].ns == ns; i++) {
		if (s->changes[i].kind <= DATA_SHARED)
			touch(c, s->changes[i].handle);
	}
}

static void touch_accesses(struct check *c, uint32_t index, int starts)
{
	const struct trace_task *task = &c->t->tasks[index];

	for (uint32_t i = task->first_access; i < task->first_access + task->naccesses; i++) {
		const struct data_access *a = &c->t->accesses[i];

		if (a->handle == TRACE_NONE || a->mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX))
			continue;
		if (starts)
			touch(c, a->handle);
		else if (a->mode & ACCESS_W)
			c->data[a->handle].writer = index;
	}
}

static void note_eviction(struct check *c, const struct trace_memory *m, enum data_event_kind kind)
{
	struct datum *d = &c->data[m->handle];
	uint64_t bit = UINT64_C(1) << m->node;

	d->evicted = c->instant;
	d->evicting = kind == EVENT_EVICTING ? d->evicting | bit : d->evicting & ~bit;
}

static const struct trace_task *writer_of(const struct check *c, uint32_t handle)
{
	uint32_t writer = c->data[handle].writer;

	return writer == TRACE_NONE ? NULL : &c->t->tasks[writer];
}

/* The task that is about to write it may have taken it, at its node or where it was first meant to run. */
static int is_taken(const struct check *c, uint32_t handle, int64_t ns)
{
	const struct data_place *recorded = &c->recorded.place[handle], *rebuilt = &c->rebuilt.place[handle];
	const struct trace_task *task = writer_of(c, handle);

	if (!task || ns < trace_extra(c->t, task)->ready_ns || ns >= task->start_ns)
		return 0;
	return recorded->owner && recorded->owner == recorded->valid &&
	       recorded->owner & (rebuilt->valid | UINT64_C(1) << task->node);
}

/* One of the copies has become the only one, though nobody evicts and no task writes. */
static int is_acquired(const struct check *c, uint32_t handle, int64_t ns)
{
	const struct data_place *recorded = &c->recorded.place[handle], *rebuilt = &c->rebuilt.place[handle];
	const struct trace_task *task = writer_of(c, handle);
	const struct datum *d = &c->data[handle];

	if (d->acquired)
		return 1;
	if (d->evicting || d->evicted == c->instant || (task && (task->end_ns == TIME_NONE || task->end_ns >= ns)))
		return 0;
	return recorded->owner && recorded->owner == recorded->valid && recorded->owner & rebuilt->valid;
}

static int changes_soon(const struct data_cursor *at, uint32_t handle, int64_t until_ns)
{
	const struct data_state *s = at->state;

	for (size_t i = at->next; i < s->nchanges && s->changes[i].ns <= until_ns; i++) {
		if (s->changes[i].handle == handle && s->changes[i].kind <= DATA_SHARED)
			return 1;
	}
	return 0;
}

static void compare(struct check *c, uint32_t handle, int64_t ns)
{
	const struct data_place *recorded = &c->recorded.place[handle], *rebuilt = &c->rebuilt.place[handle];
	struct data_check *f = c->found;

	f->points++;
	if (c->slack_ns && (changes_soon(&c->recorded, handle, ns + c->slack_ns) ||
	                    changes_soon(&c->rebuilt, handle, ns + c->slack_ns))) {
		f->unsettled++;
		return;
	}
	f->compared += (uint64_t)c->t->nnodes;
	if (recorded->valid == rebuilt->valid && recorded->owner == rebuilt->owner) {
		f->exact++;
		c->data[handle].acquired = 0;
	} else if (is_taken(c, handle, ns)) {
		f->taken++;
	} else if (is_acquired(c, handle, ns)) {
		f->acquired++;
		c->data[handle].acquired = 1;
	} else if (!f->differ++) {
		f->differ_ns = ns;
		f->differ_handle = handle;
		f->differ_recorded = *recorded;
		f->differ_rebuilt = *rebuilt;
	}
}

static void walk(struct check *c, const struct data_events *e)
{
	for (size_t i = 0; i < e->count;) {
		int64_t ns = data_event_ns(e, i);

		c->instant++;
		c->ntouched = 0;
		for (; i < e->count && data_event_ns(e, i) == ns; i++) {
			enum data_event_kind kind = data_event_kind(e, i);

			if (kind == EVENT_READY || kind == EVENT_START)
				touch_accesses(c, data_event_index(e, i), kind == EVENT_START);
			else if (kind == EVENT_EVICTING || kind == EVENT_EVICTED)
				note_eviction(c, &c->t->memory[data_event_index(e, i)], kind);
		}
		touch_changes(c, &c->recorded, ns);
		touch_changes(c, &c->rebuilt, ns);
		data_cursor_before(&c->recorded, ns + 1);
		data_cursor_before(&c->rebuilt, ns + 1);
		for (size_t k = 0; k < c->ntouched; k++)
			compare(c, c->touched[k], ns);
	}
}

void data_check(const struct trace *t, int64_t slack_ns, struct data_check *found)
{
	struct check c = {.t = t, .slack_ns = slack_ns, .found = found};
	struct data_state *recorded, *rebuilt;
	struct data_events e;

	*found = (struct data_check){0};
	data_events_init(&e, t);
	recorded = data_state_create(t, &e, DATA_RECORDED);
	rebuilt = data_state_create(t, &e, DATA_REBUILT);
	data_cursor_init(&c.recorded, recorded, t);
	data_cursor_init(&c.rebuilt, rebuilt, t);
	c.data = ht_alloc(t->nhandles, sizeof(*c.data));
	for (size_t i = 0; i < t->nhandles; i++)
		c.data[i].writer = TRACE_NONE;
	walk(&c, &e);
	free(c.data);
	free(c.touched);
	data_cursor_fini(&c.recorded);
	data_cursor_fini(&c.rebuilt);
	data_state_free(recorded);
	data_state_free(rebuilt);
	data_events_fini(&e);
}
