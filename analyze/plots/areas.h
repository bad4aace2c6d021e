/* analyze/plots/areas.h - areas over time in the block characters of Unicode, for a terminal. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PLOTS_AREAS_H
#define ANALYZE_PLOTS_AREAS_H

#include <stdint.h>
#include <stdio.h>

struct plot_input;

/* Columns of the labels at the left, and the least that a drawing has beside them. */
enum { AREAS_LABEL = 8, AREAS_LEAST = 20 };

/*
 * values[0..columns), from 0 to `top`, as an area of `rows` lines, each an eighth of a line exact; a value above 0 is
 * always seen. `label` stands at the left of the first line.
 */
void areas_draw(FILE *f, const char *label, const double *values, int columns, int rows, double top);

/* The time below areas: 0 at the left, `span_ns` at the right. */
void areas_axis(FILE *f, int columns, int64_t span_ns);

/* Plots (struct plot) that are drawn so. */
void areas_nready(const struct plot_input *in, FILE *f);
void areas_gantt(const struct plot_input *in, FILE *f);

#endif
