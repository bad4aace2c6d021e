/* analyze/data/idle.c - what idle workers cost a run, by architecture: one sweep over tasks and idle segments. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/idle.h"

#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/data/worker_time.h"
#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

/* The number of ready tasks, or of idle workers, of one rank changes by `by`. */
struct event {
	int64_t ns;
	int32_t rank;
	int16_t by;
	arch_mask suits, can; /* of a task */
	int16_t idle;         /* enum arch of a worker; ARCH_NONE: this is about a task */
};

/* Ready tasks and idle workers of one rank since now_ns. */
struct state {
	int64_t now_ns;
	int64_t suits[ARCH_COUNT], can[ARCH_COUNT], idle[ARCH_COUNT];
};

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static arch_mask suits_of(const struct dag_class *c, arch_mask archs, arch_mask *can)
{
	enum arch best = dag_class_best(c, archs);
	arch_mask suits = 0;

	*can = 0;
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (c->cost_ns[a] < 0)
			continue;
		*can |= (arch_mask)(1 << a);
		if (best != ARCH_NONE && (double)c->cost_ns[a] <= 1.2 * (double)c->cost_ns[best])
			suits |= (arch_mask)(1 << a);
	}
	return suits;
}

static struct event *events_of(struct idle *x, const struct worker_times *times, const struct timeline *tl,
                               const struct trace *t, const struct dag *d, arch_mask archs, size_t *count)
{
	struct event *events = ht_alloc(2 * (tl->ntasks + times->nsegments), sizeof(*events));
	const struct dag_class **class = timeline_classes(tl, d);
	size_t n = 0;

	for (size_t i = 0; i < tl->ntasks; i++) {
		const struct timeline_task *k = &tl->tasks[i];
		int32_t rank = t->workers[k->worker].rank;
		arch_mask can, suits;

		if (!class[i] || k->pop_ns == k->push_ns)
			continue;
		suits = suits_of(class[i], archs, &can);
		events[n++] = (struct event){k->push_ns, rank, 1, suits, can, ARCH_NONE};
		events[n++] = (struct event){k->pop_ns, rank, -1, suits, can, ARCH_NONE};
	}
	for (uint32_t w = 0; w < t->nworkers; w++)
		for (size_t i = times->first[w]; i < times->first[w + 1]; i++) {
			const struct worker_segment *s = &times->segments[i];
			int16_t a = (int16_t)t->workers[w].arch;

			if (s->state != WORKER_IDLE && s->state != WORKER_TAIL)
				continue;
			*VEC_PUSH(x->gaps, x->ngaps, x->cap) = (struct idle_gap){s->start_ns, s->end_ns, w};
			events[n++] = (struct event){s->start_ns, t->workers[w].rank, 1, 0, 0, a};
			events[n++] = (struct event){s->end_ns, t->workers[w].rank, -1, 0, 0, a};
		}
	if (n)
		qsort(events, n, sizeof(*events), by_time);
	free(class);
	*count = n;
	return events;
}

/* The state lasts until `ns`. */
static void pass(struct idle *x, struct state *s, int64_t ns)
{
	int64_t dt = ns - s->now_ns;

	for (enum arch a = 0; dt > 0 && a < ARCH_COUNT; a++) {
		int64_t idle = s->idle[a], suited = s->suits[a] < idle ? s->suits[a] : idle;

		if (!idle || !s->can[a])
			continue;
		x->arch[a].suited_ns += suited * dt;
		if (s->can[a] > s->suits[a])
			x->arch[a].faster_elsewhere_ns += (idle - suited) * dt;
		else
			x->arch[a].surplus_ns += (idle - suited) * dt;
	}
	s->now_ns = ns;
}

static void apply(struct state *s, const struct event *e)
{
	if (e->idle != ARCH_NONE) {
		s->idle[e->idle] += e->by;
		return;
	}
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		s->can[a] += e->can >> a & 1 ? e->by : 0;
		s->suits[a] += e->suits >> a & 1 ? e->by : 0;
	}
}

/*
 * The speed of one worker of an architecture is the best time of the tasks that it can run over their time there; tasks
 * that it cannot run count as not done.
 */
static void weigh(struct idle *x, const struct dag *d, arch_mask archs)
{
	double sum = 0, total = 0;

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
		x->power[a] = speed * x->arch[a].nworkers;
		sum += x->power[a];
	}
	for (enum arch a = 0; sum > 0 && a < ARCH_COUNT; a++)
		x->power[a] /= sum;
}

void idle_init(struct idle *x, const struct worker_times *times, const struct timeline *tl, const struct trace *t,
               const struct dag *d)
{
	arch_mask archs = 0;
	struct state *ranks;
	struct event *events;
	size_t n, nranks = 1;

	*x = (struct idle){.origin_ns = tl->origin_ns,
	                   .tail_ns = times->tail_ns,
	                   .parallel = times->unknown,
	                   .waits_recorded = times->waits_recorded};
	for (size_t w = 0; w < t->nworkers; w++) {
		x->arch[t->workers[w].arch].nworkers++;
		archs |= (arch_mask)(1 << t->workers[w].arch);
		nranks = (size_t)t->workers[w].rank >= nranks ? (size_t)t->workers[w].rank + 1 : nranks;
	}
	weigh(x, d, archs);
	if (x->parallel)
		return;
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		const int64_t *ns = times->arch[a].ns;

		x->arch[a].span_ns = x->arch[a].nworkers * times->elapsed_ns;
		x->arch[a].busy_ns = ns[WORKER_EXECUTING];
		x->arch[a].fetch_ns = ns[WORKER_WAITING];
		x->arch[a].scheduling_ns = ns[WORKER_SCHEDULING];
		x->arch[a].starved_ns = ns[WORKER_STARVED];
		x->arch[a].tail_ns = ns[WORKER_TAIL];
	}
	events = events_of(x, times, tl, t, d, archs, &n);
	ranks = ht_alloc(nranks, sizeof(*ranks));
	for (size_t i = 0; i < n; i++) {
		pass(x, &ranks[events[i].rank], events[i].ns);
		apply(&ranks[events[i].rank], &events[i]);
	}
	free(ranks);
	free(events);
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
