/* analyze/plots/plot_nready.c - plot: how many tasks were ready and waiting for a worker, over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/areas.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/table.h"
#include "core/machine/machine.h"

enum { WIDTH = 1200, HEIGHT = 640, COLUMNS = 1000, BANDS = 450 };

/* The corners of the curve, ns and value, from 0 to the end of the run. */
static void write_series(struct gnuplot *g, const char *name, struct timeline_series *s, int64_t span_ns)
{
	FILE *f = gnuplot_data(g, name);
	int64_t last = 0;

	timeline_series_thin(s, span_ns, COLUMNS);
	fputs("0 0\n", f);
	for (size_t i = 0; i < s->count; i++) {
		fprintf(f, "%" PRId64 " %" PRId64 "\n%" PRId64 " %" PRId64 "\n", s->steps[i].ns, last, s->steps[i].ns,
		        s->steps[i].value);
		last = s->steps[i].value;
	}
	fprintf(f, "%" PRId64 " %" PRId64 "\n", span_ns, last);
}

/* A dense series: "NS LOW HIGH MEAN", the middle of each slice. */
static void write_band(struct gnuplot *g, const char *name, const struct timeline_series *s, const struct timeline *tl)
{
	struct timeline_slice slices[BANDS];
	FILE *f = gnuplot_data(g, name);

	timeline_series_slices(s, tl->span_ns, BANDS, slices);
	for (size_t c = 0; c < BANDS; c++)
		fprintf(f, "%" PRId64 " %" PRId64 " %" PRId64 " %.9g\n",
		        timeline_slice_ns(tl, 2 * c + 1, 2 * (size_t)BANDS), slices[c].low, slices[c].high,
		        slices[c].mean);
}

/* A panel between two heights of the picture; both have the same sides, so that times are one below the other. */
static void write_panel(FILE *f, double bottom, double top)
{
	fprintf(f,
	        "set lmargin at screen 0.08\nset rmargin at screen 0.83\nset bmargin at screen %.2f\n"
	        "set tmargin at screen %.2f\nset key inside left top at screen 0.845,%.2f\n",
	        bottom, top, top);
}

static void write_curve(FILE *f, const char *file, const struct plot_unit *u, const char *rgb, const char *title)
{
	fprintf(f, "'%s' using ($1/%" PRId64 "):2 with lines linewidth 1.4 linecolor rgb '%s' title '%s'", file, u->ns,
	        rgb, title);
}

static void write_ready(FILE *f, const struct plot_unit *u, int dense, int dumb)
{
	const char *fill = "fillstyle solid 0.25 noborder linecolor rgb '#8a93a0'";

	if (dense && !dumb)
		fprintf(f,
		        "'nready.dat' using ($1/%" PRId64 "):2 with filledcurves y1=0 fillstyle solid 0.10 noborder "
		        "linecolor rgb '#8a93a0' notitle, \\\n     "
		        "'nready.dat' using ($1/%" PRId64 "):2:3 with filledcurves %s title 'lowest to highest', "
		        "\\\n     ",
		        u->ns, u->ns, fill);
	else if (!dumb)
		fprintf(f, "'nready.dat' using ($1/%" PRId64 "):2 with filledcurves y1=0 %s notitle, \\\n     ", u->ns,
		        fill);
	if (dense)
		fprintf(f,
		        "'nready.dat' using ($1/%" PRId64 "):4 with lines linewidth 1.2 linecolor rgb '#20252b' "
		        "title 'ready, not started'",
		        u->ns);
	else
		write_curve(f, "nready.dat", u, "#5b6470", "ready, not started");
}

/* Below the curve of Nready: tasks submitted and ended since the start. */
static void write_progress(FILE *f, const struct plot_input *in)
{
	struct plot_unit u;

	fputs("unset title\nunset label 99\nset format x '%g'\nset ylabel 'tasks since the start'\n", f);
	write_panel(f, 0.11, 0.34);
	u = plot_time_axis(f, in);
	plot_count_tics(f, 0, in->timeline->ntasks, 3);
	fprintf(f, "set yrange [0:%.9g]\nplot ", 1.05 * (double)in->timeline->ntasks);
	if (in->timeline->nsubmitted) {
		write_curve(f, "submitted.dat", &u, "#8a93a0", "submitted");
		fputs(", ", f);
	}
	write_curve(f, "ended.dat", &u, "#20252b", "ended");
	fputs("\nunset multiplot\n", f);
}

static void write_script(struct gnuplot *g, const struct plot_input *in, const struct timeline_summary *sum,
                         const char *note, int dense)
{
	char text[160], when[16];
	int dumb = gnuplot_terminal(g) == TERM_DUMB, nworkers = in->machine->nworkers;
	FILE *f = gnuplot_script(g, WIDTH, HEIGHT);
	int64_t top = sum->peak > nworkers ? sum->peak : nworkers;
	struct plot_unit u;

	if (!dumb) {
		fputs("set multiplot\n", f);
		write_panel(f, 0.42, 0.93);
	}
	snprintf(text, sizeof(text), "mean %.1f, peak %" PRId64 " at %s, none for %.1f %% of the time%s", sum->mean,
	         sum->peak, time_text(when, sum->peak_ns), 100 * sum->zero_ratio, note);
	plot_title(f, g, in, "Ready tasks", text);
	u = plot_time_axis(f, in);
	if (!dumb)
		fputs("unset xlabel\nset format x ''\n", f);
	plot_count_tics(f, 0, (uint64_t)top, 7);
	fprintf(f, "set ylabel 'ready tasks'\nset yrange [0:%.9g]\nplot ", 1.05 * (double)(top > 0 ? top : 1));
	write_ready(f, &u, dense, dumb);
	fprintf(f, ", \\\n     %d with lines linewidth 1.4 dashtype 2 linecolor rgb '#20252b' title '%d worker%s'\n",
	        nworkers, nworkers, nworkers == 1 ? "" : "s");
	if (!dumb)
		write_progress(f, in);
}

static void write_nready(const struct plot_input *in, struct gnuplot *g)
{
	const struct timeline *tl = in->timeline;
	struct timeline_series ready = timeline_counted(tl);
	struct timeline_series submitted = timeline_submitted(tl), ended = timeline_ended(tl);
	const char *note = ", as counted in the trace";
	struct timeline_summary sum;
	int dense;

	/* Each task's own time is better than counts, and those are better than what follows from the graph. */
	if (!ready.count || tl->nderived < tl->ntasks) {
		timeline_series_fini(&ready);
		ready = timeline_nready(tl);
		note = plot_ready_note(tl);
	}
	sum = timeline_series_summary(&ready, tl->span_ns);
	dense = ready.count > 4 * COLUMNS;
	if (dense)
		write_band(g, "nready.dat", &ready, tl);
	else
		write_series(g, "nready.dat", &ready, tl->span_ns);
	write_series(g, "submitted.dat", &submitted, tl->span_ns);
	write_series(g, "ended.dat", &ended, tl->span_ns);
	write_script(g, in, &sum, note, dense);
	timeline_series_fini(&ready);
	timeline_series_fini(&submitted);
	timeline_series_fini(&ended);
}

const struct plot plot_nready = {
	.name = "nready",
	.summary = "tasks ready and not started over time, against the number of workers",
	.use = PLOT_CHART,
	.write = write_nready,
	.blocks = areas_nready,
};
