/* tests/unit/test_timeline.c - timelines: values worked out by hand, and what holds for every run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/drawing.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/invariants.h"
#include "tests/lib/made_trace.h"

#define NONE TIME_NONE

/* The third and fourth became ready when the first ended; the fourth was popped at once. Origin: 100. */
static const struct row four[] = {
	{100, 110, 120, 130, 200, 0, 0},
	{101, 111, 121, 125, 180, 1, 1},
	{102, 200, 210, 215, 300, 0, 1},
	{103, 200, 200, 205, 250, 1, 0},
};

static void nready_by_hand(void)
{
	struct trace *t = trace_of(four, 4, 2, 2);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	static const struct timeline_step want[] = {{10, 1}, {11, 2}, {20, 1}, {21, 0}, {100, 1}, {110, 0}};
	struct timeline_series s = timeline_nready(tl);
	struct timeline_summary sum = timeline_series_summary(&s, tl->span_ns);

	CHECK(timeline_check(tl) == NULL);
	CHECK_INT(tl->origin_ns, 100);
	CHECK_INT(tl->span_ns, 200);
	CHECK_INT(tl->first_ns, 25);
	CHECK_INT(tl->nderived, 0);
	CHECK_INT(s.count, 6);
	for (size_t i = 0; i < s.count && i < 6; i++) {
		CHECK_INT(s.steps[i].ns, want[i].ns);
		CHECK_INT(s.steps[i].value, want[i].value);
	}
	CHECK_INT(sum.peak, 2);
	CHECK_INT(sum.peak_ns, 11);
	CHECK_NEAR(sum.mean, (1 + 2 * 9 + 1 + 10) / 200.0, 1e-12);
	CHECK_NEAR(sum.zero_ratio, (10 + 79 + 90) / 200.0, 1e-12);
	timeline_series_fini(&s);
	timeline_free(tl);
	trace_drop(t);
}

static void submitted_and_ended_by_hand(void)
{
	struct trace *t = trace_of(four, 4, 2, 2);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	struct timeline_series submitted = timeline_submitted(tl), ended = timeline_ended(tl);

	CHECK_INT(submitted.count, 4);
	CHECK_INT(submitted.steps[0].ns, 0);
	CHECK_INT(submitted.steps[3].ns, 3);
	CHECK_INT(submitted.steps[3].value, 4);
	CHECK_INT(ended.count, 4);
	CHECK_INT(ended.steps[0].ns, 80);
	CHECK_INT(ended.steps[3].ns, 200);
	CHECK_INT(ended.steps[3].value, 4);
	timeline_series_fini(&submitted);
	timeline_series_fini(&ended);
	timeline_free(tl);
	trace_drop(t);
}

static void bins_by_hand(void)
{
	struct trace *t = trace_of(four, 4, 2, 2);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	struct timeline_bins b;
	static const uint32_t pushes[] = {1, 1, 0, 0, 1, 1, 0, 0}, pops[] = {1, 1, 0, 0, 1, 1, 0, 0};

	CHECK_INT(timeline_bins_init(&b, tl, 50, NULL), 0);
	CHECK_INT(b.nbins, 4);
	for (size_t i = 0; i < 8; i++) {
		CHECK_INT(b.pushes[i], pushes[i]);
		CHECK_INT(b.pops[i], pops[i]);
	}
	timeline_bins_fini(&b);
	CHECK_INT(timeline_bins_init(&b, tl, 1000, NULL), 0);
	CHECK_INT(b.nbins, 1);
	CHECK_INT(b.pushes[0] + b.pushes[1], 4);
	timeline_bins_fini(&b);
	timeline_free(tl);
	trace_drop(t);
}

static void bad_intervals(void)
{
	static const struct row wide[] = {{0, 0, 0, 0, 1000000000000, 0, 0}};
	struct trace *t = trace_of(wide, 1, 1, 1);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	struct timeline_bins b;
	struct ht_err err;

	CHECK_INT(timeline_bins_init(&b, tl, 0, &err), -1);
	CHECK_HAS(err.text, "longer than 0 ns");
	CHECK_INT(timeline_bins_init(&b, tl, -5, &err), -1);
	CHECK_INT(timeline_bins_init(&b, tl, 1, &err), -1);
	CHECK_HAS(err.text, "into 1000000000000 parts");
	timeline_free(tl);
	trace_drop(t);
}

static void not_recorded(void)
{
	static const struct row rows[] = {
		{NONE, NONE, NONE, 10, 30, 0, 0},
		{NONE, NONE, NONE, 40, 60, 0, 0},
		{NONE, NONE, NONE, 35, 50, 0, 1},
	};
	int64_t cost[ARCH_COUNT] = COSTS(20, -1);
	struct trace *t = trace_of(rows, 3, 1, 2);
	struct dag_builder *b = dag_builder_create();
	struct ht_err err;
	struct timeline *tl;
	struct dag *d;
	uint32_t type = dag_builder_type(b, "t", cost);

	for (int i = 0; i < 3; i++)
		dag_builder_task(b, type);
	dag_builder_edge(b, 0, 1);
	d = dag_builder_finish(b, &err);
	CHECK(d != NULL);
	CHECK(timeline_create(t, NULL, &err) == NULL);
	CHECK_HAS(err.text, "no task graph");
	tl = timeline_create(t, d, &err);
	CHECK(tl && timeline_check(tl) == NULL);
	if (tl) {
		CHECK_INT(tl->nderived, 3);
		CHECK_INT(tl->nsubmitted, 0);
		CHECK_INT(tl->origin_ns, 10);
		CHECK_INT(timeline_task(tl, 0).push_ns, 0);
		CHECK_INT(timeline_task(tl, 1).push_ns, 20); /* the end of task 0 */
		CHECK_INT(timeline_task(tl, 1).pop_ns, 30);
		CHECK_INT(timeline_task(tl, 2).push_ns, 0); /* no predecessor: ready from the start */
	}
	timeline_free(tl);
	dag_free(d);
	trace_drop(t);
}

static void nothing_executed(void)
{
	static const struct row rows[] = {{0, 0, NONE, NONE, NONE, 0, -1}};
	struct trace *t = trace_of(rows, 1, 1, 1);
	struct ht_err err;

	CHECK(timeline_create(t, NULL, &err) == NULL);
	CHECK_HAS(err.text, "no executed task");
	trace_drop(t);
}

/* Times out of order, as clocks of several processors have them, and one task of no length. */
static void disorder(void)
{
	static const struct row rows[] = {{50, 40, 30, 20, 10, 0, 0}, {0, 5, 5, 5, 5, 0, 1}};
	struct trace *t = trace_of(rows, 2, 1, 2);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	struct timeline_series s = timeline_nready(tl);

	CHECK(tl && timeline_check(tl) == NULL);
	CHECK_INT(s.count, 0); /* both popped as soon as pushed */
	CHECK_INT(tl->span_ns, 20);
	timeline_series_fini(&s);
	timeline_free(tl);
	trace_drop(t);
}

/* A repeatable run of `n` tasks on `nworkers`, back to back, pushed some time before they are popped. */
static struct trace *made_run(size_t n, uint32_t ntypes, size_t nworkers)
{
	struct row *rows = ht_alloc(n, sizeof(*rows));
	int64_t *free_at = ht_alloc(nworkers, sizeof(*free_at));
	uint32_t seed = 12345;
	struct trace *t;

	for (size_t i = 0; i < n; i++) {
		size_t w = i % nworkers;
		int64_t start, ready;

		seed = seed * 1103515245 + 12345;
		start = free_at[w] + (seed >> 16) % 50;
		ready = start - (seed >> 8) % 5000;
		rows[i] = (struct row){0,
		                       ready < 0 ? 0 : ready,
		                       start - 1 < 0 ? 0 : start - 1,
		                       start,
		                       start + 100 + (seed >> 12) % 900,
		                       seed % ntypes,
		                       (int)w};
		rows[i].ready = rows[i].ready > rows[i].pop ? rows[i].pop : rows[i].ready;
		free_at[w] = rows[i].end;
	}
	t = trace_of(rows, n, ntypes, nworkers);
	free(rows);
	free(free_at);
	return t;
}

struct sum {
	int64_t ns;
	size_t columns, bad;
};

static void add_overlap(void *ctx, const struct timeline_task *task, size_t column, int64_t ns)
{
	struct sum *s = ctx;

	s->ns += ns;
	s->bad += column >= s->columns || ns <= 0 || ns > task->end_ns - task->start_ns;
}

static void invariants_of_a_long_run(void)
{
	struct trace *t = made_run(20000, 7, 13);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	struct timeline_series s = timeline_nready(tl);
	struct timeline_bins b;
	uint64_t pushes = 0, pops = 0;
	int64_t busy = 0;

	CHECK(timeline_check(tl) == NULL);
	CHECK_INT(s.steps[s.count - 1].value, 0);
	for (size_t i = 0; i < s.count; i++)
		CHECK(s.steps[i].value >= 0 && (!i || s.steps[i].ns > s.steps[i - 1].ns));
	for (int64_t interval = 777; interval < tl->span_ns * 2; interval *= 9) {
		if (timeline_bins_init(&b, tl, interval, NULL) != 0)
			continue;
		pushes = pops = 0;
		for (size_t i = 0; i < b.nbins * b.ntypes; i++) {
			pushes += b.pushes[i];
			pops += b.pops[i];
		}
		CHECK_INT(pushes, 20000);
		CHECK_INT(pops, 20000);
		timeline_bins_fini(&b);
	}
	for (size_t i = 0; i < tl->ntasks; i++)
		busy += timeline_task(tl, i).end_ns - timeline_task(tl, i).start_ns;
	for (size_t columns = 1; columns < 3000; columns = columns * 3 + 1) {
		struct sum sum = {.columns = columns};

		timeline_overlaps(tl, columns, add_overlap, &sum);
		CHECK_INT(sum.ns, busy);
		CHECK_INT(sum.bad, 0);
	}
	timeline_series_fini(&s);
	timeline_free(tl);
	trace_drop(t);
}

/* The highest value that a series has at some time of a slice, its value at the begin of the slice included. */
static int64_t highest(const struct timeline_series *s, int64_t from, int64_t to)
{
	int64_t high = 0;

	for (size_t i = 0; i < s->count && s->steps[i].ns < to; i++)
		if (s->steps[i].ns >= from || i + 1 == s->count || s->steps[i + 1].ns > from)
			high = s->steps[i].value > high ? s->steps[i].value : high;
	return high;
}

static void thinning_keeps_the_picture(void)
{
	struct trace *t = made_run(5000, 3, 11);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	struct timeline_series all = timeline_nready(tl), thin = timeline_nready(tl);
	enum { COLUMNS = 100 };

	timeline_series_thin(&thin, tl->span_ns, COLUMNS);
	CHECK(all.count > 4 * COLUMNS);
	CHECK(thin.count <= 4 * COLUMNS);
	CHECK_INT(thin.steps[thin.count - 1].value, 0);
	for (size_t c = 0; c < COLUMNS; c++) {
		int64_t from = timeline_slice_ns(tl, c, COLUMNS), to = timeline_slice_ns(tl, c + 1, COLUMNS);

		CHECK_INT(highest(&thin, from, to), highest(&all, from, to));
	}
	timeline_series_fini(&all);
	timeline_series_fini(&thin);
	timeline_free(tl);
	trace_drop(t);
}

static void slices_agree_with_the_series(void)
{
	struct trace *t = made_run(5000, 3, 11), *small = trace_of(four, 4, 2, 2);
	struct timeline *tl = timeline_create(t, NULL, NULL), *hand = timeline_create(small, NULL, NULL);
	struct timeline_series s = timeline_nready(tl), h = timeline_nready(hand);
	struct timeline_slice slices[97], two[2];
	double mean = 0;

	timeline_series_slices(&s, tl->span_ns, 97, slices);
	for (size_t c = 0; c < 97; c++) {
		int64_t from = timeline_slice_ns(tl, c, 97), to = timeline_slice_ns(tl, c + 1, 97);

		CHECK_INT(slices[c].high, highest(&s, from, to));
		CHECK(slices[c].low <= slices[c].mean && slices[c].mean <= slices[c].high);
		mean += slices[c].mean * (double)(to - from) / (double)tl->span_ns;
	}
	CHECK_NEAR(mean, timeline_series_summary(&s, tl->span_ns).mean, 1e-9);
	timeline_series_slices(&h, hand->span_ns, 2, two);
	CHECK_INT(two[0].high, 2);
	CHECK_NEAR(two[0].mean, (1 + 2 * 9 + 1) / 100.0, 1e-12);
	CHECK_INT(two[1].high, 1);
	CHECK_INT(two[1].low, 0);
	CHECK_NEAR(two[1].mean, 10 / 100.0, 1e-12);
	timeline_series_fini(&s);
	timeline_series_fini(&h);
	timeline_free(tl);
	timeline_free(hand);
	trace_drop(t);
	trace_drop(small);
}

/* Counts of the trace: before the origin they count for its begin, one that goes back in time is dropped. */
static void counted_by_the_trace(void)
{
	static struct trace_sample ready[] = {{90, 1}, {95, 2}, {150, 5}, {150, 4}, {140, 9}, {299, 0}, {400, 7}};
	struct trace *t = trace_of(four, 4, 2, 2);
	struct timeline *tl = timeline_create(t, NULL, NULL);
	struct timeline_series s = timeline_counted(tl);

	CHECK_INT(s.count, 0);
	timeline_series_fini(&s);
	t->ready = ready;
	t->nready = sizeof(ready) / sizeof(*ready);
	s = timeline_counted(tl);
	CHECK_INT(s.count, 3);
	CHECK_INT(s.steps[0].ns, 0);
	CHECK_INT(s.steps[0].value, 2);
	CHECK_INT(s.steps[1].ns, 50);
	CHECK_INT(s.steps[1].value, 4);
	CHECK_INT(s.steps[2].value, 0);
	timeline_series_fini(&s);
	timeline_free(tl);
	trace_drop(t);
}

static void palette_groups(void)
{
	struct trace *few = made_run(500, 4, 2), *many = made_run(5000, 40, 2);
	struct timeline *a = timeline_create(few, NULL, NULL), *b = timeline_create(many, NULL, NULL);
	struct palette p, q;

	drawing_palette(&p, a);
	drawing_palette(&q, b);
	CHECK_INT(p.ngroups, 4);
	CHECK_STR(p.groups[0].name, "type00");
	CHECK_INT(p.group_of[2], 2);
	CHECK_INT(q.ngroups, PALETTE_MAX + 1);
	CHECK_STR(q.groups[PALETTE_MAX].name, "22 others");
	for (int i = 0; i < 40; i++)
		CHECK(q.group_of[i] <= PALETTE_MAX);
	palette_fini(&p);
	palette_fini(&q);
	timeline_free(a);
	timeline_free(b);
	trace_drop(few);
	trace_drop(many);
}

int main(void)
{
	RUN(nready_by_hand);
	RUN(submitted_and_ended_by_hand);
	RUN(bins_by_hand);
	RUN(bad_intervals);
	RUN(not_recorded);
	RUN(nothing_executed);
	RUN(disorder);
	RUN(invariants_of_a_long_run);
	RUN(thinning_keeps_the_picture);
	RUN(slices_agree_with_the_series);
	RUN(counted_by_the_trace);
	RUN(palette_groups);
	return check_done();
}
