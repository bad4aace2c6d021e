/* analyze/plots/plot_gantt.c - plot: what every worker did when, coloured by type, with the bounds of the makespan. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/areas.h"
#include "analyze/plots/gantt.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/trace/trace.h"

/* Pixels: of the picture, of a row; above the rows are title, legend and ruler, below them the axis. */
enum { WIDTH = 1200, LEFT = 176, RIGHT = 25, ROW = 30, BELOW = 60, TITLE = 34, DUMB_COLUMNS = 93 };

/* A terminal of characters has in each row the letter of the type that ran longest in each column. */
static FILE *begin_dumb(struct gnuplot *g, size_t rows, int entries)
{
	int below = 6 + entries / 3;
	FILE *f = gnuplot_script(g, WIDTH, 20 * ((int)rows + 2 + 3 + below));

	fprintf(f, "set lmargin 24\nset rmargin 3\nset tmargin 3\nset bmargin %d\n", below);
	return f;
}

static void worker_name(const struct trace *t, size_t w, char *buf, size_t size)
{
	const struct trace_worker *k = &t->workers[w];
	const char *name = trace_text(t, k->name);
	char rank[24] = "";

	if (t->nranks > 1)
		snprintf(rank, sizeof(rank), "rank %" PRId32 ": ", k->rank);
	if (*name)
		snprintf(buf, size, "%s%.20s", rank, name);
	else
		snprintf(buf, size, "%s%s %" PRId32, rank, k->arch == ARCH_NONE ? "worker" : arch_name(k->arch), k->id);
}

static void write_dumb_rows(FILE *f, const struct trace *t)
{
	fprintf(f, "set yrange [%zu:-1]\nset ytics (", t->nworkers ? t->nworkers : 1);
	for (size_t w = 0; w < t->nworkers; w++) {
		char name[64];

		worker_name(t, w, name, sizeof(name));
		fputs(w ? ", " : "", f);
		gnuplot_text(f, name);
		fprintf(f, " %zu", w);
	}
	fputs(")\nunset grid\n", f);
}

/* Time by [worker][column][group]. */
struct cells {
	const struct palette *palette;
	int64_t *ns;
};

static int64_t *cell_at(const struct cells *c, size_t worker, size_t column)
{
	return &c->ns[(worker * DUMB_COLUMNS + column) * (size_t)c->palette->ngroups];
}

static void cell_add(void *ctx, const struct timeline_task *task, size_t column, int64_t ns)
{
	const struct cells *c = ctx;

	cell_at(c, (size_t)task->worker, column)[c->palette->group_of[task->type]] += ns;
}

static void write_letters(struct gnuplot *g, FILE *script, const struct plot_input *in, const struct plot_unit *u)
{
	size_t nworkers = in->timeline->trace->nworkers;
	FILE *data = gnuplot_data(g, "letters.dat");
	double step = (double)in->timeline->span_ns / (DUMB_COLUMNS - 1) / (double)u->ns;
	struct cells c = {in->palette, NULL};

	c.ns = ht_alloc(nworkers * DUMB_COLUMNS * (size_t)in->palette->ngroups, sizeof(*c.ns));
	timeline_overlaps(in->timeline, DUMB_COLUMNS, cell_add, &c);
	for (size_t w = 0; w < nworkers; w++)
		for (size_t column = 0; column < DUMB_COLUMNS; column++) {
			const int64_t *ns = cell_at(&c, w, column);
			int best = 0;

			for (int k = 1; k < in->palette->ngroups; k++)
				best = ns[k] > ns[best] ? k : best;
			fprintf(data, "%zu %zu %c\n", column, w, ns[best] ? 'a' + best : '.');
		}
	free(c.ns);
	fprintf(script, "  'letters.dat' using ($1*%.12g):2:3 with labels notitle, \\\n", step);
}

static void write_dumb(const struct plot_input *in, struct gnuplot *g)
{
	struct gantt_mark marks[GANTT_MARKS];
	int n = gantt_bounds(in, marks);
	FILE *script = begin_dumb(g, in->timeline->trace->nworkers, in->palette->ngroups + n + 1);
	char title[GANTT_TITLE], span[16];
	struct plot_unit u;

	plot_heading(script, g, gantt_title(in, in->name, title));
	write_dumb_rows(script, in->timeline->trace);
	u = plot_time_axis(script, in);
	fputs("plot \\\n", script);
	plot_legend_boxes(script, in->palette, TERM_DUMB);
	write_letters(g, script, in, &u);
	for (int i = 0; i < n; i++) {
		fputs("  NaN with points pointtype -1 title ", script);
		gnuplot_text(script, marks[i].text);
		fputs(", \\\n", script);
	}
	fprintf(script, "  NaN with points pointtype -1 title 'makespan %s'\n",
	        time_text(span, in->timeline->span_ns - in->timeline->first_ns));
}

/* The axis reaches to the last bound, where costs of models put one beyond the end of the run. */
static int64_t range_of(const struct gantt_mark *marks, int n, int64_t span_ns)
{
	for (int i = 0; i < n; i++)
		span_ns = marks[i].ns > span_ns ? marks[i].ns : span_ns;
	return span_ns > 0 ? span_ns : 1;
}

static void write_chart(const struct gantt *x, struct gnuplot *g)
{
	const struct plot_input *in = x->in;
	struct gantt_mark marks[GANTT_MARKS];
	char title[GANTT_TITLE], span[16];
	int n = gantt_bounds(in, marks), rows = (int)(ROW * x->height + 0.5);
	int64_t range = range_of(marks, n, x->span_ns);
	struct plot_unit u = plot_time_unit(range);
	int above = TITLE + gantt_legend(x, NULL, 1, 0, WIDTH, 1) + 16 * (n + 1), height = above + rows + BELOW;
	FILE *f = gnuplot_script(g, WIDTH, height);

	marks[n] = (struct gantt_mark){"", x->span_ns, 0};
	snprintf(marks[n].text, sizeof(marks[n].text), "makespan %s", time_text(span, x->span_ns));
	plot_heading(f, g, gantt_title(in, in->name, title));
	gantt_legend(x, f, 1, TITLE, WIDTH, height);
	fprintf(f,
	        "unset key\nset lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\n"
	        "set bmargin at screen %.5f\nset xlabel 'time since the first start (%s)'\nset xrange [0:%.9g]\n",
	        (double)LEFT / WIDTH, 1 - (double)RIGHT / WIDTH, 1 - (double)above / height,
	        1 - (double)(above + rows) / height, u.name, 1.005 * (double)range / (double)u.ns);
	gantt_axis(x, f);
	gantt_ruler(f, marks, n + 1, range, u.ns, WIDTH - LEFT - RIGHT, rows);
	fputs("plot \\\n", f);
	gantt_boxes(x, g, f, "box", u.ns);
	gantt_chain(x, g, f, "box", u.ns);
	fputs("  NaN notitle\n", f);
}

static void write_gantt(const struct plot_input *in, struct gnuplot *g)
{
	struct gantt x;

	if (gnuplot_terminal(g) == TERM_DUMB) {
		write_dumb(in, g);
		return;
	}
	gantt_init(&x, in, in->palette);
	write_chart(&x, g);
	gantt_fini(&x);
}

const struct plot plot_gantt = {
	.name = "gantt",
	.summary = "what every worker did when, by type, why it was idle, and the bounds of the makespan",
	.use = PLOT_CHART,
	.write = write_gantt,
	.blocks = areas_gantt,
};
