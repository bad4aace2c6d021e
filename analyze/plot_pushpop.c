/* analyze/plot_pushpop.c - plot: tasks pushed (up) and popped (down) in each interval, by type. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/gnuplot.h"
#include "analyze/plot.h"
#include "analyze/timeline.h"
#include "core/alloc.h"
#include "core/table.h"

enum { WIDTH = 1200, HEIGHT = 600 };

struct bars { /* counts by [bin * ngroups + group] */
	uint64_t *up, *down;
	uint64_t top, bottom; /* the highest bar, the deepest */
	size_t nbins, ngroups;
};

static void bars_init(struct bars *bars, const struct timeline_bins *b, const struct palette *p)
{
	size_t n = (size_t)p->ngroups;

	*bars = (struct bars){.nbins = b->nbins, .ngroups = n};
	bars->up = ht_alloc(b->nbins * n, sizeof(*bars->up));
	bars->down = ht_alloc(b->nbins * n, sizeof(*bars->down));
	for (size_t i = 0; i < b->nbins; i++) {
		uint64_t up = 0, down = 0;

		for (uint32_t t = 0; t < b->ntypes; t++) {
			bars->up[i * n + p->group_of[t]] += b->pushes[i * b->ntypes + t];
			bars->down[i * n + p->group_of[t]] += b->pops[i * b->ntypes + t];
			up += b->pushes[i * b->ntypes + t];
			down += b->pops[i * b->ntypes + t];
		}
		bars->top = up > bars->top ? up : bars->top;
		bars->bottom = down > bars->bottom ? down : bars->bottom;
	}
}

/*
 * Lines "FROM TO LOW HIGH" (ns and tasks) of one group, stacked on the groups before it. Returns the number of lines.
 */
static size_t write_stack(FILE *f, const struct bars *bars, size_t group, const struct timeline_bins *b,
                          int64_t span_ns)
{
	size_t lines = 0;

	for (size_t i = 0; i < bars->nbins; i++) {
		const uint64_t *up = &bars->up[i * bars->ngroups], *down = &bars->down[i * bars->ngroups];
		int64_t from = (int64_t)i * b->interval_ns, to = from + b->interval_ns;
		uint64_t above = 0, below = 0;

		for (size_t k = 0; k < group; k++) {
			above += up[k];
			below += down[k];
		}
		to = to > span_ns ? span_ns : to;
		if (up[group])
			fprintf(f, "%" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 "\n", from, to, above,
			        above + up[group]);
		if (down[group])
			fprintf(f, "%" PRId64 " %" PRId64 " -%" PRIu64 " -%" PRIu64 "\n", from, to, below,
			        below + down[group]);
		lines += (up[group] != 0) + (down[group] != 0);
	}
	return lines;
}

/* Below zero there are tasks too: each half has its own label. */
static void write_halves(FILE *f, const struct bars *bars)
{
	fprintf(f,
	        "set label 'tasks pushed' at graph -0.055, first %.9g rotate center\n"
	        "set label 'tasks popped' at graph -0.055, first -%.9g rotate center\nset lmargin 10\n",
	        0.5 * (double)bars->top, 0.5 * (double)bars->bottom);
	plot_count_tics(f, bars->bottom, bars->top, 6);
}

static void write_frame(FILE *f, const struct plot_input *in, const struct bars *bars)
{
	char text[128], interval[16];

	snprintf(text, sizeof(text), "pushed (up) and popped (down) every %s%s", time_text(interval, in->interval_ns),
	         plot_ready_note(in->timeline));
	plot_title(f, in, "Tasks", text);
	fprintf(f, "set yrange [-%.9g:%.9g]\n", 1.08 * (double)(bars->bottom ? bars->bottom : 1),
	        1.08 * (double)(bars->top ? bars->top : 1));
	fputs("set xzeroaxis linetype 1 linewidth 1 linecolor rgb '#606060'\nset style fill solid 1 noborder\n", f);
	write_halves(f, bars);
}

static int write_bars(const struct plot_input *in, const struct timeline_bins *b, const struct bars *bars,
                      struct gnuplot *g, struct ht_err *err)
{
	FILE *script = gnuplot_script(g, WIDTH, HEIGHT), *data;
	struct plot_unit u;
	int first = 1;

	write_frame(script, in, bars);
	u = plot_time_axis(script, in);
	for (size_t k = 0; k < bars->ngroups; k++) {
		char name[32];

		snprintf(name, sizeof(name), "bars%zu.dat", k);
		data = gnuplot_data(g, name, err);
		if (!data)
			return -1;
		if (!write_stack(data, bars, k, b, in->timeline->span_ns))
			continue;
		fprintf(script,
		        "%s'%s' using (($1+$2)/2/%" PRId64 "):(($3+$4)/2):($1/%" PRId64 "):($2/%" PRId64 "):3:4 "
		        "with boxxyerror linecolor rgb '#%06" PRIx32 "' title ",
		        first ? "plot " : ", \\\n     ", name, u.ns, u.ns, u.ns, in->palette->groups[k].rgb);
		gnuplot_text(script, in->palette->groups[k].name);
		first = 0;
	}
	fputs("\n", script);
	return 0;
}

static int write_pushpop(const struct plot_input *in, struct gnuplot *g, struct ht_err *err)
{
	struct timeline_bins bins;
	struct bars bars;
	int rc;

	if (timeline_bins_init(&bins, in->timeline, in->interval_ns, err) != 0)
		return -1;
	bars_init(&bars, &bins, in->palette);
	rc = write_bars(in, &bins, &bars, g, err);
	free(bars.up);
	free(bars.down);
	timeline_bins_fini(&bins);
	return rc;
}

const struct plot plot_pushpop = {
	.name = "pushpop",
	.summary = "tasks pushed (up) and popped (down) in each interval, stacked by type",
	.write = write_pushpop,
};
