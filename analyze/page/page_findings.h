/* analyze/page/page_findings.h - the section of a page with what limits the run, and what is wrong, worst first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_FINDINGS_H
#define ANALYZE_PAGE_PAGE_FINDINGS_H

#include <stdio.h>

struct report;

/* Each finding with its numbers, its advice and a link to the picture of it. */
void page_findings(FILE *f, const struct report *r);

#endif
