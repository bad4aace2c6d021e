/* analyze/plots/areas.c - areas over time in the block characters of Unicode, for a terminal. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/areas.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

enum { EIGHTHS = 8, GANTT_ROWS = 4, NREADY_ROWS = 8 };

/* U+2581 to U+2588: lower one eighth block to full block. */
static void put_block(FILE *f, int eighths)
{
	if (eighths <= 0)
		putc(' ', f);
	else
		fprintf(f, "\342\226%c", 0x80 + (eighths < EIGHTHS ? eighths : EIGHTHS));
}

static int eighths_of(double value, int row, int rows, double top)
{
	double all = top > 0 ? EIGHTHS * rows * value / top : 0;

	return (int)lround(value > 0 && all < 1 ? 1 : all) - EIGHTHS * row;
}

void areas_draw(FILE *f, const char *label, const double *values, int columns, int rows, double top)
{
	for (int row = rows - 1; row >= 0; row--) {
		int end = columns;

		while (end && eighths_of(values[end - 1], row, rows, top) <= 0)
			end--;
		if (row == rows - 1)
			fprintf(f, "%*.*s", AREAS_LABEL - 1, AREAS_LABEL - 1, label);
		if (end)
			fprintf(f, "%*s", row == rows - 1 ? 1 : AREAS_LABEL, "");
		for (int c = 0; c < end; c++)
			put_block(f, eighths_of(values[c], row, rows, top));
		putc('\n', f);
	}
}

void areas_axis(FILE *f, int columns, int64_t span_ns)
{
	char end[16];

	time_text(end, span_ns);
	fprintf(f, "%*s0%*s\n", AREAS_LABEL, "", columns - 1, end);
}

void areas_nready(const struct plot_input *in, FILE *f)
{
	const struct timeline *tl = in->timeline;
	int columns = in->columns - AREAS_LABEL;
	struct timeline_series ready = timeline_nready(tl);
	struct timeline_summary sum = timeline_series_summary(&ready, tl->span_ns);
	struct timeline_slice *slices = ht_alloc((size_t)columns, sizeof(*slices));
	double *values = ht_alloc((size_t)columns, sizeof(*values));
	char peak[32], *title;

	timeline_series_slices(&ready, tl->span_ns, (size_t)columns, slices);
	for (int c = 0; c < columns; c++)
		values[c] = (double)slices[c].high;
	snprintf(peak, sizeof(peak), "%" PRId64, sum.peak);
	title = ht_asprintf("Ready tasks of %s: mean %.1f, most %s, none for %.1f %% of the time%s", in->name, sum.mean,
	                    peak, 100 * sum.zero_ratio, plot_ready_note(tl));
	wrap_text(f, title, 0, 0, in->columns);
	putc('\n', f);
	free(title);
	areas_draw(f, peak, values, columns, NREADY_ROWS, (double)sum.peak);
	areas_axis(f, columns, tl->span_ns);
	free(values);
	free(slices);
	timeline_series_fini(&ready);
}

/*
 * A row for each architecture. The height is the share of its workers that execute a task; the letter below it is the
 * type of task that most of their time goes into.
 */
/* busy_ns of slice c in tasks of a group on an architecture: [(a * columns + c) * ngroups + group]. */
struct folded {
	const struct plot_input *in;
	size_t columns, ngroups;
	int64_t *busy_ns;
};

static void add(void *ctx, const struct timeline_task *task, size_t column, int64_t ns)
{
	const struct folded *x = ctx;
	enum arch a = task->worker < 0 ? ARCH_NONE : x->in->timeline->trace->workers[task->worker].arch;
	int group = x->in->palette->group_of[task->type];

	if (a != ARCH_NONE && (size_t)group < x->ngroups)
		x->busy_ns[((size_t)a * x->columns + column) * x->ngroups + (size_t)group] += ns;
}

static void draw_arch(const struct folded *x, enum arch a, int nworkers, FILE *f)
{
	const struct timeline *tl = x->in->timeline;
	double *values = ht_alloc(x->columns, sizeof(*values)), sum = 0;
	char *letters = ht_alloc(x->columns + 1, 1);

	for (size_t c = 0; c < x->columns; c++) {
		const int64_t *busy = x->busy_ns + ((size_t)a * x->columns + c) * x->ngroups;
		int64_t slice_ns = timeline_slice_ns(tl, c + 1, x->columns) - timeline_slice_ns(tl, c, x->columns);
		size_t most = 0;

		letters[c] = ' ';
		for (size_t g = 0; g < x->ngroups; g++) {
			values[c] += slice_ns > 0 ? (double)busy[g] / ((double)slice_ns * nworkers) : 0;
			sum += (double)busy[g];
			if (busy[g] > busy[most])
				most = g;
		}
		if (busy[most] > 0)
			letters[c] = (char)('a' + most);
	}
	fprintf(f, "\n%s: %d worker%s, %.0f %% of their time in tasks\n", arch_name(a), nworkers,
	        plural((uint64_t)nworkers), tl->span_ns > 0 ? 100 * sum / ((double)tl->span_ns * nworkers) : 0);
	areas_draw(f, "100 %", values, (int)x->columns, GANTT_ROWS, 1);
	for (size_t c = x->columns; c && letters[c - 1] == ' '; c--)
		letters[c - 1] = '\0';
	fprintf(f, "%*s%s\n", AREAS_LABEL, "", letters);
	free(letters);
	free(values);
}

void areas_gantt(const struct plot_input *whole, FILE *f)
{
	const struct timeline from = timeline_from_first_start(whole->timeline);
	struct plot_input shown = *whole, *in = &shown;
	struct folded x = {in, (size_t)(in->columns - AREAS_LABEL), (size_t)in->palette->ngroups, NULL};
	char text[96];
	int at = 0;

	in->timeline = &from;
	x.busy_ns = ht_alloc(ARCH_COUNT * x.columns * x.ngroups, sizeof(*x.busy_ns));
	timeline_overlaps(in->timeline, x.columns, add, &x);
	fprintf(f, "Execution of %s: %s\n", in->name, time_text(text, in->timeline->span_ns));
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (machine_workers_of(in->machine, a))
			draw_arch(&x, a, machine_workers_of(in->machine, a), f);
	areas_axis(f, (int)x.columns, in->timeline->span_ns);
	at = fprintf(f, "%*s", AREAS_LABEL - 1, "");
	for (size_t g = 0; g < x.ngroups; g++) {
		snprintf(text, sizeof(text), "%c %s", (int)('a' + g), in->palette->groups[g].name);
		at = wrap_piece(f, text, at, AREAS_LABEL, in->columns);
	}
	putc('\n', f);
	free(x.busy_ns);
}
