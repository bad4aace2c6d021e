/* analyze/plot_nready.c - plot: how many tasks were ready and waiting for a worker, over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/gnuplot.h"
#include "analyze/plot.h"
#include "analyze/timeline.h"
#include "core/machine.h"
#include "core/table.h"

enum { WIDTH = 1200, HEIGHT = 640, COLUMNS = 1000 };

/* Two columns, ns and value, from 0 to the end of the run. */
static int write_series(struct gnuplot *g, const char *name, struct timeline_series *s, int64_t span_ns,
                        struct ht_err *err)
{
	FILE *f = gnuplot_data(g, name, err);
	int64_t last = 0;

	if (!f)
		return -1;
	timeline_series_thin(s, span_ns, COLUMNS);
	if (!s->count || s->steps[0].ns > 0)
		fputs("0 0\n", f);
	for (size_t i = 0; i < s->count; i++) {
		last = s->steps[i].value;
		fprintf(f, "%" PRId64 " %" PRId64 "\n", s->steps[i].ns, last);
	}
	fprintf(f, "%" PRId64 " %" PRId64 "\n", span_ns, last);
	return 0;
}

static void write_title(FILE *f, const struct plot_input *in, const struct timeline_summary *sum)
{
	char text[160], when[16];

	snprintf(text, sizeof(text), "mean %.1f, peak %" PRId64 " at %s, none for %.1f %% of the time%s", sum->mean,
	         sum->peak, time_text(when, sum->peak_ns), 100 * sum->zero_ratio, plot_ready_note(in->timeline));
	plot_title(f, in, "Ready tasks", text);
}

/* Below the curve of Nready: tasks submitted and ended since the start, in a panel of its own. */
static void write_progress(FILE *f, const struct plot_input *in, const struct plot_unit *u)
{
	fputs("unset title\nset tmargin at screen 0.30\nset bmargin at screen 0.11\nset format x '%g'\n"
	      "set ylabel 'tasks since the start'\nset autoscale y\nset yrange [0:*]\n", f);
	plot_time_axis(f, in);
	fputs("plot ", f);
	if (in->timeline->nsubmitted)
		fprintf(f, "'submitted.dat' using ($1/%" PRId64 "):2 with steps linewidth 1.6 linecolor rgb '#f28e2b' "
		        "title 'submitted', \\\n     ", u->ns);
	fprintf(f, "'ended.dat' using ($1/%" PRId64 "):2 with steps linewidth 1.6 linecolor rgb '#59a14f' "
	        "title 'ended'\nunset multiplot\n", u->ns);
}

static void write_script(struct gnuplot *g, const struct plot_input *in, const struct timeline_summary *sum)
{
	int dumb = gnuplot_terminal(g) == TERM_DUMB, nworkers = in->machine->nworkers;
	FILE *f = gnuplot_script(g, WIDTH, HEIGHT);
	int64_t top = sum->peak > nworkers ? sum->peak : nworkers;
	struct plot_unit u;

	if (!dumb)
		fputs("set multiplot\nset lmargin at screen 0.08\nset rmargin at screen 0.83\n"
		      "set tmargin at screen 0.93\nset bmargin at screen 0.38\n", f);
	write_title(f, in, sum);
	u = plot_time_axis(f, in);
	if (!dumb)
		fputs("unset xlabel\nset format x ''\n", f);
	fputs("set ylabel 'ready tasks'\n", f);
	fprintf(f, "set yrange [0:%.9g]\n", 1.05 * (double)(top > 0 ? top : 1));
	fputs("plot ", f);
	if (!dumb)
		fprintf(f, "'nready.dat' using ($1/%" PRId64 "):2 with fillsteps fillstyle solid 0.25 noborder "
		        "linecolor rgb '#4e79a7' notitle, \\\n     ", u.ns);
	fprintf(f, "'nready.dat' using ($1/%" PRId64 "):2 with steps linewidth 1.4 linecolor rgb '#4e79a7' "
	        "title 'ready, not started', \\\n     %d with lines linewidth 1.4 dashtype 2 linecolor rgb '#e15759' "
	        "title '%d workers'\n", u.ns, nworkers, nworkers);
	if (!dumb)
		write_progress(f, in, &u);
}

static int write_nready(const struct plot_input *in, struct gnuplot *g, struct ht_err *err)
{
	const struct timeline *tl = in->timeline;
	struct timeline_series ready = timeline_nready(tl), submitted = timeline_submitted(tl), ended = timeline_ended(tl);
	struct timeline_summary sum = timeline_series_summary(&ready, tl->span_ns);
	int rc = -1;

	if (write_series(g, "nready.dat", &ready, tl->span_ns, err) != 0 ||
	    write_series(g, "submitted.dat", &submitted, tl->span_ns, err) != 0 ||
	    write_series(g, "ended.dat", &ended, tl->span_ns, err) != 0)
		goto out;
	write_script(g, in, &sum);
	rc = 0;
out:
	timeline_series_fini(&ready);
	timeline_series_fini(&submitted);
	timeline_series_fini(&ended);
	return rc;
}

const struct plot plot_nready = {
	.name = "nready",
	.summary = "tasks ready and not started over time, against the number of workers",
	.write = write_nready,
};
