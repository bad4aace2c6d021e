/* sched/placement/sent_ahead.c - data that goes to its owners before tasks ask for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data that is there from the start may be copied to its owners by the ranks of the tasks that use it first: the links
 * of devices are idle until panels of a factorisation are done. It happens when tasks are submitted or, where the
 * graph grows, when data gets its owner.
 */
#include "sched/placement/sent_ahead.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/machine/machine.h"
#include "sched/placement/destination.h"
#include "sched/placement/placement_state.h"

void sent_ahead_fini(struct sent_ahead *a)
{
	free(a->used);
	free(a->spare);
	free(a->to);
}

/* Half of a memory may be filled ahead. */
static void find_spare(struct placement *s)
{
	const struct places *p = &s->base->places;

	s->sent.spare = ht_alloc((size_t)p->n, sizeof(*s->sent.spare));
	for (int i = 0; i < p->n; i++) {
		int64_t capacity = s->world.machine->nodes[p->place[i].node].capacity_bytes;

		s->sent.spare[i] = capacity ? capacity / 2 : INT64_MAX;
	}
}

/* The bytes of what was sent there, and was not used or went elsewhere, may be sent again. */
static void give_back(struct sent_ahead *a, uint32_t handle)
{
	struct sent *x = handle < a->cap_to ? &a->to[handle] : NULL;

	if (!x || !x->place)
		return;
	a->spare[x->place - 1] += (int64_t)x->bytes;
	*x = (struct sent){0, 0};
}

static void remember_ahead(struct placement *s, uint32_t handle, int place)
{
	give_back(&s->sent, handle);
	VEC_FIT(s->sent.to, s->sent.cap_to, handle);
	s->sent.to[handle] = (struct sent){place + 1, s->world.dag->handle_bytes[handle]};
}

/*
 * The datum by which the task is placed goes to its owner, if that has spare bytes. What waits now says nothing of
 * then.
 */
static void send_ahead(struct placement *s, uint32_t task)
{
	uint32_t h = data_graph_written(s->world.dag, task);
	uint64_t bytes = s->world.dag->handle_bytes[h];
	int place;

	if (s->owners)
		placement_look_at_class(s, task);
	place = destination_of(s, task, 0);
	if (!s->sent.spare)
		find_spare(s);
	if (place == s->base->places.cpus || (uint64_t)s->sent.spare[place] < bytes)
		return;
	s->sent.spare[place] -= (int64_t)bytes;
	if (s->owners)
		remember_ahead(s, h, place);
	s->world.prefetch_data(s->world.ctx, h, s->base->places.place[place].worker, placement_priority_of(s, task));
}

/* A task that waits for nobody has its data, or has asked for it. */
void sent_ahead_distribute(struct placement *s, const struct dag *d, const uint32_t *task, double share)
{
	struct radix_item *users = ht_alloc((size_t)d->ntasks + 1, sizeof(*users));
	uint32_t n = data_graph_first_users(d, users);

	for (uint32_t i = 0; i < n; i++) {
		int32_t priority = placement_priority_of(s, task[users[i].value]);

		users[i].key = (uint64_t)(INT32_MAX - (int64_t)priority) << 32 | (uint32_t)users[i].value;
	}
	radix_sort(users, n);
	for (uint32_t i = 0; i < share * n; i++)
		if (dag_npred(d, (uint32_t)users[i].value))
			send_ahead(s, task[users[i].value]);
	free(users);
}

void sent_ahead_added(struct placement *s, uint32_t task)
{
	const struct dag *d = s->world.dag;
	const struct dag_task *t = &d->tasks[task];
	uint32_t h = data_graph_written(d, task);

	if (!s->sent.used)
		return;
	if (h != DATA_GRAPH_NONE && !s->sent.used[h] && data_graph_reads(d, task, h))
		send_ahead(s, task);
	for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++)
		s->sent.used[d->accesses[a].handle] = 1;
}

void sent_ahead_planned(struct placement *s, uint32_t task)
{
	if (!placement_knobs_of(s, task)->distribute || !s->world.prefetch_data ||
	    !data_graph_reads(s->world.dag, task, data_graph_written(s->world.dag, task)))
		return;
	send_ahead(s, task);
}

void sent_ahead_done(struct placement *s, uint32_t task)
{
	uint32_t h = s->sent.cap_to ? data_graph_written(s->world.dag, task) : DATA_GRAPH_NONE;

	if (h != DATA_GRAPH_NONE)
		give_back(&s->sent, h);
}
