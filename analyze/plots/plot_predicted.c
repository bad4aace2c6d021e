/* analyze/plots/plot_predicted.c - plot: how long tasks took against what the performance models say. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A grid of the logarithms of both, each of its cells with the tasks of each type in it: a point that grows with their
 * number. So a plot has a bounded number of points whatever the number of tasks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/trace/trace.h"

enum { WIDTH = 1000, HEIGHT = 760, CELLS = 150 };

struct predicted {
	const struct plot_input *in;
	double *model_ns; /* [class * ARCH_COUNT + arch]; < 0: the model has none */
	uint32_t *class;
	double low, high;   /* decimal logarithms of ns, of both axes */
	size_t known, near; /* tasks with a prediction; those within a tenth of it */
	uint32_t *count;    /* [group][column][row] */
};

/* < 0: nothing predicts the task. */
static double model_of(const struct predicted *p, size_t task)
{
	const struct timeline *tl = p->in->timeline;
	enum arch a = tl->trace->workers[timeline_task(tl, task).worker].arch;

	if (p->class[task] == TIMELINE_NO_CLASS)
		return -1;
	return p->model_ns[(size_t)p->class[task] * ARCH_COUNT + (size_t)a];
}

static double run_of(const struct predicted *p, size_t task)
{
	struct timeline_task k = timeline_task(p->in->timeline, task);

	return k.end_ns - k.start_ns > 1 ? (double)(k.end_ns - k.start_ns) : 1;
}

static int cell_of(const struct predicted *p, double ns)
{
	int c = (int)((log10(ns) - p->low) / (p->high - p->low) * CELLS);

	return c < 0 ? 0 : c < CELLS ? c : CELLS - 1;
}

static uint32_t *count_at(const struct predicted *p, int group, int column, int row)
{
	return &p->count[((size_t)group * CELLS + (size_t)column) * CELLS + (size_t)row];
}

static void gather(struct predicted *p)
{
	size_t n = p->in->timeline->ntasks;

	p->low = INFINITY;
	p->high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		double model = model_of(p, i), run = run_of(p, i);

		if (model <= 0)
			continue;
		p->low = fmin(p->low, log10(fmin(model, run)));
		p->high = fmax(p->high, log10(fmax(model, run)));
		p->known++;
		p->near += fabs(run - model) <= 0.1 * model;
	}
	p->count = ht_alloc((size_t)p->in->palette->ngroups * CELLS * CELLS, sizeof(*p->count));
	p->low -= 0.05 * (p->high - p->low) + 0.1;
	p->high += 0.05 * (p->high - p->low) + 0.1;
	for (size_t i = 0; i < n; i++) {
		double model = model_of(p, i);

		if (model > 0)
			++*count_at(p, p->in->palette->group_of[timeline_task(p->in->timeline, i).type],
			            cell_of(p, model), cell_of(p, run_of(p, i)));
	}
}

static double centre(const struct predicted *p, int cell)
{
	return pow(10, p->low + (p->high - p->low) * (cell + 0.5) / CELLS);
}

static void write_points(const struct predicted *p, struct gnuplot *g, FILE *script)
{
	const struct palette *palette = p->in->palette;

	for (int k = 0; k < palette->ngroups; k++) {
		char name[32], style[PLOT_STYLE];
		FILE *f;

		snprintf(name, sizeof(name), "points%d.dat", k);
		f = gnuplot_data(g, name);
		for (int c = 0; c < CELLS; c++)
			for (int r = 0; r < CELLS; r++) {
				uint32_t n = *count_at(p, k, c, r);

				if (n)
					fprintf(f, "%.6g %.6g %.3g\n", centre(p, c), centre(p, r),
					        0.7 + 0.4 * log10(n));
			}
		fprintf(script, "  '%s' using 1:2:3 with points pointsize variable %s notitle, \\\n", name,
		        plot_style(style, palette, k, gnuplot_terminal(g), PLOT_POINTS));
	}
}

static void write_picture(const struct predicted *p, struct gnuplot *g, FILE *script)
{
	size_t all = p->in->timeline->ntasks;
	char text[160], others[48] = "";

	if (p->known < all)
		snprintf(others, sizeof(others), "; %zu have no model", all - p->known);
	snprintf(text, sizeof(text), "%.0f %% of %zu tasks took within 10 %% of what models say%s",
	         100 * (double)p->near / (double)p->known, p->known, others);
	plot_title(script, g, p->in, "Models", text);
	plot_duration_axis(script, 'x', p->low, p->high);
	plot_duration_axis(script, 'y', p->low, p->high);
	fputs("set xlabel 'the model says'\nset ylabel 'the task took'\nset grid\n"
	      "set clip two\nset samples 2\nplot \\\n",
	      script); /* a line between two corners is one with both ends outside */
	plot_legend(script, p->in->palette, gnuplot_terminal(g), PLOT_POINTS);
	fputs("  x with lines linewidth 1.5 linecolor rgb '#000000' title 'as predicted', \\\n"
	      "  2*x with lines dashtype 2 linecolor rgb '#909090' title 'twice, half', \\\n"
	      "  x/2 with lines dashtype 2 linecolor rgb '#909090' notitle, \\\n",
	      script);
	write_points(p, g, script);
	fputs("  NaN notitle\n", script);
}

static void predicted_init(struct predicted *p, const struct plot_input *in)
{
	const struct dag *d = in->dag;

	*p = (struct predicted){.in = in};
	p->model_ns = ht_alloc((size_t)d->nclasses * ARCH_COUNT, sizeof(*p->model_ns));
	for (uint32_t c = 0; c < d->nclasses; c++) {
		const char *symbol = d->types[d->classes[c].codelet].model;
		const struct model *m = *symbol ? model_find(in->models, symbol) : NULL;

		for (enum arch a = 0; a < ARCH_COUNT; a++)
			p->model_ns[c * (size_t)ARCH_COUNT + (size_t)a] =
				m ? 1e3 * model_mean_us(m, a, d->classes[c].footprint) : -1;
	}
	p->class = timeline_classes(in->timeline, in->dag);
}

static void predicted_fini(struct predicted *p)
{
	free(p->model_ns);
	free(p->class);
	free(p->count);
}

static const char *nothing(const struct plot_input *in)
{
	struct predicted p;
	size_t i = 0;

	predicted_init(&p, in);
	while (i < in->timeline->ntasks && model_of(&p, i) <= 0)
		i++;
	predicted_fini(&p);
	return i == in->timeline->ntasks ? "no performance model knows a task of this run" : NULL;
}

static void write_predicted(const struct plot_input *in, struct gnuplot *g)
{
	struct predicted p;
	FILE *script = gnuplot_script(g, WIDTH, HEIGHT);

	predicted_init(&p, in);
	gather(&p);
	write_picture(&p, g, script);
	predicted_fini(&p);
}

const struct plot plot_predicted = {
	.name = "predicted",
	.summary = "how long tasks took against what the performance models say",
	.nothing = nothing,
	.write = write_predicted,
};
