/* core/dag/dag_messages.c - what ranks send each other in a task graph of several. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag_messages.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag_parts.h"
#include "core/trace/trace.h"

struct making {
	const struct dag *d;
	const struct trace *t;
	struct dag_messages *made;
	uint32_t *vertex; /* per task of the trace */
	int64_t first_ns; /* the first submission */
};

/* The time of the submission is not recorded where the data was ready by then: it was sent at once. */
static uint32_t point_of(struct making *k, uint32_t task, int64_t else_ns)
{
	const struct trace_task *x = &k->t->tasks[task];
	int64_t ns = x->submit_ns == TIME_NONE ? else_ns : x->submit_ns;
	struct dag_point *p;

	if (k->vertex[task] == TRACE_NONE) {
		p = &k->made->points[k->made->npoints];
		*p = (struct dag_point){.submit_ns = ns > k->first_ns ? ns - k->first_ns : 0, .rank = x->rank};
		k->vertex[task] = k->d->ntasks + k->made->npoints++;
	}
	return k->vertex[task] - k->d->ntasks;
}

static int is_between_points(const struct trace_message *m, const uint32_t *node)
{
	return m->send != TRACE_NONE && m->arrival != TRACE_NONE && node[m->send] == TRACE_NONE &&
	       node[m->arrival] == TRACE_NONE;
}

static void make_points(struct making *k, const uint32_t *node)
{
	for (size_t i = 0; i < k->t->nmessages; i++) {
		const struct trace_message *m = &k->t->messages[i];
		struct dag_message *made;

		if (!is_between_points(m, node))
			continue;
		made = &k->made->messages[k->made->nmessages++];
		*made = (struct dag_message){.size_bytes = m->size_bytes,
		                             .send = point_of(k, m->send, m->post_ns),
		                             .from_handle = m->from_handle,
		                             .to_handle = m->to_handle,
		                             .early = m->early,
		                             .trace_message = (uint32_t)i};
		made->arrival = point_of(k, m->arrival, k->first_ns);
	}
}

/* A receive is submitted with the first task that reads its data: its task of StarPU's own says when it is over. */
static void set_receives(struct making *k)
{
	const struct csr *g = &k->made->before;

	for (uint32_t i = 0; i < k->made->nmessages; i++) {
		uint32_t v = k->d->ntasks + k->made->messages[i].arrival;
		int64_t first_ns = INT64_MAX;

		for (uint32_t e = g->succ_first[v]; e < g->succ_first[v + 1]; e++)
			if (g->succ[e] < k->d->ntasks && dag_submit_ns(k->d, g->succ[e]) < first_ns)
				first_ns = dag_submit_ns(k->d, g->succ[e]);
		k->made->points[v - k->d->ntasks].submit_ns = first_ns == INT64_MAX ? 0 : first_ns;
	}
}

/* Whether a task accesses the data. */
static int accesses(const struct dag *d, uint32_t task, uint32_t handle, unsigned mode)
{
	const struct dag_task *t = &d->tasks[task];

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++)
		if (d->accesses[i].handle == handle && d->accesses[i].mode & mode)
			return 1;
	return 0;
}

/*
 * Of a message that was received into other data first, the trace does not say into which it was then copied: of the
 * data of its size that all tasks after it read, that which none of them writes, if there is any.
 */
static uint32_t find_handle(const struct making *k, const struct dag_message *m)
{
	const struct csr *g = &k->made->before;
	uint32_t v = k->d->ntasks + m->arrival, first = g->succ_first[v], end = g->succ_first[v + 1],
		 found = UINT32_MAX;
	const struct dag_task *reader = NULL;

	for (uint32_t e = first; e < end && !reader; e++)
		if (g->succ[e] < k->d->ntasks)
			reader = &k->d->tasks[g->succ[e]];
	for (uint32_t i = 0; reader && i < reader->naccesses; i++) {
		uint32_t handle = k->d->accesses[reader->first_access + i].handle;
		int all = k->d->handle_bytes[handle] == m->size_bytes, written = 0;

		for (uint32_t e = first; e < end && all; e++) {
			if (g->succ[e] >= k->d->ntasks)
				continue;
			all = accesses(k->d, g->succ[e], handle, ACCESS_R);
			written |= accesses(k->d, g->succ[e], handle, ACCESS_W);
		}
		if (all && (!written || found == UINT32_MAX))
			found = handle;
		if (all && !written)
			break;
	}
	return found;
}

static int32_t rank_of(const struct making *k, uint32_t vertex)
{
	return vertex < k->d->ntasks ? k->d->tasks[vertex].rank : k->made->points[vertex - k->d->ntasks].rank;
}

/* Of the edges between tasks and points those with a point, in one rank: the others are the graph's and messages. */
static void keep_edges(struct making *k, const struct csr *all)
{
	uint32_t *from = ht_alloc(all->nedges, sizeof(*from)), *to = ht_alloc(all->nedges, sizeof(*to)), n = 0;

	for (uint32_t v = 0; v < all->n; v++) {
		for (uint32_t i = all->succ_first[v]; i < all->succ_first[v + 1]; i++) {
			if ((v < k->d->ntasks && all->succ[i] < k->d->ntasks) ||
			    rank_of(k, v) != rank_of(k, all->succ[i]))
				continue;
			from[n] = v;
			to[n++] = all->succ[i];
		}
	}
	csr_build(&k->made->before, k->d->arena, all->n, from, to, n);
	free(from);
	free(to);
}

struct dag_messages *dag_messages_make(const struct dag *d, const struct trace *t, const uint32_t *node,
                                       struct ht_err *err)
{
	struct making k = {.d = d, .t = t, .first_ns = INT64_MAX};
	struct arena *a = arena_create();
	struct csr all;
	int rc;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		int64_t ns = t->tasks[d->tasks[i].trace_task].submit_ns;

		if (ns != TIME_NONE && ns < k.first_ns)
			k.first_ns = ns;
	}
	k.made = arena_alloc(d->arena, 1, sizeof(*k.made));
	k.made->points = arena_alloc(d->arena, 2 * t->nmessages, sizeof(*k.made->points));
	k.made->messages = arena_alloc(d->arena, t->nmessages, sizeof(*k.made->messages));
	k.vertex = ht_alloc(t->ntasks, sizeof(*k.vertex));
	memcpy(k.vertex, node, t->ntasks * sizeof(*k.vertex));
	make_points(&k, node);
	rc = dag_contract_edges(t, k.vertex, d->ntasks + k.made->npoints, a, &all, NULL, err);
	if (rc == 0)
		keep_edges(&k, &all);
	if (rc == 0)
		set_receives(&k);
	for (uint32_t i = 0; rc == 0 && i < k.made->nmessages; i++)
		if (k.made->messages[i].to_handle == TRACE_NONE)
			k.made->messages[i].to_handle = find_handle(&k, &k.made->messages[i]);
	free(k.vertex);
	arena_free(a);
	return rc == 0 ? k.made : NULL;
}

int dag_points_by_submission(const void *a, const void *b, void *points)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct dag_point *p = points;

	if (p[x].submit_ns != p[y].submit_ns)
		return p[x].submit_ns < p[y].submit_ns ? -1 : 1;
	return (x > y) - (x < y);
}
