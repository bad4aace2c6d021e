/* analyze/page/page_parts.h - sections of the page of a report that describe what was recorded. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_PARTS_H
#define ANALYZE_PAGE_PAGE_PARTS_H

#include <stdio.h>

struct machine;
struct run;

void page_machine(FILE *f, const struct machine *m);

/* The manifest, and what is wrong with the recording itself. */
void page_recording(FILE *f, const struct run *r);

#endif
