/* analyze/plots/plot_gantt.c - plot: what every worker did when, coloured by type, with the bounds of the makespan. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "analyze/plots/plot_causes.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/trace/trace.h"

/*
 * Up to MAX_BOXES tasks are boxes. Above that a box would be narrower than a pixel, and the picture is computed here:
 * in each of COLUMNS slices of a row, the mean of the colours of what ran, and of why nothing did, by time. That is
 * what drawing all boxes and looking from afar gives. A terminal of characters has the letter of the type that ran
 * longest instead.
 */
enum { WIDTH = 1200, COLUMNS = 920, DUMB_COLUMNS = 93, MAX_BOXES = 12000, MAX_ROWS = 256, MAX_LABELS = 100 };

/* A row is a worker; above MAX_ROWS workers, several that follow one another. */
struct rows {
	const struct timeline *tl;
	size_t count, per_row;
};

static struct rows rows_of(const struct timeline *tl)
{
	size_t n = tl->trace->nworkers, per_row = n > MAX_ROWS ? (n + MAX_ROWS - 1) / MAX_ROWS : 1;

	return (struct rows){tl, n ? (n + per_row - 1) / per_row : 1, per_row};
}

/* Space for the rows, and beside them for the legend. */
static int plot_height(const struct rows *r, int entries)
{
	size_t px = r->count <= 12 ? 30 : r->count <= 40 ? 18 : r->count <= MAX_LABELS ? 13 : 6;
	size_t height = 130 + px * r->count, legend = 130 + 22 * (size_t)entries;

	height = height < legend ? legend : height;
	return (int)(height < 420 ? 420 : height);
}

/* One line of text for each row: margins in characters, so that no two rows fall onto one line. */
static FILE *begin_dumb(struct gnuplot *g, const struct rows *r, int entries)
{
	int below = 6 + entries / 3;
	FILE *f = gnuplot_script(g, WIDTH, 20 * ((int)r->count + 2 + 3 + below));

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

static void write_rows(FILE *f, const struct rows *r, enum gnuplot_term term)
{
	const struct trace *t = r->tl->trace;
	size_t every = term == TERM_DUMB ? 1 : (r->count + MAX_LABELS - 1) / MAX_LABELS;

	if (term == TERM_DUMB)
		fprintf(f, "set yrange [%zu:-1]\n", r->count);
	else
		fprintf(f, "set yrange [%zu.5:-0.5]\n", r->count - 1);
	fprintf(f, "set ytics %s(", r->count > 40 ? "font ',8' " : "");
	for (size_t row = 0; row < r->count && t->nworkers; row += every) {
		char name[64];

		worker_name(t, row * r->per_row, name, sizeof(name));
		fputs(row ? ", " : "", f);
		gnuplot_text(f, name);
		fprintf(f, " %zu", row);
	}
	fputs(")\nunset grid\n", f);
	if (r->per_row > 1)
		fprintf(f, "set ylabel 'rows of %zu workers'\n", r->per_row);
}

/* Boxes: one data file per group, "FROM TO ROW" (ns). A gap of less than a pixel separates two boxes. */
static int write_boxes(struct gnuplot *g, FILE *script, const struct plot_input *in, const struct rows *r,
                       const struct plot_unit *u, struct ht_err *err)
{
	const struct timeline *tl = in->timeline;
	struct causes causes;
	int rc;

	causes_init(&causes, in, r->per_row, COLUMNS);
	rc = causes_boxes(g, script, in, &causes, u->ns, err);
	causes_fini(&causes);
	if (rc != 0)
		return -1;
	for (int k = 0; k < in->palette->ngroups; k++) {
		char name[32];
		FILE *data;

		snprintf(name, sizeof(name), "boxes%d.dat", k);
		data = gnuplot_data(g, name, err);
		if (!data)
			return -1;
		for (size_t i = 0; i < tl->ntasks; i++) {
			const struct timeline_task *task = &tl->tasks[i];

			if (in->palette->group_of[task->type] == k)
				fprintf(data, "%" PRId64 " %" PRId64 " %zu\n", task->start_ns, task->end_ns,
				        (size_t)task->worker / r->per_row);
		}
		fprintf(script,
		        "  '%s' using (($1+$2)/2/%" PRId64 "):3:($1/%" PRId64 "):(right($1,$2)/%" PRId64
		        "):($3-0.44):($3+0.44) with boxxyerror linecolor rgb '#%06" PRIx32
		        "' fillstyle solid 1 noborder "
		        "notitle, \\\n",
		        name, u->ns, u->ns, u->ns, in->palette->groups[k].rgb);
	}
	return 0;
}

/* Time by [row][column][group]. */
struct cells {
	const struct palette *palette;
	const struct rows *rows;
	size_t columns;
	int64_t *ns;
};

static int64_t *cell_at(const struct cells *c, size_t row, size_t column)
{
	return &c->ns[(row * c->columns + column) * (size_t)c->palette->ngroups];
}

static void cell_add(void *ctx, const struct timeline_task *task, size_t column, int64_t ns)
{
	const struct cells *c = ctx;

	cell_at(c, (size_t)task->worker / c->rows->per_row, column)[c->palette->group_of[task->type]] += ns;
}

static void cells_init(struct cells *c, const struct plot_input *in, const struct rows *r, size_t columns)
{
	*c = (struct cells){in->palette, r, columns, NULL};
	c->ns = ht_alloc(r->count * columns * (size_t)in->palette->ngroups, sizeof(*c->ns));
	timeline_overlaps(in->timeline, columns, cell_add, c);
}

/* How many workers the row stands for: the last one may have fewer. */
static size_t row_workers(const struct rows *r, size_t row)
{
	size_t left = r->tl->trace->nworkers - row * r->per_row;

	return left < r->per_row ? left : r->per_row;
}

static double add_colour(double rgb[3], double ns, uint32_t colour)
{
	for (int i = 0; i < 3; i++)
		rgb[i] += ns * (double)(colour >> (16 - 8 * i) & 0xff);
	return ns;
}

static void write_pixel(FILE *f, const struct cells *c, const struct causes *causes, size_t row, size_t column)
{
	const struct timeline *tl = c->rows->tl;
	const int64_t *ns = cell_at(c, row, column);
	int64_t slice = timeline_slice_ns(tl, column + 1, c->columns) - timeline_slice_ns(tl, column, c->columns);
	double all = (double)slice * (double)row_workers(c->rows, row), busy = 0, rgb[3] = {0};

	for (int k = 0; k < c->palette->ngroups; k++)
		busy += add_colour(rgb, (double)ns[k], c->palette->groups[k].rgb);
	ns = causes_at(causes, row, column);
	for (enum worker_state s = WORKER_WAITING; s < WORKER_STATES; s++)
		busy += add_colour(rgb, (double)ns[s], cause_colour(s));
	/* Tasks of one worker may overlap (pipelined devices): then there is no idle time to mix in. */
	all = busy > all ? busy : all;
	for (int i = 0; i < 3; i++)
		rgb[i] = all > 0 ? (rgb[i] + (all - busy) * 255) / all : 255;
	fprintf(f, "%zu %zu %.0f %.0f %.0f\n", column, row, rgb[0], rgb[1], rgb[2]);
}

static int write_raster(struct gnuplot *g, FILE *script, const struct plot_input *in, const struct rows *r,
                        const struct plot_unit *u, struct ht_err *err)
{
	FILE *data = gnuplot_data(g, "raster.dat", err);
	double step = (double)in->timeline->span_ns / COLUMNS / (double)u->ns;
	struct causes causes;
	struct cells c;

	if (!data)
		return -1;
	cells_init(&c, in, r, COLUMNS);
	causes_init(&causes, in, r->per_row, COLUMNS);
	for (size_t row = 0; row < r->count; row++)
		for (size_t column = 0; column < COLUMNS; column++)
			write_pixel(data, &c, &causes, row, column);
	free(c.ns);
	causes_fini(&causes);
	fprintf(script, "  'raster.dat' using (($1+0.5)*%.12g):2:3:4:5 with rgbimage notitle, \\\n", step);
	if (r->count > MAX_LABELS)
		return 0;
	data = gnuplot_data(g, "gaps.dat", err);
	if (!data)
		return -1;
	for (size_t row = 1; row < r->count; row++)
		fprintf(data, "0 %zu.5\n%.12g %zu.5\n\n", row - 1, step * COLUMNS, row - 1);
	if (r->count > 1)
		fputs("  'gaps.dat' with lines linewidth 1.5 linecolor rgb '#ffffff' notitle, \\\n", script);
	return 0;
}

static int write_letters(struct gnuplot *g, FILE *script, const struct plot_input *in, const struct rows *r,
                         const struct plot_unit *u, struct ht_err *err)
{
	FILE *data = gnuplot_data(g, "letters.dat", err);
	double step = (double)in->timeline->span_ns / (DUMB_COLUMNS - 1) / (double)u->ns;
	struct cells c;

	if (!data)
		return -1;
	cells_init(&c, in, r, DUMB_COLUMNS);
	for (size_t row = 0; row < r->count; row++)
		for (size_t column = 0; column < DUMB_COLUMNS; column++) {
			const int64_t *ns = cell_at(&c, row, column);
			int best = 0;

			for (int k = 1; k < in->palette->ngroups; k++)
				best = ns[k] > ns[best] ? k : best;
			fprintf(data, "%zu %zu %c\n", column, row, ns[best] ? 'a' + best : '.');
		}
	free(c.ns);
	fprintf(script, "  'letters.dat' using ($1*%.12g):2:3 with labels notitle, \\\n", step);
	return 0;
}

/* A vertical line, counted from the first start as the makespan is, and its entry in the legend. */
static void write_bound(FILE *script, const struct plot_input *in, const struct rows *r, const struct plot_unit *u,
                        const char *what, int64_t bound_ns, const char *style)
{
	char text[64], time[16];
	double x = (double)(in->timeline->first_ns + bound_ns) / (double)u->ns;

	snprintf(text, sizeof(text), "%s %s", what, time_text(time, bound_ns));
	fprintf(script, "  '+' using (%.12g):($0==0?-0.5:%zu.5) every ::0::1 with lines linewidth 2 %s title ", x,
	        r->count - 1, style);
	gnuplot_text(script, text);
	fputs(", \\\n", script);
}

static void write_frame(FILE *script, const struct plot_input *in, const struct rows *r, enum gnuplot_term term,
                        int pixels)
{
	const struct timeline *tl = in->timeline;
	char text[96];

	snprintf(text, sizeof(text), "%zu task%s on %zu worker%s%s", tl->ntasks, tl->ntasks == 1 ? "" : "s",
	         tl->trace->nworkers, tl->trace->nworkers == 1 ? "" : "s", pixels ? ", colours mixed by time" : "");
	plot_title(script, in, "Execution", text);
	write_rows(script, r, term);
	fprintf(script, "right(a, b) = b - (0.15 * (b - a) < %.9g ? 0.15 * (b - a) : %.9g)\n",
	        (double)tl->span_ns / 1300, (double)tl->span_ns / 1300);
}

static int write_gantt(const struct plot_input *in, struct gnuplot *g, struct ht_err *err)
{
	const struct timeline *tl = in->timeline;
	int64_t bound = in->critical_path_ns > in->mixed_ns ? in->critical_path_ns : in->mixed_ns;
	struct rows r = rows_of(in->timeline);
	enum gnuplot_term term = gnuplot_terminal(g);
	int pixels = term != TERM_DUMB && (in->timeline->ntasks > MAX_BOXES || r.per_row > 1);
	int entries = in->palette->ngroups + (term == TERM_DUMB ? 4 : 9), rc;
	FILE *script = term == TERM_DUMB ? begin_dumb(g, &r, entries) :
	                                   gnuplot_script(g, WIDTH, plot_height(&r, entries));
	struct plot_unit u;

	write_frame(script, in, &r, term, pixels);
	u = plot_time_axis(script, in);
	/* The axis reaches to the last bound, where costs of models put one beyond the end of the run. */
	if (tl->first_ns + bound > tl->span_ns)
		fprintf(script, "set xrange [0:%.9g]\n", 1.01 * (double)(tl->first_ns + bound) / (double)u.ns);
	fputs("plot \\\n", script);
	plot_legend_boxes(script, in->palette, term);
	if (term != TERM_DUMB)
		causes_legend(script, in);
	rc = term == TERM_DUMB ? write_letters(g, script, in, &r, &u, err) :
	     pixels            ? write_raster(g, script, in, &r, &u, err) :
	                         write_boxes(g, script, in, &r, &u, err);
	if (rc != 0)
		return -1;
	if (in->critical_path_ns > 0)
		write_bound(script, in, &r, &u, "critical path", in->critical_path_ns,
		            "dashtype 2 linecolor rgb '#000000'");
	if (in->area_ns > 0)
		write_bound(script, in, &r, &u, "area bound", in->area_ns, "dashtype 4 linecolor rgb '#c000c0'");
	/* Where the chains need no more than the area, one line shows both. */
	if ((double)in->mixed_ns > 1.002 * (double)in->area_ns)
		write_bound(script, in, &r, &u, "mixed bound", in->mixed_ns, "dashtype 3 linecolor rgb '#8020ff'");
	write_bound(script, in, &r, &u, "makespan", tl->span_ns - tl->first_ns, "linecolor rgb '#606060'");
	fputs("  NaN notitle\n", script);
	return 0;
}

const struct plot plot_gantt = {
	.name = "gantt",
	.summary = "what every worker did when, by type, why it was idle, and the bounds of the makespan",
	.use = PLOT_CHART,
	.write = write_gantt,
};
