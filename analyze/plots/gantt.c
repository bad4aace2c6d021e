/* analyze/plots/gantt.c - a Gantt chart as a panel of a plot: what every worker did when, and why it did nothing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/gantt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot_causes.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"
#include "core/machine/machine.h"

/* Pixels: a line of a ruler, of a legend and where that begins, about the width of a character. */
enum { LINE = 16, LEGEND_LINE = 20, LEGEND_LEFT = 16, CHARACTER = 8, APART = 2 * CHARACTER };

/* Of what stands to the left of a row: a name, alone or with how idle it is. */
enum { NAME_BYTES = 20, NAME_BESIDE_IDLE = 9 };

static void add_row(struct gantt *x, size_t first, size_t count, int stacked)
{
	x->rows[x->nrows++] = (struct gantt_row){first, count, x->height, stacked};
	x->height += count > 1 ? GANTT_FOLDED_HEIGHT : 1;
}

static void make_rows(struct gantt *x)
{
	const struct execution *e = x->in->execution;
	const struct machine *m = e->machine;
	int many = e->ntasks > GANTT_BOXES;
	size_t n = 0;

	x->workers = ht_alloc((size_t)m->nworkers, sizeof(*x->workers));
	x->rows = ht_alloc((size_t)m->nworkers, sizeof(*x->rows));
	for (enum arch a = ARCH_COUNT; a-- > 0;) {
		size_t first = n;

		for (int w = 0; w < m->nworkers; w++)
			if (m->workers[w].arch == a)
				x->workers[n++] = w;
		if (n - first > GANTT_FOLD)
			add_row(x, first, n - first, 1);
		else
			for (size_t i = first; i < n; i++)
				add_row(x, i, 1, many || e->lanes[x->workers[i]] > 1);
	}
}

static size_t kinds(const struct gantt *x)
{
	return (size_t)x->palette->ngroups + CAUSES;
}

static float *share_at(const struct gantt *x, size_t row, size_t column)
{
	return &x->share[(row * GANTT_COLUMNS + column) * kinds(x)];
}

static double column_ns(const struct gantt *x)
{
	return (double)(x->span_ns > 0 ? x->span_ns : 1) / GANTT_COLUMNS;
}

/* Adds what [from, to) is of each column of the row; times from the first start. */
static void spread(const struct gantt *x, size_t row, size_t kind, double from, double to)
{
	double length = column_ns(x), part = 1 / ((double)x->rows[row].count * length);

	from = from < 0 ? 0 : from;
	for (size_t c = (size_t)(from / length); c < GANTT_COLUMNS && (double)c * length < to; c++) {
		double begin = (double)c * length > from ? (double)c * length : from;
		double end = (double)(c + 1) * length < to ? (double)(c + 1) * length : to;

		share_at(x, row, c)[kind] += (float)((end - begin) * part);
	}
}

static int group_of(const struct gantt *x, const struct execution_task *t)
{
	const struct palette *own = &x->in->execution->palette;

	return palette_find(x->palette, own->groups[own->group_of[t->type]].label);
}

/* By worker the row; workers of no architecture have none. */
static size_t *rows_of_workers(const struct gantt *x)
{
	size_t *of = ht_alloc((size_t)x->in->execution->machine->nworkers, sizeof(*of));

	for (size_t r = 0; r < x->nrows; r++)
		for (size_t i = 0; i < x->rows[r].count; i++)
			of[x->workers[x->rows[r].first + i]] = r;
	return of;
}

/* The times are of the workers of the trace; those of the machine may be more. */
static int has_times(const struct gantt *x)
{
	const struct worker_times *t = x->in->times;

	return t && !t->unknown && t->nworkers == (size_t)x->in->execution->machine->nworkers;
}

static void spread_segment(const struct gantt *x, size_t row, uint32_t worker, struct worker_segment s)
{
	int64_t first = x->in->timeline->first_ns;

	for (int64_t from = s.start_ns, to; from < s.end_ns; from = to) {
		int state = causes_part(x->in->times, worker, &s, from, x->span_ns / GANTT_COLUMNS + 1, &to);

		spread(x, row, (size_t)(x->palette->ngroups + state), (double)(from - first), (double)(to - first));
	}
}

static void spread_states(const struct gantt *x, const size_t *row_of)
{
	const struct worker_times *t = x->in->times;

	for (uint32_t w = 0; has_times(x) && w < t->nworkers; w++)
		for (size_t i = t->first[w]; i < t->first[w + 1]; i++)
			if (t->segments[i].state != WORKER_EXECUTING)
				spread_segment(x, row_of[w], w, worker_segment(t, w, i));
}

void gantt_init(struct gantt *x, const struct plot_input *in, const struct palette *palette)
{
	const struct execution *e = in->execution;
	size_t *row_of;

	*x = (struct gantt){.in = in, .palette = palette, .span_ns = in->timeline->span_ns - in->timeline->first_ns};
	make_rows(x);
	x->share = ht_alloc(x->nrows * GANTT_COLUMNS * kinds(x), sizeof(*x->share));
	row_of = rows_of_workers(x);
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct execution_task *t = &e->tasks[i];
		int64_t first = e->tasks[0].start_ns;

		if (x->rows[row_of[t->worker]].stacked)
			spread(x, row_of[t->worker], (size_t)group_of(x, t), (double)(t->start_ns - first),
			       (double)(t->end_ns - first));
	}
	spread_states(x, row_of);
	free(row_of);
}

void gantt_fini(struct gantt *x)
{
	free(x->workers);
	free(x->rows);
	free(x->share);
	*x = (struct gantt){0};
}

/* What a row of `n` workers executed nothing, in percent of the run. */
static double idle_of(const struct gantt *x, const struct gantt_row *r)
{
	const struct worker_times *t = x->in->times;
	double busy = 0;

	for (size_t i = 0; i < r->count; i++)
		busy += (double)t->workers[x->workers[r->first + i]].ns[WORKER_EXECUTING];
	return t->elapsed_ns > 0 ? 100 * (1 - busy / ((double)t->elapsed_ns * (double)r->count)) : 0;
}

void gantt_axis(const struct gantt *x, FILE *script)
{
	const struct execution *e = x->in->execution;

	fprintf(script, "set yrange [%.9g:0]\nset ytics (", x->height);
	for (size_t i = 0; i < x->nrows; i++) {
		const struct gantt_row *r = &x->rows[i];
		int w = x->workers[r->first];
		char text[96], name[NAME_BYTES];

		if (r->count > 1)
			snprintf(name, sizeof(name), "%zu %s", r->count, arch_name(e->machine->workers[w].arch));
		else
			text_end(name, sizeof(name), e->workers[w]);
		if (has_times(x) && strlen(name) <= NAME_BESIDE_IDLE)
			snprintf(text, sizeof(text), "%s, idle %.0f %%", name, idle_of(x, r));
		else
			snprintf(text, sizeof(text), "%s", name);
		fputs(i ? ", " : "", script);
		gnuplot_tic(script, text);
		fprintf(script, " %.9g", r->top + 0.5 * (r->count > 1 ? GANTT_FOLDED_HEIGHT : 1));
	}
	fputs(")\nset ytics scale 0\nunset grid\n", script);
}

static void put_box(FILE *f, double from, double to, double top, double bottom)
{
	fprintf(f, "%.9g %.9g %.9g %.9g\n", from, to, top, bottom);
}

/* The part of a row that boxes fill: a gap divides rows. */
static double inner(const struct gantt_row *r)
{
	return (r->count > 1 ? GANTT_FOLDED_HEIGHT : 1) - 0.14;
}

/* Of a row's height: what differs by less was one state that was added in parts. */
static const double ALIKE = 1e-3;

/* In each column types stand on the ground, states above them; neighbours that are alike are one box. */
static void put_stacked(const struct gantt *x, size_t row, size_t kind, FILE *f)
{
	double h = inner(&x->rows[row]), bottom = x->rows[row].top + h, from = 0, low = 0, high = 0;

	for (size_t c = 0; c <= GANTT_COLUMNS; c++) {
		double below = 0, part = 0;

		for (size_t k = 0; c < GANTT_COLUMNS && k <= kind; k++) {
			below += part;
			part = share_at(x, row, c)[k];
		}
		below = below < 1 ? below : 1;
		part = below + part < 1 ? part : 1 - below;
		if (c < GANTT_COLUMNS && fabs(below - low) < ALIKE && fabs(below + part - high) < ALIKE)
			continue;
		if (high > low)
			put_box(f, from, (double)c * column_ns(x), bottom - h * high, bottom - h * low);
		from = (double)c * column_ns(x);
		low = below;
		high = below + part;
	}
}

/* A share of a pixel divides two boxes. */
static void put_tasks(const struct gantt *x, const size_t *row_of, int group, FILE *f)
{
	const struct execution *e = x->in->execution;
	double gap = (double)x->span_ns / 1300;

	for (size_t i = 0; i < e->ntasks; i++) {
		const struct execution_task *t = &e->tasks[i];
		const struct gantt_row *r = &x->rows[row_of[t->worker]];
		double from = (double)(t->start_ns - e->tasks[0].start_ns), length = (double)(t->end_ns - t->start_ns);

		if (!r->stacked && group_of(x, t) == group)
			put_box(f, from, from + length - (0.15 * length < gap ? 0.15 * length : gap), r->top,
			        r->top + inner(r));
	}
}

static void plot_boxes(FILE *script, const char *file, int64_t unit_ns, const char *style)
{
	fprintf(script,
	        "  '%s' using (($1+$2)/2/%" PRId64 "):(($3+$4)/2):($1/%" PRId64 "):($2/%" PRId64
	        "):3:4 with boxxyerror "
	        "%s notitle, \\\n",
	        file, unit_ns, unit_ns, unit_ns, style);
}

void gantt_boxes(const struct gantt *x, struct gnuplot *g, FILE *script, const char *prefix, int64_t unit_ns)
{
	size_t *row_of = rows_of_workers(x), groups = (size_t)x->palette->ngroups;

	/* States first: tasks are drawn over them. */
	for (size_t i = 0; i < kinds(x); i++) {
		size_t kind = (i + groups) % kinds(x);
		char file[32], style[64];
		FILE *f;

		snprintf(file, sizeof(file), "%s%zu.dat", prefix, kind);
		f = gnuplot_data(g, file);
		for (size_t r = 0; r < x->nrows; r++)
			if (x->rows[r].stacked || kind >= groups)
				put_stacked(x, r, kind, f);
		if (kind < groups)
			put_tasks(x, row_of, (int)kind, f);
		snprintf(style, sizeof(style), "fillstyle solid 1 noborder linecolor rgb '#%06" PRIx32 "'",
		         kind < groups ? x->palette->groups[kind].rgb : cause_colour((int)(kind - groups)));
		plot_boxes(script, file, unit_ns, style);
	}
	free(row_of);
}

/* A part of the chain in a row. */
struct stretch {
	double from, to; /* the same: none yet */
};

static void put_stretch(const struct gantt *x, size_t row, const struct stretch *s, FILE *f)
{
	double bottom = x->rows[row].top + inner(&x->rows[row]) + 0.07;

	if (s->to > s->from)
		put_box(f, s->from, s->to, bottom - 0.14, bottom);
}

/* Tasks of a row with less than half of a slice between them are one box: a chain may have all tasks of a run. */
void gantt_chain(const struct gantt *x, struct gnuplot *g, FILE *script, const char *prefix, int64_t unit_ns)
{
	const struct execution *e = x->in->execution;
	struct execution_wait *waits = execution_waits(e);
	size_t n, *row_of = rows_of_workers(x);
	uint32_t *chain = execution_chain(e, waits, &n);
	struct stretch *last = ht_alloc(x->nrows, sizeof(*last));
	char file[32];
	FILE *f;

	snprintf(file, sizeof(file), "%schain.dat", prefix);
	f = gnuplot_data(g, file);
	for (size_t i = 0; i < n; i++) {
		const struct execution_task *t = &e->tasks[chain[i]];
		struct stretch *s = &last[row_of[t->worker]];
		double from = (double)(t->start_ns - e->tasks[0].start_ns);

		if (from - s->to > column_ns(x) / 2) {
			put_stretch(x, row_of[t->worker], s, f);
			s->from = from;
		}
		s->to = fmax(s->to, (double)(t->end_ns - e->tasks[0].start_ns));
	}
	for (size_t row = 0; row < x->nrows; row++)
		put_stretch(x, row, &last[row], f);
	free(last);
	plot_boxes(script, file, unit_ns, "fillstyle solid 1 noborder linecolor rgb '#000000'");
	free(waits);
	free(chain);
	free(row_of);
}

const char *gantt_title(const struct plot_input *in, const char *what, char buf[GANTT_TITLE])
{
	char why[CAUSES_TITLE] = "", span[16];

	if (in->times)
		causes_title(in->times, why);
	snprintf(buf, GANTT_TITLE, "%s%s%.40s, %s%s%s", SHORT_NAME(what), *in->scheduler ? " under " : "",
	         in->scheduler, time_text(span, in->timeline->span_ns - in->timeline->first_ns), *why ? ": " : "", why);
	return buf;
}

/* A mark shows all bounds that are about the same. */
int gantt_bounds(const struct plot_input *in, struct gantt_mark marks[GANTT_MARKS])
{
	char text[16];

	for (int i = 0; i < in->nbounds; i++) {
		const struct named_bound *b = &in->bounds[i];

		snprintf(marks[i].text, sizeof(marks[i].text), "%s %s", b->name, time_text(text, b->ns));
		marks[i].ns = b->ns;
		marks[i].is_bound = 1;
	}
	return in->nbounds;
}

static int by_length(const void *a, const void *b)
{
	const struct gantt_mark *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* The name of a mark, beside its line, in pixels; `line` counts from the chart up. */
struct mark_name {
	double at, from, to;
	int left, line;
};

/* Above every mark whose line would go through it, and where no other name is near: characters are not all as wide. */
static int line_above(const struct mark_name *placed, int n, const struct mark_name *x)
{
	int line = 0;

	for (int k = 0; k < n; k++) {
		const struct mark_name *p = &placed[k];
		int is_crossed = p->at >= x->from && p->at <= x->to && p->line >= line;

		if (is_crossed || (p->line == line && p->from < x->to + APART && p->to + APART > x->from)) {
			line = p->line + 1;
			k = -1;
		}
	}
	return line;
}

/*
 * Names to the right of their lines from the right end on, then names to the left from the left on: no line goes
 * through a name that was placed before it. A name that would reach a mark whose own is to the left is so, too.
 */
static int place_names(const struct gantt_mark *marks, int n, struct mark_name *names, int64_t range_ns, int width)
{
	struct mark_name placed[GANTT_MARKS];
	int count = 0, lines = 0;
	double edge = width;

	for (int i = n - 1; i >= 0; i--) {
		double at = (double)width * (double)marks[i].ns / (double)range_ns;
		double text = CHARACTER * (double)strlen(marks[i].text) + 8;
		int left = at + text > edge && at >= text;

		names[i] = (struct mark_name){at, left ? at - text : at, left ? at : at + text, left, 0};
		edge = left ? at : edge;
	}
	for (int k = 0; k < 2 * n; k++) {
		int left = k >= n, i = left ? k - n : n - 1 - k;

		if (names[i].left != left)
			continue;
		names[i].line = line_above(placed, count, &names[i]);
		placed[count++] = names[i];
		lines = names[i].line >= lines ? names[i].line + 1 : lines;
	}
	return lines;
}

int gantt_ruler(FILE *script, struct gantt_mark *marks, int n, int64_t range_ns, int64_t unit_ns, int width, int height)
{
	struct mark_name names[GANTT_MARKS];
	int lines;

	qsort(marks, (size_t)n, sizeof(*marks), by_length);
	lines = place_names(marks, n, names, range_ns, width);
	for (int i = 0; script && i < n; i++) {
		double x = (double)marks[i].ns / (double)unit_ns,
		       top = 1 + (double)(LINE * (names[i].line + 1)) / height;
		const char *rgb = marks[i].is_bound ? "#5b6470" : "#000000";

		fprintf(script,
		        "set arrow from first %.9g, graph 1 to first %.9g, graph %.5f nohead linewidth 1 dashtype %d "
		        "linecolor rgb '%s'\nset label ",
		        x, x, top, marks[i].is_bound ? 3 : 1, rgb);
		gnuplot_text(script, marks[i].text);
		fprintf(script, " at first %.9g, graph %.5f %s offset character %s,0 textcolor rgb '%s'\n", x,
		        top - 0.4 * LINE / height, names[i].left ? "right" : "left", names[i].left ? "-0.6" : "0.6",
		        rgb);
	}
	return LINE * lines;
}

/* Where the next key of a legend goes, in pixels from the left and from above. */
struct pen {
	FILE *f;
	int x, y, width, height;
};

static void write_key(const struct pen *p, const char *name, uint32_t rgb, int box)
{
	fprintf(p->f,
	        "set object rectangle from screen %.5f, screen %.5f to screen %.5f, screen %.5f fillstyle solid 1 border "
	        "rgb '#c0c0c0' fillcolor rgb '#%06" PRIx32 "'\nset label ",
	        (double)p->x / p->width, 1 - (double)(p->y + 6 + box / 2) / p->height, (double)(p->x + 14) / p->width,
	        1 - (double)(p->y + 6 - box / 2) / p->height, rgb);
	gnuplot_text(p->f, name);
	fprintf(p->f, " at screen %.5f, screen %.5f left\n", (double)(p->x + 20) / p->width,
	        1 - (double)(p->y + 6) / p->height);
}

/* Pixels of ' ' to '~' in DejaVu Sans at 11 points, the widest of the fonts that are common for "sans". */
static const uint8_t widths[] = {
	5,  6,  7,  13, 10, 14, 12, 5,  6,  6,  8,  13, 5,  6,  5,  5,  10, 10, 10, 10, 10, 10, 10, 10,
	10, 10, 5,  5,  13, 13, 13, 8,  15, 11, 11, 11, 12, 10, 9,  12, 12, 5,  5,  10, 9,  13, 11, 12,
	9,  12, 11, 10, 9,  11, 11, 15, 11, 9,  11, 6,  5,  6,  13, 8,  8,  9,  10, 9,  10, 10, 6,  10,
	10, 5,  5,  9,  5,  15, 10, 9,  10, 10, 7,  8,  6,  10, 9,  12, 9,  9,  8,  10, 5,  10, 13,
};

enum { WIDEST = 15 };

static int width_of(const char *text)
{
	int width = 0;

	for (const char *s = text; *s; s++)
		if (*s >= ' ' && *s <= '~')
			width += widths[*s - ' '];
		else if ((*s & 0xc0) != 0x80) /* the first byte of a character */
			width += WIDEST;
	return width;
}

static void put_key(struct pen *p, const char *name, uint32_t rgb, int box)
{
	int length = 42 + width_of(name);

	if (p->x + length > p->width && p->x > LEGEND_LEFT) {
		p->x = LEGEND_LEFT;
		p->y += LEGEND_LINE;
	}
	if (p->f)
		write_key(p, name, rgb, box);
	p->x += length;
}

int gantt_legend(const struct gantt *x, FILE *script, int chain, int top, int width, int height)
{
	struct pen p = {script, LEGEND_LEFT, top, width, height};

	for (int k = 0; k < x->palette->ngroups; k++)
		put_key(&p, x->palette->groups[k].name, x->palette->groups[k].rgb, 10);
	for (int s = WORKER_WAITING; s < CAUSES; s++)
		if (cause_is_known(x->in->times, s))
			put_key(&p, cause_names[s], cause_colour(s), 10);
	if (chain)
		put_key(&p, "critical chain", 0, 3);
	return p.y + LEGEND_LINE - top;
}
