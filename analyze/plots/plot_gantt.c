/* analyze/plots/plot_gantt.c - plot: what every worker did when, coloured by type, with the bounds of the makespan. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/areas.h"
#include "analyze/plots/gantt.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/trace/trace.h"

/* Pixels: of the picture, of a row; above the rows are title, legend and ruler, below them the axis. */
enum { WIDTH = 1200, LEFT = 176, RIGHT = 25, ROW = 30, BELOW = 60, TITLE = 34 };

/* Characters beside and above the rows, of which the axis has one, and below them without the legend. */
enum { DUMB_LEFT = 24, DUMB_RIGHT = 3, DUMB_ABOVE = 3, DUMB_BELOW = 4, LEGEND_INDENT = 2 };

static size_t dumb_columns(const struct plot_input *in)
{
	return (size_t)(in->columns - DUMB_LEFT - DUMB_RIGHT - 1);
}

/* The letters of the types, and lengths of time; lines that fit into the terminal. */
static char *dumb_legend(const struct plot_input *in)
{
	struct gantt_mark marks[GANTT_MARKS];
	int at = LEGEND_INDENT, n = gantt_bounds(in, marks);
	char *lines = NULL, text[96], span[16];
	size_t size;
	FILE *f = open_memstream(&lines, &size);

	if (!f)
		return NULL;
	for (int k = 0; k < in->palette->ngroups; k++) {
		snprintf(text, sizeof(text), " %c %.80s", 'a' + k, in->palette->groups[k].name);
		at = wrap_piece(f, text, at, LEGEND_INDENT, in->columns - 1);
	}
	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), " %.63s", marks[i].text);
		at = wrap_piece(f, text, at, LEGEND_INDENT, in->columns - 1);
	}
	snprintf(text, sizeof(text), " makespan %s", time_text(span, in->timeline->span_ns - in->timeline->first_ns));
	wrap_piece(f, text, at, LEGEND_INDENT, in->columns - 1);
	fclose(f);
	return lines;
}

/* A terminal of characters has in each row the letter of the type that ran longest in each column. */
static FILE *begin_dumb(const struct plot_input *in, struct gnuplot *g)
{
	char *legend = dumb_legend(in), *rest = NULL;
	int rows = (int)in->timeline->trace->nworkers + 2, lines = legend != NULL;
	FILE *f;

	for (const char *s = legend; s && *s; s++)
		lines += *s == '\n';
	f = gnuplot_script(g, WIDTH, 20 * (DUMB_ABOVE + rows + DUMB_BELOW + lines));
	fprintf(f, "unset key\nset lmargin %d\nset rmargin %d\nset tmargin %d\nset bmargin %d\n", DUMB_LEFT, DUMB_RIGHT,
	        DUMB_ABOVE, DUMB_BELOW + lines);
	for (char *s = legend ? strtok_r(legend, "\n", &rest) : NULL; s; s = strtok_r(NULL, "\n", &rest)) {
		fputs("set label ", f);
		gnuplot_text(f, s + strspn(s, " "));
		fprintf(f, " at character %d, character %d left\n", LEGEND_INDENT, --lines);
	}
	free(legend);
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
		gnuplot_tic(f, name);
		fprintf(f, " %zu", w);
	}
	fputs(")\nunset grid\n", f);
}

/* Time by [worker][column][group]. */
struct cells {
	const struct palette *palette;
	size_t columns;
	int64_t *ns;
};

static int64_t *cell_at(const struct cells *c, size_t worker, size_t column)
{
	return &c->ns[(worker * c->columns + column) * (size_t)c->palette->ngroups];
}

static void cell_add(void *ctx, const struct timeline_task *task, size_t column, int64_t ns)
{
	const struct cells *c = ctx;

	cell_at(c, (size_t)task->worker, column)[c->palette->group_of[task->type]] += ns;
}

/* Time from one letter to the next, in units: the first one stands at 0, the last one at the end. */
static double letter_step(const struct plot_input *in, const struct plot_unit *u)
{
	int64_t span_ns = in->timeline->span_ns;

	return (double)(span_ns > 0 ? span_ns : 1) / (double)(dumb_columns(in) - 1) / (double)u->ns;
}

static void write_letters(struct gnuplot *g, FILE *script, const struct plot_input *in, double step)
{
	size_t nworkers = in->timeline->trace->nworkers;
	FILE *data = gnuplot_data(g, "letters.dat");
	struct cells c = {in->palette, dumb_columns(in), NULL};

	c.ns = ht_alloc(nworkers * c.columns * (size_t)in->palette->ngroups, sizeof(*c.ns));
	timeline_overlaps(in->timeline, c.columns, cell_add, &c);
	for (size_t w = 0; w < nworkers; w++)
		for (size_t column = 0; column < c.columns; column++) {
			const int64_t *ns = cell_at(&c, w, column);
			int best = 0;

			for (int k = 1; k < in->palette->ngroups; k++)
				best = ns[k] > ns[best] ? k : best;
			fprintf(data, "%zu %zu %c\n", column, w, ns[best] ? 'a' + best : '.');
		}
	free(c.ns);
	fprintf(script, "  'letters.dat' using ($1*%.12g):2:3 with labels notitle\n", step);
}

static void write_dumb(const struct plot_input *whole, struct gnuplot *g)
{
	const struct timeline from = timeline_from_first_start(whole->timeline);
	struct plot_input in = *whole;
	struct plot_unit u = plot_time_unit(from.span_ns);
	FILE *script = begin_dumb(&in, g);
	char title[GANTT_TITLE];
	double step;

	in.timeline = &from;
	step = letter_step(&in, &u);
	plot_heading(script, g, gantt_title(&in, in.name, title));
	write_dumb_rows(script, from.trace);
	fprintf(script, "set xlabel 'time since the first start (%s)'\nset xrange [%.9g:%.9g]\n", u.name, -step,
	        step * ((double)dumb_columns(&in) - 0.9)); /* a letter beyond it is not drawn */
	plot_time_tics(script, (double)from.span_ns / (double)u.ns, (int)dumb_columns(&in));
	fputs("plot \\\n", script);
	write_letters(g, script, &in, step);
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
	int above, height;
	FILE *f;

	marks[n] = (struct gantt_mark){"", x->span_ns, 0};
	snprintf(marks[n].text, sizeof(marks[n].text), "makespan %s", time_text(span, x->span_ns));
	above = TITLE + gantt_legend(x, NULL, 1, 0, WIDTH, 1) +
	        gantt_ruler(NULL, marks, n + 1, range, u.ns, WIDTH - LEFT - RIGHT, rows);
	height = above + rows + BELOW;
	f = gnuplot_script(g, WIDTH, height);
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
