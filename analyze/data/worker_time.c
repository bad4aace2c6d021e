/* analyze/data/worker_time.c - where the time of each worker went: idle time cut by when tasks were ready, and summed up. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/worker_time.h"

#include <stdlib.h>

#include "analyze/data/ready_times.h"
#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

const char *const worker_state_names[WORKER_STATES] = {
	"executing", "waiting", "scheduling", "ready", "starved", "tail",
};

/*
 * Per rank: the last time at which as many tasks were ready, popped or running as the rank has workers; INT64_MAX:
 * there was none. To be freed.
 */
static int64_t *tails(const struct timeline *tl, const struct trace *t, size_t ranks)
{
	int64_t *begin = ht_alloc(tl->ntasks, sizeof(*begin)), *end = ht_alloc(tl->ntasks, sizeof(*end));
	int64_t *from = ht_alloc(ranks, sizeof(*from));
	uint32_t *workers = ht_alloc(ranks, sizeof(*workers));
	size_t *first = ht_alloc(ranks + 2, sizeof(*first)); /* of a rank, in begin[] and end[] */

	for (size_t w = 0; w < t->nworkers; w++)
		workers[t->workers[w].rank]++;
	for (size_t i = 0; i < tl->ntasks; i++)
		first[t->workers[timeline_task(tl, i).worker].rank + 2]++;
	for (size_t r = 2; r < ranks + 2; r++)
		first[r] += first[r - 1];
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);
		size_t at = first[t->workers[k.worker].rank + 1]++;

		begin[at] = k.push_ns;
		end[at] = k.end_ns;
	}
	for (size_t r = 0; r < ranks; r++) {
		size_t b = first[r], stop = first[r + 1];

		from[r] = INT64_MAX;
		stats_sort_i64(begin + b, stop - b);
		stats_sort_i64(end + b, stop - b);
		for (size_t e = first[r]; e < stop; e++) {
			while (b < stop && begin[b] < end[e]) /* ends come before what begins at the same time */
				b++;
			if ((int64_t)b - (int64_t)e >= workers[r])
				from[r] = end[e];
		}
	}
	free(begin);
	free(end);
	free(workers);
	free(first);
	return from;
}

/*
 * The spans in which at least one of the tasks of a rank was ready, or, where `suited`, one of those that suit; where
 * one is popped as another gets ready, two.
 */
static void add_spans(struct ready_spans *s, const struct ready_times *times, size_t rank, int64_t suited)
{
	size_t stop = times->first[rank + 1], open = 0;

	for (size_t i = times->first[rank], j = i; j < stop;) {
		int64_t popped_ns = times->popped[j] >> 1;

		if (i < stop && times->ready[i] >> 1 < popped_ns) {
			if ((times->ready[i] & 1) >= suited && !open++)
				VEC_PUSH(s->spans, s->count, s->cap)->start_ns = times->ready[i] >> 1;
			i++;
			continue;
		}
		if ((times->popped[j] & 1) >= suited && !--open)
			s->spans[s->count - 1].end_ns = popped_ns;
		j++;
	}
	for (size_t k = 1; k < s->count; k++) {
		const struct ready_span *before = &s->spans[k - 1];

		s->spans[k].before_ns = before->before_ns + before->end_ns - before->start_ns;
	}
}

/* When tasks were ready and not popped, by rank and architecture. */
static void find_ready(struct worker_times *x, const struct timeline *tl, const struct trace *t, const struct dag *d,
                       size_t ranks)
{
	arch_mask archs = 0, *suits;

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		archs |= (arch_mask)((x->arch_workers[a] > 0) << a);
	suits = ready_times_suits(d, archs);
	x->ready = ht_alloc(ranks * ARCH_COUNT, sizeof(*x->ready));
	x->suited = ht_alloc(ranks * ARCH_COUNT, sizeof(*x->suited));
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		struct ready_times times;

		if (!x->arch_workers[a])
			continue;
		ready_times_init(&times, tl, t, d, a, suits);
		for (size_t r = 0; r < ranks; r++) {
			add_spans(&x->ready[r * ARCH_COUNT + a], &times, r, 0);
			add_spans(&x->suited[r * ARCH_COUNT + a], &times, r, 1);
		}
		ready_times_fini(&times);
	}
	free(suits);
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

static int64_t within(const struct ready_spans *spans, const struct trace_worker *w, int64_t start_ns, int64_t end_ns)
{
	const struct ready_spans *r = &spans[(size_t)w->rank * ARCH_COUNT + (size_t)w->arch];

	return ready_before(r, end_ns) - ready_before(r, start_ns);
}

int64_t worker_times_ready_ns(const struct worker_times *x, uint32_t worker, int64_t start_ns, int64_t end_ns)
{
	return within(x->ready, &x->trace->workers[worker], start_ns, end_ns);
}

int64_t worker_times_suited_ns(const struct worker_times *x, uint32_t worker, int64_t start_ns, int64_t end_ns)
{
	return within(x->suited, &x->trace->workers[worker], start_ns, end_ns);
}

struct worker_segment worker_segment(const struct worker_times *x, uint32_t worker, size_t i)
{
	int64_t start_ns = i > x->first[worker] ? x->segments[i - 1].ns : x->first_ns;

	return (struct worker_segment){start_ns, x->segments[i].ns, (uint8_t)x->segments[i].state};
}

int worker_segment_is_gap(const struct worker_times *x, size_t i)
{
	return x->segments[i].state == WORKER_IDLE || x->segments[i].state == WORKER_TAIL;
}

static void sum_up(struct worker_times *x)
{
	for (uint32_t w = 0; w < x->nworkers; w++) {
		struct worker_time *v = &x->workers[w], *a = &x->arch[x->trace->workers[w].arch];

		for (size_t i = x->first[w]; i < x->first[w + 1]; i++) {
			struct worker_segment s = worker_segment(x, w, i);
			int64_t ns = s.end_ns - s.start_ns, ready;

			if (!worker_segment_is_gap(x, i)) {
				v->ns[s.state] += ns;
				continue;
			}
			ready = worker_times_ready_ns(x, w, s.start_ns, s.end_ns);
			v->ns[WORKER_READY] += ready;
			v->slower_ns += ready - worker_times_suited_ns(x, w, s.start_ns, s.end_ns);
			v->ns[s.state == WORKER_TAIL ? WORKER_TAIL : WORKER_STARVED] += ns - ready;
		}
		for (int s = 0; s < WORKER_STATES; s++)
			a->ns[s] += v->ns[s];
		a->slower_ns += v->slower_ns;
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
	size_t ranks = ready_times_ranks(t);
	int64_t *tail_from;

	*x = (struct worker_times){.nworkers = t->nworkers,
	                           .trace = t,
	                           .first_ns = tl->first_ns,
	                           .elapsed_ns = tl->span_ns - tl->first_ns,
	                           .workers = ht_alloc(t->nworkers, sizeof(*x->workers)),
	                           .first = ht_alloc(t->nworkers + 1, sizeof(*x->first))};
	for (size_t w = 0; w < t->nworkers; w++)
		x->arch_workers[t->workers[w].arch]++;
	x->unknown = has_unknown(t);
	if (x->unknown)
		return;
	tail_from = tails(tl, t, ranks);
	for (size_t r = 0; r < ranks; r++)
		if (tail_from[r] < tl->span_ns && tl->span_ns - tail_from[r] > x->tail_ns)
			x->tail_ns = tl->span_ns - tail_from[r];
	worker_segments_build(x, tl, t, tail_from);
	find_ready(x, tl, t, d, ranks);
	sum_up(x);
	free(tail_from);
}

void worker_times_fini(struct worker_times *x)
{
	size_t ranks = x->trace ? ready_times_ranks(x->trace) : 0;

	for (size_t i = 0; x->ready && i < ranks * ARCH_COUNT; i++) {
		free(x->ready[i].spans);
		free(x->suited[i].spans);
	}
	free(x->ready);
	free(x->suited);
	free(x->workers);
	free(x->segments);
	free(x->first);
	*x = (struct worker_times){0};
}

const char *worker_times_check(const struct worker_times *x)
{
	for (uint32_t w = 0; w < x->nworkers && !x->unknown; w++) {
		int64_t sum = 0;

		for (int s = 0; s < WORKER_STATES; s++) {
			if (x->workers[w].ns[s] < 0)
				return "a worker was in a state for less than nothing";
			sum += x->workers[w].ns[s];
		}
		if (sum != x->elapsed_ns)
			return "the states of a worker do not add up to the time elapsed";
		for (size_t i = x->first[w]; i < x->first[w + 1]; i++) {
			struct worker_segment s = worker_segment(x, w, i);

			if (s.end_ns <= s.start_ns)
				return "a segment has no length";
		}
	}
	return NULL;
}
