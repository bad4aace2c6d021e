/* core/base/terminal.h - what a terminal can show: styles, and how many columns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_TERMINAL_H
#define CORE_BASE_TERMINAL_H

#include <stdio.h>

enum terminal_style { TERMINAL_PLAIN, TERMINAL_BOLD, TERMINAL_RED, TERMINAL_GREEN, TERMINAL_YELLOW };

/* Whether somebody looks at `f` as it is written. To a process of mpirun its output always seems to be a terminal. */
int terminal_is(FILE *f);

/*
 * What switches `f` to the style; "" where `f` is no terminal, TERM is dumb or not set, or NO_COLOR is set and not
 * empty (no-color.org).
 */
const char *terminal_style(FILE *f, enum terminal_style s);

/* Columns of the terminal that `f` is: COLUMNS, else what it says itself; 0: it is none, or does not say it. */
int terminal_columns(FILE *f);

/* `len` bytes of `text` in the style, and then the plain one. */
void terminal_write(FILE *f, enum terminal_style s, const char *text, size_t len);

#endif
