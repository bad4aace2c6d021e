/* analyze/plots/gantt.h - a Gantt chart as a panel of a plot: what every worker did when, and why it did nothing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PLOTS_GANTT_H
#define ANALYZE_PLOTS_GANTT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/plots/plot.h"

/*
 * A row is a worker, or all workers of an architecture that has more than GANTT_FOLD: then it is as high as the share
 * of them that executes a type, or does nothing for one reason, in each of GANTT_COLUMNS slices. The row of a worker is
 * drawn in the same way where there are more than GANTT_BOXES tasks; else each task is a box.
 */
enum { GANTT_FOLD = 8, GANTT_COLUMNS = 800, GANTT_BOXES = 12000, GANTT_FOLDED_HEIGHT = 3 };

struct gantt_row {
	size_t first, count; /* in `workers` */
	double top;          /* y of its upper end; rows follow each other downwards */
	int stacked;
};

struct gantt {
	const struct plot_input *in;
	const struct palette *palette; /* a type has the colour of its name in it */
	int *workers;                  /* of the machine, by architecture */
	struct gantt_row *rows;
	size_t nrows;
	double height;   /* in rows of one worker */
	int64_t span_ns; /* of slices: first start to last end */
	float *share;    /* [row][column][group or state] of stacked rows */
};

void gantt_init(struct gantt *x, const struct plot_input *in, const struct palette *palette);
void gantt_fini(struct gantt *x);

/*
 * yrange, ytics, and the lines of a plot command that draw it, each ending in ", \"; `prefix` is that of data files.
 * Times count from the first start, in `unit_ns`.
 */
void gantt_axis(const struct gantt *x, FILE *script);
void gantt_boxes(const struct gantt *x, struct gnuplot *g, FILE *script, const char *prefix, int64_t unit_ns);

/* A line below the tasks of the critical chain. */
void gantt_chain(const struct gantt *x, struct gnuplot *g, FILE *script, const char *prefix, int64_t unit_ns);

/* "recorded under dmda, 518 ms: cuda idle 38 %: waits for data", in buf; returns buf. */
enum { GANTT_TITLE = 512 };
const char *gantt_title(const struct plot_input *in, const char *what, char buf[GANTT_TITLE]);

/* Lengths of time, marked above the chart: bounds and makespans are no events in it. */
struct gantt_mark {
	char text[64];
	int64_t ns;
	int is_bound;
};
enum { GANTT_MARKS = 8 };

/* The bounds of `in` that are known; returns how many. */
int gantt_bounds(const struct plot_input *in, struct gantt_mark marks[GANTT_MARKS]);

/*
 * Writes them on lines above the panel, which is `width` by `height` pixels for [0, range_ns], so that no two overlap.
 * Returns the pixels that they need above the panel; with `script` NULL that is all it does, and `height` is not looked
 * at.
 */
int gantt_ruler(FILE *script, struct gantt_mark *marks, int n, int64_t range_ns, int64_t unit_ns, int width,
                int height);

/*
 * The keys of types and states, and of the critical chain where `chain` is not 0, in lines from `top` pixels on in a
 * picture of that size. Returns the pixels that they take; with `script` NULL that is all it does.
 */
int gantt_legend(const struct gantt *x, FILE *script, int chain, int top, int width, int height);

#endif
