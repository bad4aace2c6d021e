/* analyze/cmd_plot.c - heterotune plot: pictures of a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/data/interval.h"
#include "analyze/data/timeline.h"
#include "analyze/plots/areas.h"
#include "analyze/plots/drawing.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "core/base/options.h"
#include "core/base/table.h"
#include "core/base/terminal.h"
#include "core/dag/dag.h"
#include "core/dag/other_type.h"
#include "core/run/run.h"

enum { MAX_PLOTS = 64, WIDTH = 80, MAX_WIDTH = 1000, LEAST_DUMB = 40 };

struct plot_args {
	const char *output, *term, *only, *interval, *after;
	enum gnuplot_term terminal;
	int is_blocks; /* drawn here, and not by gnuplot */
	const struct plot *wanted[MAX_PLOTS];
	int nwanted;
};

/* Without --only all but those for readers of a paper; draw() leaves out what has nothing to show. */
static int choose_plots(struct plot_args *a, struct ht_err *err)
{
	if (!a->only) {
		for (int i = 0; plots[i]; i++)
			if (plots[i]->use != PLOT_REQUEST && !(plots[i]->pixels && a->terminal == TERM_DUMB) &&
			    (!a->is_blocks || plots[i]->blocks))
				a->wanted[a->nwanted++] = plots[i];
		return 0;
	}
	for (const char *s = a->only;; s++) {
		size_t len = strcspn(s, ",");

		if (a->nwanted == MAX_PLOTS)
			return ht_err_set(err, "--only names more than %d plots", MAX_PLOTS);
		a->wanted[a->nwanted] = plot_find(s, (int)len, err);
		if (!a->wanted[a->nwanted])
			return ht_err_wrap(err, "--only");
		if (a->is_blocks && !a->wanted[a->nwanted]->blocks)
			return ht_err_set(err, "--only: %s is not drawn in blocks: nready and gantt are",
			                  a->wanted[a->nwanted]->name);
		a->nwanted++;
		s += len;
		if (!*s)
			return 0;
	}
}

static int wants(const struct plot_args *a, const struct plot *p)
{
	for (int i = 0; i < a->nwanted; i++)
		if (a->wanted[i] == p)
			return 1;
	return 0;
}

/* What would be of no use. */
static int check_use(const struct plot_args *a, struct ht_err *err)
{
	if (a->after && !wants(a, &plot_before_after))
		return ht_err_set(err, "--after is for before-after, which is not drawn here");
	if (a->interval && !wants(a, &plot_pushpop) && !wants(a, &plot_pushpop_arch))
		return ht_err_set(err, "--interval is for pushpop and pushpop-arch, which are not drawn here");
	return 0;
}

static int check_args(struct plot_args *a, struct ht_err *err)
{
	a->is_blocks = a->term && strcmp(a->term, "blocks") == 0;
	a->terminal = a->is_blocks ? TERM_DUMB : a->term ? gnuplot_term_parse(a->term) : TERM_PNG;
	if (a->terminal == TERM_COUNT)
		return ht_err_set(err, "--term is png, svg, pdf, dumb or blocks: found %s", a->term);
	if (a->interval && interval_check(a->interval, err) != 0)
		return -1;
	if (run_check_directory(a->output, err) != 0 || choose_plots(a, err) != 0)
		return -1;
	return check_use(a, err);
}

/* Columns to draw in: those of the terminal, else COLUMNS, and at least what axes and names need. */
static int width_of(int is_blocks)
{
	const int least = is_blocks ? AREAS_LABEL + AREAS_LEAST : LEAST_DUMB;
	const char *columns = getenv("COLUMNS");
	int width = terminal_columns(stdout);

	if (!width && columns)
		width = atoi(columns);
	if (width <= 0 || width > MAX_WIDTH)
		width = WIDTH;
	return width < least ? least : width;
}

static int draw_blocks(const struct plot *p, const struct plot_input *in, const char *path, struct ht_err *err)
{
	struct outfile o;

	if (outfile_open(&o, path, err) != 0)
		return -1;
	p->blocks(in, o.f);
	return outfile_commit(&o, err);
}

static int draw_picture(const struct plot *p, const struct plot_input *in, enum gnuplot_term term, const char *path,
                        struct ht_err *err)
{
	size_t len = 0;
	char *picture = plot_draw(p, in, term, &len, err);
	struct outfile o;
	int rc = -1;

	if (picture && outfile_open(&o, path, err) == 0) {
		fwrite(picture, 1, len, o.f);
		rc = outfile_commit(&o, err);
	}
	free(picture);
	return rc;
}

/* Its file is a line of *written. */
static int draw(const struct plot *p, const struct plot_input *in, const struct plot_args *a, char **written,
                struct ht_err *err)
{
	char *path = a->output ? ht_asprintf("%s/%s%s", a->output, p->name, gnuplot_term_suffix(a->terminal)) :
	                         ht_strndup("-", 1);
	const char *nothing = p->nothing ? p->nothing(in) : NULL;
	int rc;

	if (nothing) {
		free(path);
		return a->only ? ht_err_set(err, "%s: %s", p->name, nothing) : 0;
	}
	rc = a->is_blocks ? draw_blocks(p, in, path, err) : draw_picture(p, in, a->terminal, path, err);
	if (rc != 0)
		ht_err_wrap(err, "%s", p->name);
	else if (a->output)
		ht_append(written, "%s\n", path);
	free(path);
	return rc;
}

/* What is in a directory that is removed again is not said to be there. */
static int draw_wanted(const struct plot_input *in, const struct plot_args *a, struct ht_err *err)
{
	char *written;
	int rc = 0, made = a->output && !file_exists(a->output);

	if (a->output && dir_create(a->output, err) != 0)
		return -1;
	written = ht_strndup("", 0);
	for (int i = 0; i < a->nwanted && rc == 0; i++) {
		if (a->is_blocks && !a->output && i)
			putchar('\n');
		rc = draw(a->wanted[i], in, a, &written, err);
	}
	if (rc != 0 && made)
		dir_remove(a->output);
	else
		fputs(written, stdout);
	free(written);
	return rc;
}

/* `after` may be NULL. */
static int draw_all(const struct run *r, const struct run *after, const struct plot_args *a, struct ht_err *err)
{
	struct drawing d = {0}, second = {0};
	int rc = -1;

	if (drawing_init(&d, r, err) != 0 || (after && drawing_init(&second, after, err) != 0))
		goto out;
	d.input.after = after ? &second.input : NULL;
	d.input.columns = width_of(a->is_blocks);
	if (a->interval)
		d.input.interval_ns = interval_parse(a->interval, d.input.timeline->span_ns);
	rc = draw_wanted(&d.input, a, err);
out:
	drawing_fini(&d);
	drawing_fini(&second);
	return rc;
}

static void print_list(void)
{
	struct table *t = table_create("<plot|<what it shows");

	for (int i = 0; plots[i]; i++) {
		table_cell(t, "%s", plots[i]->name);
		table_cell(t, "%s", plots[i]->summary);
	}
	table_print(t, stdout);
	table_free(t);
}

static int answer(char **words, void *options, struct ht_err *err)
{
	struct plot_args *a = options;
	struct run *r = check_args(a, err) == 0 ? run_open(words[0], err) : NULL;
	struct run *after = r && a->after ? run_open(a->after, err) : NULL;
	char *made_up = r && !a->output && a->terminal != TERM_DUMB ? run_output(r, ".plots") : NULL;
	const struct dag_type *other = after ? other_type(after->dag, r->dag) : NULL;
	struct interrupt interrupt;
	int rc = -1, signal = 0;

	if (other)
		fprintf(stderr,
		        "heterotune: plot: %s: has tasks of %s, and %s has none: they have the colour of the last type in the legend\n",
		        a->after, other->name, words[0]);
	if (made_up)
		a->output = made_up;
	if (r && (after || !a->after)) {
		interrupt_begin(&interrupt);
		rc = draw_all(r, after, a, err);
		signal = interrupt_end(&interrupt);
	}
	free(made_up);
	run_free(r);
	run_free(after);
	return signal ? INTERRUPT_STATUS + signal : rc;
}

static int run_plot(int argc, char **argv)
{
	struct plot_args a = {0};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &a.output, "DIR",
	         "directory of the pictures (default: RUN.plots, or PROGRAM.plots for PROGRAM.tuned/run, in the working "
	         "directory; RUN-2.plots and so on where there is one; none with blocks and dumb)"},
		{OPTION_TEXT, 0, "term", &a.term, "TERM",
	         "png (default), svg, pdf; on the terminal: blocks (nready and gantt), or dumb (letters)"},
		{OPTION_TEXT, 0, "only", &a.only, "NAME,...", "these plots and no others"},
		{OPTION_TEXT, 0, "after", &a.after, "RUN", "of before-after: the second run, such as a prediction"},
		{OPTION_TEXT, 0, "interval", &a.interval, "LENGTH",
	         "of pushpop and pushpop-arch: 1/100 of the run (default), 5ms, 250us, ..."},
		{OPTION_LIST, 0, "list", NULL, NULL, "name the plots and stop"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "plot",
		.synopsis = "RUN [-o DIR] [--after RUN] [--term png|svg|pdf|blocks|dumb] [--only NAME,...]",
		.summary = "Draw a run: before and after, a Gantt chart, ready tasks, utilisation, copies, durations.",
		.epilogue = "  heterotune plot chol.ht\n"
			    "  heterotune plot chol.ht --after predicted.ht --only before-after\n"
			    "  heterotune plot chol.ht --term blocks\n",
		.list = print_list,
	};
	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one RUN directory", 1, 1, 0, answer},
	                   &a);
}

const struct command cmd_plot = {"plot", "draw a run: ready tasks over time, a Gantt chart, durations, copies",
                                 run_plot};
