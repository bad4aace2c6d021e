/* analyze/data/submitting.c - when a program was submitting tasks, and waited for none. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/submitting.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/trace/trace.h"

struct spans {
	int64_t *begins, *ends;
	size_t nbegins, nends, cap_begins, cap_ends;
};

static int is_of(const struct trace *t, const struct trace_task *x, size_t nranks)
{
	return x->submit_ns != TIME_NONE && x->rank < nranks && !trace_extra(t, x)->is_released;
}

/*
 * The program's submissions of each rank, in order: those of rank r from first[r] to before first[r + 1]. A key is
 * twice the time since `from`, and 1 more where the program waits for the task: it acquires data.
 */
static uint64_t *submissions(const struct trace *t, size_t nranks, size_t *first, int64_t *from)
{
	uint64_t *keys;
	size_t *next = ht_alloc(nranks, sizeof(*next));

	*from = INT64_MAX;
	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *x = &t->tasks[i];

		if (!is_of(t, x, nranks))
			continue;
		first[x->rank + 1]++;
		*from = x->submit_ns < *from ? x->submit_ns : *from;
	}
	for (size_t r = 0; r < nranks; r++) {
		next[r] = first[r];
		first[r + 1] += first[r];
	}
	keys = ht_alloc(first[nranks], sizeof(*keys));
	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *x = &t->tasks[i];

		if (is_of(t, x, nranks))
			keys[next[x->rank]++] = (uint64_t)(x->submit_ns - *from) << 1 | (x->kind == TASK_ACQUIRE);
	}
	for (size_t r = 0; r < nranks; r++)
		radix_sort_keys(keys + first[r], first[r + 1] - first[r]);
	free(next);
	return keys;
}

/* Whether a wait of the rank, from `*w` on, overlaps the span; those that ended before it are passed. */
static int waits_in(const struct trace *t, size_t rank, size_t *w, int64_t begin, int64_t end)
{
	const struct trace_wait *x = t->waits + *w, *last = t->waits + t->nwaits;

	while (x < last &&
	       ((size_t)x->rank < rank || ((size_t)x->rank == rank && x->end_ns != TIME_NONE && x->end_ns <= begin)))
		x++;
	*w = (size_t)(x - t->waits);
	return x < last && (size_t)x->rank == rank && x->start_ns < end;
}

static void add(struct spans *s, int64_t begin, int64_t end, int is_first)
{
	if (!is_first && s->nends && s->ends[s->nends - 1] == begin) {
		s->ends[s->nends - 1] = end;
		return;
	}
	*VEC_PUSH(s->begins, s->nbegins, s->cap_begins) = begin;
	*VEC_PUSH(s->ends, s->nends, s->cap_ends) = end;
}

void submitting_init(struct submitting *s, const struct trace *t, size_t nranks)
{
	size_t *first = ht_alloc(nranks + 1, sizeof(*first)), wait = 0;
	struct spans spans = {0};
	int64_t from;
	uint64_t *keys = submissions(t, nranks, first, &from);

	*s = (struct submitting){.first = ht_alloc(nranks + 1, sizeof(*s->first))};
	for (size_t r = 0; r < nranks; r++) {
		for (size_t i = first[r] + 1; i < first[r + 1]; i++) {
			int64_t begin = from + (int64_t)(keys[i - 1] >> 1), end = from + (int64_t)(keys[i] >> 1);

			if (keys[i - 1] & 1 || waits_in(t, r, &wait, begin, end))
				continue;
			add(&spans, begin, end, spans.nends == s->first[r]);
			s->spent_ns += end - begin;
			s->count++;
		}
		s->first[r + 1] = spans.nends;
	}
	s->begins = spans.begins;
	s->ends = spans.ends;
	free(first);
	free(keys);
}

void submitting_fini(struct submitting *s)
{
	free(s->begins);
	free(s->ends);
	free(s->first);
}
