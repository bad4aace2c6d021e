/* analyze/page/page_verdict.h - the top of a page: what to do, and the command for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_VERDICT_H
#define ANALYZE_PAGE_PAGE_VERDICT_H

#include <stdio.h>

struct page;

/*
 * What 'heterotune auto' has printed: paragraphs, each after its label, continued below it. The one called "verdict"
 * is the headline, "use it" the command; "files" is of the directory and left out. Without such a text, what the
 * config says; nothing without a config.
 */
void page_verdict(FILE *f, const struct page *p);

#endif
