/* analyze/plots/plot_causes.h - what workers did while they executed nothing, cut into slices, and its colours. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PLOTS_PLOT_CAUSES_H
#define ANALYZE_PLOTS_PLOT_CAUSES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/data/worker_time.h"
#include "analyze/plots/gnuplot.h"

struct plot_input;

/* Rows of `per_row` workers each, the last one maybe of fewer; slices are those of timeline_slice_ns(). */
struct causes {
	size_t rows, per_row, columns;
	int64_t *ns; /* [row][column][state]; EXECUTING, and before the first start, is 0 */
};

/* All is 0 where the times of the workers are not known. free with causes_fini(). */
void causes_init(struct causes *c, const struct plot_input *in, size_t per_row, size_t columns);
void causes_fini(struct causes *c);

static inline const int64_t *causes_at(const struct causes *c, size_t row, size_t column)
{
	return &c->ns[(row * c->columns + column) * WORKER_STATES];
}

/* Pale, unlike the colours of types; 0xffffff: EXECUTING. */
uint32_t cause_colour(enum worker_state s);

/* What it is called in legends: "waiting for data"; and whether the run has recorded it. */
extern const char *const cause_names[WORKER_STATES];
int cause_is_known(const struct worker_times *x, enum worker_state s);

/*
 * The finding for a title: the share of its workers' time that each architecture executed nothing, and what took most
 * of that: "cuda idle 12 %: waits for data, cpu idle 91 %: no task ready". Returns buf.
 */
enum { CAUSES_TITLE = 256 };
const char *causes_title(const struct worker_times *x, char buf[CAUSES_TITLE]);

/* An entry of the legend for each state that the run has recorded; each ends with ", \". */
void causes_legend(FILE *script, const struct plot_input *in);

/*
 * A box for each stretch of a row in which one cause prevails over the others, and over execution: data files
 * "STATE.dat" and the lines of a plot that draw them, `unit_ns` being that of the axis.
 */
int causes_boxes(struct gnuplot *g, FILE *script, const struct plot_input *in, const struct causes *c, int64_t unit_ns,
                 struct ht_err *err);

#endif
