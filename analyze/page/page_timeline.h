/* analyze/page/page_timeline.h - the section of a page with the charts of its runs, one above the other on one axis. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_TIMELINE_H
#define ANALYZE_PAGE_PAGE_TIMELINE_H

#include <stdio.h>

struct bounds;
struct palette;
struct page_run;

/* What all charts of a page draw together at most; tasks of runs that have more are drawn together (blocks.h). */
enum { TIMELINE_MOST = 250000 };

/*
 * The data of the charts, which timeline.js draws. Times count from the first start of each run. A type has the colour
 * of its name in `palette`, which is that of the first run; bounds are those of the first run, too.
 */
void page_timeline(FILE *f, const struct page_run *runs, int nruns, const struct bounds *bounds,
                   const struct palette *palette);

#endif
