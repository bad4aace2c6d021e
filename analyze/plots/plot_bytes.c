/* analyze/plots/plot_bytes.c - plot: bytes per second over each link between memory nodes, by cause, over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A link carries one copy after the other, in the order in which they end: a copy that begins while another is under
 * way on its link has its bytes from that one's end to its own. So each link's intervals do not overlap, and cutting
 * them into columns takes linear time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/data/copies.h"
#include "analyze/data/data_state.h"
#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/trace/trace.h"

enum { WIDTH = 1200, MARGINS = 104, LANES_HEIGHT = 420, LANE_LEAST = 84, LANE_MOST = 210 }; /* pixels */
enum { COLUMNS = 400, MAX_LANES = 8 };

/* One link, or the sum of those that have no lane of their own. */
struct lane {
	struct copies_link sum;
	size_t nlinks;
	double bytes[COLUMNS][COPY_GROUPS];
};

struct lanes {
	const struct plot_input *in;
	const struct trace *trace;
	struct copies copies;
	struct data_state *state;
	struct lane *at;
	size_t count;
	uint8_t *lane_of; /* by link_at() */
	double top;       /* bytes per second of the highest column, or bandwidth */
	int is_low;       /* bandwidth is so far above all columns that it is not drawn, but written */
};

static const double LEAST_OF_BANDWIDTH = 0.1; /* that a column has, or they would be too low to be seen beside it */

static const char *const group_colours[COPY_GROUPS] = {"#8c510a", "#d8b365", "#c7c7c7", "#01665e"};
static const char *const group_titles[COPY_GROUPS] = {"fetch: a task waits", "prefetch for a task", "at idle times",
                                                      "eviction"};
static const char *const group_found[COPY_GROUPS] = {"while a task waits", "ahead of a task", "at idle times",
                                                     "to make room"};

/* Bytes that travel evenly from `from` to `to`, ns of the timeline; what lies outside of the run is not shown. */
static void spread(struct lane *l, enum copy_group group, uint64_t bytes, int64_t from, int64_t to, int64_t span_ns)
{
	double column_ns = (double)span_ns / COLUMNS, per_ns;
	int64_t end = to > span_ns ? span_ns : to;
	size_t c;

	if (to < 0 || from >= span_ns)
		return;
	if (to <= from) {
		c = (size_t)((double)from / column_ns);
		l->bytes[c < COLUMNS ? c : COLUMNS - 1][group] += (double)bytes;
		return;
	}
	per_ns = (double)bytes / (double)(to - from);
	from = from < 0 ? 0 : from;
	for (c = (size_t)((double)from / column_ns); c < COLUMNS && (double)c * column_ns < (double)end; c++) {
		double begin = fmax((double)from, (double)c * column_ns);
		double stop = fmin((double)end, (double)(c + 1) * column_ns);

		if (stop > begin)
			l->bytes[c][group] += per_ns * (stop - begin);
	}
}

/* Ranks number their nodes from 0, each its own. */
static size_t link_at(const struct trace *t, int rank, int from, int to)
{
	return ((size_t)rank * (size_t)t->nnodes + (size_t)from) * (size_t)t->nnodes + (size_t)to;
}

static size_t links_of(const struct trace *t)
{
	return link_at(t, t->nranks, 0, 0);
}

static void spread_all(struct lanes *x)
{
	const struct trace *t = x->trace;
	const struct timeline *tl = x->in->timeline;
	size_t n = links_of(t), nends = 0;
	struct radix_item *ends = ht_alloc(t->ncopies, sizeof(*ends));
	int64_t *until = ht_alloc(n, sizeof(*until));

	for (size_t i = 0; i < n; i++)
		until[i] = INT64_MIN;
	for (size_t i = 0; i < t->ncopies; i++) {
		if (t->copies[i].end_ns != TIME_NONE && t->copies[i].from != t->copies[i].to)
			ends[nends++] = (struct radix_item){(uint64_t)(t->copies[i].end_ns + TIME_LIMIT), i};
	}
	radix_sort(ends, nends);
	for (size_t i = 0; i < nends; i++) {
		const struct trace_copy *c = &t->copies[ends[i].value];
		size_t link = link_at(t, c->rank, c->from, c->to);
		int64_t from = c->start_ns > until[link] ? c->start_ns : until[link];

		spread(&x->at[x->lane_of[link]], copy_group_of(c, x->state->copies[ends[i].value]), c->size_bytes,
		       from - tl->origin_ns, c->end_ns - tl->origin_ns, tl->span_ns);
		until[link] = c->end_ns;
	}
	free(ends);
	free(until);
}

/* The links with most bytes have lanes of their own; what stays in one memory crosses none. */
static void choose_lanes(struct lanes *x)
{
	uint32_t *order = copies_by_bytes(&x->copies);

	x->at = ht_alloc(MAX_LANES, sizeof(*x->at));
	x->lane_of = ht_alloc(links_of(x->trace), sizeof(*x->lane_of));
	for (size_t i = 0; i < x->copies.count; i++) {
		const struct copies_link *l = &x->copies.at[order[i]];
		size_t of = x->count < MAX_LANES ? x->count++ : MAX_LANES - 1;
		struct lane *lane = &x->at[of];

		x->lane_of[link_at(x->trace, l->rank, l->from, l->to)] = (uint8_t)of;
		if (!lane->nlinks++)
			lane->sum = *l;
		else
			lane->sum.run.bytes += l->run.bytes;
	}
	free(order);
}

static double column_ns(const struct lanes *x)
{
	return (double)x->in->timeline->span_ns / COLUMNS;
}

static void lanes_init(struct lanes *x, const struct plot_input *in)
{
	double bandwidth = 0;

	*x = (struct lanes){.in = in, .trace = in->timeline->trace};
	x->state = data_state_best(x->trace);
	copies_init(&x->copies, x->trace, in->machine, x->state);
	choose_lanes(x);
	spread_all(x);
	for (size_t i = 0; i < x->count; i++) {
		const struct lane *l = &x->at[i];

		for (size_t c = 0; c < COLUMNS; c++) {
			double sum = 0;

			for (int k = 0; k < COPY_GROUPS; k++)
				sum += l->bytes[c][k];
			x->top = fmax(x->top, sum * 1e9 / column_ns(x));
		}
		if (l->nlinks == 1)
			bandwidth = fmax(bandwidth, l->sum.bytes_per_s);
	}
	x->is_low = x->top > 0 && x->top < LEAST_OF_BANDWIDTH * bandwidth;
	x->top = x->is_low ? x->top : fmax(x->top, bandwidth);
}

/*
 * The corners of the steps, "NS SUM SUM SUM SUM" (in units per second, each cause on top of those before it): at both
 * ends of each column, but within columns that are alike.
 */
static void write_lane(struct gnuplot *g, const char *name, const struct lanes *x, const struct lane *l, double unit)
{
	FILE *f = gnuplot_data(g, name);

	for (size_t i = 0; i < 2 * (size_t)COLUMNS; i++) {
		size_t c = i / 2, other = i & 1 ? c + 1 : c - 1;
		double sum = 0;

		if (other < COLUMNS && (memcmp(l->bytes[c], l->bytes[other], sizeof(l->bytes[c])) == 0))
			continue;
		fprintf(f, "%.0f", (double)(c + (i & 1)) * column_ns(x));
		for (int k = 0; k < COPY_GROUPS; k++) {
			sum += l->bytes[c][k];
			fprintf(f, " %.6g", sum * 1e9 / column_ns(x) / unit);
		}
		putc('\n', f);
	}
}

/* Pixels of a lane: the fewer there are, the higher they can be. */
static int lane_height(const struct lanes *x)
{
	int even = x->count ? LANES_HEIGHT / (int)x->count : 0;

	return even < LANE_LEAST ? LANE_LEAST : even > LANE_MOST ? LANE_MOST : even;
}

static int picture_height(const struct lanes *x)
{
	return MARGINS + lane_height(x) * (int)x->count;
}

/* Beside the lane: which link, how much, in two lines around `middle`, of a picture `height` pixels high. */
static void write_label(FILE *f, const struct lanes *x, const struct lane *l, double middle, int height)
{
	char name[96], bytes[16], text[160];
	const struct timeline *tl = x->in->timeline;
	double busy = 100 * stats_ratio((double)l->sum.run.busy_ns, (double)(tl->span_ns - tl->first_ns), 0);

	bytes_text(bytes, (double)l->sum.run.bytes);
	if (l->nlinks == 1)
		link_name(x->in->machine, &l->sum, name);
	else
		snprintf(name, sizeof(name), "%zu other links", l->nlinks);
	fputs("set label 1 ", f);
	gnuplot_text(f, name);
	fprintf(f, " at screen 0.775,%.4f left\n", middle + 10.0 / height);
	if (l->nlinks == 1)
		snprintf(text, sizeof(text), "%s, busy %.0f %%", bytes, busy);
	else
		snprintf(text, sizeof(text), "%s", bytes);
	fputs("set label 2 ", f);
	gnuplot_text(f, text);
	fprintf(f, " at screen 0.775,%.4f left textcolor rgb '#707070'\n", middle - 14.0 / height);
	if (!x->is_low || l->nlinks != 1 || l->sum.bytes_per_s <= 0)
		return;
	snprintf(text, sizeof(text), "link of %.3g GB/s", l->sum.bytes_per_s / 1e9);
	fputs("set label 3 ", f);
	gnuplot_text(f, text);
	fprintf(f, " at screen 0.775,%.4f left textcolor rgb '#707070'\n", middle - 38.0 / height);
}

static void write_fills(FILE *f, const char *file, const struct lane *l, const struct plot_unit *u, double unit,
                        double span, int is_low)
{
	fputs("plot ", f);
	for (int k = COPY_GROUPS - 1; k >= 0; k--)
		fprintf(f, "'%s' using ($1/%" PRId64 "):%d with filledcurves y1=0 linecolor rgb '%s' notitle%s", file,
		        u->ns, k + 2, group_colours[k], k ? ", \\\n     " : "");
	if (l->nlinks == 1 && l->sum.bytes_per_s > 0 && !is_low)
		fprintf(f,
		        ", \\\n     [0:%.9g] %.9g with lines linewidth 1.2 dashtype 2 linecolor rgb '#404040' "
		        "notitle",
		        span, l->sum.bytes_per_s / unit);
	putc('\n', f);
}

/* One row of keys for all lanes, between title and first lane; objects and labels stay until the last lane. */
static void write_keys(FILE *f, double middle, int height, int bandwidth)
{
	static const double at[COPY_GROUPS + 1] = {0.06, 0.215, 0.37, 0.485, 0.575};

	for (int k = 0; k < COPY_GROUPS; k++)
		fprintf(f,
		        "set object %d rectangle from screen %.3f,%.4f to screen %.3f,%.4f fillstyle solid 1 noborder "
		        "fillcolor rgb '%s'\nset label %d '%s' at screen %.3f,%.4f left\n",
		        k + 1, at[k], middle - 5.0 / height, at[k] + 0.015, middle + 5.0 / height, group_colours[k],
		        k + 10, group_titles[k], at[k] + 0.02, middle);
	if (!bandwidth)
		return;
	fprintf(f,
	        "set arrow 1 from screen %.3f,%.4f to screen %.3f,%.4f nohead linewidth 1.2 dashtype 2 "
	        "linecolor rgb '#404040'\nset label 14 'bandwidth of the link' at screen %.3f,%.4f left\n",
	        at[COPY_GROUPS], middle, at[COPY_GROUPS] + 0.025, middle, at[COPY_GROUPS] + 0.03, middle);
}

static double tic_step(double top)
{
	double ten = pow(10, floor(log10(top)));

	return top / ten < 2 ? ten / 2 : top / ten < 5 ? ten : 2 * ten;
}

static void write_lanes(const struct lanes *x, struct gnuplot *g, FILE *f, double unit)
{
	int height = picture_height(x), bandwidth = 0;
	struct plot_unit u = plot_time_unit(x->in->timeline->span_ns);
	double lane = (double)lane_height(x) / height, top = x->top / unit, bottom = 1 - 56.0 / height;

	fprintf(f,
	        "set multiplot\nset lmargin at screen 0.06\nset rmargin at screen 0.765\nunset key\n"
	        "set style fill solid 1 noborder\nset label 9 '%s' at screen 0.012,%.4f center rotate\n",
	        unit > 5e8 ? "GB/s" : "MB/s", (bottom + 46.0 / height) / 2);
	for (size_t i = 0; i < x->count; i++)
		bandwidth |= x->at[i].nlinks == 1 && x->at[i].sum.bytes_per_s > 0 && !x->is_low;
	write_keys(f, 1 - 40.0 / height, height, bandwidth);
	for (size_t i = 0; i < x->count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "lane%zu.dat", i);
		write_lane(g, name, x, &x->at[i], unit);
		if (i == 1) /* what is drawn once, over the picture as a whole */
			fputs("unset label\nunset object\nunset arrow\nset title ' '\n", f);
		write_label(f, x, &x->at[i], bottom - lane * ((double)i + 0.45), height);
		fprintf(f, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", bottom - lane * (double)i,
		        bottom - lane * ((double)i + 0.86));
		u = plot_time_axis(f, x->in);
		if (i + 1 < x->count)
			fputs("unset xlabel\nset format x ''\n", f);
		else
			fputs("set format x '%g'\n", f);
		fprintf(f, "set yrange [0:%.9g]\nset ytics %.9g\n", 1.06 * top, tic_step(top));
		write_fills(f, name, &x->at[i], &u, unit, (double)x->in->timeline->span_ns / (double)u.ns, x->is_low);
	}
	fputs("unset multiplot\n", f);
}

/* Characters are too coarse for lanes: all links together. */
static void write_dumb(const struct lanes *x, struct gnuplot *g, FILE *f, double unit)
{
	struct plot_unit u = plot_time_axis(f, x->in);
	FILE *data = gnuplot_data(g, "all.dat");
	double top = 0;

	fprintf(f, "set ylabel '%s'\n", unit > 5e8 ? "GB/s" : "MB/s");
	for (size_t c = 0; c < COLUMNS; c++) {
		double sum = 0;

		for (size_t i = 0; i < x->count; i++)
			for (int k = 0; k < COPY_GROUPS; k++)
				sum += x->at[i].bytes[c][k];
		sum *= 1e9 / column_ns(x) / unit;
		top = fmax(top, sum);
		fprintf(data, "%.0f %.6g\n", ((double)c + 0.5) * column_ns(x), sum);
	}
	fprintf(f, "set yrange [0:%.9g]\nplot 'all.dat' using ($1/%" PRId64 "):2 with impulses title 'all links'\n",
	        1.05 * top, u.ns);
}

/* Copies before and after the run are not drawn. */
static const char *nothing(const struct plot_input *in)
{
	const struct timeline *tl = in->timeline;

	for (size_t i = 0; i < tl->trace->ncopies; i++) {
		const struct trace_copy *c = &tl->trace->copies[i];

		if (c->end_ns != TIME_NONE && c->size_bytes && c->from != c->to && c->end_ns > tl->origin_ns &&
		    c->start_ns < tl->origin_ns + tl->span_ns)
			return NULL;
	}
	return "no copy between memories was recorded during the run";
}

/* "4.2 GiB over 20 links, 62 % while a task waits": of the causes the one with most bytes. */
static void copies_finding(const struct copies *c, const char *bytes, char *text, size_t size)
{
	uint64_t of[COPY_GROUPS] = {0};
	size_t nlinks = 0;
	int most = 0;

	for (size_t i = 0; i < c->count; i++) {
		nlinks += c->at[i].run.copies > 0;
		for (int k = 0; k < COPY_GROUPS; k++)
			of[k] += c->at[i].run.group_bytes[k];
	}
	for (int k = 1; k < COPY_GROUPS; k++)
		most = of[k] > of[most] ? k : most;
	snprintf(text, size, "%s over %zu link%s, %.0f %% %s", bytes, nlinks, plural(nlinks),
	         100 * stats_ratio((double)of[most], (double)c->all.run.bytes, 0), group_found[most]);
}

static void write_bytes(const struct plot_input *in, struct gnuplot *g)
{
	int dumb = gnuplot_terminal(g) == TERM_DUMB;
	struct lanes x;
	char detail[160], bytes[16];
	double unit;
	FILE *f;

	lanes_init(&x, in);
	unit = x.top >= 1e8 ? 1e9 : 1e6;
	f = gnuplot_script(g, WIDTH, dumb ? 600 : picture_height(&x));
	copies_finding(&x.copies, bytes_text(bytes, (double)x.copies.all.run.bytes), detail, sizeof(detail));
	plot_title(f, g, in, "Copies", detail);
	if (dumb)
		write_dumb(&x, g, f, unit);
	else
		write_lanes(&x, g, f, unit);
	copies_fini(&x.copies);
	data_state_free(x.state);
	free(x.at);
	free(x.lane_of);
}

const struct plot plot_bytes = {
	.name = "bytes",
	.summary = "bytes per second over each link between memories, by cause, over time",
	.nothing = nothing,
	.write = write_bytes,
};
