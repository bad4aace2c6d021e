/* analyze/data/worker_time.c - where the time of each worker went: idle time cut by when tasks were ready, and summed up. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/worker_time.h"

#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/data/worker_segments.h"
#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

const char *const worker_state_names[WORKER_STATES] = {
	"executing", "waiting", "scheduling", "ready", "starved", "tail",
};

/* Something changes: of the rank, or of the tasks of it that can run on each architecture of `can`. */
struct event {
	int64_t ns;
	int32_t rank;
	int16_t by;
	arch_mask can;
};

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->by - y->by; /* ends before begins */
}

static int nranks(const struct trace *t)
{
	int n = 1;

	for (size_t w = 0; w < t->nworkers; w++)
		n = t->workers[w].rank >= n ? t->workers[w].rank + 1 : n;
	return n;
}

/*
 * Per rank: the last time at which as many tasks were ready, popped or running as the rank has workers; INT64_MAX:
 * there was none. To be freed.
 */
static int64_t *tails(const struct timeline *tl, const struct trace *t, int ranks)
{
	struct event *events = ht_alloc(2 * tl->ntasks, sizeof(*events));
	int64_t *from = ht_alloc((size_t)ranks, sizeof(*from));
	uint32_t *workers = ht_alloc((size_t)ranks, sizeof(*workers));
	int64_t *open = ht_alloc((size_t)ranks, sizeof(*open));

	for (size_t w = 0; w < t->nworkers; w++)
		workers[t->workers[w].rank]++;
	for (int r = 0; r < ranks; r++)
		from[r] = INT64_MAX;
	for (size_t i = 0; i < tl->ntasks; i++) {
		const struct timeline_task *k = &tl->tasks[i];
		int32_t rank = t->workers[k->worker].rank;

		events[2 * i] = (struct event){k->push_ns, rank, 1, 0};
		events[2 * i + 1] = (struct event){k->end_ns, rank, -1, 0};
	}
	qsort(events, 2 * tl->ntasks, sizeof(*events), by_time);
	for (size_t i = 0; i < 2 * tl->ntasks; i++) {
		const struct event *e = &events[i];

		if (e->by < 0 && open[e->rank] >= workers[e->rank])
			from[e->rank] = e->ns;
		open[e->rank] += e->by;
	}
	free(events);
	free(workers);
	free(open);
	return from;
}

/* When tasks were ready and not popped, by rank and architecture. */
static void find_ready(struct worker_times *x, const struct timeline *tl, const struct trace *t, const struct dag *d,
                       int ranks)
{
	const struct dag_class **class = timeline_classes(tl, d);
	size_t n = (size_t)ranks * ARCH_COUNT, count = 0;
	struct event *events = ht_alloc(2 * tl->ntasks, sizeof(*events));
	uint32_t *open = ht_alloc(n, sizeof(*open));

	x->ready = ht_alloc(n, sizeof(*x->ready));
	for (size_t i = 0; i < tl->ntasks; i++) {
		const struct timeline_task *k = &tl->tasks[i];
		int32_t rank = t->workers[k->worker].rank;
		arch_mask can = 0;

		for (enum arch a = 0; class[i] && a < ARCH_COUNT; a++)
			can |= (arch_mask)(class[i] -> cost_ns[a] >= 0 ? 1 << a : 0);
		if (k->pop_ns == k->push_ns)
			continue;
		events[count++] = (struct event){k->push_ns, rank, 1, can};
		events[count++] = (struct event){k->pop_ns, rank, -1, can};
	}
	if (count)
		qsort(events, count, sizeof(*events), by_time);
	for (size_t i = 0; i < count; i++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			size_t at = (size_t)events[i].rank * ARCH_COUNT + a;
			struct ready_spans *r = &x->ready[at];

			if (!(events[i].can >> a & 1))
				continue;
			if (events[i].by > 0 && !open[at]++)
				*VEC_PUSH(r->spans, r->count, r->cap) = (struct ready_span){.start_ns = events[i].ns};
			else if (events[i].by < 0 && !--open[at])
				r->spans[r->count - 1].end_ns = events[i].ns;
		}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 1; k < x->ready[i].count; k++) {
			struct ready_span *s = &x->ready[i].spans[k];

			s->before_ns = s[-1].before_ns + s[-1].end_ns - s[-1].start_ns;
		}
	free(events);
	free(open);
	free(class);
}

/* The length of all spans before `ns`. */
static int64_t ready_before(const struct ready_spans *r, int64_t ns)
{
	size_t low = 0, high = r->count;
	const struct ready_span *s;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->spans[middle].start_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	s = &r->spans[low - 1];
	return s->before_ns + (ns < s->end_ns ? ns : s->end_ns) - s->start_ns;
}

int64_t worker_times_ready_ns(const struct worker_times *x, uint32_t worker, int64_t start_ns, int64_t end_ns)
{
	const struct trace_worker *w = &x->trace->workers[worker];
	const struct ready_spans *r = &x->ready[(size_t)w->rank * ARCH_COUNT + (size_t)w->arch];

	return ready_before(r, end_ns) - ready_before(r, start_ns);
}

static void sum_up(struct worker_times *x)
{
	for (uint32_t w = 0; w < x->nworkers; w++) {
		struct worker_time *v = &x->workers[w], *a = &x->arch[x->trace->workers[w].arch];

		for (size_t i = x->first[w]; i < x->first[w + 1]; i++) {
			const struct worker_segment *s = &x->segments[i];
			int64_t ns = s->end_ns - s->start_ns, ready;

			if (s->state != WORKER_IDLE && s->state != WORKER_TAIL) {
				v->ns[s->state] += ns;
				continue;
			}
			ready = worker_times_ready_ns(x, w, s->start_ns, s->end_ns);
			v->ns[WORKER_READY] += ready;
			v->ns[s->state == WORKER_TAIL ? WORKER_TAIL : WORKER_STARVED] += ns - ready;
		}
		for (int s = 0; s < WORKER_STATES; s++)
			a->ns[s] += v->ns[s];
		a->tasks += v->tasks;
	}
}

/* Whether a task has run on workers that the trace does not name. */
static int has_unknown(const struct trace *t)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < t->ntasks; i++)
		if (trace_task_counts(&t->tasks[i]))
			missing += t->tasks[i].parallel > 1 ? t->tasks[i].parallel - 1u : 0;
	for (size_t i = 0; i < t->nspans && missing; i++)
		missing -= t->spans[i].kind == SPAN_PARALLEL;
	return missing > 0;
}

void worker_times_init(struct worker_times *x, const struct timeline *tl, const struct trace *t, const struct dag *d)
{
	int ranks = nranks(t);
	int64_t *tail_from;

	*x = (struct worker_times){.nworkers = t->nworkers,
	                           .trace = t,
	                           .elapsed_ns = tl->span_ns - tl->first_ns,
	                           .workers = ht_alloc(t->nworkers, sizeof(*x->workers)),
	                           .first = ht_alloc(t->nworkers + 1, sizeof(*x->first))};
	for (size_t w = 0; w < t->nworkers; w++)
		x->arch_workers[t->workers[w].arch]++;
	x->unknown = has_unknown(t);
	if (x->unknown)
		return;
	tail_from = tails(tl, t, ranks);
	for (int r = 0; r < ranks; r++)
		if (tail_from[r] < tl->span_ns && tl->span_ns - tail_from[r] > x->tail_ns)
			x->tail_ns = tl->span_ns - tail_from[r];
	worker_segments_build(x, tl, t, tail_from);
	find_ready(x, tl, t, d, ranks);
	sum_up(x);
	free(tail_from);
}

void worker_times_fini(struct worker_times *x)
{
	int ranks = x->trace ? nranks(x->trace) : 0;

	for (int i = 0; x->ready && i < ranks * ARCH_COUNT; i++)
		free(x->ready[i].spans);
	free(x->ready);
	free(x->workers);
	free(x->segments);
	free(x->first);
	*x = (struct worker_times){0};
}

const char *worker_times_check(const struct worker_times *x)
{
	for (size_t w = 0; w < x->nworkers && !x->unknown; w++) {
		int64_t sum = 0;

		for (int s = 0; s < WORKER_STATES; s++) {
			if (x->workers[w].ns[s] < 0)
				return "a worker was in a state for less than nothing";
			sum += x->workers[w].ns[s];
		}
		if (sum != x->elapsed_ns)
			return "the states of a worker do not add up to the time elapsed";
		for (size_t i = x->first[w]; i < x->first[w + 1]; i++) {
			if (x->segments[i].end_ns <= x->segments[i].start_ns)
				return "a segment has no length";
			if (i > x->first[w] && x->segments[i].start_ns != x->segments[i - 1].end_ns)
				return "the segments of a worker do not follow each other";
		}
	}
	return NULL;
}
