/* analyze/plots/plot_durations.c - plot: durations of each type on each architecture, and the models' durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A column for each type and architecture, at most MAX_COLUMNS, those with the most time in tasks: a histogram that
 * stands on its side, symmetric as a violin, of the logarithms of durations. All columns have the same bins, so a plot
 * costs three passes over the tasks whatever their number.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/trace/trace.h"

enum { WIDTH = 1200, HEIGHT = 640, BINS = 130, MAX_COLUMNS = 24, MAX_MARKS = 40, CHARS = 100, DUMB_LEFT = 12 };

/* Below that a type has one duration, as in a graph that was made. */
static const double LEAST_DEVIATION = 0.005;

enum { COLUMN_NAME = 28, COLUMN_TITLE = COLUMN_NAME + 32 };

struct column {
	uint32_t type;
	enum arch arch;
	int is_shown;
	uint64_t tasks;
	double sum_ns, squares; /* of ns */
	uint64_t bins[BINS];
};

struct durations {
	struct column *columns; /* [type * ARCH_COUNT + arch] */
	struct column **shown;  /* by architecture, then in the order of the trace */
	size_t nshown, nused;
	double low, high; /* decimal logarithms of ns */
	uint64_t unseen;  /* tasks of 0 ns, which have no place on a logarithmic axis */
};

/* Of a duration; -INFINITY of 0 ns. */
static double log_ns(const struct timeline_task *k)
{
	return log10((double)(k->end_ns - k->start_ns));
}

static struct column *column_of(const struct durations *d, const struct timeline *tl, const struct timeline_task *k)
{
	return &d->columns[(size_t)k->type * ARCH_COUNT + (size_t)tl->trace->workers[k->worker].arch];
}

static int by_time(const void *a, const void *b)
{
	const struct column *x = *(struct column *const *)a, *y = *(struct column *const *)b;

	if (x->sum_ns != y->sum_ns)
		return x->sum_ns < y->sum_ns ? 1 : -1;
	return x < y ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct column *x = *(struct column *const *)a, *y = *(struct column *const *)b;

	if (x->arch != y->arch)
		return (int)x->arch - (int)y->arch;
	return x < y ? -1 : 1;
}

/* Which columns are shown: those with the most time. */
static void choose(struct durations *d, const struct timeline *tl)
{
	size_t all = (size_t)tl->ntypes * ARCH_COUNT;

	d->columns = ht_alloc(all, sizeof(*d->columns));
	d->shown = ht_alloc(all, sizeof(*d->shown));
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);
		struct column *c = column_of(d, tl, &k);
		double ns = (double)(k.end_ns - k.start_ns);

		c->type = k.type;
		c->arch = tl->trace->workers[k.worker].arch;
		c->tasks++;
		c->sum_ns += ns;
		c->squares += ns * ns;
	}
	for (size_t i = 0; i < all; i++)
		if (d->columns[i].tasks)
			d->shown[d->nused++] = &d->columns[i];
	if (d->nused)
		qsort(d->shown, d->nused, sizeof(*d->shown), by_time);
	d->nshown = d->nused < MAX_COLUMNS ? d->nused : MAX_COLUMNS;
	for (size_t i = 0; i < d->nshown; i++)
		d->shown[i]->is_shown = 1;
	if (d->nshown)
		qsort(d->shown, d->nshown, sizeof(*d->shown), by_place);
}

static void gather(struct durations *d, const struct timeline *tl)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);

		if (!column_of(d, tl, &k)->is_shown)
			continue;
		d->unseen += isinf(log_ns(&k)) != 0;
		low = isinf(log_ns(&k)) ? low : fmin(low, log_ns(&k));
		high = fmax(high, log_ns(&k));
	}
	if (isinf(high)) /* of none */
		low = high = 0;
	/* Some space, so that equal durations stand in the middle of a range that has a length. */
	d->low = low - 0.02 * (high - low) - 0.05;
	d->high = high + 0.02 * (high - low) + 0.05;
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);
		struct column *c = column_of(d, tl, &k);
		int bin;

		if (!c->is_shown || isinf(log_ns(&k)))
			continue;
		bin = (int)((log_ns(&k) - d->low) / (d->high - d->low) * BINS);
		c->bins[bin < BINS ? bin : BINS - 1]++;
	}
}

/* Bars "COLUMN HALF-WIDTH FROM TO" (ns), the fullest bin of a column being the widest, none too thin to be seen. */
static void write_bars(FILE *f, const struct durations *d, size_t at)
{
	const struct column *c = d->shown[at];
	uint64_t most = 1;

	for (int b = 0; b < BINS; b++)
		most = c->bins[b] > most ? c->bins[b] : most;
	for (int b = 0; b < BINS; b++)
		if (c->bins[b])
			fprintf(f, "%zu %.4g %.6g %.6g\n", at, fmax(0.015, 0.42 * (double)c->bins[b] / (double)most),
			        pow(10, d->low + (d->high - d->low) * b / BINS),
			        pow(10, d->low + (d->high - d->low) * (b + 1) / BINS));
}

struct mark {
	double ns;
	uint32_t tasks;
};

static int by_tasks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->tasks != y->tasks)
		return x->tasks < y->tasks ? 1 : -1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The duration by the model for each size of a column's tasks, those with the most tasks: lines "COLUMN NS". */
static void write_models(FILE *f, const struct plot_input *in, const struct durations *d, size_t at)
{
	const struct column *c = d->shown[at];
	const struct model *m = in->dag && *in->dag->types[c->type].model && in->models ?
	                                model_find(in->models, in->dag->types[c->type].model) :
	                                NULL;
	struct mark *marks = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; m && i < in->dag->nclasses; i++) {
		const struct dag_class *k = &in->dag->classes[i];
		double us = k->codelet == c->type ? model_mean_us(m, c->arch, k->footprint) : -1;

		if (us > 0)
			*VEC_PUSH(marks, n, cap) = (struct mark){us * 1e3, k->count};
	}
	if (n)
		qsort(marks, n, sizeof(*marks), by_tasks);
	for (size_t i = 0; i < n && i < MAX_MARKS; i++)
		fprintf(f, "%zu %.6g\n", at, marks[i].ns);
	free(marks);
}

/* The name below a column: of a long name its end, in which codelets of one family differ. */
static void column_title(char text[COLUMN_TITLE], const struct plot_input *in, const struct column *c)
{
	int group = in->palette->group_of[c->type];
	const char *name = group < PALETTE_MAX ?
	                           in->palette->groups[group].name :
	                           trace_text(in->timeline->trace, in->timeline->trace->codelets[c->type].label);
	char shown[COLUMN_NAME];

	snprintf(text, COLUMN_TITLE, "%s, %s", text_end(shown, sizeof(shown), name), arch_name(c->arch));
}

/*
 * Titles that do not fit side by side are slanted. Characters cannot be: then the first column of each architecture has
 * its name, and the legend has those of types.
 */
static void write_columns(FILE *script, const struct plot_input *in, const struct durations *d, const struct gnuplot *g)
{
	const int dumb = gnuplot_terminal(g) == TERM_DUMB;
	char text[COLUMN_TITLE];
	size_t longest = 0;
	int crowded, slanted;
	double margin;

	for (size_t i = 0; i < d->nshown; i++) {
		column_title(text, in, d->shown[i]);
		longest = strlen(text) > longest ? strlen(text) : longest;
	}
	crowded = (longest + 2) * d->nshown > (dumb ? (size_t)gnuplot_columns(g) - DUMB_LEFT : CHARS);
	slanted = crowded && !dumb;
	/* The first one goes to the left of its column, which is 0.6 of the way to the second one right of the axis. */
	margin = 0.75 * (double)longest - 0.6 * 80 / ((double)d->nshown + 0.2);
	if (slanted && margin > 10)
		fprintf(script, "set lmargin %.1f\n", margin);
	fprintf(script, "set xrange [-0.6:%zu.6]\nset xtics %s(", d->nshown ? d->nshown - 1 : 0,
	        slanted ? "rotate by 40 right " : "");
	for (size_t i = 0; i < d->nshown; i++) {
		column_title(text, in, d->shown[i]);
		if (crowded && dumb)
			snprintf(text, sizeof(text), "%s",
			         i && d->shown[i - 1]->arch == d->shown[i]->arch ? "" : arch_name(d->shown[i]->arch));
		fputs(i ? ", " : "", script);
		gnuplot_tic(script, text);
		fprintf(script, " %zu", i);
	}
	fputs(")\n", script);
}

static void write_data(const struct plot_input *in, struct gnuplot *g, FILE *script, const struct durations *d)
{
	const enum gnuplot_term term = gnuplot_terminal(g);
	FILE *data;

	for (int k = 0; k < in->palette->ngroups; k++) {
		char name[32], style[PLOT_STYLE];

		snprintf(name, sizeof(name), "bars%d.dat", k);
		data = gnuplot_data(g, name);
		for (size_t i = 0; i < d->nshown; i++)
			if (in->palette->group_of[d->shown[i]->type] == k)
				write_bars(data, d, i);
		fprintf(script,
		        "  '%s' using 1:(sqrt($3*$4)):($1-$2):($1+$2):3:4 with boxxyerror %s fillstyle solid 1 noborder "
		        "notitle, \\\n",
		        name, plot_style(style, in->palette, k, term, PLOT_BOXES));
	}
	data = gnuplot_data(g, "models.dat");
	for (size_t i = 0; i < d->nshown; i++)
		write_models(data, in, d, i);
	data = gnuplot_data(g, "means.dat");
	for (size_t i = 0; i < d->nshown; i++)
		fprintf(data, "%zu %.6g\n", i, d->shown[i]->sum_ns / (double)d->shown[i]->tasks);
	fprintf(script,
	        "  'models.dat' using ($1-0.47):2:(0.94):(0) with vectors nohead linewidth 1.5 linecolor rgb '#000000' title "
	        "'mean of the model', \\\n"
	        "  'means.dat' using 1:2 with points pointtype 7 pointsize 1.1 linecolor rgb '#000000' notitle, \\\n"
	        "  'means.dat' using 1:2 with points pointtype 7 pointsize 0.7 linecolor rgb '#ffffff' notitle, \\\n"
	        "  NaN with points pointtype %d pointsize 1 linecolor rgb '#000000' title 'mean of the run'\n",
	        term == TERM_DUMB ? 7 : 6);
}

/* The standard deviation of its tasks, as a share of their mean. */
static double deviation(const struct column *c)
{
	double n = (double)c->tasks, mean = c->sum_ns / n, variance = c->squares / n - mean * mean;

	return mean > 0 && variance > 0 ? sqrt(variance) / mean : 0;
}

/* "gemm, cuda varies most, by 12 % of its mean" */
static void finding(char *text, size_t size, const struct plot_input *in, const struct durations *d)
{
	const struct column *widest = NULL;
	char name[COLUMN_TITLE];
	int used = 0;

	for (size_t i = 0; i < d->nshown; i++)
		if (!widest || deviation(d->shown[i]) > deviation(widest))
			widest = d->shown[i];
	if (widest) {
		column_title(name, in, widest);
		used = deviation(widest) < LEAST_DEVIATION ?
		               snprintf(text, size, "those of a type vary by less than %g %%", 100 * LEAST_DEVIATION) :
		               snprintf(text, size, "%s varies most, by %.0f %% of its mean", name,
		                        100 * deviation(widest));
	}
	if (d->unseen)
		used += snprintf(text + used, size - (size_t)used, "; without %" PRIu64 " task%s of 0 ns", d->unseen,
		                 plural(d->unseen));
	if (d->nshown < d->nused && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, "; %zu of %zu types and architectures", d->nshown, d->nused);
}

static void write_durations(const struct plot_input *in, struct gnuplot *g)
{
	FILE *script = gnuplot_script(g, WIDTH, HEIGHT);
	struct durations d = {0};
	char text[160] = "no task";

	choose(&d, in->timeline);
	gather(&d, in->timeline);
	finding(text, sizeof(text), in, &d);
	plot_title(script, g, in, "Durations", text);
	write_columns(script, in, &d, g);
	plot_duration_axis(script, 'y', d.low, d.high);
	fputs("set ylabel 'duration of a task'\nset grid ytics\n", script);
	fputs("plot \\\n", script);
	plot_legend(script, in->palette, gnuplot_terminal(g), PLOT_BOXES);
	write_data(in, g, script, &d);
	free(d.columns);
	free(d.shown);
}

const struct plot plot_durations = {
	.name = "durations",
	.summary = "how long tasks took, by type and architecture, and what the performance models say",
	.write = write_durations,
};
