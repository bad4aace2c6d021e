/* analyze/page/svg.h - a drawing of gnuplot's SVG terminal as a part of an HTML page. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_SVG_H
#define ANALYZE_PAGE_SVG_H

#include <stdio.h>

/*
 * Writes the <svg> element of `text` for use inside a page. What is not drawing (scripts, styles, titles, handlers)
 * is left out: only known elements and attributes pass. Ids and references to them get `id` and a dash in front, since
 * a page has one space of ids; `id` is letters and digits, `label` the id of the element that names the picture. Size
 * is the page's matter: only the viewBox stays. Returns 0, or -1 when `text` is no SVG, with nothing written.
 */
int svg_inline(FILE *f, const char *text, const char *id, const char *label);

#endif
