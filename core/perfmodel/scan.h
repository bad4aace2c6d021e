/* core/perfmodel/scan.h - numbers one after the other in StarPU's text files, comments skipped. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_PERFMODEL_SCAN_H
#define CORE_PERFMODEL_SCAN_H

struct ht_err;

/* A position in a text that file_read() gave; `line` counts from 1. */
struct scan {
	const char *path, *at;
	int line;
};

/* Skips blanks, line ends and comments (# to the end of the line). */
void scan_skip(struct scan *s);

/*
 * As strtod(). StarPU writes what it has measured in the locale of the program (1.4.10, fprintf() throughout), so the
 * point may be a comma.
 */
double scan_number(const char *text, char **end);

/* The next word as a number; nan and inf are numbers here. */
int scan_real(struct scan *s, const char *what, double *v, struct ht_err *err);

/* Numbers left on this line: StarPU's rows grew columns over the years. */
int scan_columns(const struct scan *s);

#endif
