/* analyze/plots/plot_before_after.c - plot: a run above another one on the same axis, and the ready tasks of both. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gantt.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/err.h"
#include "core/base/table.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"

/* Pixels. */
enum { WIDTH = 1200, LEFT = 176, RIGHT = 25, ROW = 22, TITLE = 44, READY = 130, BELOW = 60, PARTS = 1000 };

/* Panels from above, each with a title of its own. */
struct panels {
	const struct plot_input *in[2];
	struct gantt chart[2];
	FILE *f;
	int64_t range_ns;
	struct plot_unit unit;
	int at, height; /* pixels: where the next panel begins, of the picture */
};

static const char *nothing(const struct plot_input *in)
{
	return in->after ? NULL : "there is no second run: name one with --after";
}

static int rows_height(const struct gantt *x)
{
	return (int)(ROW * x->height + 0.5);
}

/* A panel of that height below a title, which stands above its left end. */
static void begin_panel(struct panels *p, const struct gnuplot *g, int above, int height, const char *title)
{
	fputs("unset label\nunset arrow\nunset object\nset label ", p->f);
	gnuplot_text(p->f, title);
	fprintf(p->f, " at screen 0.012, screen %.5f left font ',%d'\n", 1 - (double)(p->at + 24) / p->height,
	        gnuplot_points(g, title));
	p->at += TITLE + above;
	fprintf(p->f, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - (double)p->at / p->height,
	        1 - (double)(p->at + height) / p->height);
	p->at += height;
}

static void begin(struct panels *p, struct gnuplot *g, int above)
{
	p->height = 3 * TITLE + above + rows_height(&p->chart[0]) + rows_height(&p->chart[1]) + READY + BELOW;
	p->f = gnuplot_script(g, WIDTH, p->height);
	fprintf(p->f,
	        "set multiplot\nset lmargin at screen %.5f\nset rmargin at screen %.5f\nset xrange [0:%.9g]\n"
	        "set format x ''\nunset key\n",
	        (double)LEFT / WIDTH, 1 - (double)RIGHT / WIDTH, 1.005 * (double)p->range_ns / (double)p->unit.ns);
}

static void write_chart(struct panels *p, struct gnuplot *g, int i)
{
	gantt_axis(&p->chart[i], p->f);
	fputs("plot \\\n", p->f);
	gantt_boxes(&p->chart[i], g, p->f, i ? "after" : "before", p->unit.ns);
	fputs("  NaN notitle\n", p->f);
}

/* Corners of the steps, ns from the first start. */
static void write_steps(const struct plot_input *in, struct gnuplot *g, const char *name, int64_t *top)
{
	struct timeline_series s = plot_ready_series(in, PARTS);
	int64_t first = in->execution->tasks[0].start_ns, last = 0;
	FILE *f = gnuplot_data(g, name);

	for (size_t i = 0; i < s.count; i++) {
		int64_t ns = s.steps[i].ns > first ? s.steps[i].ns - first : 0;

		fprintf(f, "%" PRId64 " %" PRId64 "\n%" PRId64 " %" PRId64 "\n", ns, last, ns, s.steps[i].value);
		last = s.steps[i].value;
		*top = last > *top ? last : *top;
	}
	timeline_series_fini(&s);
}

static void write_ready(struct panels *p, struct gnuplot *g)
{
	int64_t top = p->in[0]->machine->nworkers;

	write_steps(p->in[0], g, "ready0.dat", &top);
	write_steps(p->in[1], g, "ready1.dat", &top);
	fprintf(p->f,
	        "set format x '%%g'\nset xlabel 'time since the first start (%s)'\nset ytics scale 0.6\n"
	        "set yrange [0:%.9g]\n",
	        p->unit.name, 1.05 * (double)top);
	plot_count_tics(p->f, 0, (uint64_t)top, 4);
	fprintf(p->f,
	        "set key at graph 1,1.04 right bottom horizontal\nplot 'ready0.dat' using ($1/%" PRId64
	        "):2 with filledcurves y1=0 fillstyle "
	        "solid 1 noborder linecolor rgb '#c9ced5' title 'before', \\\n"
	        "  'ready1.dat' using ($1/%" PRId64
	        "):2 with lines linewidth 1.4 linecolor rgb '#20252b' title 'after', \\\n"
	        "  %d with lines linewidth 1 dashtype 3 linecolor rgb '#5b6470' title '%d worker%s'\nunset multiplot\n",
	        p->unit.ns, p->unit.ns, p->in[0]->machine->nworkers, p->in[0]->machine->nworkers,
	        plural((uint64_t)p->in[0]->machine->nworkers));
}

/* "After, predicted": a prediction beside a recording is not to be taken for another recording. */
static const char *panel_name(const struct panels *p, int i, char buf[32])
{
	const char *origin = p->in[i]->is_predicted ? ", predicted" : ", recorded";

	snprintf(buf, 32, "%s%s", i ? "After" : "Before",
	         p->in[0]->is_predicted == p->in[1]->is_predicted ? "" : origin);
	return buf;
}

static void write_panels(struct panels *p, struct gnuplot *g)
{
	struct gantt_mark marks[GANTT_MARKS];
	int n = gantt_bounds(p->in[0], marks), above, legend;
	char title[GANTT_TITLE], time[16], what[32];

	for (int i = 0; i < 2; i++) {
		marks[n] = (struct gantt_mark){"", p->chart[i].span_ns, 0};
		snprintf(marks[n].text, sizeof(marks[n].text), "%s %s", i ? "after" : "before",
		         time_text(time, marks[n].ns));
		n++;
	}
	for (int i = 0; i < n; i++)
		p->range_ns = marks[i].ns > p->range_ns ? marks[i].ns : p->range_ns;
	p->unit = plot_time_unit(p->range_ns);
	legend = gantt_legend(&p->chart[0], NULL, 0, 0, WIDTH, 1);
	above = legend + gantt_ruler(NULL, marks, n, p->range_ns, p->unit.ns, WIDTH - LEFT - RIGHT, 0);
	begin(p, g, above);
	for (int i = 0; i < 2; i++) {
		int height = rows_height(&p->chart[i]);

		begin_panel(p, g, i ? 0 : above, height, gantt_title(p->in[i], panel_name(p, i, what), title));
		if (i == 0) {
			gantt_legend(&p->chart[0], p->f, 0, TITLE, WIDTH, p->height);
			gantt_ruler(p->f, marks, n, p->range_ns, p->unit.ns, WIDTH - LEFT - RIGHT, height);
		}
		write_chart(p, g, i);
	}
	begin_panel(p, g, 0, READY, "Ready tasks, waiting for a worker");
	write_ready(p, g);
}

static void write_before_after(const struct plot_input *in, struct gnuplot *g)
{
	struct panels p = {.in = {in, in->after}, .range_ns = 1}; /* of runs that take no time, too */

	if (gnuplot_terminal(g) == TERM_DUMB) {
		ht_err_set(gnuplot_err(g), "it needs pixels: --term png, svg or pdf");
		return;
	}
	for (int i = 0; i < 2; i++)
		gantt_init(&p.chart[i], p.in[i], in->palette);
	write_panels(&p, g);
	for (int i = 0; i < 2; i++)
		gantt_fini(&p.chart[i]);
}

const struct plot plot_before_after = {
	.name = "before-after",
	.summary = "the run above a second one, such as a prediction, on one axis, and the ready tasks of both",
	.use = PLOT_CHART,
	.pixels = 1,
	.nothing = nothing,
	.write = write_before_after,
};
