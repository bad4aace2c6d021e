/* analyze/data/worker_segments.c - the states of each worker through time, from its tasks, copies and spans. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tasks in the order in which a worker started them cut its time into executions and gaps; a gap is then cut by what
 * falls into it. Spans of one kind do not overlap on a worker and end in order, so one cursor a kind walks along.
 */
#include "analyze/data/worker_time.h"

#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/base/stats.h"
#include "core/trace/trace.h"

/* Copies by handle and node that they go to, then by start as the trace has them. */
struct copy_index {
	const struct trace *t;
	struct radix_item *at; /* copy_key() and copy */
	size_t n;
};

/*
 * Executions, in the order of workers and starts: tasks of the timeline, and then its parts of tasks that ran on
 * several workers. Those of worker w are order[first[w]] to before order[first[w + 1]].
 */
struct executions {
	const struct timeline *tl;
	const struct trace *t;
	uint32_t *order;
	size_t *first;
	uint32_t *parts; /* spans of the trace */
	size_t nparts;
	struct copy_index copies;
};

struct one_execution {
	int64_t start_ns, end_ns, pop_ns; /* pop_ns == start_ns where it was not recorded */
	const struct trace_task *task;    /* NULL: a part of one */
};

/* The spans of a kind that count, as they ended: those of worker w are order[first[w]] to before order[first[w + 1]]. */
struct span_list {
	const struct timeline *tl;
	const struct trace *t;
	uint32_t *order;
	size_t *first;
};

/* In the timeline's time. */
struct span {
	int64_t start_ns, end_ns;
};

static struct span span_at(const struct span_list *l, size_t i)
{
	const struct trace_span *s = &l->t->spans[l->order[i]];

	return (struct span){s->start_ns - l->tl->origin_ns, s->end_ns - l->tl->origin_ns};
}

static uint64_t copy_key(uint32_t handle, int node)
{
	return (uint64_t)handle << 16 | (uint16_t)node;
}

/* Where copies of that key that start at `ns` or later begin. */
static size_t copies_from(const struct copy_index *c, uint64_t key, int64_t ns)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct radix_item *x = &c->at[middle];

		if (x->key < key || (x->key == key && c->t->copies[x->value].start_ns < ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The last time, between pop and start of the task, at which a copy of data that it reads ended in its memory. Going
 * back from the start, the first of these that ended before the pop ends the search: copies of one handle to one
 * node follow each other.
 */
static int64_t data_complete_ns(const struct copy_index *c, const struct trace_task *k)
{
	int64_t pop_ns = trace_extra(c->t, k)->pop_ns, last = pop_ns, start = k->start_ns;

	for (uint32_t i = k->first_access; i < k->first_access + k->naccesses; i++) {
		const struct data_access *a = &c->t->accesses[i];
		uint64_t key;

		if (!(a->mode & ACCESS_R) || a->mode & ACCESS_SCRATCH || a->handle >= c->t->nhandles)
			continue;
		key = copy_key(a->handle, k->node);
		for (size_t at = copies_from(c, key, start); at > 0 && c->at[at - 1].key == key; at--) {
			const struct trace_copy *copy = &c->t->copies[c->at[at - 1].value];
			int64_t end = copy->end_ns == TIME_NONE || copy->end_ns > start ? start : copy->end_ns;

			last = end > last ? end : last;
			if (end <= pop_ns)
				break;
		}
	}
	return last;
}

static void copy_index_init(struct copy_index *x, const struct trace *t)
{
	*x = (struct copy_index){.t = t, .at = ht_alloc(t->ncopies, sizeof(*x->at))};
	for (size_t i = 0; i < t->ncopies; i++)
		if (t->copies[i].handle < t->nhandles)
			x->at[x->n++] = (struct radix_item){copy_key(t->copies[i].handle, t->copies[i].to), i};
	radix_sort(x->at, x->n);
}

static struct one_execution execution(const struct executions *e, uint32_t id)
{
	const struct trace_span *part;
	struct timeline_task k;

	if (id < e->tl->ntasks) {
		k = timeline_task(e->tl, id);
		return (struct one_execution){k.start_ns, k.end_ns, k.pop_ns, &e->t->tasks[timeline_index(e->tl, id)]};
	}
	part = &e->t->spans[e->parts[id - e->tl->ntasks]];
	return (struct one_execution){part->start_ns - e->tl->origin_ns, part->end_ns - e->tl->origin_ns,
	                              part->start_ns - e->tl->origin_ns, NULL};
}

static int is_sorted(const struct executions *e, size_t from, size_t to)
{
	for (size_t k = from + 1; k < to; k++) {
		struct one_execution a = execution(e, e->order[k - 1]), b = execution(e, e->order[k]);

		if (a.start_ns > b.start_ns || (a.start_ns == b.start_ns && a.end_ns > b.end_ns))
			return 0;
	}
	return 1;
}

/* By start, then by end. */
static void sort_worker(struct executions *e, size_t from, size_t to)
{
	struct radix_item *items;

	if (is_sorted(e, from, to))
		return;
	items = ht_alloc(to - from, sizeof(*items));
	for (size_t k = from; k < to; k++)
		items[k - from] = (struct radix_item){(uint64_t)(execution(e, e->order[k]).end_ns + TIME_LIMIT),
		                                      e->order[k]};
	radix_sort(items, to - from);
	for (size_t k = 0; k < to - from; k++)
		items[k].key = (uint64_t)(execution(e, (uint32_t)items[k].value).start_ns + TIME_LIMIT);
	radix_sort(items, to - from);
	for (size_t k = from; k < to; k++)
		e->order[k] = (uint32_t)items[k - from].value;
	free(items);
}

static void find_parts(struct executions *e)
{
	size_t cap = 0;

	for (size_t i = 0; i < e->t->nspans; i++)
		if (e->t->spans[i].kind == SPAN_PARALLEL)
			*VEC_PUSH(e->parts, e->nparts, cap) = (uint32_t)i;
}

static void executions_init(struct executions *e, const struct timeline *tl, const struct trace *t)
{
	size_t *first = ht_alloc(t->nworkers + 2, sizeof(*first));

	*e = (struct executions){.tl = tl, .t = t, .first = first};
	copy_index_init(&e->copies, t);
	find_parts(e);
	e->order = ht_alloc(tl->ntasks + e->nparts, sizeof(*e->order));
	for (size_t i = 0; i < tl->ntasks; i++)
		first[t->tasks[timeline_index(tl, i)].worker + 2]++;
	for (size_t i = 0; i < e->nparts; i++)
		first[t->spans[e->parts[i]].worker + 2]++;
	for (size_t w = 2; w < t->nworkers + 2; w++)
		first[w] += first[w - 1];
	for (size_t i = 0; i < tl->ntasks; i++)
		e->order[first[t->tasks[timeline_index(tl, i)].worker + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < e->nparts; i++)
		e->order[first[t->spans[e->parts[i]].worker + 1]++] = (uint32_t)(tl->ntasks + i);
	for (size_t w = 0; w < t->nworkers; w++)
		sort_worker(e, first[w], first[w + 1]);
}

static void executions_fini(struct executions *e)
{
	free(e->order);
	free(e->first);
	free(e->parts);
	free(e->copies.at);
}

static void count_tasks(struct worker_times *x, const struct timeline *tl, const struct trace *t)
{
	for (size_t i = 0; i < tl->ntasks; i++) {
		const struct trace_task *task = &t->tasks[timeline_index(tl, i)];

		x->pops_recorded |= trace_extra(t, task)->pop_ns != TIME_NONE;
		x->workers[task->worker].tasks++;
	}
}

/* Whether one of the worker's pops, pops[first[0]] to before pops[first[1]], sorted, was in that time. */
static int has_pop(const int64_t *pops, const size_t first[2], int64_t start_ns, int64_t end_ns)
{
	size_t low = first[0], high = first[1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pops[middle] < start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < first[1] && pops[low] <= end_ns;
}

/* Calls of the scheduler that gave no task are left out: those in which none of `pops` was; NULL: they are not known. */
static struct span_list spans_of(const struct executions *e, enum trace_span_kind kind, const int64_t *pops)
{
	const struct trace *t = e->t;
	int64_t origin_ns = e->tl->origin_ns;
	struct span_list l = {.tl = e->tl, .t = t, .first = ht_alloc(t->nworkers + 2, sizeof(*l.first))};

	for (int fill = 0; fill < 2; fill++) {
		for (size_t i = 0; i < t->nspans; i++) {
			const struct trace_span *s = &t->spans[i];
			size_t *at = &l.first[s->worker + 1];

			if (s->kind != kind)
				continue;
			if (kind == SPAN_SCHEDULING && pops &&
			    !has_pop(pops, &e->first[s->worker], s->start_ns - origin_ns, s->end_ns - origin_ns))
				continue;
			if (fill)
				l.order[(*at)++] = (uint32_t)i;
			else
				at[1]++;
		}
		for (size_t w = 2; !fill && w < t->nworkers + 2; w++)
			l.first[w] += l.first[w - 1];
		if (!fill)
			l.order = ht_alloc(l.first[t->nworkers + 1], sizeof(*l.order));
	}
	return l;
}

/* A gap between executions, cut where something begins or ends in it. */
struct cut {
	int64_t ns;
	int8_t state, by; /* enum worker_state; +1 where it begins, -1 where it ends */
};

struct gap {
	int64_t from_ns, to_ns;
	struct cut *cuts;
	size_t count, cap;
};

static int by_cut(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static void cut(struct gap *g, int64_t start, int64_t end, enum worker_state state)
{
	start = start > g->from_ns ? start : g->from_ns;
	end = end < g->to_ns ? end : g->to_ns;
	if (end <= start)
		return;
	*VEC_PUSH(g->cuts, g->count, g->cap) = (struct cut){start, (int8_t)state, 1};
	*VEC_PUSH(g->cuts, g->count, g->cap) = (struct cut){end, (int8_t)state, -1};
}

static void cut_spans(struct gap *g, const struct span_list *l, uint32_t worker, size_t *at, enum worker_state state,
                      int64_t from, int64_t to)
{
	while (*at < l->first[worker + 1] && span_at(l, *at).end_ns <= g->from_ns)
		++*at;
	for (size_t i = *at; i < l->first[worker + 1]; i++) {
		struct span s = span_at(l, i);

		if (s.start_ns >= to)
			break;
		cut(g, s.start_ns > from ? s.start_ns : from, s.end_ns < to ? s.end_ns : to, state);
	}
}

/* From the end of the last segment on. */
static void put_segment(struct worker_times *x, uint32_t worker, int64_t end_ns, enum worker_state state)
{
	struct segment_end *last = x->nsegments > x->first[worker] ? &x->segments[x->nsegments - 1] : NULL;

	if (end_ns <= (last ? last->ns : x->first_ns))
		return;
	if (last && last->state == state)
		last->ns = end_ns;
	else
		*VEC_PUSH(x->segments, x->nsegments, x->cap) = (struct segment_end){end_ns, state};
}

/* Where several states overlap, the smallest counts; where there is none, the worker is idle. */
static void put_gap(struct worker_times *x, uint32_t worker, struct gap *g, int64_t tail_from)
{
	int open[WORKER_STATES] = {0};

	if (tail_from < g->to_ns)
		cut(g, tail_from, g->to_ns, WORKER_TAIL);
	if (g->count)
		qsort(g->cuts, g->count, sizeof(*g->cuts), by_cut);
	for (size_t i = 0; i < g->count; i++) {
		enum worker_state state = WORKER_EXECUTING;

		while (state < WORKER_STATES && !open[state])
			state++;
		put_segment(x, worker, g->cuts[i].ns, state); /* WORKER_STATES: idle */
		open[g->cuts[i].state] += g->cuts[i].by;
	}
	put_segment(x, worker, g->to_ns, WORKER_IDLE);
	g->count = 0;
}

enum { LISTS = 4 };

static const struct {
	enum trace_span_kind kind;
	enum worker_state state;
} lists[LISTS] = {
	{SPAN_FETCH, WORKER_WAITING},
	{SPAN_SCHEDULING, WORKER_SCHEDULING},
	{SPAN_CALLBACK, WORKER_SCHEDULING},
	{SPAN_PUSH_OUTPUT, WORKER_SCHEDULING},
};

/* `k`: the execution after the gap, NULL for the last gap. */
static void add_gap(struct worker_times *x, uint32_t worker, struct gap *g, const struct executions *e,
                    const struct one_execution *k, const struct span_list *spans, size_t *at, int64_t tail_from)
{
	if (g->to_ns <= g->from_ns)
		return;
	if (k && k->pop_ns < k->start_ns) {
		int64_t complete_ns = data_complete_ns(&e->copies, k->task) - e->tl->origin_ns;

		cut(g, k->pop_ns, complete_ns, WORKER_WAITING);
		cut(g, complete_ns, k->start_ns, WORKER_SCHEDULING);
	}
	for (int i = 0; i < LISTS; i++) {
		int fetch = lists[i].kind == SPAN_FETCH && x->pops_recorded;

		/* The end of a fetch is recorded by thread, which may have several workers: it may be of another one. */
		if (!fetch)
			cut_spans(g, &spans[i], worker, &at[i], lists[i].state, g->from_ns, g->to_ns);
		else if (k)
			cut_spans(g, &spans[i], worker, &at[i], lists[i].state, k->pop_ns, k->start_ns);
	}
	put_gap(x, worker, g, k ? INT64_MAX : tail_from);
}

static void add_workers(struct worker_times *x, const struct executions *e, const struct span_list *spans,
                        const int64_t *tail_from_ns)
{
	struct gap g = {0};

	for (uint32_t w = 0; w < e->t->nworkers; w++) {
		size_t at[LISTS];

		for (int i = 0; i < LISTS; i++)
			at[i] = spans[i].first[w];
		x->first[w] = x->nsegments;
		g.from_ns = e->tl->first_ns;
		for (size_t i = e->first[w]; i < e->first[w + 1]; i++) {
			struct one_execution k = execution(e, e->order[i]);
			int64_t start = k.start_ns > g.from_ns ? k.start_ns : g.from_ns;

			g.to_ns = start;
			add_gap(x, w, &g, e, &k, spans, at, 0);
			put_segment(x, w, k.end_ns, WORKER_EXECUTING);
			g.from_ns = k.end_ns > start ? k.end_ns : start;
		}
		g.to_ns = e->tl->span_ns;
		add_gap(x, w, &g, e, NULL, spans, at, tail_from_ns[e->t->workers[w].rank]);
	}
	x->first[e->t->nworkers] = x->nsegments;
	free(g.cuts);
}

/* The times at which each worker popped tasks, sorted, at the places of its executions; to be freed. */
static int64_t *pops_of(const struct executions *e)
{
	size_t nworkers = e->t->nworkers;
	int64_t *pops = ht_alloc(e->first[nworkers], sizeof(*pops));

	for (size_t k = 0; k < e->first[nworkers]; k++)
		pops[k] = execution(e, e->order[k]).pop_ns;
	for (size_t w = 0; w < nworkers; w++)
		stats_sort_i64(pops + e->first[w], e->first[w + 1] - e->first[w]);
	return pops;
}

void worker_segments_build(struct worker_times *x, const struct timeline *tl, const struct trace *t,
                           const int64_t *tail_from_ns)
{
	struct span_list spans[LISTS];
	struct executions e;
	int64_t *pops;

	executions_init(&e, tl, t);
	count_tasks(x, tl, t);
	pops = t->nspans && x->pops_recorded ? pops_of(&e) : NULL; /* only spans are compared with them */
	x->waits_recorded = x->pops_recorded && t->ncopies > 0;
	x->runtime_recorded = x->pops_recorded;
	for (int i = 0; i < LISTS; i++) {
		spans[i] = spans_of(&e, lists[i].kind, pops);
		if (spans[i].first[t->nworkers] > 0)
			*(lists[i].state == WORKER_WAITING ? &x->waits_recorded : &x->runtime_recorded) = 1;
	}
	add_workers(x, &e, spans, tail_from_ns);
	for (int i = 0; i < LISTS; i++) {
		free(spans[i].order);
		free(spans[i].first);
	}
	free(pops);
	executions_fini(&e);
}
