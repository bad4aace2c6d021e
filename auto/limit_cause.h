/* auto/limit_cause.h - what keeps a run from the time that all of its work, shared perfectly, would take. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_LIMIT_CAUSE_H
#define AUTO_LIMIT_CAUSE_H

struct bounds;
struct run;

enum { LIMIT_CAUSE_TEXT = 160 };

/*
 * The largest cause of analyze/data/time_breakdown.h, "tasks took longer than they take alone, 40.4 ms (35 % of the
 * run: durations)"; "" where none has 5 % of the run, or the trace does not say. Returns `text`.
 */
const char *limit_cause(char text[LIMIT_CAUSE_TEXT], const struct run *r, const struct bounds *b);

#endif
