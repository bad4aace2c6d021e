/* analyze/page/page.h - a report as one HTML file: findings, tables, plots, machine, manifest. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_H
#define ANALYZE_PAGE_PAGE_H

#include <stdio.h>

struct config;
struct drawing;
struct report;

/*
 * No script, nothing from elsewhere, and the same bytes for the same run. Its size does not depend on the number of
 * tasks. A plot that cannot be drawn is a sentence that says why. `tuned` may be NULL: no section about a config.
 */
void page_write(FILE *f, const struct report *r, const struct config *tuned, const struct drawing *d);

extern const char page_style[]; /* analyze/page/page_style.c */

#endif
