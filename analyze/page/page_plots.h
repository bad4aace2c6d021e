/* analyze/page/page_plots.h - the section of a page with the plots that its timeline does not show. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_PLOTS_H
#define ANALYZE_PAGE_PAGE_PLOTS_H

#include <stdio.h>

struct drawing;

/* Drawn by gnuplot, as images; where it is not installed, or cannot, a sentence says so. */
void page_plots(FILE *f, const struct drawing *d);

#endif
