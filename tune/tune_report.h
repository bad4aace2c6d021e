/* tune/tune_report.h - the outcome of tuning, for people and for programs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_TUNE_REPORT_H
#define TUNE_TUNE_REPORT_H

#include <stdio.h>

struct tune_problem;
struct tune_result;

enum tune_report_rows {
	TUNE_ROWS_BEST, /* of a list's slow factors, and of StarPU's orderings, the best one only */
	TUNE_ROWS_ALL
};

void tune_report_text(FILE *f, const struct tune_problem *p, const struct tune_result *r, enum tune_report_rows rows);
void tune_report_json(FILE *f, const struct tune_problem *p, const struct tune_result *r);

#endif
