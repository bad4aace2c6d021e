/* analyze/data/timeline_cut.c - a timeline in slices: what a picture can show of it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/trace/trace.h"

/* a * b / c without overflow for times and counts of slices: |a| < 2^63, 0 <= b <= c. */
static int64_t scale(int64_t a, size_t b, size_t c)
{
	return (int64_t)((__int128)a * (__int128)b / (__int128)c);
}

int64_t timeline_slice_ns(const struct timeline *tl, size_t c, size_t columns)
{
	return scale(tl->span_ns, c, columns);
}

/* The slice in which `ns` lies; the end of the run belongs to the last. */
static size_t slice_of(int64_t ns, int64_t span_ns, size_t columns)
{
	size_t c;

	if (ns <= 0 || span_ns <= 0)
		return 0;
	if (ns >= span_ns)
		return columns - 1;
	c = (size_t)((__int128)ns * (__int128)columns / span_ns);
	while (c + 1 < columns && scale(span_ns, c + 1, columns) <= ns)
		c++;
	return c;
}

/* Which of steps[from..to) stay: the first, lowest, highest and last, each once and in order. Returns how many. */
static size_t keep_four(const struct timeline_step *steps, size_t from, size_t to, struct timeline_step *out)
{
	size_t low = from, high = from, n = 0;

	for (size_t i = from; i < to; i++) {
		if (steps[i].value < steps[low].value)
			low = i;
		if (steps[i].value > steps[high].value)
			high = i;
	}
	for (size_t i = from; i < to; i++)
		if (i == from || i == low || i == high || i == to - 1)
			out[n++] = steps[i];
	return n;
}

void timeline_series_thin(struct timeline_series *s, int64_t span_ns, size_t columns)
{
	size_t n = 0;

	if (s->count <= 4 * columns)
		return;
	/* In place: what is written never overtakes what is read, as no slice grows. */
	for (size_t from = 0, to; from < s->count; from = to) {
		size_t column = slice_of(s->steps[from].ns, span_ns, columns);
		struct timeline_step four[4];
		size_t kept;

		for (to = from + 1; to < s->count; to++)
			if (slice_of(s->steps[to].ns, span_ns, columns) != column)
				break;
		kept = keep_four(s->steps, from, to, four);
		for (size_t k = 0; k < kept; k++)
			s->steps[n++] = four[k];
	}
	s->count = n;
}

void timeline_series_slices(const struct timeline_series *s, int64_t span_ns, size_t columns,
                            struct timeline_slice *out)
{
	int64_t value = 0;
	size_t i = 0;

	for (size_t c = 0; c < columns; c++) {
		int64_t at = scale(span_ns, c, columns), to = scale(span_ns, c + 1, columns), length = to - at;
		double area = 0;

		for (; i < s->count && s->steps[i].ns <= at; i++)
			value = s->steps[i].value;
		out[c] = (struct timeline_slice){value, value, (double)value};
		for (; i < s->count && s->steps[i].ns < to; i++) {
			area += (double)value * (double)(s->steps[i].ns - at);
			at = s->steps[i].ns;
			value = s->steps[i].value;
			out[c].low = value < out[c].low ? value : out[c].low;
			out[c].high = value > out[c].high ? value : out[c].high;
		}
		if (length > 0)
			out[c].mean = (area + (double)value * (double)(to - at)) / (double)length;
	}
}

struct timeline_summary timeline_series_summary(const struct timeline_series *s, int64_t span_ns)
{
	struct timeline_summary sum = {0};
	int64_t at = 0, value = 0, zero_ns = 0;
	double area = 0;

	for (size_t i = 0; i <= s->count; i++) {
		int64_t next = i < s->count ? s->steps[i].ns : span_ns;

		if (next > at) {
			area += (double)value * (double)(next - at);
			zero_ns += value == 0 ? next - at : 0;
			at = next;
		}
		if (i == s->count)
			break;
		value = s->steps[i].value;
		if (value > sum.peak) {
			sum.peak = value;
			sum.peak_ns = s->steps[i].ns;
		}
	}
	if (span_ns > 0) {
		sum.mean = area / (double)span_ns;
		sum.zero_ratio = (double)zero_ns / (double)span_ns;
	}
	return sum;
}

int timeline_bins_init(struct timeline_bins *b, const struct timeline *tl, int64_t interval_ns, struct ht_err *err)
{
	int64_t nbins;

	*b = (struct timeline_bins){0};
	if (interval_ns <= 0)
		return ht_err_set(err, "an interval is longer than 0 ns: found %" PRId64 " ns", interval_ns);
	nbins = tl->span_ns / interval_ns + (tl->span_ns % interval_ns != 0);
	if (nbins > TIMELINE_MAX_BINS)
		return ht_err_set(err,
		                  "intervals of %" PRId64 " ns cut the run of %" PRId64 " ns into %" PRId64
		                  " parts, expected at most %d",
		                  interval_ns, tl->span_ns, nbins, TIMELINE_MAX_BINS);
	b->interval_ns = interval_ns;
	b->nbins = nbins ? (size_t)nbins : 1;
	b->ntypes = tl->ntypes;
	b->pushes = ht_alloc(b->nbins * b->ntypes, sizeof(*b->pushes));
	b->pops = ht_alloc(b->nbins * b->ntypes, sizeof(*b->pops));
	b->arch_pushes = ht_alloc(b->nbins, sizeof(*b->arch_pushes));
	b->arch_pops = ht_alloc(b->nbins, sizeof(*b->arch_pops));
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);
		enum arch a = tl->trace->workers[k.worker].arch;
		size_t push = (size_t)(k.push_ns / interval_ns), pop = (size_t)(k.pop_ns / interval_ns);

		/* What happened at the very end of the run belongs to the last interval. */
		push = push < b->nbins ? push : b->nbins - 1;
		pop = pop < b->nbins ? pop : b->nbins - 1;
		b->pushes[push * b->ntypes + k.type]++;
		b->pops[pop * b->ntypes + k.type]++;
		b->arch_pushes[push][a]++;
		b->arch_pops[pop][a]++;
	}
	return 0;
}

void timeline_bins_fini(struct timeline_bins *b)
{
	free(b->pushes);
	free(b->pops);
	free(b->arch_pushes);
	free(b->arch_pops);
	*b = (struct timeline_bins){0};
}

void timeline_overlaps(const struct timeline *tl, size_t columns, timeline_overlap_fn *fn, void *ctx)
{
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);

		for (size_t c = slice_of(k.start_ns, tl->span_ns, columns); c < columns; c++) {
			int64_t from = timeline_slice_ns(tl, c, columns), to = timeline_slice_ns(tl, c + 1, columns);

			from = from < k.start_ns ? k.start_ns : from;
			to = to > k.end_ns ? k.end_ns : to;
			if (to > from)
				fn(ctx, &k, c, to - from);
			if (k.end_ns <= to)
				break;
		}
	}
}
