/* analyze/page/html.h - text and tables as HTML: nothing in them is markup. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_HTML_H
#define ANALYZE_PAGE_HTML_H

#include <stdio.h>

struct palette;
struct table;

/*
 * `text` as it is, for an element's content or an attribute in quotes; a control character, and a byte that is not
 * UTF-8, becomes U+FFFD.
 */
void html_text(FILE *f, const char *text);

/* The first `len` bytes of it; lines do not break within -options and before units of numbers, as browsers would. */
void html_words(FILE *f, const char *text, size_t len);

enum { HTML_MAX_ROWS = 400 };

/*
 * A table in a box of its own that scrolls; `caption`, whose id is `id`, stands above it. A cell of text that names
 * a group of `palette` (may be NULL) gets its colour. Of more than HTML_MAX_ROWS rows the rest is counted, not shown.
 */
void html_table(FILE *f, const struct table *t, const char *id, const char *caption, const struct palette *palette);

#endif
