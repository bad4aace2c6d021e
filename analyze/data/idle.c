/* analyze/data/idle.c - what idle workers cost a run, by architecture: one sweep over tasks and idle segments. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/idle.h"

#include <stdlib.h>

#include "analyze/data/ready_times.h"
#include "analyze/data/submitting.h"
#include "analyze/data/timeline.h"
#include "analyze/data/worker_time.h"
#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

/* Numbers of ready tasks and of idle workers, of one rank and architecture; and whether its program is submitting. */
struct state {
	int64_t suits, can, idle, submitting;
};

/* Sorted times, as in struct ready_times, at which counts go up or down. */
struct stream {
	const int64_t *at, *end;
	int64_t by, *count, *suited; /* suited NULL: of workers */
};

/* The state has lasted for dt. */
static void pass(struct idle *x, enum arch a, const struct state *s, int64_t dt)
{
	int64_t suited = s->suits < s->idle ? s->suits : s->idle;

	if (s->submitting && s->can <= s->suits)
		x->arch[a].late_ns += (s->idle - suited) * dt;
	if (!s->idle || !s->can)
		return;
	x->arch[a].suited_ns += suited * dt;
	if (s->can > s->suits)
		x->arch[a].faster_elsewhere_ns += (s->idle - suited) * dt;
	else
		x->arch[a].surplus_ns += (s->idle - suited) * dt;
}

/* Several changes at one time come in any order: no time passes between them. */
static void sweep(struct idle *x, enum arch a, struct stream *streams, size_t n, const struct state *s)
{
	int64_t now = 0;

	for (;;) {
		struct stream *next = NULL;

		for (size_t i = 0; i < n; i++)
			if (streams[i].at < streams[i].end && (!next || *streams[i].at < *next->at))
				next = &streams[i];
		if (!next)
			return;
		pass(x, a, s, (*next->at >> 1) - now);
		now = *next->at >> 1;
		*next->count += next->by;
		if (next->suited)
			*next->suited += *next->at & 1 ? next->by : 0;
		next->at++;
	}
}

/* Of the workers of the architecture. */
static size_t count_gaps(const struct worker_times *times, enum arch a)
{
	size_t n = 0;

	for (uint32_t w = 0; w < times->nworkers; w++)
		for (size_t i = times->first[w]; times->trace->workers[w].arch == a && i < times->first[w + 1]; i++)
			n += (size_t)worker_segment_is_gap(times, i);
	return n;
}

/* Begins and ends of the gaps of the rank's workers of the architecture, sorted. Returns how many there are. */
static size_t gaps_of(const struct worker_times *times, size_t rank, enum arch a, int64_t *begins, int64_t *ends)
{
	size_t n = 0;

	for (uint32_t w = 0; w < times->nworkers; w++) {
		const struct trace_worker *x = &times->trace->workers[w];

		if ((size_t)x->rank != rank || x->arch != a)
			continue;
		for (size_t i = times->first[w]; i < times->first[w + 1]; i++) {
			struct worker_segment s = worker_segment(times, w, i);

			if (!worker_segment_is_gap(times, i))
				continue;
			begins[n] = s.start_ns * 2;
			ends[n++] = s.end_ns * 2;
		}
	}
	stats_sort_i64(begins, n);
	stats_sort_i64(ends, n);
	return n;
}

/* What idle workers of the architecture had to do, rank by rank; `by` has times as struct ready_times has them. */
static void weigh_gaps(struct idle *x, const struct worker_times *workers, const struct timeline *tl,
                       const struct trace *t, const struct dag *d, const struct submitting *by, enum arch a,
                       const arch_mask *suits)
{
	size_t ngaps = count_gaps(workers, a);
	int64_t *begins = ht_alloc(ngaps, sizeof(*begins)), *ends = ht_alloc(ngaps, sizeof(*ends));
	struct ready_times times;

	ready_times_init(&times, tl, t, d, a, suits);
	for (size_t r = 0; r < ready_times_ranks(t); r++) {
		const size_t from = times.first[r], to = times.first[r + 1], n = gaps_of(workers, r, a, begins, ends);
		const size_t by_from = by->first[r], by_to = by->first[r + 1];
		struct state s = {0};
		struct stream streams[] = {
			{times.ready + from, times.ready + to, 1, &s.can, &s.suits},
			{times.popped + from, times.popped + to, -1, &s.can, &s.suits},
			{begins, begins + n, 1, &s.idle, NULL},
			{ends, ends + n, -1, &s.idle, NULL},
			{by->begins + by_from, by->begins + by_to, 1, &s.submitting, NULL},
			{by->ends + by_from, by->ends + by_to, -1, &s.submitting, NULL},
		};

		sweep(x, a, streams, sizeof(streams) / sizeof(*streams), &s);
	}
	ready_times_fini(&times);
	free(begins);
	free(ends);
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
	arch_mask archs = 0, *suits;
	struct submitting by;

	*x = (struct idle){.origin_ns = tl->origin_ns, .tail_ns = times->tail_ns, .parallel = times->unknown};
	for (size_t w = 0; w < t->nworkers; w++) {
		x->arch[t->workers[w].arch].nworkers++;
		archs |= (arch_mask)(1 << t->workers[w].arch);
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
	suits = ready_times_suits(d, archs);
	submitting_init(&by, t, ready_times_ranks(t));
	x->submitting_ns = by.spent_ns;
	x->submitted = by.count;
	for (size_t i = 0; i < by.first[ready_times_ranks(t)]; i++) {
		by.begins[i] = 2 * (by.begins[i] - tl->origin_ns);
		by.ends[i] = 2 * (by.ends[i] - tl->origin_ns);
	}
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (x->arch[a].nworkers)
			weigh_gaps(x, times, tl, t, d, &by, a, suits);
	submitting_fini(&by);
	free(suits);
}

double idle_weighted(const struct idle *x, const int64_t ns[ARCH_COUNT])
{
	double share = 0;

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (x->arch[a].span_ns > 0)
			share += x->power[a] * (double)ns[a] / (double)x->arch[a].span_ns;
	return share;
}

enum arch idle_most(const struct idle *x, const int64_t ns[ARCH_COUNT])
{
	enum arch worst = ARCH_NONE;
	double lost = 0;

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double here = x->arch[a].span_ns > 0 ? x->power[a] * (double)ns[a] / (double)x->arch[a].span_ns : 0;

		if (here > lost) {
			lost = here;
			worst = a;
		}
	}
	return worst;
}
