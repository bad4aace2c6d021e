/* analyze/plots/plot.h - the plots: each a file, listed in one table. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PLOTS_PLOT_H
#define ANALYZE_PLOTS_PLOT_H

#include <stdint.h>
#include <stdio.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "core/execution/palette.h"
#include "core/metrics/bound.h"

struct dag;
struct execution;
struct ht_err;
struct machine;
struct model_set;
struct worker_times;

/* What a plot is made of. All borrowed. */
struct plot_input {
	const char *name; /* of the run, for titles */
	const struct timeline *timeline;
	const struct palette *palette;
	const struct machine *machine;
	const struct dag *dag;
	int64_t interval_ns; /* of plots that count by interval */
	int columns;         /* of the terminal, where that is not pixels */
	struct named_bound bounds[BOUNDS_NAMED];
	int nbounds; /* 0: they are not known */
	const struct worker_times *times;
	const struct execution *execution;
	const char *scheduler;          /* of the run; "" when not known */
	int is_predicted;               /* by a replay, not recorded */
	const struct plot_input *after; /* of a second run, for what compares; NULL: none */
	const struct model_set *models;
};

/*
 * ALWAYS: 'plot' draws it, and the page of a report has it. CHART: 'plot' draws it, and the page's timeline shows the
 * same. REQUEST: drawn where it is named, for readers of its paper.
 */
enum plot_use { PLOT_ALWAYS, PLOT_CHART, PLOT_REQUEST };

/*
 * `write` fills in script and data of `g`, which its caller runs; what keeps it from that is in gnuplot_err().
 * `nothing` (may be NULL) says in a sentence why a run has nothing to show in it, and is NULL where it has. `blocks`
 * (may be NULL) draws it for a terminal.
 */
struct plot {
	const char *name;
	const char *summary;
	enum plot_use use;
	int pixels; /* cannot be drawn with characters */
	const char *(*nothing)(const struct plot_input *in);
	void (*write)(const struct plot_input *in, struct gnuplot *g);
	void (*blocks)(const struct plot_input *in, FILE *f);
};

/* NULL-terminated: analyze/plots/plots.c. */
extern const struct plot *const plots[];
extern const struct plot plot_nready, plot_pushpop, plot_pushpop_arch, plot_gantt, plot_utilisation;
extern const struct plot plot_before_after, plot_bytes, plot_bmd;
extern const struct plot plot_durations, plot_predicted;

/* NULL: err lists the names. `len` bytes of name are read. */
const struct plot *plot_find(const char *name, int len, struct ht_err *err);

/* The picture, as gnuplot_draw() has it; free() it. */
char *plot_draw(const struct plot *p, const struct plot_input *in, enum gnuplot_term term, size_t *len,
                struct ht_err *err);

/* What a plot needs of `span_ns`: the unit that gives readable numbers, and its length. */
struct plot_unit {
	const char *name; /* "ms" */
	int64_t ns;       /* 1000000 */
};
struct plot_unit plot_time_unit(int64_t span_ns);

/* Writes title, range and label of the x axis: time in the unit of the run's length, which is returned. */
struct plot_unit plot_time_axis(FILE *script, const struct plot_input *in);

/*
 * "set xtics" for times from 0 to `top` on an axis of that many characters, at 1, 2 or 5 times a power of ten, so that
 * there is space between the numbers.
 */
void plot_time_tics(FILE *script, double top, int columns);

/*
 * "set ytics" for counts from -below to above, at 1, 2 or 5 times a power of ten, at most `most` of them on the longer
 * side; without signs, as "2.5k" and "1M" where they are large.
 */
void plot_count_tics(FILE *script, uint64_t below, uint64_t above, unsigned int most);

/*
 * A logarithmic axis ('x' or 'y') of durations from 10^low to 10^high ns, with tics in units of time ("50 us"): at
 * powers of ten and, where these are few, between.
 */
void plot_duration_axis(FILE *script, char axis, double low, double high);

/* A title over the left end of the picture; over its middle where there are only characters. */
void plot_heading(FILE *script, const struct gnuplot *g, const char *text);

/* The same of "WHAT of RUN: DETAIL". */
void plot_title(FILE *script, const struct gnuplot *g, const struct plot_input *in, const char *what,
                const char *detail);

/* The ready tasks of its execution, at most four steps in each of `parts` of the run; timeline_series_fini() it. */
struct timeline_series plot_ready_series(const struct plot_input *in, size_t parts);

/* Where the ready times are derived, a note for the title; else "". */
const char *plot_ready_note(const struct timeline *tl);

/* How a plot shows the tasks of a group; where there are only characters each group has its own for either. */
enum plot_mark { PLOT_BOXES, PLOT_POINTS };

/* The style of a group's data, with its colour: "linetype 2 linecolor rgb '#...'", in buf; returns buf. */
enum { PLOT_STYLE = 64 };
const char *plot_style(char buf[PLOT_STYLE], const struct palette *p, int group, enum gnuplot_term term,
                       enum plot_mark mark);

/* An entry of the legend for each group: a box of its colour, or its character. Each ends with ", \". */
void plot_legend(FILE *script, const struct palette *p, enum gnuplot_term term, enum plot_mark mark);

#endif
