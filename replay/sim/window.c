/* replay/sim/window.c - an application that limits its uncompleted tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/window.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

enum { MIN_WAITS = 3, LONG_GAP = 3 }; /* waits; usual gaps */

/* State of the run at the submission of a task. */
struct seen {
	uint32_t before; /* tasks submitted and not completed */
	int waited;      /* the application waited before it submitted the task */
};

static int64_t gap_ns(const struct dag *d, uint32_t i)
{
	return dag_submit_ns(d, i) - dag_submit_ns(d, i - 1);
}

/* When tasks ended, from the first submission; free() it. */
static int64_t *sorted_ends(const struct trace *t, const struct dag *d)
{
	int64_t *ends = ht_alloc(d->ntasks, sizeof(*ends));
	int64_t zero = t->tasks[d->tasks[0].trace_task].submit_ns - dag_submit_ns(d, 0);

	for (uint32_t i = 0; i < d->ntasks; i++)
		ends[i] = t->tasks[d->tasks[i].trace_task].end_ns - zero;
	stats_sort_i64(ends, d->ntasks);
	return ends;
}

/* Returns the most that were uncompleted at a time. */
static uint32_t count_uncompleted(struct seen *seen, const int64_t *ends, const struct dag *d)
{
	uint32_t ended = 0, most = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		while (ended < d->ntasks && ends[ended] <= dag_submit_ns(d, i))
			ended++;
		seen[i].before = i > ended ? i - ended : 0;
		most = seen[i].before + 1 > most ? seen[i].before + 1 : most;
	}
	return most;
}

/* The time between two submissions with nothing to wait for: there were not many uncompleted tasks. */
static int64_t usual_gap(const struct window *w, const struct seen *seen, const struct dag *d, uint32_t most)
{
	int64_t *gaps = ht_alloc(d->ntasks, sizeof(*gaps)), usual;
	uint32_t n = 0;

	for (uint32_t i = 1; i < d->ntasks; i++) {
		if ((uint64_t)(seen[i - 1].before + 1) * 10 <= (uint64_t)most * 9)
			gaps[n++] = w->gap_ns[i];
	}
	usual = n ? stats_median(gaps, n) : 0;
	free(gaps);
	return usual;
}

/* From when only `least` tasks were uncompleted, after a wait, to the next submission. */
static int64_t usual_after(const struct seen *seen, const int64_t *ends, const struct dag *d, uint32_t least)
{
	int64_t *after = ht_alloc(d->ntasks, sizeof(*after)), usual;
	uint32_t n = 0;

	for (uint32_t i = least + 1; i < d->ntasks; i++) {
		int64_t ns = dag_submit_ns(d, i) - ends[i - least - 1];

		if (seen[i].waited && seen[i].before <= least && ns <= gap_ns(d, i))
			after[n++] = ns;
	}
	usual = n ? stats_median(after, n) : 0;
	free(after);
	return usual;
}

/* A number of uncompleted tasks, and the time that was waited there. */
struct weighed {
	uint32_t count;
	int64_t ns;
};

static int by_count(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	return (x->count > y->count) - (x->count < y->count);
}

/* The count at which half of the time was waited. */
static uint32_t weighed_median(struct weighed *x, uint32_t n, int64_t total_ns)
{
	int64_t sum = 0;
	uint32_t i = 0;

	qsort(x, n, sizeof(*x), by_count);
	while (i + 1 < n && (sum += x[i].ns) * 2 < total_ns)
		i++;
	return x[i].count;
}

/* Per cent of the time that was waited at a count from `least` to `most`. */
static int64_t share(const struct weighed *x, uint32_t n, int64_t total_ns, uint32_t least, uint32_t most)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i].count >= least && x[i].count <= most ? x[i].ns : 0;
	return (int64_t)(100.0 * (double)sum / (double)total_ns);
}

/* Sets w->most and w->least where the waits are those of a window. */
static void find_limits(struct window *w, const struct seen *seen, const struct dag *d, uint32_t highest)
{
	struct weighed *begin = ht_alloc(d->ntasks, sizeof(*begin)), *end = ht_alloc(d->ntasks, sizeof(*end));
	uint32_t n = 0, most, least;
	int64_t total_ns = 0;

	for (uint32_t i = 1; i < d->ntasks; i++) {
		if (!seen[i].waited)
			continue;
		begin[n] = (struct weighed){seen[i - 1].before + 1, w->gap_ns[i]};
		end[n++] = (struct weighed){seen[i].before, w->gap_ns[i]};
		total_ns += w->gap_ns[i];
	}
	if (n >= MIN_WAITS && total_ns >= dag_submit_ns(d, d->ntasks - 1) / 4) {
		most = weighed_median(begin, n, total_ns);
		least = weighed_median(end, n, total_ns);
		if (least < most && share(begin, n, total_ns, highest * 7 / 10, highest) >= 90 &&
		    share(end, n, total_ns, least - (least < most / 5 ? least : most / 5), least + most / 5) >= 80) {
			w->most = most;
			w->least = least;
		}
	}
	free(begin);
	free(end);
}

static int is_recorded(const struct trace *t, const struct dag *d)
{
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];

		if (x->submit_ns == TIME_NONE || x->end_ns == TIME_NONE || (i && gap_ns(d, i) < 0))
			return 0;
	}
	return d->ntasks > 0;
}

void window_find(struct window *w, const struct trace *t, const struct dag *d)
{
	struct seen *seen;
	uint32_t most;
	int64_t *ends, usual;

	*w = (struct window){0};
	if (!d->submit_ns)
		return;
	w->gap_ns = ht_alloc(d->ntasks, sizeof(*w->gap_ns));
	if (!is_recorded(t, d))
		return;
	for (uint32_t i = 1; i < d->ntasks; i++)
		w->gap_ns[i] = gap_ns(d, i);
	seen = ht_alloc(d->ntasks, sizeof(*seen));
	ends = sorted_ends(t, d);
	most = count_uncompleted(seen, ends, d);
	usual = usual_gap(w, seen, d, most);
	for (uint32_t i = 1; i < d->ntasks; i++)
		seen[i].waited = w->gap_ns[i] > LONG_GAP * usual && seen[i].before < seen[i - 1].before + 1;
	for (uint32_t i = 0; i < d->nwaits; i++)
		seen[d->waits[i].before].waited = 0; /* not for a window */
	find_limits(w, seen, d, most);
	if (w->most)
		w->after_ns = usual_after(seen, ends, d, w->least);
	for (uint32_t i = 1; w->most && i < d->ntasks; i++) {
		if (seen[i].waited)
			w->gap_ns[i] = usual;
	}
	free(ends);
	free(seen);
}

void window_fini(struct window *w)
{
	free(w->gap_ns);
}
