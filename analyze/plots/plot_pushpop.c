/* analyze/plots/plot_pushpop.c - plots: tasks pushed (up) and popped (down) in each interval. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/machine/machine.h"

enum { WIDTH = 1200, HEIGHT = 600 };

/* What is stacked: by type, or by the architecture of the worker that executed the task. */
struct bars { /* counts by [bin * ngroups + group] */
	uint64_t *up, *down;
	uint64_t top, bottom; /* the highest bar, the deepest */
	size_t nbins, ngroups;
	struct palette_group groups[PALETTE_MAX + 1];
};

static void bars_alloc(struct bars *bars, size_t nbins)
{
	bars->nbins = nbins;
	bars->up = ht_alloc(nbins * bars->ngroups, sizeof(*bars->up));
	bars->down = ht_alloc(nbins * bars->ngroups, sizeof(*bars->down));
}

static void bars_by_type(struct bars *bars, const struct timeline_bins *b, const struct palette *p)
{
	size_t n = (size_t)p->ngroups;

	bars->ngroups = n;
	memcpy(bars->groups, p->groups, n * sizeof(*p->groups));
	bars_alloc(bars, b->nbins);
	for (size_t i = 0; i < b->nbins; i++)
		for (uint32_t t = 0; t < b->ntypes; t++) {
			bars->up[i * n + p->group_of[t]] += b->pushes[i * b->ntypes + t];
			bars->down[i * n + p->group_of[t]] += b->pops[i * b->ntypes + t];
		}
}

static void bars_by_arch(struct bars *bars, const struct timeline_bins *b, const struct machine *m)
{
	arch_mask archs = machine_archs(m);
	enum arch of[ARCH_COUNT];
	size_t n = 0;

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (archs >> a & 1) {
			snprintf(bars->groups[n].name, sizeof(bars->groups[n].name), "on %s", arch_name(a));
			bars->groups[n].rgb = palette_arch(a);
			of[n++] = a;
		}
	bars->ngroups = n;
	bars_alloc(bars, b->nbins);
	for (size_t i = 0; i < b->nbins; i++)
		for (size_t k = 0; k < n; k++) {
			bars->up[i * n + k] = b->arch_pushes[i][of[k]];
			bars->down[i * n + k] = b->arch_pops[i][of[k]];
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

static void write_bars(const struct plot_input *in, const struct timeline_bins *b, const struct bars *bars,
                       struct gnuplot *g)
{
	FILE *script = gnuplot_script(g, WIDTH, HEIGHT), *data;
	struct plot_unit u;
	int first = 1;
	char text[128], interval[16];

	snprintf(text, sizeof(text), "at most %" PRIu64 " pushed (up) and %" PRIu64 " popped (down) in %s%s", bars->top,
	         bars->bottom, time_text(interval, in->interval_ns), plot_ready_note(in->timeline));
	plot_title(script, g, in, "Tasks", text);
	fprintf(script, "set yrange [-%.9g:%.9g]\n", 1.08 * (double)(bars->bottom ? bars->bottom : 1),
	        1.08 * (double)(bars->top ? bars->top : 1));
	fputs("set xzeroaxis linetype 1 linewidth 1 linecolor rgb '#606060'\nset style fill solid 1 noborder\n",
	      script);
	/* Below zero there are tasks too: each half has its own label. */
	fprintf(script,
	        "set label 'tasks pushed' at screen 0.018, first %.9g rotate center\n"
	        "set label 'tasks popped' at screen 0.018, first -%.9g rotate center\nset lmargin 11\n",
	        0.5 * (double)bars->top, 0.5 * (double)bars->bottom);
	plot_count_tics(script, bars->bottom, bars->top, 6);
	u = plot_time_axis(script, in);
	for (size_t k = 0; k < bars->ngroups; k++) {
		char name[32];

		snprintf(name, sizeof(name), "bars%zu.dat", k);
		data = gnuplot_data(g, name);
		if (!write_stack(data, bars, k, b, in->timeline->span_ns))
			continue;
		fprintf(script,
		        "%s'%s' using (($1+$2)/2/%" PRId64 "):(($3+$4)/2):($1/%" PRId64 "):($2/%" PRId64 "):3:4 "
		        "with boxxyerror linecolor rgb '#%06" PRIx32 "' title ",
		        first ? "plot " : ", \\\n     ", name, u.ns, u.ns, u.ns, bars->groups[k].rgb);
		gnuplot_text(script, bars->groups[k].name);
		first = 0;
	}
	fputs("\n", script);
}

static void write_plot(const struct plot_input *in, struct gnuplot *g, int by_arch)
{
	struct timeline_bins bins;
	struct bars bars = {0};

	if (timeline_bins_init(&bins, in->timeline, in->interval_ns, gnuplot_err(g)) != 0)
		return;
	if (by_arch)
		bars_by_arch(&bars, &bins, in->machine);
	else
		bars_by_type(&bars, &bins, in->palette);
	for (size_t i = 0; i < bars.nbins; i++) {
		uint64_t up = 0, down = 0;

		for (size_t k = 0; k < bars.ngroups; k++) {
			up += bars.up[i * bars.ngroups + k];
			down += bars.down[i * bars.ngroups + k];
		}
		bars.top = up > bars.top ? up : bars.top;
		bars.bottom = down > bars.bottom ? down : bars.bottom;
	}
	write_bars(in, &bins, &bars, g);
	free(bars.up);
	free(bars.down);
	timeline_bins_fini(&bins);
}

static void write_pushpop(const struct plot_input *in, struct gnuplot *g)
{
	write_plot(in, g, 0);
}

static void write_archs(const struct plot_input *in, struct gnuplot *g)
{
	write_plot(in, g, 1);
}

const struct plot plot_pushpop = {
	.name = "pushpop",
	.summary = "tasks pushed (up) and popped (down) in each interval, stacked by type",
	.write = write_pushpop,
};

const struct plot plot_pushpop_arch = {
	.name = "pushpop-arch",
	.summary = "the same, stacked by the architecture that executed them",
	.write = write_archs,
};
