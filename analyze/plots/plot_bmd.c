/* analyze/plots/plot_bmd.c - plot: BMD of LAHeteroprio's formulas over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>

#include "analyze/data/bmd.h"
#include "analyze/data/data_state.h"
#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"

enum { WIDTH = 1200, HEIGHT = 640, COLUMNS = 300 };

/* Colours as of types (palette.c). Formulas that agree lie on one another: the later ones are thinner, and dashed. */
static const struct {
	const char *colour;
	double width;
	int dash;
} lines[LOCALITY_FORMULAS] = {
	[LOCALITY_LARU] = {"#8a8a8a", 1.6, 1},    [LOCALITY_MC] = {"#cc79a7", 1.6, 1},
	[LOCALITY_LS_SDH] = {"#0072b2", 2.2, 1},  [LOCALITY_LS_SDH2] = {"#009e73", 4, 1},
	[LOCALITY_LS_SDHB] = {"#e69f00", 1.8, 2}, [LOCALITY_LC_SMWB] = {"#d55e00", 1.8, 1},
};

/* "FROM PERCENT..." at the end of each slice, a column a formula; "?" before the first pop. */
static void write_ratios(struct gnuplot *g, const struct bmd *b, const struct timeline *tl)
{
	FILE *f = gnuplot_data(g, "bmd.dat");

	for (size_t c = 0; c < b->nslices; c++) {
		fprintf(f, "%" PRId64, timeline_slice_ns(tl, c + 1, b->nslices));
		for (int k = 0; k < LOCALITY_FORMULAS; k++) {
			double ratio = bmd_ratio(b, &b->slices[c].so_far, (enum locality_formula)k);

			if (isfinite(ratio))
				fprintf(f, " %.6g", 100 * ratio);
			else
				fputs(" ?", f);
		}
		putc('\n', f);
	}
}

/*
 * The corners of the steps, "NS SUM...", at both ends of each slice: percent of its pushes, each formula on top of
 * those before. A slice without pushes goes on like the one before it.
 */
static void write_choices(struct gnuplot *g, const struct bmd *b, const struct timeline *tl)
{
	const struct bmd_slice *slice = b->slices;
	FILE *f = gnuplot_data(g, "chosen.dat");

	for (size_t i = 0; i < 2 * b->nslices; i++) {
		uint64_t all = 0, sum = 0;

		for (int k = 0; k < LOCALITY_FORMULAS; k++)
			all += b->slices[i / 2].chosen[k];
		slice = all ? &b->slices[i / 2] : slice;
		for (int k = 0; !all && k < LOCALITY_FORMULAS; k++)
			all += slice->chosen[k];
		fprintf(f, "%" PRId64, timeline_slice_ns(tl, (i + 1) / 2, b->nslices));
		for (int k = LOCALITY_FIRST_AUTOMATIC; k < LOCALITY_FORMULAS; k++) {
			sum += slice->chosen[k];
			fprintf(f, " %.6g", all ? 100 * (double)sum / (double)all : 0);
		}
		putc('\n', f);
	}
}

static void write_panel(FILE *f, double bottom, double top)
{
	fprintf(f,
	        "set lmargin at screen 0.07\nset rmargin at screen 0.81\nset bmargin at screen %.2f\n"
	        "set tmargin at screen %.2f\nset key inside left top at screen 0.82,%.2f\n",
	        bottom, top, top);
}

static void write_curves(FILE *f, const struct bmd *b, const struct plot_unit *u)
{
	fputs("plot \\\n", f);
	for (int k = 0; k < LOCALITY_FORMULAS; k++) {
		double ratio = bmd_ratio(b, &b->paper, (enum locality_formula)k);
		char text[64];

		if (!isfinite(ratio))
			continue;
		snprintf(text, sizeof(text), "%s %.1f %%", locality_paper_name((enum locality_formula)k), 100 * ratio);
		fprintf(f,
		        "  'bmd.dat' using ($1/%" PRId64
		        "):%d with lines linewidth %.1f dashtype %d linecolor rgb '%s' title ",
		        u->ns, k + 2, lines[k].width, lines[k].dash, lines[k].colour);
		gnuplot_text(f, text);
		fputs(", \\\n", f);
	}
	fputs("  NaN notitle\n", f);
}

/* Below: what the automatic choice would have used for the tasks pushed in each slice. */
static void write_chosen(FILE *f, const struct plot_input *in, const struct bmd *b)
{
	struct plot_unit u;

	fputs("unset title\nunset label 99\nset format x '%g'\nset ylabel 'automatic (% of pushes)'\nset yrange [0:100]\nset ytics 50\n"
	      "set style fill solid 1 noborder\n",
	      f);
	write_panel(f, 0.11, 0.31);
	u = plot_time_axis(f, in);
	fputs("plot \\\n", f);
	for (int k = LOCALITY_FORMULAS - 1; k >= (int)LOCALITY_FIRST_AUTOMATIC; k--) {
		char text[64];

		snprintf(text, sizeof(text), "%s %.1f %%", locality_paper_name((enum locality_formula)k),
		         b->paper.tasks ? 100 * (double)b->chosen[k] / (double)b->paper.tasks : 0);
		fprintf(f, "  'chosen.dat' using ($1/%" PRId64 "):%d with filledcurves y1=0 linecolor rgb '%s' title ",
		        u.ns, k - (int)LOCALITY_FIRST_AUTOMATIC + 2, lines[k].colour);
		gnuplot_text(f, text);
		fputs(k > (int)LOCALITY_FIRST_AUTOMATIC ? ", \\\n" : "\n", f);
	}
}

static void write_script(struct gnuplot *g, const struct plot_input *in, const struct bmd *b)
{
	int dumb = gnuplot_terminal(g) == TERM_DUMB;
	FILE *f = gnuplot_script(g, WIDTH, HEIGHT);
	double top = 0;
	struct plot_unit u;

	for (size_t c = 0; c < b->nslices; c++) {
		for (int k = 0; k < LOCALITY_FORMULAS; k++)
			top = fmax(top, bmd_ratio(b, &b->slices[c].so_far, (enum locality_formula)k));
	}
	fputs("set datafile missing '?'\n", f);
	if (!dumb) {
		fputs("set multiplot\n", f);
		write_panel(f, 0.40, 0.93);
	}
	plot_title(f, g, in, "Locality", "tasks whose best memory node changed from push to pop, so far (BMD)");
	u = plot_time_axis(f, in);
	if (!dumb)
		fputs("unset xlabel\nset format x ''\n", f);
	fprintf(f, "set ylabel 'BMD (%% of tasks popped)'\nset yrange [0:%.9g]\n", top > 0 ? fmin(108 * top, 102) : 1);
	write_curves(f, b, &u);
	if (dumb)
		return;
	write_chosen(f, in, b);
	fputs("unset multiplot\n", f);
}

static void write_bmd(const struct plot_input *in, struct gnuplot *g)
{
	const struct timeline *tl = in->timeline;
	struct data_state *state = data_state_best(tl->trace);
	struct bmd b;

	bmd_init(&b, tl, in->dag, in->machine, state, COLUMNS);
	data_state_free(state);
	write_ratios(g, &b, tl);
	write_choices(g, &b, tl);
	write_script(g, in, &b);
	bmd_fini(&b);
}

const struct plot plot_bmd = {
	.name = "bmd",
	.summary = "how often locality formulas name another memory node at the pop than at the push, over time",
	.use = PLOT_REQUEST,
	.write = write_bmd,
};
