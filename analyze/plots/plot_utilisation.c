/* analyze/plots/plot_utilisation.c - plot: share of the workers of each architecture that execute, over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "analyze/plots/plot_causes.h"
#include "core/base/alloc.h"
#include "core/trace/trace.h"

enum { WIDTH = 1200, HEIGHT = 600, PANEL = 150, TITLE = 57, COLUMNS = 400 };

struct busy {
	const struct trace *trace;
	int64_t ns[COLUMNS][ARCH_COUNT], total[ARCH_COUNT];
	size_t workers[ARCH_COUNT];
};

static void busy_add(void *ctx, const struct timeline_task *task, size_t column, int64_t ns)
{
	struct busy *b = ctx;
	enum arch a = b->trace->workers[task->worker].arch;

	if (a != ARCH_NONE) {
		b->ns[column][a] += ns;
		b->total[a] += ns;
	}
}

/* Corners of the steps: "NS SHARE" (percent) at both ends of each slice. */
static void write_arch(struct gnuplot *g, const char *name, const struct busy *b, enum arch a,
                       const struct timeline *tl)
{
	FILE *f = gnuplot_data(g, name);

	for (size_t c = 0; c < COLUMNS; c++) {
		int64_t from = timeline_slice_ns(tl, c, COLUMNS), to = timeline_slice_ns(tl, c + 1, COLUMNS);
		double all = (double)(to - from) * (double)b->workers[a];
		double share = all > 0 ? 100.0 * (double)b->ns[c][a] / all : 0;

		fprintf(f, "%" PRId64 " %.6g\n%" PRId64 " %.6g\n", from, share, to, share);
	}
}

/* A panel for each architecture, one below the other; with characters all of them in one. */
struct panels {
	struct gnuplot *g;
	FILE *f;
	int n, at, dumb;
	double top, height;
};

static void begin_panel(struct panels *p, const char *label)
{
	double above = p->top - p->height * p->at;

	if (p->dumb) {
		fputs(p->at ? ", \\\n  " : "plot ", p->f);
		p->at++;
		return;
	}
	p->at++;
	if (p->at == 2)
		fputs("unset title\nunset label 99\n", p->f);
	fprintf(p->f, "set tmargin at screen %.4f\nset bmargin at screen %.4f\nset format x '%s'\n", above,
	        above - 0.8 * p->height, p->at == p->n ? "%g" : "");
	if (p->at < p->n)
		fputs("unset xlabel\n", p->f);
	fputs("set label 1 ", p->f);
	gnuplot_text(p->f, label);
	fputs(" at graph 0, graph 1 left offset 0, 0.7\nplot ", p->f);
}

static void write_panel(struct panels *p, const struct plot_input *in, const struct busy *b, enum arch a)
{
	double all = (double)(in->timeline->span_ns - in->timeline->first_ns) * (double)b->workers[a];
	char label[80], file[32];
	struct plot_unit u;

	snprintf(label, sizeof(label), "%zu %s, mean %.1f %%", b->workers[a], arch_name(a),
	         all > 0 ? 100 * (double)b->total[a] / all : 0);
	snprintf(file, sizeof(file), "%s.dat", arch_name(a));
	write_arch(p->g, file, b, a, in->timeline);
	if (!p->dumb || !p->at)
		u = plot_time_axis(p->f, in);
	else
		u = plot_time_unit(in->timeline->span_ns);
	begin_panel(p, label);
	fprintf(p->f, "'%s' using ($1/%" PRId64 "):2 with %s linecolor rgb '#%06" PRIx32 "' title ", file, u.ns,
	        p->dumb ? "lines" : "filledcurves y1=0 fillstyle solid 1 noborder", palette_arch(a));
	gnuplot_text(p->f, label);
	if (!p->dumb)
		putc('\n', p->f);
}

static void write_panels(const struct plot_input *in, struct gnuplot *g, const struct busy *b)
{
	char buf[CAUSES_TITLE];
	const char *why = in->times ? causes_title(in->times, buf) : NULL;
	struct panels p = {.g = g, .dumb = gnuplot_terminal(g) == TERM_DUMB};
	int height;

	for (enum arch a = 0; a < ARCH_COUNT; a++)
		p.n += b->workers[a] > 0;
	height = p.dumb ? HEIGHT : 140 + PANEL * (p.n ? p.n : 1);
	p.f = gnuplot_script(g, WIDTH, height);
	p.top = 1 - (double)TITLE / height;
	p.height = (p.top - 0.11) / (p.n ? p.n : 1);
	plot_title(p.f, g, in, "Utilisation", why ? why : "workers that execute a task");
	fputs("set ylabel 'busy (%)'\nset yrange [0:105]\nset ytics 50\n", p.f);
	if (!p.dumb)
		fputs("set multiplot\nset lmargin at screen 0.07\nset rmargin at screen 0.98\nunset key\n", p.f);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (b->workers[a])
			write_panel(&p, in, b, a);
	if (!p.n)
		fputs("plot NaN notitle", p.f);
	fputs(p.dumb || !p.n ? "\n" : "unset multiplot\n", p.f);
}

static void write_utilisation(const struct plot_input *in, struct gnuplot *g)
{
	const struct trace *t = in->timeline->trace;
	struct busy *b = ht_alloc(1, sizeof(*b));

	b->trace = t;
	for (size_t w = 0; w < t->nworkers; w++)
		if (t->workers[w].arch != ARCH_NONE)
			b->workers[t->workers[w].arch]++;
	timeline_overlaps(in->timeline, COLUMNS, busy_add, b);
	write_panels(in, g, b);
	free(b);
}

const struct plot plot_utilisation = {
	.name = "utilisation",
	.summary = "share of the workers of each architecture that execute a task, over time",
	.use = PLOT_CHART,
	.write = write_utilisation,
};
