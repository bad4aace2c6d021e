/* analyze/plots/gnuplot.h - gnuplot as a child process: a script and data files in, one picture out. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PLOTS_GNUPLOT_H
#define ANALYZE_PLOTS_GNUPLOT_H

#include <stdio.h>

struct ht_err;

enum gnuplot_term { TERM_PNG = 0, TERM_SVG, TERM_PDF, TERM_DUMB, TERM_COUNT };

const char *gnuplot_term_suffix(enum gnuplot_term t); /* ".png"; ".txt" of dumb */

/* TERM_COUNT when it names none. */
enum gnuplot_term gnuplot_term_parse(const char *name);

/* 0 when gnuplot is in a directory of PATH, else -1 and a sentence. */
int gnuplot_present(struct ht_err *err);

/*
 * One picture: a temporary directory with the script and its data, gone with gnuplot_free(), which accepts NULL.
 * Nothing passes through a shell, and no file of the user (~/.gnuplot) is read: the same input gives the same picture.
 */
struct gnuplot;

struct gnuplot *gnuplot_create(enum gnuplot_term term, int columns, struct ht_err *err);
void gnuplot_free(struct gnuplot *g);
enum gnuplot_term gnuplot_terminal(const struct gnuplot *g);
int gnuplot_columns(const struct gnuplot *g);

/* The size of letters in which a title is in the picture, where it is not too long for any that can be read. */
int gnuplot_points(const struct gnuplot *g, const char *text);

/*
 * The script, with the terminal of that size (pixels; dumb: its `columns`, and 20 pixels a line) and the common style
 * written already. Borrowed until gnuplot_draw(). To be called once.
 */
FILE *gnuplot_script(struct gnuplot *g, int width, int height);

/*
 * A new data file, which the script calls `name`. Borrowed until the next call of gnuplot_data() or gnuplot_draw().
 * Never NULL: where it cannot be made, gnuplot_draw() says so.
 */
FILE *gnuplot_data(struct gnuplot *g, const char *name);

/* gnuplot_draw() fails with the sentence that is put there. */
struct ht_err *gnuplot_err(struct gnuplot *g);

/*
 * `text` as a string of gnuplot in its quotes, shown as it is: nothing in it is a command, a control character is a
 * space and a byte that is not UTF-8 a question mark.
 */
void gnuplot_text(FILE *script, const char *text);

/* The same for the label of a tic, which gnuplot takes for a format. */
void gnuplot_tic(FILE *script, const char *text);

/*
 * The picture: `len` bytes, then a NUL; free() it. NULL on failure, also where interrupt_pending(). Errors have the
 * words of gnuplot.
 */
char *gnuplot_draw(struct gnuplot *g, size_t *len, struct ht_err *err);

#endif
