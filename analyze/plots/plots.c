/* analyze/plots/plots.c - the table of plots, and what they share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/execution/execution.h"

const struct plot *const plots[] = {
	&plot_before_after, &plot_gantt, &plot_nready,    &plot_utilisation, &plot_pushpop, &plot_pushpop_arch,
	&plot_bytes,        &plot_bmd,   &plot_durations, &plot_predicted,   NULL,
};

const struct plot *plot_find(const char *name, int len, struct ht_err *err)
{
	char names[256] = "";
	size_t used = 0;

	for (int i = 0; plots[i]; i++)
		if (strlen(plots[i]->name) == (size_t)len && memcmp(plots[i]->name, name, (size_t)len) == 0)
			return plots[i];
	for (int i = 0; plots[i] && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", plots[i]->name);
	ht_err_set(err, "there is no plot %.*s: expected one of %s", len, name, names);
	return NULL;
}

char *plot_draw(const struct plot *p, const struct plot_input *in, enum gnuplot_term term, size_t *len,
                struct ht_err *err)
{
	struct gnuplot *g = gnuplot_create(term, in->columns, err);
	char *picture = NULL;

	if (g) {
		p->write(in, g);
		picture = gnuplot_draw(g, len, err);
	}
	gnuplot_free(g);
	return picture;
}

struct plot_unit plot_time_unit(int64_t span_ns)
{
	static const struct plot_unit units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (span_ns >= 2 * units[i].ns)
			return units[i];
	return (struct plot_unit){"ns", 1};
}

struct plot_unit plot_time_axis(FILE *script, const struct plot_input *in)
{
	const struct timeline *tl = in->timeline;
	struct plot_unit u = plot_time_unit(tl->span_ns);

	fprintf(script, "set xlabel 'time since the %s (%s)'\n", tl->nsubmitted ? "first submission" : "first event",
	        u.name);
	fprintf(script, "set xrange [0:%.9g]\n", (double)(tl->span_ns > 0 ? tl->span_ns : 1) / (double)u.ns);
	return u;
}

/* The characters of the widest of the numbers 0, step, 2 step, ... up to top. */
static int widest_tic(double step, double top)
{
	int widest = 1;

	for (int n = 1; n * step <= top; n++) {
		int width = snprintf(NULL, 0, "%g", n * step);

		widest = width > widest ? width : widest;
	}
	return widest;
}

void plot_time_tics(FILE *script, double top, int columns)
{
	enum { APART = 2, MANTISSAS = 3 };
	static const int mantissas[MANTISSAS] = {1, 2, 5};
	double step = 0;

	for (int k = 0; top > 0 && k < 40; k++) {
		step = mantissas[k % MANTISSAS] * pow(10, floor(log10(top)) - 3 + k / MANTISSAS);
		if (columns * step >= top * (widest_tic(step, top) + APART))
			break;
	}
	if (step > 0)
		fprintf(script, "set xtics %.9g\n", step);
}

static uint64_t tic_step(uint64_t top, unsigned int most)
{
	for (uint64_t ten = 1;; ten *= 10)
		for (uint64_t step = ten; step <= 5 * ten; step = step == 2 * ten ? 5 * ten : step * 2)
			if (top / step <= most || ten > UINT64_MAX / 100)
				return step;
}

static void write_tic(FILE *f, uint64_t value, const char *sign)
{
	const char *unit = value >= 1000000 ? "M" : value >= 10000 ? "k" : "";
	double shown = (double)value / (*unit == 'M' ? 1e6 : *unit == 'k' ? 1e3 : 1);

	fprintf(f, ", '%.10g%s' %s%" PRIu64, shown, unit, sign, value);
}

void plot_count_tics(FILE *script, uint64_t below, uint64_t above, unsigned int most)
{
	uint64_t step = tic_step(above > below ? above : below, most);

	fputs("set ytics ('0' 0", script);
	for (uint64_t n = 1; n <= above / step; n++)
		write_tic(script, n * step, "");
	for (uint64_t n = 1; n <= below / step; n++)
		write_tic(script, n * step, "-");
	fputs(")\n", script);
}

void plot_duration_axis(FILE *script, char axis, double low, double high)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	int few = high - low < 2.5, first = 1;

	fprintf(script, "set logscale %c\nset %crange [%.6g:%.6g]\nset %ctics (", axis, axis, pow(10, low),
	        pow(10, high), axis);
	for (int e = (int)floor(low); e <= (int)ceil(high); e++)
		for (int step = 1; step <= (few ? 5 : 1); step = step == 2 ? 5 : step + 1) {
			int unit = e < 0 ? 0 : e / 3 < 3 ? e / 3 : 3;

			fprintf(script, "%s'%g %s' %.6g", first ? "" : ", ", step * pow(10, e - 3 * unit), units[unit],
			        step * pow(10, e));
			first = 0;
		}
	fputs(")\n", script);
}

/* gnuplot leaves out a title that is wider than the terminal. */
static void put_lines(FILE *script, const char *text, int columns)
{
	char *lines = NULL, *rest = NULL;
	size_t size;
	FILE *f = open_memstream(&lines, &size);

	if (!f)
		return;
	wrap_text(f, text, 0, 0, columns);
	fclose(f);
	fputs("set title ''", script);
	for (char *s = strtok_r(lines, "\n", &rest); s; s = strtok_r(NULL, "\n", &rest)) {
		fputs(s == lines ? "." : ".\"\\n\".", script);
		gnuplot_text(script, s);
	}
	free(lines);
}

void plot_heading(FILE *script, const struct gnuplot *g, const char *text)
{
	if (gnuplot_terminal(g) == TERM_DUMB) {
		put_lines(script, text, gnuplot_columns(g) - 2);
	} else {
		fputs("set title ' '\nset label 99 ", script);
		gnuplot_text(script, text);
		fprintf(script, " at screen 0.012, screen 0.999 left offset 0, character -1 font ',%d'",
		        gnuplot_points(g, text));
	}
	fputs("\n", script);
}

void plot_title(FILE *script, const struct gnuplot *g, const struct plot_input *in, const char *what,
                const char *detail)
{
	char text[512];

	snprintf(text, sizeof(text), "%s of %s: %s", what, SHORT_NAME(in->name), detail);
	plot_heading(script, g, text);
}

struct timeline_series plot_ready_series(const struct plot_input *in, size_t parts)
{
	const struct execution *e = in->execution;
	struct timeline_series s = {.steps = ht_alloc(e->nsteps, sizeof(*s.steps)), .count = e->nsteps};

	for (size_t i = 0; i < e->nsteps; i++)
		s.steps[i] = (struct timeline_step){e->steps[i].ns, e->steps[i].ready};
	timeline_series_thin(&s, in->timeline->span_ns, parts);
	return s;
}

const char *plot_ready_note(const struct timeline *tl)
{
	if (!tl->nderived)
		return "";
	return tl->nderived == tl->ntasks ? ", ready times derived from the task graph" :
	                                    ", some ready times derived from the task graph";
}

const char *plot_style(char buf[PLOT_STYLE], const struct palette *p, int group, enum gnuplot_term term,
                       enum plot_mark mark)
{
	char characters[24] = "";

	if (term == TERM_DUMB)
		snprintf(characters, sizeof(characters), "%stype %d ", mark == PLOT_POINTS ? "point" : "line",
		         group + 1);
	else if (mark == PLOT_POINTS)
		snprintf(characters, sizeof(characters), "pointtype 7 ");
	snprintf(buf, PLOT_STYLE, "%slinecolor rgb '#%06" PRIx32 "'", characters, p->groups[group].rgb);
	return buf;
}

void plot_legend(FILE *script, const struct palette *p, enum gnuplot_term term, enum plot_mark mark)
{
	const int is_point = term == TERM_DUMB && mark == PLOT_POINTS;
	char style[PLOT_STYLE];

	for (int i = 0; i < p->ngroups; i++) {
		fprintf(script, "  NaN with %s %s title ", is_point ? "points" : "boxes fillstyle solid 1 noborder",
		        plot_style(style, p, i, term, is_point ? PLOT_POINTS : PLOT_BOXES));
		gnuplot_text(script, p->groups[i].name);
		fputs(", \\\n", script);
	}
}
