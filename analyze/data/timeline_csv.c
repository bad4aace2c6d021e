/* analyze/data/timeline_csv.c - a timeline as CSV: tasks ready, submitted, ended, pushed and popped, by interval. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/trace/trace.h"

enum { DECIMALS = 3 };

static arch_mask archs_of(const struct trace *t)
{
	arch_mask archs = 0;

	for (size_t i = 0; i < t->nworkers; i++)
		archs |= (arch_mask)(1u << t->workers[i].arch);
	return archs;
}

static void write_name(struct csv *c, const char *what, const char *kind, const char *name)
{
	char *text = ht_asprintf("%s_%s_%s", what, kind, name);

	csv_text(c, text);
	free(text);
}

static void write_head(const struct timeline *tl, arch_mask archs, struct csv *c)
{
	static const char *const names[] = {
		"from_ns",   "to_ns", "ready_lowest", "ready_mean", "ready_highest",
		"submitted", "ended", "pushed",       "popped",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		csv_raw(c, names[i]);
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!(archs >> a & 1))
			continue;
		write_name(c, "pushed", "arch", arch_name(a));
		write_name(c, "popped", "arch", arch_name(a));
	}
	for (uint32_t p = 0; p < tl->ntypes; p++) {
		const char *name = trace_text(tl->trace, tl->trace->codelets[p].label);

		write_name(c, "pushed", "type", name);
		write_name(c, "popped", "type", name);
	}
	csv_end(c);
}

static void write_counts(const struct timeline_bins *b, size_t i, arch_mask archs, struct csv *c)
{
	const uint32_t *pushes = &b->pushes[i * b->ntypes], *pops = &b->pops[i * b->ntypes];
	int64_t pushed = 0, popped = 0;

	for (uint32_t p = 0; p < b->ntypes; p++) {
		pushed += pushes[p];
		popped += pops[p];
	}
	csv_int(c, pushed);
	csv_int(c, popped);
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!(archs >> a & 1))
			continue;
		csv_int(c, b->arch_pushes[i][a]);
		csv_int(c, b->arch_pops[i][a]);
	}
	for (uint32_t p = 0; p < b->ntypes; p++) {
		csv_int(c, pushes[p]);
		csv_int(c, pops[p]);
	}
}

/* Tasks submitted and ended by the end of each interval. */
struct progress {
	int64_t submitted, ended;
};

/* A trace may have a task submitted after the last end, or before the first start. */
static size_t bin_of(const struct timeline_bins *b, int64_t ns)
{
	size_t bin = ns > 0 ? (size_t)(ns / b->interval_ns) : 0;

	return bin < b->nbins ? bin : b->nbins - 1;
}

static struct progress *progress_of(const struct timeline *tl, const struct timeline_bins *b)
{
	struct progress *p = ht_alloc(b->nbins, sizeof(*p));

	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);

		p[bin_of(b, k.end_ns)].ended++;
		if (k.submit_ns != TIME_NONE)
			p[bin_of(b, k.submit_ns)].submitted++;
	}
	for (size_t i = 1; i < b->nbins; i++) {
		p[i].submitted += p[i - 1].submitted;
		p[i].ended += p[i - 1].ended;
	}
	return p;
}

/* The last interval may reach beyond the end of the run, where nothing is ready: the mean is over the part within. */
static double mean_in_run(const struct timeline *tl, double mean, int64_t from, int64_t interval_ns)
{
	if (from + interval_ns <= tl->span_ns || tl->span_ns <= from)
		return mean;
	return mean * (double)interval_ns / (double)(tl->span_ns - from);
}

void timeline_csv(const struct timeline *tl, const struct timeline_bins *b, struct csv *c)
{
	struct timeline_slice *ready = ht_alloc(b->nbins, sizeof(*ready));
	struct timeline_series nready = timeline_nready(tl);
	struct progress *progress = progress_of(tl, b);
	arch_mask archs = archs_of(tl->trace);

	timeline_series_slices(&nready, (int64_t)b->nbins * b->interval_ns, b->nbins, ready);
	timeline_series_fini(&nready);
	write_head(tl, archs, c);
	for (size_t i = 0; i < b->nbins; i++) {
		int64_t from = (int64_t)i * b->interval_ns, to = from + b->interval_ns;

		csv_int(c, from);
		csv_int(c, to > tl->span_ns ? tl->span_ns : to);
		csv_int(c, ready[i].low);
		csv_decimal(c, mean_in_run(tl, ready[i].mean, from, b->interval_ns), DECIMALS);
		csv_int(c, ready[i].high);
		if (tl->nsubmitted)
			csv_int(c, progress[i].submitted);
		else
			csv_empty(c);
		csv_int(c, progress[i].ended);
		write_counts(b, i, archs, c);
		csv_end(c);
	}
	free(ready);
	free(progress);
}
