/* analyze/idle.c - why the workers of a run were idle: one sweep over the events of all tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/idle.h"

#include <stdlib.h>

#include "analyze/timeline.h"
#include "core/alloc.h"
#include "core/dag.h"
#include "core/trace.h"

/* What changes at a moment: tasks that can run on, or suit, an architecture; its workers that execute, or wait. */
enum what { READY, TAKEN, FETCH_BEGIN, FETCH_END, BUSY_BEGIN, BUSY_END };

struct event {
	int64_t ns;
	uint32_t id;    /* of the task of the timeline, or of the worker */
	uint8_t what;
};

struct sweep {
	struct event *events;
	size_t count, cap;
	const struct dag_class **class; /* of each task of the timeline; NULL: not in the graph */
	int64_t now_ns, all_busy_ns;
	int64_t can[ARCH_COUNT], suits[ARCH_COUNT];
	int busy[ARCH_COUNT], fetching[ARCH_COUNT];
	arch_mask archs;
};

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void add(struct sweep *s, int64_t ns, enum what what, uint32_t id)
{
	*VEC_PUSH(s->events, s->count, s->cap) = (struct event){.ns = ns, .id = id, .what = (uint8_t)what};
}

static const struct dag_class **classes_of(const struct trace *t, const struct dag *d, size_t ntasks)
{
	const struct dag_class **class = ht_alloc(ntasks, sizeof(*class));
	uint32_t *node = ht_alloc(t->ntasks, sizeof(*node));
	size_t k = 0;

	for (uint32_t i = 0; i < d->ntasks; i++)
		if (d->tasks[i].trace_task < t->ntasks)
			node[d->tasks[i].trace_task] = i + 1;
	for (size_t i = 0; i < t->ntasks && k < ntasks; i++)
		if (trace_task_counts(&t->tasks[i])) {
			class[k] = node[i] ? &d->classes[d->tasks[node[i] - 1].class_id] : NULL;
			k++;
		}
	free(node);
	return class;
}

struct run_order {
	int32_t worker;
	int64_t start_ns, end_ns, pop_ns;
};

static int by_worker(const void *a, const void *b)
{
	const struct run_order *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static void add_gap(struct idle *x, int64_t start, int64_t end, uint32_t worker)
{
	if (end > start)
		*VEC_PUSH(x->gaps, x->ngaps, x->cap) = (struct idle_gap){start, end, worker};
}

/* What each worker did, one behind the other; tasks that overlap on it count once. */
static void add_workers(struct idle *x, struct sweep *s, const struct timeline *tl, size_t nworkers)
{
	struct run_order *o = ht_alloc(tl->ntasks, sizeof(*o));
	size_t k = 0;

	for (size_t i = 0; i < tl->ntasks; i++)
		o[i] = (struct run_order){tl->tasks[i].worker, tl->tasks[i].start_ns, tl->tasks[i].end_ns,
		                          tl->tasks[i].pop_ns};
	qsort(o, tl->ntasks, sizeof(*o), by_worker);
	for (uint32_t w = 0; w < nworkers; w++) {
		int64_t at = tl->first_ns;

		for (; k < tl->ntasks && o[k].worker == (int32_t)w; k++) {
			int64_t pop = o[k].pop_ns > at ? o[k].pop_ns : at;
			int64_t start = o[k].start_ns > at ? o[k].start_ns : at;

			add_gap(x, at, pop, w);
			if (start > pop) {
				add(s, pop, FETCH_BEGIN, w);
				add(s, start, FETCH_END, w);
			}
			if (o[k].end_ns > start) {
				add(s, start, BUSY_BEGIN, w);
				add(s, o[k].end_ns, BUSY_END, w);
				at = o[k].end_ns;
			} else {
				at = start;
			}
		}
		add_gap(x, at, tl->span_ns, w);
	}
	free(o);
}

static int suits(const struct dag_class *c, enum arch a, arch_mask archs)
{
	enum arch best = dag_class_best(c, archs);

	return best != ARCH_NONE && c->cost_ns[a] >= 0 && (double)c->cost_ns[a] <= 1.2 * (double)c->cost_ns[best];
}

/* The state holds from s->now_ns to `ns`. */
static void pass(struct idle *x, struct sweep *s, int64_t ns)
{
	int64_t dt = ns - s->now_ns;

	for (enum arch a = 0; dt > 0 && a < ARCH_COUNT; a++) {
		int64_t waiting = x->arch[a].nworkers - s->busy[a] - s->fetching[a], missed = 0;

		if (!x->arch[a].nworkers)
			continue;
		if (waiting > 0) {
			missed = s->suits[a] < waiting ? s->suits[a] : waiting;
			x->arch[a].missed_ns += missed * dt;
			*(s->can[a] ? &x->arch[a].held_ns : &x->arch[a].starved_ns) += (waiting - missed) * dt;
		}
		x->arch[a].busy_ns += s->busy[a] * dt;
		x->arch[a].fetch_ns += s->fetching[a] * dt;
		x->arch[a].span_ns += x->arch[a].nworkers * dt;
	}
	if (dt > 0 && s->busy[x->fastest] == x->arch[x->fastest].nworkers)
		s->all_busy_ns = ns;
	s->now_ns = ns;
}

static void apply(struct sweep *s, const struct trace *t, const struct event *e)
{
	int by = e->what == READY || e->what == FETCH_BEGIN || e->what == BUSY_BEGIN ? 1 : -1;

	if (e->what == READY || e->what == TAKEN) {
		const struct dag_class *c = s->class[e->id];

		for (enum arch a = 0; c && a < ARCH_COUNT; a++) {
			s->can[a] += c->cost_ns[a] >= 0 ? by : 0;
			s->suits[a] += suits(c, a, s->archs) ? by : 0;
		}
	} else if (e->what == FETCH_BEGIN || e->what == FETCH_END) {
		s->fetching[t->workers[e->id].arch] += by;
	} else {
		s->busy[t->workers[e->id].arch] += by;
	}
}

/*
 * The speed of one worker of an architecture is the best time of the tasks that it can run over their time there; tasks
 * that it cannot run count as not done.
 */
static void weigh(struct idle *x, const struct dag *d, arch_mask archs)
{
	double fast = 0, sum = 0, total = 0;

	for (uint32_t i = 0; i < d->nclasses; i++) {
		enum arch best = dag_class_best(&d->classes[i], archs);

		total += best == ARCH_NONE ? 0 : (double)d->classes[i].cost_ns[best] * d->classes[i].count;
	}
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double best_ns = 0, here_ns = 0, speed;

		for (uint32_t i = 0; x->arch[a].nworkers && i < d->nclasses; i++) {
			const struct dag_class *c = &d->classes[i];

			if (c->cost_ns[a] < 0)
				continue;
			best_ns += (double)c->cost_ns[dag_class_best(c, archs)] * c->count;
			here_ns += (double)c->cost_ns[a] * c->count;
		}
		speed = here_ns > 0 && total > 0 ? best_ns / here_ns * (best_ns / total) : 0;
		if (speed > fast) {
			fast = speed;
			x->fastest = a;
		}
		x->power[a] = speed * x->arch[a].nworkers;
		sum += x->power[a];
	}
	for (enum arch a = 0; sum > 0 && a < ARCH_COUNT; a++)
		x->power[a] /= sum;
}

void idle_init(struct idle *x, const struct timeline *tl, const struct trace *t, const struct dag *d)
{
	struct sweep s = {.now_ns = tl->first_ns, .all_busy_ns = TIME_NONE};

	*x = (struct idle){.tail_ns = -1, .origin_ns = tl->origin_ns};
	for (size_t w = 0; w < t->nworkers; w++) {
		x->arch[t->workers[w].arch].nworkers++;
		s.archs |= (arch_mask)(1 << t->workers[w].arch);
	}
	weigh(x, d, s.archs);
	for (size_t i = 0; i < t->ntasks; i++)
		x->parallel |= t->tasks[i].parallel > 1;
	if (x->parallel)
		return;
	s.class = classes_of(t, d, tl->ntasks);
	for (size_t i = 0; i < tl->ntasks; i++) {
		add(&s, tl->tasks[i].push_ns, READY, (uint32_t)i);
		add(&s, tl->tasks[i].pop_ns, TAKEN, (uint32_t)i);
	}
	add_workers(x, &s, tl, t->nworkers);
	qsort(s.events, s.count, sizeof(*s.events), by_time);
	for (size_t i = 0; i < s.count; i++) {
		if (s.events[i].ns > s.now_ns)
			pass(x, &s, s.events[i].ns);
		apply(&s, t, &s.events[i]);
	}
	if (s.all_busy_ns != TIME_NONE)
		x->tail_ns = tl->span_ns - s.all_busy_ns;
	free(s.events);
	free(s.class);
}

void idle_fini(struct idle *x)
{
	free(x->gaps);
	*x = (struct idle){0};
}

double idle_weighted(const struct idle *x, const int64_t ns[ARCH_COUNT])
{
	double share = 0;

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (x->arch[a].span_ns > 0)
			share += x->power[a] * (double)ns[a] / (double)x->arch[a].span_ns;
	return share;
}
