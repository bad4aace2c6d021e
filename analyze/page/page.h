/* analyze/page/page.h - a report as one HTML file: verdict, timeline, findings, tables, plots, machine, manifest. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_H
#define ANALYZE_PAGE_PAGE_H

#include <stdio.h>

struct config;
struct drawing;
struct report;
struct run;

/* A run that gets a chart. */
struct page_run {
	const char *label; /* "Recorded" */
	const char *under; /* its scheduler, "the config"; "": not known */
	const char *what;  /* ", by a replay"; "" */
	const struct run *run;
	const struct drawing *drawing;
};

enum { PAGE_RUNS = 3 };

/* What a page shows. All borrowed. */
struct page {
	const struct report *report;
	const struct config *tuned; /* NULL: none */
	const char *config_path;    /* of `tuned`, as it was given */
	const char *verdict;        /* what 'heterotune auto' has printed; NULL: what `tuned` says */
	struct page_run runs[PAGE_RUNS];
	int nruns;                       /* runs[0] is that of the report */
	const struct page_run *verified; /* of them the one under `tuned`; NULL: none */
};

/*
 * One file with its scripts in it: nothing from elsewhere is loaded, and the same input gives the same bytes. Above
 * TIMELINE_MOST tasks (page_timeline.h) its size does not grow with their number. A plot that cannot be drawn is a
 * sentence that says why.
 */
void page_write(FILE *f, const struct page *p);

#endif
