/* core/execution/execution.c - what ran where and when, of a run or of a prediction: what viewers of traces show. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/execution/execution.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

const struct execution_format *const execution_formats[] = {&execution_chrome, &execution_paje, NULL};

/* "CUDA 0.1" of a machine is "CUDA0_1", as StarPU's traces have it; without a name it is made of what is known. */
static const char *worker_name(struct arena *a, const struct machine *m, int w, int rank)
{
	const char *name = m->workers[w].name ? m->workers[w].name : "";
	char buf[96], *begin = buf, *out;

	if (rank >= 0)
		begin += snprintf(buf, sizeof(buf), "%d_", rank);
	for (out = begin; *name && out < buf + sizeof(buf) - 1; name++) {
		unsigned char c = (unsigned char)*name;

		if (isalnum(c) || c == '_' || c == '-')
			*out++ = (char)c;
		else if (c == '.')
			*out++ = '_';
	}
	*out = '\0';
	if (out == begin) {
		snprintf(begin, 64, "%s%d", arch_name(m->workers[w].arch), m->workers[w].devid);
		for (; *out; out++)
			*out = (char)toupper((unsigned char)*out);
	}
	return arena_strndup(a, buf, strlen(buf));
}

/* Two workers of one name are one for a viewer: then each gets its number. */
static void name_workers(struct execution *e, const struct trace *t)
{
	const struct machine *m = e->machine;
	struct intern *seen = intern_create(e->arena);
	int unique = 1;

	e->workers = arena_alloc(e->arena, (size_t)m->nworkers, sizeof(*e->workers));
	for (int w = 0; w < m->nworkers; w++) {
		int rank = t->nranks > 1 && (size_t)w < t->nworkers ? t->workers[w].rank : -1;
		uint32_t before = intern_count(seen);

		e->workers[w] = worker_name(e->arena, m, w, rank);
		intern_str(seen, e->workers[w]);
		unique &= intern_count(seen) > before;
	}
	for (int w = 0; w < m->nworkers && !unique; w++) {
		char *name = ht_asprintf("%s_w%d", e->workers[w], w);

		e->workers[w] = arena_strndup(e->arena, name, strlen(name));
		free(name);
	}
	intern_free(seen);
}

struct execution *execution_create(const struct run *r, const struct machine *m)
{
	struct execution *e = ht_alloc(1, sizeof(*e));
	char *name = run_name(r);
	const char **types;

	e->arena = arena_create();
	e->name = arena_strndup(e->arena, name, strlen(name));
	free(name);
	e->machine = m;
	e->dag = r->dag;
	e->ntypes = r->dag->ntypes;
	types = arena_alloc(e->arena, e->ntypes, sizeof(*types));
	for (uint32_t i = 0; i < e->ntypes; i++)
		types[i] = r->dag->types[i].name;
	e->types = types;
	e->lanes = arena_alloc(e->arena, (size_t)m->nworkers, 1);
	name_workers(e, r->trace);
	return e;
}

void execution_add(struct execution *e, const struct execution_task *t)
{
	struct execution_task *o = VEC_PUSH(e->tasks, e->ntasks, e->cap_tasks);

	*o = *t;
	if (o->end_ns < o->start_ns)
		o->end_ns = o->start_ns;
	if (o->ready_ns > o->start_ns)
		o->ready_ns = o->start_ns;
	if (o->submit_ns > o->start_ns)
		o->submit_ns = o->start_ns;
	if (o->held_ns > o->start_ns - o->ready_ns)
		o->held_ns = o->start_ns - o->ready_ns;
}

void execution_add_span(struct execution *e, int worker, uint8_t kind, int64_t start_ns, int64_t end_ns)
{
	if (end_ns > start_ns)
		*VEC_PUSH(e->spans, e->nspans, e->cap_spans) = (struct execution_span){
			.start_ns = start_ns,
			.end_ns = end_ns,
			.worker = (uint16_t)worker,
			.kind = kind,
		};
}

void execution_add_copy(struct execution *e, const struct execution_copy *c)
{
	*VEC_PUSH(e->copies, e->ncopies, e->cap_copies) = *c;
}

static int by_start(const void *a, const void *b)
{
	const struct execution_task *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static int copy_by_start(const void *a, const void *b)
{
	const struct execution_copy *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Of those that start together the outer one first. */
static int span_by_start(const void *a, const void *b)
{
	const struct execution_span *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return x->worker != y->worker ? x->worker < y->worker ? -1 : 1 : x->kind - y->kind;
}

/* The first lane whose last end is not after `start`; the last one when there are too many. */
static uint8_t take_lane(int64_t *ends, int64_t start, int64_t end)
{
	int lane = 0;

	while (lane < EXECUTION_LANES - 1 && ends[lane] > start)
		lane++;
	if (end > ends[lane])
		ends[lane] = end;
	return (uint8_t)lane;
}

static int64_t *no_ends(size_t tracks)
{
	int64_t *ends = ht_alloc(tracks * EXECUTION_LANES, sizeof(*ends));

	for (size_t i = 0; i < tracks * EXECUTION_LANES; i++)
		ends[i] = INT64_MIN;
	return ends;
}

static void lay_out(struct execution *e)
{
	size_t workers = (size_t)e->machine->nworkers, nodes = (size_t)e->machine->nnodes;
	int64_t *ends = no_ends(workers);

	memset(e->lanes, 1, workers);
	for (size_t i = 0; i < e->ntasks; i++) {
		struct execution_task *t = &e->tasks[i];

		t->lane = take_lane(&ends[(size_t)t->worker * EXECUTION_LANES], t->start_ns, t->end_ns);
		if (t->lane >= e->lanes[t->worker])
			e->lanes[t->worker] = (uint8_t)(t->lane + 1);
	}
	free(ends);
	ends = no_ends(nodes * nodes);
	for (size_t i = 0; i < e->ncopies; i++) {
		struct execution_copy *c = &e->copies[i];

		c->lane = take_lane(&ends[(c->from * nodes + c->to) * EXECUTION_LANES], c->start_ns, c->end_ns);
	}
	free(ends);
}

static void nest_spans(struct execution *e)
{
	int64_t *ends = no_ends((size_t)e->machine->nworkers);

	for (size_t i = 0; i < e->nspans; i++) {
		struct execution_span *x = &e->spans[i];

		x->nested = x->start_ns < ends[x->worker];
		if (x->end_ns > ends[x->worker])
			ends[x->worker] = x->end_ns;
	}
	free(ends);
}

/* Steps of the number of ready tasks: up when they became ready, down when they were taken; one step for each time. */
static void count_ready(struct execution *e)
{
	int64_t *up = ht_alloc(e->ntasks, sizeof(*up)), *down = ht_alloc(e->ntasks, sizeof(*down)), now = 0;
	size_t u = 0, d = 0;

	for (size_t i = 0; i < e->ntasks; i++) {
		up[i] = e->tasks[i].ready_ns;
		down[i] = e->tasks[i].start_ns - e->tasks[i].held_ns;
	}
	stats_sort_i64(up, e->ntasks);
	stats_sort_i64(down, e->ntasks);
	e->steps = ht_alloc(2 * e->ntasks, sizeof(*e->steps));
	while (d < e->ntasks) {
		int64_t ns = u < e->ntasks && up[u] < down[d] ? up[u] : down[d], was = now;

		for (; u < e->ntasks && up[u] == ns; u++)
			now++;
		for (; d < e->ntasks && down[d] == ns; d++)
			now--;
		if (now != was)
			e->steps[e->nsteps++] = (struct execution_step){ns, now};
	}
	free(up);
	free(down);
}

void execution_finish(struct execution *e)
{
	struct palette_type *types;
	int sorted = 1;

	for (size_t i = 1; i < e->ntasks && sorted; i++)
		sorted = by_start(&e->tasks[i - 1], &e->tasks[i]) <= 0;
	if (!sorted)
		qsort(e->tasks, e->ntasks, sizeof(*e->tasks), by_start);
	if (e->ncopies)
		qsort(e->copies, e->ncopies, sizeof(*e->copies), copy_by_start);
	if (e->nspans)
		qsort(e->spans, e->nspans, sizeof(*e->spans), span_by_start);
	nest_spans(e);
	lay_out(e);
	if (!e->steps)
		count_ready(e);
	types = ht_alloc(e->ntypes, sizeof(*types));
	for (uint32_t i = 0; i < e->ntypes; i++)
		types[i] = (struct palette_type){e->types[i], -1};
	for (size_t i = 0; i < e->ntasks; i++) {
		struct palette_type *t = &types[e->tasks[i].type];

		t->busy_ns += (t->busy_ns < 0) + e->tasks[i].end_ns - e->tasks[i].start_ns;
	}
	palette_init(&e->palette, types, e->ntypes);
	free(types);
}

void execution_free(struct execution *e)
{
	if (!e)
		return;
	free(e->tasks);
	free(e->copies);
	free(e->memory);
	free(e->spans);
	free(e->steps);
	palette_fini(&e->palette);
	arena_free(e->arena);
	free(e);
}
